"""Bodies and beams in space, one family a file."""

from flexmb.machine.late_names import Choice, late_names

__getattr__, __dir__, __all__ = late_names(__name__, __file__)

#: Beam theories by their names in :meth:`flexmb.SpatialModel.add_beam`.
BEAMS = Choice(
    cms="flexmb.elements.spatial.cms_beam:CmsBeam",
    ancf="flexmb.elements.spatial.ancf_cable:AncfCable",
    exact="flexmb.elements.spatial.exact_beam:ExactBeam",
    floating="flexmb.elements.spatial.floating_beam:FloatingBeam",
)
