"""Linear models about steady motion: constant coefficients, cyclic positions left out, other motions refused."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.analyses.statics.rotation import SteadyRotation, axes_of_bodies, directions, turns
from flexmb.errors import BalanceWarning, LinearModelError, ModelError
from flexmb.examples import bicycle


def moving(linear: fm.LinearModel) -> np.ndarray:
    """Poles that are not zero."""
    return in_order(linear.poles[np.abs(linear.poles) > 1e-4])


def in_order(values: np.ndarray) -> np.ndarray:
    """Complex numbers in the order of their rounded parts."""
    values = np.asarray(values)
    return values[np.lexsort((values.imag.round(6), values.real.round(6)))]


def top(lean: float, precession: float, spin: float, inertia=(0.25, 0.25, 0.4), mass=3.0, arm=0.5) -> fm.SpatialModel:
    """A top on its tip that leans about x, goes round about the vertical and spins about its axis."""
    model = fm.SpatialModel("top", gravity=(0, 0, -9.81))
    turn = Rotation.from_euler("x", lean)
    center = turn.apply([0.0, 0.0, arm])
    body = model.add_body("top", mass=mass, inertia=inertia, position=center, orientation=turn)
    model.spherical(model.ground, body.frame.attach("tip", (0.0, 0.0, -arm)))
    omega = np.array([0.0, 0.0, precession]) + turn.apply([0.0, 0.0, spin])
    body.frame.move(np.cross(omega, center), omega)
    return model


def test_a_sleeping_top():
    """A s² − i C n s − m g l = 0 for turns in axes that do not spin, and its conjugate."""
    linear = fm.linearize(top(0.0, 0.0, 20.0), "top.mz", ["top.wz"], steady=True)
    A, C, weight = 0.25 + 3.0 * 0.5**2, 0.4, 3.0 * 9.81 * 0.5
    s = np.roots([A, -1j * C * 20.0, -weight])
    np.testing.assert_allclose(moving(linear), in_order(np.append(s, s.conj())), atol=1e-8)
    assert len(linear) == 5 and linear.states[:2] == ["top.turn x", "top.turn y"]
    # a top of unequal inertia has constant coefficients in axes that turn with it
    uneven = fm.linearize(top(0.0, 0.0, 20.0, inertia=(0.25, 0.3, 0.4)), "top.mz", ["top.wz"], steady=True)
    A1, A2 = 0.25 + 3.0 * 0.5**2, 0.3 + 3.0 * 0.5**2
    # for turns x, y in its own axes, with ω₁ = ẋ − Ω y, ω₂ = ẏ + Ω x in Euler's equations
    n, total = 20.0, C
    M = np.diag([A1, A2])
    G = n * (A1 + A2 - total) * np.array([[0.0, -1.0], [1.0, 0.0]])
    K = np.diag([-weight + n**2 * (total - A2), -weight + n**2 * (total - A1)])
    inverse = np.linalg.inv(M)
    exact = np.linalg.eigvals(np.block([[np.zeros((2, 2)), np.eye(2)], [-inverse @ K, -inverse @ G]]))
    np.testing.assert_allclose(moving(uneven), in_order(exact), atol=1e-8)


def rotor(inertia: tuple[float, float, float], stiffness: tuple[float, float]) -> fm.SpatialModel:
    """A rotor on an axle in a block on springs."""
    model = fm.SpatialModel("rotor")
    block = model.add_body("block", mass=2.0, inertia=(0.1, 0.1, 0.1))
    disk = model.add_body("disk", mass=1.0, inertia=inertia)
    model.bushing(model.ground, block.frame, stiffness=(900.0, 900.0, 700.0, *stiffness, 30.0))
    model.revolute(block.frame, disk.frame, axis="z")
    disk.frame.move((0.0, 0.0, 0.0), (0.0, 0.0, 40.0))
    return model


def test_an_uneven_rotor_on_uneven_springs_has_no_constant_coefficients():
    """It has some if one of the two is even."""
    for inertia, stiffness in (((0.2, 0.2, 0.3), (20.0, 35.0)), ((0.2, 0.15, 0.3), (20.0, 20.0))):
        linear = fm.linearize(rotor(inertia, stiffness), "block.mz", ["disk.wz"], steady=True)
        assert linear.states.count("disk.turn z") == 0
    with pytest.raises(LinearModelError, match=r"no constant coefficients: after .* differ by .* equal inertia"):
        fm.linearize(rotor((0.2, 0.15, 0.3), (20.0, 35.0)), "block.mz", ["disk.wz"], steady=True)


def steady_top(lean: float = 0.7, rate: float = 1.7) -> tuple[fm.SpatialModel, float]:
    """A top that goes round evenly, and the frequency of its nodding."""
    A, C, weight = 0.25 + 3.0 * 0.5**2, 0.4, 3.0 * 9.81 * 0.5
    whole = (weight + A * rate**2 * np.cos(lean)) / (C * rate)  # C ω₃ Ω = m g l + A Ω² cos θ
    nod = np.sqrt(A**2 * rate**4 - 2.0 * A * weight * rate**2 * np.cos(lean) + weight**2) / (A * rate)
    return top(lean, rate, whole - rate * np.cos(lean)), nod


def test_steady_precession():
    """Nodding of a top that goes round evenly."""
    model, nod = steady_top()
    push = model.point_force(model.frames["top"], (0.0, 0.0, 1.0), factor=0.0, name="lift")
    found = fm.linearize(model, push, ["energy.total"], steady=True)
    np.testing.assert_allclose(moving(found), [-1j * nod, 1j * nod], atol=1e-8)
    with pytest.raises(LinearModelError, match=r"output 'top.x' goes on changing along the steady motion"):
        fm.linearize(model, push, ["top.x"], steady=True)
    with pytest.raises(LinearModelError, match=r"input 'top.fx' keeps its direction while the mechanism turns"):
        fm.linearize(model, "top.fx", ["top.z"], steady=True)


def test_motions_that_are_not_steady_are_refused():
    model = top(0.7, 1.0, 10.0)
    with pytest.raises(
        LinearModelError, match=r"no steady motion: .* accelerations differ by up to \d.* rad/s.*'top\..*'"
    ):
        fm.linearize(model, "top.mz", ["top.z"], steady=True)
    # at the lowest place a pendulum has the accelerations of a steady turn, but it does not go on so
    swing = fm.PlanarModel("swing", gravity=(0.0, -9.81))
    bob = swing.add_body("bob", mass=1.0, inertia=0.1, position=(0.0, -1.0))
    swing.revolute(swing.ground, bob.attach("eye", (0.0, 1.0)))
    bob.frame.move((3.0, 0.0), 3.0)
    with pytest.raises(LinearModelError, match=r"moved along with it for .* s, accelerations differ by up to .*"):
        fm.linearize(swing, "bob.moment", ["bob.angle"], steady=True)
    with pytest.raises(ModelError, match=r"modes are those of rest; leave them out, or steady=True"):
        fm.linearize(swing, "bob.moment", ["bob.angle"], modes=1, steady=True)


def test_the_axes_are_told():
    """Coefficients of an instant in axes that spin are no steady ones, and a warning says so."""
    model = top(0.0, 0.0, 20.0)
    with pytest.warns(BalanceWarning, match=r"coefficients are those of one instant.*steady=True gives constant ones"):
        instant = fm.linearize(model, "top.mz", ["top.wz"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(fm.linearize(model, "top.mz", ["top.wz"], steady=False).A, instant.A)
        fm.linearize(model, "top.mz", ["top.wz"], steady=True)


def disk(theta: float, precession: float, whole: float, radius=0.5, mass=1.0) -> fm.SpatialModel:
    """A thin disk that rolls: its plane leans at θ to the ground, it turns at `precession` about the vertical and has
    the angular velocity `whole` about its axle."""
    model = fm.SpatialModel("disk", gravity=(0, 0, -9.81))
    axle = np.array([0.0, -np.sin(theta), np.cos(theta)])
    up = np.array([0.0, np.cos(theta), np.sin(theta)])
    turn = Rotation.from_matrix(np.column_stack([np.cross(axle, -up), axle, -up]).round(15))
    across = 0.25 * mass * radius**2
    body = model.add_body(
        "disk", mass=mass, inertia=(across, 2.0 * across, across), position=radius * up, orientation=turn
    )
    model.rolling_wheel(model.ground, body.frame, radius, axle="y", name="road")
    omega = precession * np.array([0.0, 0.0, 1.0]) + (whole - precession * np.cos(theta)) * axle
    body.frame.move(np.cross(omega, radius * up), omega)
    return model


def test_a_disk_rolls_ahead():
    """s² = (m g r − C (C + m r²) n²/A)/(A + m r²): the slow one falls over."""
    for n in (1.0, 9.0):
        linear = fm.linearize(disk(0.5 * np.pi, 0.0, n), "disk.mx", ["energy.total"], steady=True)
        A, C, mr2 = 0.0625, 0.125, 0.25
        square = (9.81 * 0.5 - C * (C + mr2) * n**2 / A) / (A + mr2)
        root = np.sqrt(complex(square))
        np.testing.assert_allclose(moving(linear), in_order([-root, root]), atol=1e-8)
        # lean, and the speeds: ahead, turning, falling; neither place, nor heading, nor the angle rolled
        assert len(linear) == 4


def test_a_disk_rolls_in_a_circle():
    """Routh's equations of the disk in θ, θ̇, ψ̇, ω₃, whose Jacobian is taken by complex steps."""
    A, C, mr2, weight = 0.0625, 0.125, 0.25, 9.81 * 0.5
    theta, precession, whole = np.radians(60.0), 3.0, -2.267247173666769

    def rates(x: np.ndarray) -> np.ndarray:
        s, c, falling, turning, spin = np.sin(x[0]), np.cos(x[0]), x[1], x[2], x[3]
        return np.array([
            falling,
            (A * turning**2 * s * c - (C + mr2) * spin * turning * s - weight * c) / (A + mr2),
            (C * spin * falling - 2.0 * A * turning * falling * c) / (A * s),
            mr2 * turning * s * falling / (C + mr2),
        ])  # fmt: skip

    at = np.array([theta, 0.0, precession, whole])
    assert np.abs(rates(at)).max() < 1e-9
    jacobian = np.array([rates(at + 1e-30j * e).imag / 1e-30 for e in np.eye(4)]).T
    exact = np.linalg.eigvals(jacobian)
    exact = in_order(exact[np.abs(exact) > 1e-4])
    linear = fm.linearize(disk(theta, precession, whole), "disk.fz", ["energy.total"], steady=True)
    np.testing.assert_allclose(moving(linear), exact, atol=1e-8)


