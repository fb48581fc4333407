"""Sensitivities of mechanisms with rows that repeat others, against differences of whole runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import flexmb as fm
from tests.models.swings import START, TILT, driven_swing

pytestmark = pytest.mark.filterwarnings("ignore::flexmb.errors.RedundancyWarning")

STEP, END = 0.01, 0.3
#: differences of whole runs tell derivatives of speeds to this part: Newton's tolerance divided by their step
NOISE = 1e-5


def door(mass: float, width: float, stiffness: float, speed: float) -> fm.SpatialModel:
    """A door on two hinges with a spring; a lamp hangs on it."""
    model = fm.SpatialModel("door", gravity=(0.0, -9.81, 0.0))
    leaf = model.add_body("leaf", mass=mass, inertia=(1.0, 0.4, 1.2), position=(width, 0.0, 0.0))
    for z in (-1.0, 1.0):
        ends = model.ground.attach(f"post{z:g}", (0, 0, z)), leaf.attach(f"edge{z:g}", (-width, 0, z))
        model.revolute(*ends, axis=(0, 0, 1), name=f"hinge{z:g}")
    model.torsion_spring(*ends, axis=(0, 0, 1), stiffness=stiffness, damping=0.3)
    lamp = model.add_body("lamp", mass=0.5, inertia=(0.1, 0.1, 0.1), position=(2.0 * width, 0.0, 0.3))
    ends = leaf.attach("corner", (width, 0, 0)), lamp.attach("cord", (0, 0, -0.3))
    model.spherical(*ends, name="hook")
    model.bushing(*ends, stiffness=(0, 0, 0, 3, 3, 3))
    leaf.frame.move(np.cross((0, 0, speed), (width, 0, 0)), (0, 0, speed))
    return model


def four_bar(mass: float, width: float, stiffness: float, speed: float) -> fm.SpatialModel:
    """Four hinges with parallel axes in space."""
    model = fm.SpatialModel("four-bar", gravity=(0.0, -9.81, 0.0))
    places = np.array([(0, 0, 0), (0.3, 1, 0), (2.0 + width, 1.5, 0), (2.5, 0, 0)])
    before, at = model.ground, (0.0, 0.0, 0.0)
    for k in range(3):
        center = 0.5 * (places[k] + places[k + 1])
        bar = model.add_body(f"bar{k}", mass=mass, inertia=(0.1, 0.2, 0.3), position=center)
        model.revolute(before.attach(f"a{k}", at), bar.attach("near", places[k] - center), axis="z", name=f"hinge{k}")
        before, at = bar.frame, places[k + 1] - center
    model.revolute(before.attach("a3", at), model.ground.attach("end", places[3]), axis="z", name="hinge3")
    model.bushing(model.ground, before, stiffness=(0, 0, 0, 0, 0, stiffness))
    model.frames["bar0"].move(np.cross((0, 0, speed), (0.15, 0.5, 0)), (0, 0, speed))
    return model


def swing(mass: float, width: float, stiffness: float, speed: float, longer: float = 0.0) -> fm.PlanarModel:
    """A beam on three parallel cranks in the plane; the third may be `longer`."""
    model = fm.PlanarModel("swing", gravity=(0.0, -9.81))
    beam = model.add_body("beam", mass=3.0 * mass, inertia=0.4, position=(0.5 * width, -0.8))
    for k, (x, y) in enumerate([(-1.0, 0.0), (1.0, 0.0), (0.2, 0.3)]):
        crank = model.add_body(f"crank{k}", mass=mass, inertia=0.1, position=(x + 0.25 * width, y - 0.4))
        model.revolute(model.ground.attach(f"a{k}", (x, y)), crank.attach("top", (-0.25 * width, 0.4)))
        foot = crank.attach("foot", (0.25 * width, -0.4 - longer * (k == 2)))
        model.revolute(foot, beam.attach(f"b{k}", (x, y)), name=f"pin{k}")
    model.torsion_spring(model.ground, crank.frame, stiffness=stiffness)
    beam.frame.move((0.8 * speed, 0.5 * width * speed))
    return model


NOMINAL = {"mass": 2.0, "width": 0.5, "stiffness": 4.0, "speed": 1.5}
CASES = [
    (door, ["lamp.x", "leaf.e3", "leaf.ax", "hook.fy"], ["lamp.wz", "leaf.vx"]),
    (four_bar, ["bar1.x", "bar2.e3", "bar1.ay"], ["bar1.wz", "bar2.vx"]),
    (swing, ["beam.x", "crank1.angle", "beam.ay"], ["beam.vx", "crank0.angular_velocity"]),
]


def differences(build, quantities, step=STEP) -> np.ndarray:
    """Differences of fourth order of whole runs, (k, p)."""
    columns = []
    for name, value in NOMINAL.items():
        h = 1e-3 * value
        ends = []
        for k in (1, -1, 2, -2):
            model = build(**{**NOMINAL, name: value + k * h})
            run = fm.simulate(model, END, step=step, newton_tolerance=1e-13, progress=False)
            assert run.statistics.other_rows == 0
            ends.append(np.array([run[quantity][-1] for quantity in quantities]))
        columns.append((8.0 * (ends[0] - ends[1]) - (ends[2] - ends[3])) / (12.0 * h))
    return np.array(columns).T


@pytest.mark.parametrize(("build", "places", "speeds"), CASES)
def test_both_methods_against_whole_runs(build, places, speeds):
    """Speeds are projected, and the change of the projection's direction is neglected: it is of the order h²."""
    names, k = [*places, *speeds], len(places)
    errors = []
    for step in (STEP, 0.5 * STEP):
        found = fm.sensitivity(build, NOMINAL, END, final=names, step=step)
        expected = differences(build, names, step)
        size = np.max(np.abs(expected), axis=1, keepdims=True)
        errors.append(np.max(np.abs(found.matrix - expected) / size, axis=1))
    adjoint = fm.sensitivity(build, NOMINAL, END, final=names, step=step, derivatives="adjoint")
    # rounding of positions, some 1e-13, is divided by β h², β ≥ 1/4, in accelerations and joint forces
    forces = [name.split(".")[1] in ("ax", "ay", "fy") for name in names]
    rounding = np.where(forces, 1e-12 / (0.25 * step * step), 1e-11)
    assert np.all(np.max(np.abs(adjoint.matrix - found.matrix) / size, axis=1) < rounding)
    assert np.all(errors[0][:k] < 1e-6)
    assert np.all(errors[0][k:] < 1e-3) and np.all(errors[1][k:] < errors[0][k:] / 3.0 + NOISE)


