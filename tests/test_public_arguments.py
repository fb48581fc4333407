"""Arguments of public callables: one name means one thing, in the plane and in space, in classes and in verbs."""

from __future__ import annotations

import dataclasses
import inspect

import pytest

import flexmb as fm
from flexmb.model.verbs import verb_name
from flexmb.planar.verbs import PlanarVerbs
from flexmb.spatial.verbs import SpatialVerbs
from tests.public_arguments import arguments, public_callables

#: what different types stand for: what is given in the plane and in space, or as a value or a function of time
SAME = {
    "frame": ("FrameLike", "SpatialFrameLike", "Frame", "SpatialFrame", "Frame | str"),
    "frames": ("Sequence[FrameLike]", "Sequence[SpatialFrameLike]", "tuple[Frame, ...]", "Frame | Sequence[Frame]",
               "FrameLike | Sequence[FrameLike]", "Sequence[SpatialFrameLike] | SpatialFrameLike"),
    "number": ("float", "TimeFunction | float", "FollowingGain | float"),
    "numbers": ("Vector", "ndarray", "Sequence[float]", "tuple[float, float]", "Sequence[float] | ndarray"),
    "beam": ("Beam", "AnyBeam"),
    "joint": ("Joint | LowerPair", "LowerPair", "Component"),
    "solution": ("Solution", "Recorded"),
    "motor": ("Motor | ReactionWheel",),
    "properties": ("BeamProperties", "BeamProperties | SectionMatrices",
                   "BeamProperties | Callable[[float], BeamProperties | SectionMatrices] | SectionMatrices"),
    "section": ("Section", "Callable[[float], Section] | Section"),
    "friction": ("JointFriction", "JointFriction | float", "Friction | float", "Friction", "float"),
    "model": ("Model", "Model | Tree", "Model | System", "Owner", "Callable[..., Model]",
              "Callable[..., Model] | Model", "Callable[[float], Model | Equilibrium | State]"),
}  # fmt: skip
#: names whose kind differs: numbers about the only axis of the plane are vectors in space; how a law of damping or of
#: filters is given differs by what has it; pictures of several panels have several labels
KINDS = {
    "angular_velocity": {"number", "numbers"},
    "axes": {"str", "numbers"},
    "axis": {"Axis", "number"},
    "beam": {"beam", "str"},
    "component": {"C", "joint"},
    "commands": {"list[str]", "Mapping[str, Any]"},
    "damping": {"Damping", "number"},
    "do": {"Note | Sequence[Note | StopRun | Switch] | StopRun | Switch"},
    "end": {"FrameOrPoint", "number"},
    "ends": {"Literal['not-a-knot', 'clamped', 'natural']", "numbers"},
    "filters": {"Mapping[str, LinearModel]", "Mapping[int, LinearModel]"},
    "flexible": {"str", "Mapping[str, FlexibleLink]"},
    "force": {"number", "numbers"},
    "gravity": {"numbers", "CentralGravity | Vector"},
    "frame": {"frame", "frames"},
    "friction": {"friction", "Friction | LuGre", "Friction | LuGre | float"},
    "function": {"Callable[..., Any]", "Callable[[float], float]", "number"},
    "inputs": {"Sequence[str] | str"},
    "interfaces": {"Mapping[str, Any]", "Mapping[str, Interface]"},
    "load": {"number", "numbers"},
    "loads": {"Mapping[str, ModalLoad]", "Mapping[str, NodalLoad]", "Mapping[str, NodalLoad | ThermalLoad]"},
    "motion": {"number", "tuple[ndarray, Any, ndarray]"},
    "parameters": {"numbers", "Mapping[str, float] | Sequence[str]", "Iterable[Mapping[str, Any]]"},
    "beside": {"bool", "Mapping[str, Any]"},
    "labels": {"Mapping[str, str]", "Sequence[str]"},
    "over": {"bool", "numbers"},
    "position": {"number", "numbers"},
    "sensors": {"Sensor | Sequence[Sensor]", "list[Sensor]"},
    "start": {"FrameOrPoint", "numbers"},
    "shape": {"Shape", "BodyShape"},
    "shapes": {"ContactShape | Sequence[ContactShape]"},
    "size": {"numbers", "Size", "number"},
    "x": {"str", "list[float]"},
    "y_label": {"str", "Sequence[str] | str"},
}
#: an angle or a direction, one number or three; in space a shape says what a body weighs, an axis where a beam is
OTHER_DEFAULTS = ("axis", "start", "end", "mass", "inertia", "center", "angular_velocity")
MODELS = {fm.planar: fm.PlanarModel, fm.spatial: fm.SpatialModel}


