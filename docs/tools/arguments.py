"""Pages of what verbs take as arguments: functions of time, materials, sections, shapes, drives, sensors, units. Each
shows its names whole, as their docstrings describe them."""

from __future__ import annotations

import importlib

from docs.tools.reference import names
from flexmb.feedback.sensors import Sensor
from flexmb.plots.words import CONVERSIONS

#: a page's name, its title, a sentence, and the rooms with the names on it
PAGES = {
    "functions-of-time": (
        "Functions of time",
        "Drives, loads, motors and references take them, and sums of them; a plain number is a constant.",
        {
            "flexmb": "Constant Polynomial Harmonic SmoothStep TrapezoidalSpeed SpinUp Spline SplineFit spline_fit "
            "Step Pulse PiecewiseLinear TimeFunction"
        },
    ),
    "materials": (
        "Materials and damping",
        "`material=` and `damping=` of beams, rigid bodies with a shape, and bodies from finite elements.",
        {"flexmb": "Material ModalDamping StiffnessProportional"},
    ),
    "sections": (
        "Sections of beams",
        "`section=` of a beam, or its stiffnesses themselves as `properties=`.",
        {
            "flexmb": "Section Circle Tube Ellipse Rectangle HollowRectangle AngleSection Channel DoubleTee ThinWalls "
            "section_of_outline section_of_regions",
            "flexmb.planar": "BeamProperties",
            "flexmb.spatial": "BeamProperties SectionMatrices",
        },
    ),
    "shapes": (
        "Shapes",
        "`shape=` of bodies that have mass by their volume, and of what touches in a contact.",
        {
            "flexmb": "Box Cylinder HollowCylinder Sphere CompoundShape ClosedSurface OpenSurface Shape Disk Cavity "
            "HalfPlane HalfSpace",
        },
    ),
    "drives": (
        "Drives and motors",
        "What moves a mechanism: a motion that is prescribed, or a torque that a law or a controller gives.",
        {
            "flexmb.planar": "DriveAngle DrivePosition DriveDistance",
            "flexmb.spatial": "DriveJoint DriveRotation DriveAngle DrivePosition DriveDistance Motor JointForce",
        },
    ),
    "sensors": (
        "Sensors",
        "`sensors=` of controllers, inputs of states, what events watch; each takes `noise`, `bias` and `resolution`.",
        {"flexmb.control": ""},
    ),
}
#: what stands in these pages beside generated text
UNITS = """Units of pictures and tables
============================

.. rst-class:: subtitle

Models, results and files hold units of the SI and radians; diagrams, tables and films take `units=` for others.

`solution.plot("crank.angle", units={"rad": "deg"})` shows all angles in degrees, and
`units={"crank.angle": "deg"}` this one.

.. list-table::
   :header-rows: 1

   * - unit of the SI
     - may be shown in
"""


def pages() -> dict[str, str]:
    """The pages by their paths within the site, without the folder of the site."""
    found = {f"reference/arguments/{name}.rst": page(*about) for name, about in PAGES.items()}
    rows = (
        f"   * - {unit}\n     - {', '.join(f'`{other}`' for other in table)}\n" for unit, table in CONVERSIONS.items()
    )
    return {**found, "reference/arguments/units.rst": UNITS + "".join(rows)}


def page(title: str, about: str, rooms: dict[str, str]) -> str:
    """One page: each name with its signature and its docstring, and a link to its own page, where its parts stand."""
    text = f"{title}\n{'=' * len(title)}\n\n.. rst-class:: subtitle\n\n{about}\n\n"
    for room, given in rooms.items():
        module = importlib.import_module(room)
        chosen = given.split() or [x for x in names(room) if is_sensor(getattr(module, x))]
        text += f".. currentmodule:: {room}\n\n"
        for name in chosen:
            kind = "class" if isinstance(getattr(module, name), type) else "function"
            text += f".. auto{kind}:: {name}\n   :no-index:\n"
            text += "   :no-members:\n\n" if kind == "class" else "\n"
    return text


def is_sensor(thing: object) -> bool:
    """Whether a name of the controls is a sensor that a user makes."""
    return isinstance(thing, type) and issubclass(thing, Sensor) and thing is not Sensor
