"""Sensitivities of mechanisms in space, against differences of whole runs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.spatial import SpatialModel

NOMINAL = {"inertia": 0.4, "mass": 2.0, "stiffness": 4.0, "speed": 3.0}
STEP, END = 0.01, 0.3
OUTPUTS = ["box.x", "box.e2", "box.ax", "box.alpha_z"]
SPEEDS = ["box.vz", "box.wy"]


def free(inertia: float, mass: float, stiffness: float, speed: float) -> SpatialModel:
    """A body that turns on springs and dampers."""
    model = SpatialModel("free", gravity=(0, 0, -9.81))
    box = model.add_body("box", mass=mass, inertia=(inertia, 0.2, 0.3), position=(0, 1, 0))
    springs = (100.0, 200.0, 300.0, stiffness, 5.0, 6.0)
    seat = model.add_frame("seat", (0.3, 0, 0), fixed=True)
    model.bushing(seat, box.frame, stiffness=springs, damping=(1, 1, 1, 0.1, 0.1, 0.1))
    box.frame.move((0, 0, 0), (speed, 0.5, 0.2))
    return model


def top(inertia: float, mass: float, stiffness: float, speed: float) -> SpatialModel:
    """A top on a ball joint, with springs."""
    model = SpatialModel("top", gravity=(0, 0, -9.81))
    box = model.add_body("box", mass=mass, inertia=(inertia, 0.2, 0.3), position=(0, 1, 0))
    model.spherical(model.add_frame("foot", (0, 0, 0.2), fixed=True), box.frame.attach("tip", (0, -1, 0.2)))
    model.bushing(model.ground, box.frame, stiffness=(1, 2, 3, stiffness, 5, 6), damping=(1, 1, 1, 0.1, 0.1, 0.1))
    box.frame.move(np.cross((speed, 5.0, 2.0), (0, 1.0, -0.2)), (speed, 5.0, 2.0))
    return model


def hinge(inertia: float, mass: float, stiffness: float, speed: float) -> SpatialModel:
    """An arm on a hinge with a spring on its counted angle, wound up by `speed` radians."""
    model = SpatialModel("hinge", gravity=(0, 0, -9.81))
    box = model.add_body("box", mass=mass, inertia=(inertia, 0.2, 0.3), position=(0, 1, 0))
    end = box.frame.attach("end", (0, -1, 0))
    model.revolute(model.ground, end, axis=(1, 0.2, 0.3))
    model.torsion_spring(model.ground, end, axis=(1, 0.2, 0.3), stiffness=stiffness, free_angle=speed)
    return model


def differences(build, quantities, step=STEP) -> np.ndarray:
    """Differences of fourth order of whole runs, (k, p)."""

    def values(**parameters):
        run = fm.simulate(build(**parameters), END, step=step, newton_tolerance=1e-13, progress=False)
        weights = np.full(len(run.t), step)
        weights[[0, -1]] *= 0.5
        return np.array([*(run[name][-1] for name in quantities), weights @ run["box.y"] ** 2])

    columns = []
    for name, value in NOMINAL.items():
        h = 1e-3 * value
        ends = [values(**{**NOMINAL, name: value + k * h}) for k in (1, -1, 2, -2)]
        columns.append((8.0 * (ends[0] - ends[1]) - (ends[2] - ends[3])) / (12.0 * h))
    return np.array(columns).T


def relative_error(found, expected) -> np.ndarray:
    size = np.max(np.abs(expected), axis=1)
    return np.max(np.abs(found.matrix - expected), axis=1) / np.where(size > 0.0, size, 1.0)


@pytest.mark.parametrize("build", [free, top, hinge])
def test_both_methods_against_whole_runs(build):
    options = {"integrals": {"square": ("box.y", 2)}, "step": STEP}
    direct = fm.sensitivity(build, NOMINAL, END, final=OUTPUTS, **options)
    adjoint = fm.sensitivity(build, NOMINAL, END, final=OUTPUTS, derivatives="adjoint", **options)
    expected = differences(build, OUTPUTS)
    assert np.all(relative_error(direct, expected) < 1e-6)
    np.testing.assert_allclose(adjoint.matrix, direct.matrix, atol=1e-9 * np.max(np.abs(expected)))


@pytest.mark.parametrize("build", [top, hinge])
def test_speeds_are_exact_to_second_order(build):
    """Speeds are projected, and the change of the projection's direction is neglected: it is of the order h²."""
    errors = []
    for step in (STEP, 0.5 * STEP):
        direct = fm.sensitivity(build, NOMINAL, END, final=SPEEDS, step=step)
        adjoint = fm.sensitivity(build, NOMINAL, END, final=SPEEDS, step=step, derivatives="adjoint")
        np.testing.assert_allclose(adjoint.matrix, direct.matrix, atol=1e-9 * np.max(np.abs(direct.matrix)))
        errors.append(np.max(relative_error(direct, differences(build, SPEEDS, step)[:-1])))
    assert errors[0] < 2e-4 and errors[1] < errors[0] / 3.0