@pytest.mark.parametrize("radius", [1e-4, 0.5, 1e3])
def test_disks_of_any_size_stay_upright_above_a_speed(radius):
    """s² = 4/5 (1 − 3 v²/(g r)) g/r: a thin disk is stable for v² > g r/3."""
    for part in (0.9, 1.1):
        rate = part * np.sqrt(9.81 / (3.0 * radius))
        linear = fm.linearize(disk(0.5 * np.pi, 0.0, rate, radius, radius**3), "disk.mx", ["disk.z"], steady=True)
        root = np.sqrt(complex(0.8 * 9.81 / radius * (1.0 - part**2)))
        found = linear.poles[np.abs(linear.poles) > 1e-3 * abs(root)]
        np.testing.assert_allclose(in_order(found / root), [-1.0, 1.0], atol=1e-7)


@pytest.mark.filterwarnings("error")  # a state that nobody has given is closed without a word
@pytest.mark.parametrize("turning", [1.0, -2.0, 0.1])
def test_a_disk_that_rolls_in_a_circle_too_fast_is_no_steady_motion(turning):
    """(C + m r²) n Ω sin θ = A Ω² sin θ cos θ − m g r cos θ, per m r²; its weight is what it presses with."""
    s, c = np.sin(1.2), np.cos(1.2)
    whole = (0.25 * turning**2 * s * c - 9.81 / 0.5 * c) / (1.5 * turning * s)
    linear = fm.linearize(disk(1.2, turning, whole), "disk.mz", ["disk.z", "road.normal_force"], steady=True)
    np.testing.assert_allclose(linear.operating_outputs, [0.5 * s, 9.81], rtol=1e-9)
    for part in (1.01, 1.5):
        with pytest.raises(LinearModelError, match=r"(no steady motion|no constant coeff).*(off|differ) by"):
            fm.linearize(disk(1.2, turning, part * whole), "disk.mz", ["disk.z"], steady=True)


