"""flexmb: flexible multibody dynamics, for mechanisms that turn far and bend.

Models, materials, sections, shapes, functions of time, analyses, results and studies stand here; they are imported when
they are first used. Other names stand in rooms:

    planar      bodies, beams, joints and forces in the plane: fm.planar.Revolute is what model.revolute makes there
    spatial     the same in space, under the same names where it is the same thing: fm.spatial.Revolute
    bodies      flexible bodies from finite elements, as arrays
    control     sensors, laws and controllers; design of feedback and filters on linear models
    formulations  the same mechanism in joint coordinates: what formulations of its equations are and yield
    errors      what may be raised, all of it an fm.FlexmbError, and what is warned of
    testing     conformance tests for elements, joints and forces of your own (import flexmb.testing)
    examples    mechanisms to begin with; validation: checks against theory, experiments and other codes
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import lazy_loader

__version__ = "0.1.0"

if find_spec("flexmb.elements") is None:  # Python takes the folder in which it is started before what is installed
    raise ImportError(
        f"flexmb: {__file__} is a part of its source, in which its elements stand elsewhere; start Python in another "
        "folder, or install the source itself with: pip install -e ."
    )

_imported, _, _names = lazy_loader.attach_stub(__name__, __file__)
__all__ = ["__version__", *_names]


def __getattr__(what: str) -> Any:
    if what in _names:
        return _imported(what)
    if what.startswith("_") or find_spec(f"{__name__}.{what}"):  # what Python asks for, also where a room is imported
        raise AttributeError(f"module {__name__!r} has no attribute {what!r}; a room is there after its import")
    rooms = (name for name in _names if what in getattr(_imported(name), "__all__", ()))
    instead = " or ".join(f"fm.{room}.{what}" for room in rooms)
    raise import_module("flexmb.model.hints").no_attribute(__name__, what, _names, instead)


def __dir__() -> list[str]:
    return list(__all__)
