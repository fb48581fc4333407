"""flexmb: flexible multibody dynamics, for mechanisms that turn far and bend.

Models, materials, sections, shapes, functions of time, analyses, results and studies stand here; they are imported when
they are first used. Other names stand in rooms:

    planar      bodies, beams, joints and forces in the plane: fm.planar.Revolute is what model.revolute makes there
    spatial     the same in space, under the same names where it is the same thing: fm.spatial.Revolute
    bodies      flexible bodies from finite elements, as arrays
    control     sensors, laws and controllers; design of feedback and filters on linear models
    environments  mechanisms as environments for learning, of gymnasium, many at once in threads
    formulations  the same mechanism in joint coordinates: what formulations of its equations are and yield
    errors      what may be raised, all of it an fm.FlexmbError, and what is warned of
    testing     conformance tests for elements, joints and forces of your own (import flexmb.testing)
    examples    mechanisms to begin with; validation: checks against theory, experiments and other codes
"""

from __future__ import annotations

from importlib.util import find_spec

from flexmb.machine.late_names import late_names

__version__ = "0.1.0"

if find_spec("flexmb.elements") is None:  # Python takes the folder in which it is started before what is installed
    raise ImportError(
        f"flexmb: {__file__} is a part of its source, in which its elements stand elsewhere; start Python in another "
        "folder, or install the source itself with: pip install -e ."
    )

__getattr__, __dir__, __all__ = late_names(__name__, __file__)
