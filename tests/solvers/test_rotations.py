"""Euler angles and Euler parameters as coordinates: other coordinates for the same motion."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import DivergenceWarning, ModelError, SolverError
from flexmb.solvers.changes.passage import FINEST_PASSAGE
from flexmb.solvers.coordinates.coordinates import coordinates_for
from flexmb.solvers.runs.right_hand_side import Accelerations
from flexmb.system.system import System

J = np.diag([0.2, 0.3, 0.4])


def free():
    m = fm.SpatialModel("free", gravity=(0, 0, -9.81))
    body = m.add_body("body", mass=2.0, inertia=(0.2, 0.3, 0.4), orientation=fm.euler_angles("ZXZ", (0.3, 1.2, -0.5)))
    body.move((1, 2, 3), (0.4, -3.0, 2.0), axes="body")
    return m


def top():
    m = fm.SpatialModel("top", gravity=(0, 0, -9.81))
    tilt = fm.euler_angles("ZXZ", (0.0, 0.6, 0.0))
    body = m.add_body("body", mass=2.0, inertia=(0.03, 0.03, 0.01), position=tilt.apply([0, 0, 0.3]), orientation=tilt)
    tip = body.attach("tip", (0, 0, -0.3))
    m.spherical(m.ground, tip)
    tip.move(angular_velocity=(0, 0, 60), axes="body")
    return m


def chain():
    """Three bodies in a row: on a ball joint, on a hinge askew, and on another ball joint."""
    m = fm.SpatialModel("chain", gravity=(0, -3.0, -9.81))
    last, place = m.ground, np.zeros(3)
    for k in range(3):
        turn = fm.euler_angles("ZXZ", (0.4 * k, 0.9 + 0.2 * k, 0.3))
        arm = turn.apply([0.2, 0.0, 0.0])
        body = m.add_body(
            "body" if k == 2 else f"link {k}", mass=1.0 + k, inertia=(0.01, 0.03, 0.035), position=place + arm,
            orientation=turn,
        )  # fmt: skip
        root = body.attach("root", (-0.2, 0, 0))
        m.revolute(last, root, axis=(0.3, 1.0, 0.2)) if k == 1 else m.spherical(last, root)
        last, place = body.attach("end", (0.2, 0, 0)), place + 2.0 * arm
    return m


def driven():
    m = fm.SpatialModel("driven", gravity=(0, 0, -9.81))
    turn = fm.euler_angles("ZXZ", (0.2, 1.0, 0.1))
    arm = m.add_body("arm", mass=1.0, inertia=(0.1, 0.2, 0.15), position=turn.apply([0.5, 0, 0]), orientation=turn)
    base = m.ground.attach("base", orientation=turn)
    root, end = arm.attach("root", (-0.5, 0, 0)), arm.attach("end", (0.5, 0, 0))
    m.revolute(base, root, axis="z")
    m.drive_angle(base, root, fm.Harmonic(amplitude=0.7, frequency=4.0), axis="z")
    place = end.position + turn.apply([0, 0, -0.3])
    body = m.add_body("body", mass=0.5, inertia=(0.02, 0.03, 0.01), position=place, orientation=turn)
    m.revolute(end, body.attach("eye", (0, 0, 0.3)), axis="x")
    return m


MODELS = {"free": free, "top": top, "chain": chain, "driven": driven}
METHODS = {
    "projection": {"tolerance": 1e-11, "absolute_tolerance": 1e-12},
    "baumgarte": {"tolerance": 1e-11, "absolute_tolerance": 1e-12},
    "rkf45": {"tolerance": 3e-10},
    "dop853": {"tolerance": 3e-10},
}
WAYS = ("euler_parameters", "euler_angles", "euler_angles:YXZ", "euler_angles:zyz")


@pytest.fixture(scope="module", params=MODELS)
def mechanism(request):
    model = MODELS[request.param]()
    return model, fm.simulate(model, 0.4, "projection", tolerance=1e-12, absolute_tolerance=1e-13, progress=False)


def off(run, exact):
    """The largest error of place, orientation and velocity of the last body at the end."""
    here, there = run["body"], exact["body"]
    errors = np.concatenate([here.position - there.position[-1], here.velocity - there.velocity[-1]])
    last = np.max(np.abs(errors.reshape(2, -1, 3)[:, -1]))
    return max(last, (here.orientation[-1].inv() * there.orientation[-1]).magnitude())


@pytest.mark.parametrize("rotations", WAYS[:2])
@pytest.mark.parametrize("method", METHODS)
def test_all_formulations_are_one_motion(mechanism, method, rotations):
    model, exact = mechanism
    run = fm.simulate(model, 0.4, method, rotations=rotations, progress=False, **METHODS[method])
    assert run.status == "finished"
    assert off(run, exact) < 1e-8


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("rotations", WAYS[2:])
def test_other_sequences(method, rotations):
    model = free()
    exact = fm.simulate(model, 0.2, "projection", tolerance=1e-12, absolute_tolerance=1e-13, progress=False)
    run = fm.simulate(model, 0.2, method, rotations=rotations, progress=False, **METHODS[method])
    assert run.status == "finished" and off(run, exact) < 1e-8


@pytest.mark.parametrize("ode_method", ["RK45", "BDF", "LSODA", "Radau"])
@pytest.mark.parametrize("rotations", WAYS[:2])
def test_all_methods_of_scipy(ode_method, rotations):
    model = top()
    exact = fm.simulate(model, 0.1, "projection", tolerance=1e-12, absolute_tolerance=1e-13, progress=False)
    for rtol in (1e-6, 1e-8):
        options = {"ode_method": ode_method, "tolerance": rtol, "absolute_tolerance": 0.01 * rtol, "progress": False}
        run = fm.simulate(model, 0.1, "projection", rotations=rotations, **options)
        assert run.status == "finished" and off(run, exact) < 10.0 * rtol


@pytest.mark.parametrize("rotations", WAYS[:2])
def test_fixed_steps_are_of_fifth_order(rotations):
    model = free()
    exact = fm.simulate(model, 0.4, "projection", tolerance=1e-12, absolute_tolerance=1e-13, progress=False)
    errors = [
        off(fm.simulate(model, 0.4, "rkf45", step=h, rotations=rotations, progress=False), exact) for h in (0.04, 0.02)
    ]
    assert errors[0] / errors[1] == pytest.approx(32.0, rel=0.25)


@pytest.mark.parametrize("rotations", WAYS[:2])
@pytest.mark.parametrize("method", ["projection", "baumgarte", "dop853"])
def test_between_long_steps(method, rotations):
    model, times = top(), np.linspace(0.0, 0.4, 33)
    exact = fm.simulate(
        model, 0.4, "projection", tolerance=1e-12, absolute_tolerance=1e-13, times=times, progress=False
    )
    options = {"tolerance": 1e-10} if method == "dop853" else {"tolerance": 1e-9, "absolute_tolerance": 1e-11}
    run = fm.simulate(model, 0.4, method, rotations=rotations, progress=False, **options)
    assert len(run) < 80  # polynomials through the ends of these are off by 1e-10 and more
    there = run.at(times)
    assert np.max((there["body"].orientation.inv() * exact["body"].orientation).magnitude()) < 1e-11


def parallelogram():
    """Two upright arms and a bar on them, hinged about z, that swing down and lie flat on their way."""
    m = fm.SpatialModel("parallelogram", gravity=(0, -9.81, 0))
    upright = fm.rotation_vector((0, 0, 0.5 * np.pi))
    bar = m.add_body("body", mass=2.0, inertia=(0.01, 0.3, 0.3), position=(1, 1, 0))
    bar.move((-6.0, 0, 0))
    for k, x in enumerate((0.0, 2.0)):
        arm = m.add_body(
            f"arm {k}", mass=1.0, inertia=(0.01, 0.1, 0.1), position=(x, 0.5, 0), orientation=upright
        )  # fmt: skip
        arm.move((-3.0, 0, 0), (0, 0, 6.0))
        m.revolute(m.ground.attach(f"base {k}", (x, 0, 0)), arm.attach("root", (-0.5, 0, 0)))
        m.revolute(arm.attach("end", (0.5, 0, 0)), bar.attach(f"eye {k}", (x - 1.0, 0, 0)))
    return m


@pytest.mark.parametrize("rotations", ["euler_parameters", "euler_angles:XYZ"])
@pytest.mark.parametrize("method", ["projection", "rkf45"])
@pytest.mark.warns(fm.errors.RedundancyWarning, "joints constrain the same motion")
def test_through_positions_where_constraints_lose_rank(method, rotations):
    """Rows are left out, and near the flat position the run goes on by a passage, which has an error of its own, in
    whichever coordinates."""
    model = parallelogram()
    exact = fm.simulate(model, 1.0, "rkf45", tolerance=1e-11, progress=False)
    run = fm.simulate(model, 1.0, method, rotations=rotations, progress=False, **METHODS[method])
    assert run.status == "finished" and np.ptp(run["body"].x) == pytest.approx(2.0, rel=0.01)
    assert off(run, exact) < 300.0 * FINEST_PASSAGE


# -- against the equations of motion in these coordinates ------------------------------------------------------------


def hessian(f, x, h=1e-3):
    """Second differences of fourth order of a function of few numbers."""
    n = len(x)
    out = np.empty((n, n))
    weights = {-2: 1 / 12, -1: -2 / 3, 1: 2 / 3, 2: -1 / 12}
    for i in range(n):
        for j in range(n):
            out[i, j] = sum(
                a * b * f(x + h * (p * np.eye(n)[i] + r * np.eye(n)[j]))
                for p, a in weights.items()
                for r, b in weights.items()
            ) / (h * h)
    return out


def test_euler_angles_meet_the_equations_of_lagrange():
    """d/dt ∂T/∂ẋ − ∂T/∂x = 0 of a free body, T by the textbook's ω of the angles 3-1-3."""

    def energy(y):
        (_, theta, psi), (d_phi, d_theta, d_psi) = y[:3], y[3:]
        omega = np.array(
            [
                d_phi * np.sin(theta) * np.sin(psi) + d_theta * np.cos(psi),
                d_phi * np.sin(theta) * np.cos(psi) - d_theta * np.sin(psi),
                d_phi * np.cos(theta) + d_psi,
            ]
        )
        return 0.5 * omega @ J @ omega

    f = Accelerations(System(free()), coordinates=coordinates_for("euler_angles"))
    y = np.array([0, 0, 0, 0.7, 1.1, -0.4, 0, 0, 0, 1.3, -0.8, 2.1])
    rates = f(0.0, y)
    own = np.concatenate([y[3:6], y[9:]])
    second = hessian(energy, own)
    along = np.array([(energy(own + 1e-5 * e) - energy(own - 1e-5 * e)) / 2e-5 for e in np.eye(6)[:3]])
    assert np.array_equal(rates[:6], y[6:])
    np.testing.assert_allclose(second[3:, 3:] @ rates[9:] + second[3:, :3] @ y[9:], along, atol=1e-8)
    np.testing.assert_allclose(rates[6:9], [0, 0, -9.81], atol=1e-12)