def planar_four_bar(mass: float, width: float, stiffness: float, speed: float) -> fm.PlanarModel:
    """The same four hinges in the plane, where none is redundant."""
    model = fm.PlanarModel("four-bar", gravity=(0.0, -9.81))
    before, at = model.ground, np.zeros(2)
    places = np.array([(0, 0), (0.3, 1), (2.0 + width, 1.5), (2.5, 0)])
    for k in range(3):
        center = 0.5 * (places[k] + places[k + 1])
        bar = model.add_body(f"bar{k}", mass=mass, inertia=0.3, position=center)
        model.revolute(before.attach(f"a{k}", at), bar.attach("near", places[k] - center))
        before, at = bar.frame, places[k + 1] - center
    model.revolute(before.attach("a3", at), model.ground.attach("end", places[3]))
    model.bushing(model.ground, before, stiffness=(0, 0, stiffness))
    model.frames["bar0"].move((-0.5 * speed, 0.15 * speed), speed)
    return model


def test_four_bar_in_space_and_in_the_plane():
    names = ["bar1.x", "bar2.vy", "bar1.ay"]
    found = fm.sensitivity(four_bar, NOMINAL, END, final=[*names, "bar1.wz"], step=STEP)
    expected = fm.sensitivity(planar_four_bar, NOMINAL, END, final=[*names, "bar1.angular_velocity"], step=STEP)
    np.testing.assert_allclose(found.matrix, expected.matrix, rtol=1e-6, atol=1e-9 * np.max(np.abs(expected.matrix)))


