"""The public callables of flexmb and their arguments. Run, it lists them:

python -m tests.public_arguments
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

import flexmb as fm

#: rooms whose classes are results: users take them from what made them, and call their methods
RESULTS = ("flexmb.results.", "flexmb.analyses.", "flexmb.studies.", "flexmb.system.", "flexmb.io.")
#: methods of components and sensors that users call; the others are those by which the engine asks
OF_COMPONENTS = ("at", "attach", "contact_points", "forces", "friction_needed", "move")
OF_SENSORS = ("readings",)
#: methods of other classes by which parts of flexmb ask each other
INNER = {
    "View": ("extent", "frame_times", "picture", "seconds", "stage", "title"),
    "ControlLog": ("course", "held_commands"),
    "Track": ("turn",),
    "ArmLink": ("beam", "check"),
    "ModalDamping": ("check", "values"),
    "JointFriction": ("needs", "parameters"),
    "Friction": ("parameters",),
    "TireLaw": ("numbers", "vertical"),
    "EquilibriumPath": ("ordered", "subject"),
    "CriticalPoint": ("branch",),
    "Equilibrium": ("subject",),
    "LinearModel": ("needs", "transformed"),
    "Modes": ("subject_of_mode", "title"),
    "ComplexModes": ("subject_of_mode", "title"),
    "Statistics": ("note_rounding",),
    "SteadyRotation": "all",
    "System": "all",
    "Tree": ("put", "of_system", "state", "position"),
    "Loops": "all",
    "Controller": ("check", "raise_failure", "with_law"),
    "Event": ("check",),
    "Ledger": (),
    "TimeFunction": ("jumps", "kinks_until", "parameters", "slot"),
    "Axis": ("path", "pieces"),
    "Frame": ("check", "enter", "on_node", "placed"),
    "Model": ("all_or_nothing", "free_name", "register_frame"),
    "Section": ("inertia", "off_axis", "stiffness"),
    "NodeSet": ("numbers",),
    "NodalLoad": ("spread",),
    "ThermalLoad": ("at", "forces", "spread"),
    "ElasticCells": "all",
    "PythonForce": ("forces", "move"),
    "FlexibleLink": ("add",),
    "Gains": ("at", "check"),
    "CentralGravity": ("uniform", "weight"),
    "Task": ("sensors", "start_of"),
}


#: classes that functions and methods make, or that are only derived from
MADE_BY_OTHERS = (
    "fm.Loops", "fm.SymbolicBlock", "fm.Tree", "fm.bodies.Appendage", "fm.bodies.BodyMesh", "fm.bodies.ElasticCells",
    "fm.bodies.ModeComparison", "fm.bodies.UnitLoadStiffness", "fm.control.Regulator", "fm.control.SlidingDesign",
    "fm.control.InputShaper", "fm.control.LQG", "fm.control.Observer", "fm.control.Trim",
    "fm.Runs", "fm.control.StabilityMargins", "fm.environments.Moment",
    "fm.planar.Beam", "fm.spatial.Beam", "fm.planar.BeamPoint", "fm.spatial.BeamPoint",
    "fm.planar.BodyInterface", "fm.spatial.BodyInterface", "fm.planar.Frame", "fm.spatial.Frame",
)  # fmt: skip


def _named(room: Any, names: Any) -> Iterator[tuple[str, Any]]:
    for name in names:
        value = getattr(room, name)
        if not inspect.ismodule(value) and name != "__version__":
            yield f"{room.__name__.replace('flexmb', 'fm', 1)}.{name}", value


def public_objects() -> dict[str, Any]:
    """Functions and classes by the names under which users find them; errors are left out."""
    found = dict(_named(fm, fm.__all__))
    for room in (fm.planar, fm.spatial, fm.bodies, fm.control, fm.environments):
        found |= {name: value for name, value in _named(room, room.__all__) if value not in found.values()}
    return {name: x for name, x in found.items() if not (inspect.isclass(x) and issubclass(x, BaseException))}


def _methods(name: str, of: type) -> Iterator[tuple[str, Any]]:
    inner = next(("all" for kind in of.__mro__ if INNER.get(kind.__name__) == "all"), None) or [
        what for kind in of.__mro__ for what in INNER.get(kind.__name__, ())
    ]
    for what, method in inspect.getmembers(of, callable):
        if what.startswith("_") or inner == "all" or what in inner or isinstance(method, type):
            continue
        if issubclass(of, fm.Component) and what not in OF_COMPONENTS:
            continue
        if issubclass(of, fm.control.Sensor) and what not in OF_SENSORS:
            continue
        if issubclass(of, fm.control.Law) or getattr(method, "__objclass__", of) is not of:
            continue
        if not str(getattr(method, "__module__", "")).startswith("flexmb"):
            continue
        yield f"{name}.{what}", method


def public_callables() -> dict[str, inspect.Signature]:
    """The signature of each function, of what makes each class that users make, and of the methods that they call."""
    found = {}
    for name, x in public_objects().items():
        if not inspect.isclass(x):
            found[name] = x
            continue
        if name not in MADE_BY_OTHERS and not x.__module__.startswith(RESULTS) and not hasattr(x, "_fields"):
            found[name] = x
        found |= dict(_methods(name, x))
    return {name: inspect.signature(x) for name, x in found.items()}


def kind(annotation: Any) -> str:
    """What an annotation asks for, in the plane and in space alike, with nothing said of leaving it out."""
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    parts = {re.sub(r"\w+\.(?=\w)", "", part).strip() for part in re.split(r"\|(?![^\[]*\])", text)} - {"None"}
    if parts & {"Any", "object"}:
        return "Any"
    return " | ".join(sorted(parts))


def arguments() -> dict[str, dict[str, list[str]]]:
    """The names of arguments; of each the kinds of what is given, and who takes it."""
    found: dict[str, dict[str, list[str]]] = {}
    for name, signature in public_callables().items():
        for p in signature.parameters.values():
            if p.name != "self" and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
                found.setdefault(p.name, {}).setdefault(kind(p.annotation), []).append(name)
    return dict(sorted(found.items()))


def main() -> None:
    for name, signature in public_callables().items():
        print(f"{name}{signature}")


if __name__ == "__main__":
    main()