@pytest.mark.parametrize("length", [1.0, 1.03])
def test_euler_parameters_meet_seven_equations_with_the_row_of_normalization(length):
    """[WᵀJW  2p; pᵀ  0] [p̈; μ] = [−Wᵀ (ω × Jω + J Ẇ ṗ); −ṗᵀṗ − 2α pᵀṗ − ½ β² (pᵀp − 1)]."""
    alpha, beta = 3.0, 5.0
    f = Accelerations(System(free()), alpha, beta, coordinates_for("euler_parameters"))
    p, rate = length * np.array([0.7, 0.1, -0.5, 0.5]), np.array([0.3, -0.8, 0.4, 0.2])

    def W(p):
        G = np.array([[-p[1], p[0], p[3], -p[2]], [-p[2], -p[3], p[0], p[1]], [-p[3], p[2], -p[1], p[0]]])
        return 2.0 * G / (p @ p)

    omega, change = W(p) @ rate, (W(p + 1e-6 * rate) - W(p - 1e-6 * rate)) @ rate / 2e-6
    left = np.block([[W(p).T @ J @ W(p), 2.0 * p[:, None]], [p[None, :], np.zeros((1, 1))]])
    row = -rate @ rate - 2 * alpha * p @ rate - 0.5 * beta**2 * (p @ p - 1.0)
    right = np.append(-W(p).T @ (np.cross(omega, J @ omega) + J @ change), row)
    *wanted, multiplier = np.linalg.solve(left, right)
    place = np.zeros(3)
    found = f(0.0, np.concatenate([place, p[1:], p[:1], place, rate[1:], rate[:1]]))
    np.testing.assert_allclose(np.roll(found[10:], 1), wanted, atol=1e-8)
    np.testing.assert_allclose(found[:7], [0, 0, 0, *rate[1:], rate[0]], atol=0.0)
    np.testing.assert_allclose(f.v[3:6], omega, atol=1e-14)
    assert abs(multiplier) < 1e-12