def _families(name: str, kinds: list[str]) -> set[str]:
    found = set()
    for kind in kinds:
        same = [of for of, those in SAME.items() if kind in those and (of != "friction" or name == "friction")]
        found.add(same[0] if same else kind)
    if name == "friction":
        found = {"friction" if x in ("number", "joint") else x for x in found}
    return found - {"Any", "Sequence[Any]"}


@pytest.mark.parametrize("name", arguments())
def test_an_argument_means_one_thing(name):
    found = _families(name, list(arguments()[name]))
    assert len(found) <= 1 or found <= KINDS[name], found


def test_exceptions_are_needed():
    assert set(KINDS) <= set(arguments())


def _made_by_verbs() -> list[tuple[type, type, str]]:
    """(model, class, verb) of all components that verbs make."""
    found = []
    for room, model in MODELS.items():
        for name in room.__all__:
            of = getattr(room, name)
            if isinstance(of, type) and issubclass(of, fm.Component) and hasattr(model, verb_name(of)):
                found.append((model, of, verb_name(of)))
    return found


def test_classes_verbs_and_files_have_one_name():
    """All verbs that make a component have its name; what they make is in a file that is named after it or its kind."""
    verbs = {
        (model, name)
        for model, verbs_of in zip(MODELS.values(), (PlanarVerbs, SpatialVerbs), strict=True)
        for name in vars(verbs_of)
        if not name.startswith("_")
    }
    made = {(model, verb) for model, _, verb in _made_by_verbs()}
    assert verbs <= made
    assert len(made) > 60


@pytest.mark.parametrize(("model", "of", "verb"), _made_by_verbs(), ids=str)
def test_verbs_take_what_classes_take(model, of, verb):
    """Each argument of a verb is a field, with the same default; what has no default is given by its place."""
    taken = inspect.signature(getattr(model, verb)).parameters
    fields = {f.name: f for f in dataclasses.fields(of) if f.init}
    for name, p in taken.items():
        if name in ("self", "name"):
            continue
        assert name in fields, name
        default = fields[name].default
        if p.default is not p.empty and default is not dataclasses.MISSING and default == default:  # not NaN
            assert p.default == default, name


def _both() -> list[str]:
    """Verbs of both models."""
    own = [{n for n, _ in inspect.getmembers(model, inspect.isfunction) if n[0] != "_"} for model in MODELS.values()]
    return sorted(own[0] & own[1])


@pytest.mark.parametrize("verb", _both())
def test_the_plane_and_space_agree(verb):
    """What both take has the same place among the arguments and the same default, but for vectors and directions."""
    flat, space = (inspect.signature(getattr(model, verb)).parameters for model in MODELS.values())
    common = [name for name in flat if name in space]
    places = [[n for n in common if taken[n].kind is not inspect.Parameter.KEYWORD_ONLY] for taken in (flat, space)]
    assert places[0] == places[1]
    for name in common:
        a, b = flat[name].default, space[name].default
        if isinstance(a, tuple) or isinstance(b, tuple) or name in OTHER_DEFAULTS:
            continue
        assert a == b, name


def test_the_list_has_all_that_users_call():
    called = public_callables()
    assert {"fm.simulate", "fm.PlanarModel.revolute", "fm.spatial.Revolute", "fm.control.lqr"} <= set(called)
    assert "fm.Solution.reaction" in called and "fm.planar.Revolute.assemble" not in called