@pytest.mark.warns(fm.errors.InitialConditionWarning, "the initial speeds do not fit the joints")
def test_the_start_of_a_run_counts():
    """In the plane too: the recursion does not begin with the speeds and accelerations of the first instant."""

    def build(stiffness: float, speed: float) -> fm.PlanarModel:
        model = fm.PlanarModel("double pendulum", gravity=(0, -9.81))
        first = model.add_body("first", mass=2.0, inertia=0.4, position=(1, 0))
        second = model.add_body("second", mass=2.0, inertia=0.1, position=(3, 0))
        model.revolute(model.ground, first.attach("near", (-1, 0)))
        model.revolute(first.attach("far", (1, 0)), second.attach("end", (-1, 0)))
        model.torsion_spring(model.ground, first.frame, stiffness=stiffness)
        first.frame.move((0, speed), speed)
        second.frame.move((0, 6.0), 0.0)
        return model

    nominal = {"stiffness": 4.0, "speed": 3.0}
    found = fm.sensitivity(build, nominal, 0.3, final=["second.x", "second.ay"], step=0.01)
    for name, value in nominal.items():
        h = 1e-3 * value
        runs = [
            fm.simulate(
                build(**{**nominal, name: value + k * h}), 0.3, step=0.01, newton_tolerance=1e-13, progress=False
            )
            for k in (1, -1, 2, -2)
        ]
        for quantity in ("second.x", "second.ay"):
            a, b, c, d = (run[quantity][-1] for run in runs)
            assert found[quantity, name] == pytest.approx((8 * (a - b) - (c - d)) / (12 * h), rel=1e-6)


def test_static_sensitivity():
    def build(stiffness: float, mass: float, ahead: float) -> SpatialModel:
        model = SpatialModel("scale", gravity=(0, 0, -9.81))
        box = model.add_body("box", mass=mass, inertia=(1, 1, 1), position=(ahead, 1, 0))
        foot = box.frame.attach("foot", (-ahead, -1, 0))
        model.bushing(model.ground, foot, stiffness=(900, 800, 700, 50, 40, stiffness), free=(0, 0, 0))
        return model

    nominal = {"stiffness": 60.0, "mass": 3.0, "ahead": 0.5}
    names = ["box.x", "box.z", "box.e1", "foot.y", "energy.strain"]
    found = fm.static_sensitivity(build, nominal, names)
    for name, value in nominal.items():
        h = 1e-3 * value
        ends = [fm.equilibrium(build(**{**nominal, name: value + k * h})) for k in (1, -1, 2, -2)]
        for quantity in names:
            a, b, c, d = (end[quantity] for end in ends)
            assert found[quantity, name] == pytest.approx((8 * (a - b) - (c - d)) / (12 * h), rel=1e-6, abs=1e-10)