# -- singular positions ----------------------------------------------------------------------------------------------


def turning():
    """A body that turns about x at 2 rad/s: θ of 3-1-3 goes from 0.5 rad to π in 1.32 s."""
    m = fm.SpatialModel("turning")
    body = m.add_body("body", mass=1.0, inertia=(0.2, 0.3, 0.4), orientation=fm.euler_angles("ZXZ", (0, 0.5, 0)))
    body.move(angular_velocity=(2.0, 0, 0))
    return m


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("rkf45", {"step": 1e-2}),
        ("rkf45", {"tolerance": 1e-8}),
        ("dop853", {}),
        ("projection", {}),
        ("projection", {"ode_method": "BDF"}),
        ("projection", {"ode_method": "LSODA"}),
        ("projection", {"ode_method": "Radau"}),
        ("baumgarte", {"ode_method": "RK45"}),
    ],
)
def test_a_run_ends_before_a_singular_position(method, options):
    wanted = (
        r"stopped at t = 1\.3\d* s: the Euler angles 'ZXZ' of 'body' are at a singular position: the middle one is "
    )
    wanted += r"3\.1\d* rad.*take another sequence, such as rotations='euler_angles:[XYZ]{3}', or leave rotations"
    with pytest.warns(DivergenceWarning, match=wanted):
        run = fm.simulate(turning(), 2.0, method, rotations="euler_angles", progress=False, **options)
    assert run.status == "diverged"
    assert 1.3 < run.t[-1] < 0.5 * (np.pi - 0.5) and len(run) > 3
    np.testing.assert_allclose(run["body"].rotation_vector[:, 0], 0.5 + 2.0 * run.t, atol=1e-7)
    other = run.message.partition("euler_angles:")[2][:3]
    assert fm.simulate(turning(), 2.0, method, rotations=f"euler_angles:{other}", progress=False, **options)