@pytest.mark.parametrize("space", [False, True])
def test_a_mass_on_a_spring_on_a_turning_table(space):
    """s² = Ω² − k/m − 4 Ω² m r²/(J + m r²), with the whole mechanism turning; in the plane and in space."""
    J, mass, stiffness, free, rate = 0.3, 0.5, 40.0, 0.4, 3.0
    r = stiffness * free / (stiffness - mass * rate**2)
    if space:
        model = fm.SpatialModel("table")
        table = model.add_body("table", mass=1.0, inertia=(0.2, 0.2, 0.25))
        stone = model.add_body("stone", mass=mass, inertia=(0.02, 0.04, 0.05), position=(r, 0.0, 0.0))
        model.revolute(model.ground, table.frame, axis="z")
        model.prismatic(table.frame, stone.frame, axis="x", name="guide")
        model.spring_damper(table.frame, stone.frame, stiffness=stiffness, free_length=free)
        table.frame.move((0.0, 0.0, 0.0), (0.0, 0.0, rate))
        stone.frame.move((0.0, rate * r, 0.0), (0.0, 0.0, rate))
    else:
        model = fm.PlanarModel("table")
        table = model.add_body("table", mass=1.0, inertia=0.25)
        stone = model.add_body("stone", mass=mass, inertia=0.05, position=(r, 0.0))
        model.revolute(model.ground, table.frame)
        model.prismatic(table.frame, stone.frame, axis=0.0)
        model.spring_damper(table.frame, stone.frame, stiffness=stiffness, free_length=free)
        table.frame.move((0.0, 0.0), rate)
        stone.frame.move((0.0, rate * r), rate)
    turn = "table.mz" if space else "table.moment"
    linear = fm.linearize(model, turn, ["energy.total"], steady=True)
    square = rate**2 - stiffness / mass - 4.0 * rate**2 * mass * r**2 / (J + mass * r**2)
    root = 1j * np.sqrt(-square)
    np.testing.assert_allclose(moving(linear), [-root, root], atol=1e-8)