def test_rest():
    names = ["leaf.x", "lamp.y", "leaf.e3", "hook.fy"]
    nominal = {**NOMINAL, "speed": 0.0}
    found = fm.static_sensitivity(door, nominal, names)
    for name, value in nominal.items():
        h = 1e-3 * (value or 1.0)
        ends = [fm.equilibrium(door(**{**nominal, name: value + k * h})) for k in (1, -1, 2, -2)]
        a, b, c, d = (np.array([end[quantity] for quantity in names]) for end in ends)
        expected = (8.0 * (a - b) - (c - d)) / (12.0 * h)
        np.testing.assert_allclose([found[quantity, name] for quantity in names], expected, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("method", ["direct", "adjoint"])
def test_forces_that_are_not_unique_are_refused(method):
    said = r"'hinge1.fx', since constraint rows of 'hinge1' repeat others"
    with pytest.raises(fm.errors.RedundancyError, match=said):
        fm.sensitivity(door, NOMINAL, END, final=["leaf.x", "hinge1.fx"], step=STEP, derivatives=method)
    with pytest.raises(fm.errors.RedundancyError, match=said):
        fm.static_sensitivity(door, NOMINAL, ["hinge1.fx"])


@pytest.mark.parametrize("method", ["direct", "adjoint"])
def test_a_parameter_that_makes_rows_contradict_is_refused(method):
    """The third crank of a swing may not be longer than the others."""

    def build(mass: float, longer: float) -> fm.PlanarModel:
        return swing(mass, 0.5, 4.0, 1.5, longer)

    with pytest.raises(fm.errors.RedundancyError, match="with another 'longer' contradicts them"):
        fm.sensitivity(build, {"mass": 1.0, "longer": 0.0}, END, final="beam.x", step=STEP, derivatives=method)


@pytest.mark.parametrize("ask", ["run", "rest"])
def test_strictness(ask):
    with pytest.raises(fm.errors.RedundancyError, match="'hinge1'"):
        if ask == "run":
            fm.sensitivity(door, NOMINAL, END, final="leaf.x", step=STEP, redundant="error")
        else:
            fm.static_sensitivity(door, NOMINAL, "leaf.x", redundant="error")


def cranks(space: bool, mass: float, stiffness: float, torque: float) -> Any:
    """A plate on three parallel cranks, the first on a torsion spring and under a torque that turns it over."""
    model: Any = driven_swing(3, space)
    motor = model.components.pop("motor")
    axis = {"axis": TILT.apply((0, 0, 1))} if space else {}
    free = 0.0 if space else START
    model.torsion_spring(motor.a, motor.b, stiffness=stiffness, free_angle=free, name="spring", **axis)
    model.point_torque(motor.b, TILT.apply((0, 0, torque)) if space else torque, name="twist")
    model.components["plate"].mass = mass
    return model


def turned(mass: float, stiffness: float, torque: float, t: float) -> np.ndarray:
    """The angle of the cranks of that swing, and its rate, in one coordinate."""

    def rates(_: float, y: np.ndarray) -> list[float]:
        weight = (1.5 + mass) * 9.81 * np.cos(y[0])
        return [y[1], (torque - stiffness * (y[0] - START) - weight) / (3 * 0.55 + mass)]

    return solve_ivp(rates, (0.0, t), [START, 0.0], method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]


@pytest.mark.parametrize("space", [False, True])
def test_derivatives_go_on_with_other_rows(space):
    """Where two cranks stand in line with their feet the rows of the third have to take part, some five times; the
    derivatives are those of the swing's one coordinate, to second order. Both methods give them, which the longer steps
    show."""
    given, end = {"mass": 2.0, "stiffness": 3.0, "torque": 60.0}, 0.648 if space else 1.0
    columns = []
    for name, value in given.items():
        h = 1e-3 * value
        ends = [turned(**{**given, name: value + k * h}, t=end) for k in (1, -1, 2, -2)]
        columns.append((8.0 * (ends[0] - ends[1]) - (ends[2] - ends[3])) / (12.0 * h))
    angle, rate = turned(**given, t=end)
    by_angle, by_rate = np.array(columns).T
    place = np.array([-np.sin(angle) * by_angle, np.cos(angle) * by_angle])
    speed = -np.cos(angle) * rate * by_angle - np.sin(angle) * by_rate
    expected = np.vstack([place, [speed]])
    names = [f"plate.{x}" for x in (("x", "y", "z", "vx", "vy", "vz") if space else ("x", "y", "vx", "vy"))]
    errors = []
    for step in (4e-3, 2e-3):
        run = fm.simulate(cranks(space, **given), end, step=step, progress=False)
        assert run.statistics.other_rows > 3
        both = [
            fm.sensitivity(
                lambda **x: cranks(space, **x), given, end, final=names, step=step, derivatives=method
            ).matrix
            for method in (["direct"] if errors else ["direct", "adjoint"])
        ]
        np.testing.assert_allclose(both[-1], both[0], rtol=1e-6, atol=1e-6 * np.max(np.abs(both[0])))
        parts = np.split(both[0], 2)
        flat = [TILT.inv().as_matrix() @ part if space else part for part in parts]
        found = np.vstack([flat[0][:2], flat[1][:1]])
        errors.append(np.max(np.abs(found - expected), axis=1) / np.max(np.abs(expected), axis=1))
    assert np.all(errors[1] < 2e-3) and np.all(errors[1] < errors[0] / 3.0)
