"""What analyses do not take is refused by its name, in the plane and in space; nothing is left out without a word."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import flexmb as fm
from flexmb.errors import FlexmbError

STICKS = fm.JointFriction(0.3, radius=0.02, length=0.1, smoothing=0.0)
RUBBER = fm.TireLaw(load=10.0, cornering_stiffness=300.0, relaxation_length=0.1, vertical_stiffness=2e3)


def build(dimension: int, component: str, stiffness: float = 12.0) -> Any:
    """A bar on a hinge with a torsion spring, and one component."""
    friction = STICKS if component == "sticking" else None
    if dimension == 2:
        m: Any = fm.PlanarModel("bar")
        bar = m.add_body("bar", mass=1.0, inertia=0.1, position=(0.5, 0.0))
        pivot, axis = bar.attach("pivot", (-0.5, 0.0)), {}
    else:
        m = fm.SpatialModel("bar")
        bar = m.add_body("bar", mass=1.0, inertia=(0.01, 0.1, 0.1), position=(0.5, 0.0, 0.0))
        pivot, axis = bar.attach("pivot", (-0.5, 0.0, 0.0)), {"axis": "z"}
    m.revolute(m.ground, pivot, friction=friction, name="hinge", **axis)
    m.torsion_spring(m.ground, pivot, stiffness=stiffness, damping=0.4, free_angle=0.5, **axis)
    if component == "event":
        m.add_event(0.1, fm.Note(), name="note")
    if component in ("tire", "wheel"):
        place = (0.0, -2.0) if dimension == 2 else (0.0, -2.0, 0.1)
        inertia: Any = 0.01 if dimension == 2 else (0.01, 0.01, 0.01)
        other = m.add_body("other", mass=0.5, inertia=inertia, position=place)
        if dimension == 2:
            m.tire(m.ground, other.frame, RUBBER, name="tire") if component == "tire" else m.knife_edge(
                m.ground, other.frame, name="wheel"
            )
        elif component == "tire":
            m.tire(m.ground, other.frame, RUBBER, 0.1, name="tire")
        else:
            m.rolling_wheel(m.ground, other.frame, 0.1, name="wheel")
    return m


def sensitivity(method: str) -> Callable[[int, str], Any]:
    def run(dimension: int, component: str) -> Any:
        def given(k: float) -> Any:
            return build(dimension, component, k)

        return fm.sensitivity(given, {"k": 12.0}, 0.05, final="bar.y", step=1e-2, derivatives=method)

    return run


ANALYSES: dict[str, Callable[[int, str], Any]] = {
    "equilibrium": lambda d, c: fm.equilibrium(build(d, c)),
    "quasi_static": lambda d, c: fm.quasi_static(build(d, c), 0.1, steps=2),
    "kinematics": lambda d, c: fm.kinematics(build(d, c), 0.1, steps=2, progress=False),
    "modes": lambda d, c: fm.modes(build(d, c), 1),
    "complex_modes": lambda d, c: fm.complex_modes(build(d, c), 1),
    "campbell": lambda d, c: fm.campbell(lambda speed: build(d, c), [0.0, 1.0], 1),
    "frequency_response": lambda d, c: fm.frequency_response(build(d, c), "bar.fy", "bar.y", [1.0]),
    "static_sensitivity": lambda d, c: fm.static_sensitivity(lambda k: build(d, c, k), {"k": 12.0}, "bar.y"),
    "sensitivity, direct": sensitivity("direct"),
    "sensitivity, adjoint": sensitivity("adjoint"),
    "linearize": lambda d, c: fm.linearize(build(d, c), "bar.fy", "bar.y"),
}
AT_SPEED = r"'(tire|wheel)' constrains speeds and no positions"
#: those that ask for rest, or for positions alone
AT_REST = [x for x in ANALYSES if x != "linearize" and not x.startswith("sensitivity")]
#: analyses that refuse a component, and what they say
SAID = [
    ("sticking", list(ANALYSES), "'hinge' truly sticks"),
    ("event", ["sensitivity, direct", "sensitivity, adjoint"], "it has the event 'note'"),
    ("tire", AT_REST, AT_SPEED),
    ("wheel", AT_REST, AT_SPEED),
]
CASES = [(d, component, x, said) for component, names, said in SAID for x in names for d in (2, 3)]


@pytest.mark.parametrize(("dimension", "component", "analysis", "said"), CASES)
def test_it_is_refused_by_name(dimension: int, component: str, analysis: str, said: str) -> None:
    with pytest.raises(FlexmbError, match=said):
        ANALYSES[analysis](dimension, component)