def test_a_long_chain():
    """Large systems have sparse matrices."""

    def chain(mass: float, length: float) -> SpatialModel:
        model = SpatialModel("chain", gravity=(0, 0, -9.81))
        before = model.ground
        for k in range(6):
            place = ((k + 0.5) * length, 0.0, 0.0)
            link = model.add_body(f"link{k}", mass=mass, inertia=(0.04, 0.05, 0.08), position=place)
            near = link.frame.attach(f"near{k}", (-0.5 * length, 0.0, 0.0))
            model.spherical(before, near)
            model.bushing(before, near, stiffness=(0, 0, 0, 2.0, 1.0, 1.5), damping=(0, 0, 0, 0.1, 0.1, 0.1))
            before = link.frame.attach(f"far{k}", (0.5 * length, 0.0, 0.0))
            link.frame.move((0.0, 0.3 * place[0], 0.0), (1.0, 0.0, 0.3))
        return model

    nominal = {"mass": 1.0, "length": 0.4}
    assert fm.System(chain(**nominal)).pattern is not None
    names = ["link5.x", "link5.e2", "link3.az"]
    direct = fm.sensitivity(chain, nominal, 0.1, final=names, step=STEP)
    adjoint = fm.sensitivity(chain, nominal, 0.1, final=names, step=STEP, derivatives="adjoint")
    np.testing.assert_allclose(adjoint.matrix, direct.matrix, atol=1e-8 * np.max(np.abs(direct.matrix)))
    for name, value in nominal.items():
        h = 1e-3 * value
        ends = []
        for k in (1, -1, 2, -2):
            model = chain(**{**nominal, name: value + k * h})
            run = fm.simulate(model, 0.1, step=STEP, newton_tolerance=1e-13, progress=False)
            ends.append([run[quantity][-1] for quantity in names])
        a, b, c, d = np.array(ends)
        expected = (8 * (a - b) - (c - d)) / (12 * h)
        found = [direct[quantity, name] for quantity in names]
        np.testing.assert_allclose(found, expected, atol=1e-6 * np.max(np.abs(expected)))


def test_a_speed_about_an_axis_is_asked_alone():
    """Two hinged bodies whose turns a gear couples: speeds are projected, in whatever company they are asked."""

    def geared(ratio: float, stiffness: float) -> SpatialModel:
        model = SpatialModel("geared")
        turn = Rotation.from_rotvec([0.5, 0, 0])
        first = model.add_body("first", mass=1.0, inertia=(0.1, 0.1, 0.15))
        second = model.add_body("second", mass=1.0, inertia=(0.15, 0.15, 0.2), position=(1, 0, 0), orientation=turn)
        model.revolute(model.ground, first.frame)
        model.revolute(model.ground.attach("far", (1, 0, 0), turn), second.frame)
        model.gear(first.frame, second.frame, ratio, carrier=model.ground, carrier_b=model.ground)
        model.torsion_spring(model.ground, first.frame, stiffness=stiffness, damping=0.2)
        model.point_torque(first.frame, (0, 0, 30.0))
        return model

    given = {"ratio": -2.0, "stiffness": 3.0}
    found = {}
    for method in ("direct", "adjoint"):
        for final in (["first.wz"], ["first.wz", "second.vx"]):
            found[method, len(final)] = fm.sensitivity(
                geared, given, 0.2, final=final, step=STEP, derivatives=method
            ).matrix[0]
    for other in found.values():
        np.testing.assert_allclose(other, found["adjoint", 1], rtol=1e-9)


@pytest.mark.warns(fm.errors.BalanceWarning, "the state is not an equilibrium")
def test_a_run_that_begins_at_the_end_of_a_curve():
    """Rates of constraints are defined on one side only there; z = −b s/√(R² + b²), with s of a bead on a helix."""

    def bead(slope: float) -> SpatialModel:
        model = SpatialModel("bead", gravity=(0, 0, -9.81))
        body = model.add_body("bead", mass=1.0, inertia=(0.1, 0.2, 0.25), position=(1, 0, 0))
        t = np.linspace(0.0, 3.0, 60)
        model.point_on_curve(model.ground, body.frame, np.column_stack([np.cos(t), np.sin(t), -slope * t]))
        model.bushing(model.ground, body.frame, stiffness=(0, 0, 0, 1, 1, 1))
        return model

    b, end = 0.3, 0.4
    expected = -0.5 * end**2 * 9.81 * 2.0 * b / (1.0 + b * b) ** 2  # of z = −½ g t² b²/(1 + b²)
    for method in ("direct", "adjoint"):
        found = fm.sensitivity(bead, {"slope": b}, end, final=["bead.z", "bead.vz"], step=STEP, derivatives=method)
        assert found["bead.z", "slope"] == pytest.approx(
            expected, rel=1e-4
        )  # the spline differs from a helix at its ends
        assert found["bead.vz", "slope"] == pytest.approx(2.0 * expected / end, rel=1e-3)
    assert np.all(np.isfinite(fm.linearize(bead(b), "bead.fz", "bead.z").A))