def test_a_start_at_a_singular_position_is_refused():
    m = fm.SpatialModel("m")
    m.add_body("body", mass=1.0, inertia=(0.2, 0.3, 0.4))
    with pytest.raises(
        SolverError, match="model 'm': at the start the Euler angles 'ZXZ' of 'body' are at a singular"
    ) as why:
        fm.simulate(m, 1.0, "rkf45", rotations="euler_angles")
    with pytest.raises(SolverError, match="the Euler angles 'yxy' of 'body'"):
        fm.simulate(m, 1.0, "projection", rotations="euler_angles:yxy")
    other = str(why.value).partition("euler_angles:")[2][:3]
    for method in METHODS:
        assert fm.simulate(m, 0.1, method, rotations=f"euler_angles:{other}", progress=False).status == "finished"


# -- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["generalized_alpha", "radau", "independent"])
def test_other_methods_have_them_in_joint_coordinates_alone(method):
    with pytest.raises(SolverError, match=f"absolute coordinates method '{method}' knows no rotations; give a formul"):
        fm.simulate(free(), 1.0, method, rotations="euler_angles")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("rotations", "error", "message"),
    [
        ("quaternions", SolverError, "rotations is 'quaternions'; give 'euler_parameters', 'euler_angles' for .*3-1-3"),
        ("quaternion", SolverError, "with a formulation Euler angles alone; leave it out for unit quaternions"),
        (313, SolverError, "rotations is 313"),
        ("euler_parameters:ZXZ", SolverError, "'euler_parameters:ZXZ'"),
        ("euler_angles:ZZX", ModelError, "twice in a row"),
        ("euler_angles:", ModelError, "no sequence ''"),
        (("euler_angles", "ZYX"), SolverError, "give 'euler_parameters'"),
    ],
)
def test_wrong_rotations(method, rotations, error, message):
    with pytest.raises(error, match=message):
        fm.simulate(free(), 1.0, method, rotations=rotations)


@pytest.mark.parametrize("method", METHODS)
def test_models_of_the_plane_refuse_it(method):
    m = fm.PlanarModel("flat")
    m.add_body("body", mass=1.0, inertia=1.0)
    with pytest.raises(SolverError, match="'flat': rotations is for models in space"):
        fm.simulate(m, 1.0, method, rotations="euler_parameters")