def test_a_free_stone_turns_as_a_whole():
    """About a principal axis it wobbles, in axes that turn with it, at Ω √((I₃ − I₁)(I₃ − I₂)/(I₁ I₂))."""
    inertia = np.array([0.5, 0.8, 1.1])
    model = fm.SpatialModel("stone")
    stone = model.add_body("stone", mass=2.0, inertia=inertia)
    stone.frame.move((0.0, 0.0, 0.0), (0.0, 0.0, 7.0))
    linear = fm.linearize(model, "stone.mz", ["stone.wz"], steady=True)
    wobble = 7.0 * np.sqrt((inertia[2] - inertia[0]) * (inertia[2] - inertia[1]) / (inertia[0] * inertia[1]))
    found = moving(linear)
    # and its place goes round in these axes, which has the poles of speeds ±7 i
    np.testing.assert_allclose(np.abs(found), [7.0, wobble, wobble, 7.0] if wobble < 7.0 else 0.0, atol=1e-8)


def test_rest_is_steady_too():
    model = fm.PlanarModel("cart")
    cart = model.add_body("cart", mass=2.0, inertia=1.0)
    model.prismatic(model.ground, cart.frame)
    loose = fm.linearize(model, "cart.fx", ["cart.vx"], steady=True)
    assert loose.states == ["cart.x rate"] and loose.A.tolist() == [[0.0]]
    assert fm.linearize(model, "cart.fx", ["cart.x"], steady=True).states == ["cart.x", "cart.x rate"]


@pytest.mark.parametrize(
    "theory, options", [("cms", {"modes": 2}), ("ancf", {"elements": 3}), ("exact", {"elements": 3})]
)
def test_a_blade_that_turns_has_its_complex_modes(theory, options):
    """Places, slopes and amplitudes in axes that turn with a rotor, against modes of steady rotation."""
    model = fm.PlanarModel("rotor")
    steel = fm.Material(density=7850, youngs_modulus=205e9)
    hub = model.add_body("hub", mass=1.0, inertia=0.3)
    model.revolute(model.ground, hub.frame)
    model.add_beam(
        "blade",
        hub.attach("root", (0.1, 0)),
        (1.1, 0),
        material=steel,
        section=fm.Circle(diameter=0.02),
        theory=theory,
        **options,
    )
    model.add_point_mass("mass", hub.attach("counter", (-0.3, 0)), 3.0)
    turning = fm.equilibrium(model, spin=60.0)
    found = fm.linearize(turning, "hub.moment", ["blade@0.5.bending_moment"], steady=True)
    swings = np.sort(found.poles.imag[found.poles.imag > 1.0])
    known = fm.complex_modes(turning, 5).eigenvalues
    known = np.sort(known.imag[known.imag > 1.0])[:2]
    np.testing.assert_allclose(swings[:2], known, rtol=1e-6)


