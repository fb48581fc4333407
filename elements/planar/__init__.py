"""Bodies and beams in the plane, one family a file."""

from flexmb.machine.late_names import Choice, late_names

__getattr__, __dir__, __all__ = late_names(__name__, __file__)

#: Beam theories by their names in :meth:`flexmb.PlanarModel.add_beam`.
BEAMS = Choice(
    ancf="flexmb.elements.planar.ancf_cable:AncfCable",
    cms="flexmb.elements.planar.cms_beam:CmsBeam",
    exact="flexmb.elements.planar.exact_beam:ExactBeam",
    floating="flexmb.elements.planar.floating_beam:FloatingBeam",
)
