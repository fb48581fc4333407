"""Motors of every kind in joint coordinates, by every formulation: the motion, the forces and the energies are those of
absolute coordinates."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flexmb as fm
from flexmb.formulations.kinds import FORMULATIONS
from tests.models.benches import plane

WAVE = fm.Harmonic(1.0, 5.0)
RUBBING = fm.Friction(coulomb=0.05, smoothing=0.1, viscous=0.02)
MOTORS: dict[str, dict[str, Any]] = {
    "torque": {"inertia": 0.01, "torque": WAVE},
    "torque without inertia": {"torque": WAVE},
    "torque, friction": {"inertia": 0.01, "torque": WAVE, "friction": 0.1},
    "dry friction without inertia": {"friction": RUBBING, "torque": WAVE},
    "elastic": {"inertia": 0.01, "stiffness": 200.0, "damping": 0.5, "torque": WAVE, "friction": RUBBING},
    "elastic, undamped": {"inertia": 0.01, "stiffness": 200.0, "torque": WAVE},
    "angle": {"inertia": 0.01, "angle": WAVE},
    "angle without inertia": {"angle": WAVE + 0.3},
    "angle, elastic": {"inertia": 0.01, "stiffness": 200.0, "damping": 0.5, "angle": WAVE + 0.3, "friction": 0.1},
    "angle, elastic, without inertia": {"stiffness": 200.0, "angle": WAVE},
}
#: stator and output, in the plane; and the axis, in space
IN_PLANE = {
    "from the ground": ("ground", "one"),
    "to the ground": ("one", "ground"),
    "within": ("two", "one"),
    "over two joints": ("ground", "two"),
    "between branches": ("wheel", "two"),
}
IN_SPACE = {
    "from the ground": ("ground", "a", "z"),
    "to the ground": ("a", "ground", "z"),
    "within": ("a", "b", "z"),
    "backwards, askew": ("c", "b", (1, 1, 0)),
    "over two joints": ("ground", "b", "z"),
}
pytestmark = pytest.mark.filterwarnings(
    "ignore::flexmb.errors.InitialConditionWarning"
)  # given angles begin with a speed

ENERGIES = ("kinetic", "strain", "dissipated", "input", "drives")


def hinges() -> Any:
    """Three bodies on hinges one behind the other, the last askew, the first two parallel; they turn."""
    m: Any = fm.SpatialModel("hinges", gravity=(0.5, 0, -9.81))
    a = m.add_body("a", mass=1.0, inertia=(0.1, 0.12, 0.05), position=(0.5, 0, 0))
    b = m.add_body("b", mass=0.7, inertia=(0.06, 0.05, 0.03), position=(1.2, 0.1, 0), center=(0.02, 0.01, 0))
    c = m.add_body("c", mass=0.5, inertia=(0.03, 0.02, 0.03), position=(1.5, 0.5, 0.1))
    m.revolute(m.ground, a.attach("start", (-0.5, 0, 0)), axis="z", name="first")
    m.revolute(a.attach("end", (0.5, 0, 0)), b.attach("start", (-0.2, -0.1, 0)), axis="z", name="second")
    m.revolute(b.attach("end", (0.2, 0.2, 0)), c.attach("start", (-0.1, -0.2, -0.1)), axis=(1, 1, 0), name="third")
    for body in (a, b, c):
        body.frame.move(np.cross((0, 0, 0.5), body.frame.position), (0, 0, 0.5))
    return m


def frame(m: Any, name: str) -> Any:
    return m.ground if name == "ground" else m.components[name].frame


def agree(make: Any, near: float = 1e-9) -> None:
    """The same by all formulations as in absolute coordinates."""
    one = fm.simulate(make(), 0.03, "rkf45", step=5e-4, progress=False)
    assert np.abs(one.v[-1] - one.v[0]).max() > 1e-3
    for formulation in FORMULATIONS:
        other = fm.simulate(make(), 0.03, "rkf45", step=5e-4, formulation=formulation, progress=False)
        for x, y in [
            *((getattr(one, name), getattr(other, name)) for name in ("q", "v", "a", "multipliers")),
            *((getattr(one.energy, name), getattr(other.energy, name)) for name in ENERGIES),
        ]:
            np.testing.assert_allclose(y, x, rtol=0, atol=near * max(1.0, np.abs(x).max()))


@pytest.mark.parametrize("ratio", [5.0, -3.0])
@pytest.mark.parametrize("motor", MOTORS)
def test_motors_of_the_plane(motor, ratio):
    for loop, (a, b) in enumerate(IN_PLANE.values()):

        def make(a=a, b=b, loop=loop):
            m = plane()
            m.motor(frame(m, a), frame(m, b), ratio=ratio, **MOTORS[motor])
            if loop % 2:
                m.distance(m.ground.attach("peg", (2.0, 0.5)), m.end, name="rod")
            return m

        agree(make)


@pytest.mark.parametrize("place", IN_SPACE)
@pytest.mark.parametrize("motor", MOTORS)
def test_motors_in_space(motor, place):
    a, b, axis = IN_SPACE[place]
    for loop in (False, True):

        def make(loop=loop):
            m = hinges()
            m.motor(frame(m, a), frame(m, b), axis=axis, ratio=-3.0 if loop else 5.0, **MOTORS[motor])
            if loop:
                m.distance(m.ground.attach("peg", (2.0, 0.5, 0.3)), m.components["c"].frame, name="rod")
            return m

        agree(make)


def several() -> Any:
    """A motor at each hinge, of different kinds, and a torque at one."""
    m = hinges()
    m.motor(m.ground, frame(m, "a"), axis="z", ratio=5.0, inertia=0.01, stiffness=200.0, damping=0.5, torque=WAVE)
    m.motor(m.ground, frame(m, "a"), axis="z", ratio=2.0, inertia=0.01, torque=0.1)
    m.motor(frame(m, "a"), frame(m, "b"), axis="z", ratio=3.0, friction=0.01, torque=0.2)
    m.motor(frame(m, "b"), frame(m, "c"), axis=(1, 1, 0), ratio=4.0, angle=WAVE)
    m.joint_force(m.components["second"], WAVE, damping=0.1)
    return m


@pytest.mark.parametrize(
    ("method", "options", "near"),
    [
        ("dop853", {"tolerance": 1e-10}, 1e-8),
        ("radau", {"tolerance": 1e-9}, 1e-7),
        ("independent", {"tolerance": 1e-10, "absolute_tolerance": 1e-12}, 1e-6),
        ("generalized_alpha", {"tolerance": 1e-6}, 1e-4),
        ("projection", {"tolerance": 1e-10, "absolute_tolerance": 1e-12}, 1e-7),
    ],
)
@pytest.mark.parametrize("formulation", ["aba", "dca"])
def test_several_motors_by_other_methods(method, options, near, formulation):
    given: dict[str, Any] = {"times": np.linspace(0.0, 0.2, 5), "progress": False}
    one = fm.simulate(several(), 0.2, "dop853", tolerance=1e-11, **given)
    other = fm.simulate(several(), 0.2, method, formulation=formulation, **options, **given)
    np.testing.assert_allclose(other.q, one.q, rtol=0, atol=near)
    np.testing.assert_allclose(other.v, one.v, rtol=0, atol=10.0 * near)


def test_the_mass_matrix_of_a_tree_has_the_rotors():
    """The rotor in a stator on the ground turns for itself; that in a stator on a link, with it."""
    m = hinges()
    m.motor(m.ground, frame(m, "a"), axis="z", inertia=0.04, stiffness=10.0, ratio=2.0, name="grounded")
    m.motor(frame(m, "a"), frame(m, "b"), axis="z", inertia=0.03, stiffness=10.0, ratio=2.0, name="carried")
    tree = fm.Tree.of(m)
    dynamics = fm.TreeDynamics(tree)
    q, v = tree.start()
    assert tree.nv == 5
    v = np.array([0.3, -0.2, 0.5, 0.7, 1.1])
    state = tree.state(q, v)
    system = tree.system
    kinetic = system.energy(0.0, state.q, state.v)[0]
    mass = dynamics.mass_matrix(q)
    assert 0.5 * v @ mass @ v == pytest.approx(kinetic, rel=1e-13)
    rotors = [k for k in (3, 4) if np.count_nonzero(np.abs(mass[k]) > 1e-12) == 1]
    assert len(rotors) == 1 and mass[rotors[0], rotors[0]] == pytest.approx(0.04)
    tau = np.array([0.1, 0.2, 0.3, 0.4, 0.5])
    rates = np.linalg.solve(mass, tau - dynamics.bias(q, v))
    np.testing.assert_allclose(dynamics.drives(q, v, rates), tau, rtol=0, atol=1e-11)
    with pytest.raises(
        fm.errors.FormulationError, match=r"it does not know 'grounded', 'carried'.*or simulate the model"
    ):
        fm.formulation(tree)