def cart(speed: float) -> fm.SpatialModel:
    """A cart on four wheels, of which the two in front slip sideways; the rows of the others repeat one another."""
    model = fm.SpatialModel("cart", gravity=(0, 0, -9.81))
    body = model.add_body("body", mass=10.0, inertia=(1.0, 2.0, 2.5), position=(0.0, 0.0, 0.4))
    body.move((speed, 0.0, 0.0))
    for k, (x, y) in enumerate(((0.5, 0.3), (0.5, -0.3), (-0.5, 0.3), (-0.5, -0.3))):
        wheel = model.add_body(f"wheel {k}", mass=1.0, inertia=(0.02, 0.04, 0.02), position=(x, y, 0.2))
        wheel.move((speed, 0.0, 0.0), (0.0, speed / 0.2, 0.0))
        model.revolute(body.attach(f"arm {k}", (x, y, -0.2)), wheel.frame, axis="y")
        model.rolling_wheel(model.ground, wheel.frame, 0.2, axle="y", lateral=x < 0.0)
    return model


@pytest.mark.filterwarnings("ignore::flexmb.errors.RedundancyWarning")
@pytest.mark.parametrize("speed", [3.0, -3.0])
def test_a_cart_with_rows_that_repeat_others(speed):
    """Chaplygin's sleigh with wheels, (J + m a²) ω̇ = −m a v ω: pushed backwards it turns round."""
    linear = fm.linearize(cart(speed), "body.fx", ["body.wz"], steady=True)
    J = 2.5 + 4.0 * (0.02 + 0.5**2 + 0.3**2 + 0.04 * (0.3 / 0.2) ** 2)
    rate = -14.0 * 0.5 * speed / (J + 14.0 * 0.5**2)
    assert linear.state.system.left_out == 2 and len(linear) == 2
    np.testing.assert_allclose(moving(linear), [rate], atol=1e-9)
    assert linear.stable is False


def test_a_loop_of_a_sampled_controller():
    model = fm.PlanarModel("shaft")
    shaft = model.add_body("shaft", mass=1.0, inertia=0.1)
    model.revolute(model.ground, shaft.frame)
    shaft.move((0.0, 0.0), 5.0)
    brake = model.point_torque(shaft.frame, 0.0, name="brake")
    push = model.point_torque(shaft.frame, 0.0, name="push")
    rate = fm.control.RelativeRate(model.ground, shaft.frame)
    model.add_controller("servo", period=0.01, sensors=[rate], commands=brake, law=[[-2.0]])
    closed = fm.linearize(model, push, ["shaft.angular_velocity"], controllers="closed", steady=True)
    assert "shaft.angle" not in closed.states
    np.testing.assert_allclose(np.max(np.abs(closed.poles)), 1.0 - 2.0 * 0.01 / 0.1, atol=1e-9)


def test_a_drive_that_goes_on():
    """The angle of a rotor that is driven turns speeds too, and stays among the states with its pole 0."""
    model = fm.SpatialModel("driven")
    rotor = model.add_body("rotor", mass=1.0, inertia=(0.1, 0.1, 0.2))
    model.revolute(model.ground, rotor.frame, axis="z", name="bearing")
    stone = model.add_body("stone", mass=0.5, inertia=(0.01, 0.01, 0.01), position=(0.4, 0.0, 0.0))
    model.prismatic(rotor.frame, stone.frame, axis="x")
    model.spring_damper(rotor.frame, stone.frame, stiffness=40.0, free_length=0.4 - 0.5 * 9.0 * 0.4 / 40.0)
    model.drive_angle(model.ground, rotor.frame, fm.Polynomial([0.0, 3.0]), axis="z", name="engine")
    rotor.frame.move((0.0, 0.0, 0.0), (0.0, 0.0, 3.0))
    stone.frame.move((0.0, 1.2, 0.0), (0.0, 0.0, 3.0))
    linear = fm.linearize(model, "engine", ["energy.total"], steady=True)
    assert len(linear) == 4 and np.sum(np.abs(linear.poles) < 1e-6) == 2
    root = 1j * np.sqrt(40.0 / 0.5 - 9.0)
    np.testing.assert_allclose(moving(linear), [-root, root], atol=1e-8)


@pytest.mark.parametrize("size", [1.0, 1e-6])
def test_a_place_that_goes_on_is_no_output_however_small_the_mechanism_is(size):
    model = fm.SpatialModel("coin", gravity=(0, 0, -9.81))
    shape = fm.Cylinder(diameter=0.5 * size, length=0.01 * size, axis="y")
    coin = model.add_body("coin", shape=shape, density=1000.0, position=(0, 0, 0.25 * size))
    model.rolling_wheel(model.ground, coin.frame, 0.25 * size)
    coin.frame.move((5.0 * size, 0, 0), (0, 20.0, 0))
    assert fm.linearize(model, "coin.fx", "coin.z", steady=True).operating_outputs[0] == 0.25 * size
    with pytest.raises(LinearModelError, match=r"output 'coin.x' goes on changing"):
        fm.linearize(model, "coin.fx", "coin.x", steady=True)


def test_arrays_are_the_sparse_matrices_of_a_motion():
    """A bicycle has matrices that runs keep sparse; linear models take the same numbers as arrays."""
    state = fm.assemble(bicycle.build(4.0, 0.3))
    system, at = state.system, (state.t, state.q, state.v, state.a, state.lam)
    assert system.pattern is not None
    for weights in np.eye(3):
        assert np.array_equal(system.matrix_array(*at, weights), system.matrix(*at, weights).toarray())
    assert np.array_equal(system.jacobian_array(*at[:2]), system.jacobian(*at[:2]).toarray())


@pytest.mark.parametrize("turn", [(0.0, 0.0, 0.0), (0.3, -1.2, 0.7), (0.0, 0.0, 1e-9), (0.0, 0.0, -3.0)])
def test_axes_go_along_as_rotations_do(turn):
    """After h seconds, of a bicycle that turns as a whole while its wheels spin: axes, places, orientations, speeds."""
    state, h = fm.assemble(bicycle.build(4.0, 0.3)), 0.6
    system, turn = state.system, np.array(turn)
    motion = SteadyRotation.through(system, state.q, state.v, turn)
    T = motion.turned_axes_dense(h)
    assert np.allclose(T, motion.turned_axes(h).toarray(), atol=1e-15)
    assert np.allclose(T @ T.T, np.eye(system.n), atol=1e-14)
    e = 1e-5
    rate = (motion.turned_axes_dense(h + e) - motion.turned_axes_dense(h - e)).T / (2.0 * e)
    assert np.allclose(rate @ T, motion.rate_of_axes(), atol=1e-8)
    q, v = motion.after(h, state.q, state.v)
    whole = Rotation.from_rotvec(h * turn)
    numbers, first = directions(system), turns(system)
    assert np.allclose(v[numbers], whole.apply(state.v[numbers]), atol=1e-13)
    before, after = (Rotation.from_matrix(axes_of_bodies(system, x)) for x in (state.q, q))
    own = state.v[first] - before.inv().apply(turn)
    there = whole * before * Rotation.from_rotvec(h * own)
    assert np.allclose(after.as_matrix(), there.as_matrix(), atol=1e-13)
    assert np.allclose(v[first], there.inv().apply(turn) + own, atol=1e-13)
    steps = np.linspace(0.0, h, 2001)[:, None]
    along = np.array([Rotation.from_rotvec(steps * turn).apply(u) for u in state.v[numbers]])
    assert np.allclose(q[numbers] - state.q[numbers], np.trapezoid(along, dx=h / 2000, axis=1), atol=1e-6)


def test_a_craft_in_orbit_goes_on_with_it():
    """The turn of the orbit is far below what accelerations show; pitch in it is √(3 (I_y − I_x)/I_z) times as fast."""
    rate, inertia = 1e-3, (20.0, 25.0, 30.0)
    field = fm.spatial.CentralGravity(rate**2 * 7e6**3, (7e6, 0, 0), (0, rate * 7e6, 0))
    m = fm.SpatialModel("craft", gravity=field)
    hull = m.add_body("hull", mass=100.0, inertia=inertia)
    m.add_wheel("wheel", hull.frame, inertia=0.05, axis="z", torque=0.0)
    turning = fm.equilibrium(m, spin=rate, axis="z")
    poles = fm.linearize(turning, "wheel", "hull.wz", steady=True).poles
    pitch = np.sqrt(3.0 * (inertia[1] - inertia[0]) / inertia[2])
    assert np.min(np.abs(poles - 1j * pitch * rate)) < 1e-6 * rate
    ellipse = fm.SpatialModel("m", gravity=fm.spatial.CentralGravity(field.mu, (7e6, 0, 0), (0, 1.1 * rate * 7e6, 0)))
    ellipse.add_body("hull", mass=100.0, inertia=inertia)
    with pytest.raises(ModelError, match=r"the orbit of the model has the eccentricity 0\.21"):
        fm.linearize(ellipse, "hull.mx", "hull.wz", steady=True)
