"""Linear models of mechanisms: closed forms, differences of the nonlinear equations, smaller models, other programs."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.linalg

import flexmb as fm
from flexmb.analyses.linear.linear_model import LinearModel
from flexmb.analyses.linear.small_motions import _is_singular
from flexmb.errors import BalanceWarning, LinearModelError, ModelError, NamingError, SolverError
from flexmb.results.state import State
from flexmb.solvers.binding.initial_state import state_of
from flexmb.solvers.start.initial import consistent_state
from tests.models.pendulums import flexible_pendulum

G = 9.81


def pendulum() -> fm.PlanarModel:
    model = fm.PlanarModel("pendulum", gravity=(0.0, -G))
    bob = model.add_body("bob", mass=2.0, inertia=0.1, position=(0.0, -1.0))
    model.revolute(model.ground, bob.attach("pivot", (0.0, 1.0)), name="hinge")
    return model


def crane(driven: bool) -> fm.PlanarModel:
    """A pendulum under a cart."""
    model = fm.PlanarModel("crane", gravity=(0.0, -G))
    cart = model.add_body("cart", mass=3.0, inertia=1.0)
    model.prismatic(model.ground, cart.frame, name="rail")
    bob = model.add_body("bob", mass=2.0, inertia=0.1, position=(0.0, -1.0))
    model.revolute(cart.frame, bob.attach("pivot", (0.0, 1.0)), name="hinge")
    if driven:
        model.drive_position(model.ground, cart.frame, 0.0, name="winch")
    return model


def damped_arm(elements: int = 1, theory: str = "cms") -> fm.PlanarModel:
    model = flexible_pendulum(theory, elements=elements, damping=fm.StiffnessProportional(1e-3))
    model.torsion_spring(model.ground, model.components["rod"].start, damping=0.02, name="friction")
    return model


def test_pendulum():
    linear = fm.linearize(pendulum(), ["bob.fx", "bob.moment"], ["bob.x", "bob.ax", "hinge.fx"])
    assert linear.states == ["bob.angle", "bob.angle rate"]
    J = 2.0 * 1.0**2 + 0.1
    np.testing.assert_allclose(linear.A, [[0, 1], [-2.0 * G / J, 0]], atol=1e-10)
    np.testing.assert_allclose(linear.B, [[0, 0], [1 / J, 1 / J]], atol=1e-12)
    # the hinge pushes the bob: m ẍ = F + fx
    np.testing.assert_allclose(linear.C[2], 2.0 * linear.C[1], atol=1e-9)
    np.testing.assert_allclose(linear.D[2], 2.0 * linear.D[1] - [1.0, 0.0], atol=1e-10)
    assert linear.input_units == ["N", "Nm"] and linear.output_units == ["m", "m/s²", "N"]
    assert not linear.stable and linear.controllable and linear.observable


def test_prescribed_motion_is_an_acceleration_with_two_states():
    linear = fm.linearize(crane(driven=True), "winch", ["bob.x", "winch.fx", "cart.x"])
    assert linear.states == ["bob.angle", "winch", "bob.angle rate", "winch rate"]
    J = 2.1
    assert linear.B[:, 0] == pytest.approx([0, 0, -2.0 / J, 1.0], abs=1e-10)
    assert linear.C[2] == pytest.approx([0, 1, 0, 0], abs=1e-10)
    # the winch accelerates both masses: fx = 3 s̈ + 2 ẍ_bob, ẍ_bob = s̈ + θ̈
    assert linear.D[1, 0] == pytest.approx(3.0 + 2.0 * (1.0 - 2.0 / J), rel=1e-9)
    # the same mechanism, its cart pushed by that force
    free = fm.linearize(crane(driven=False), "cart.fx", ["cart.ax"], coordinates=["cart.x", "bob.angle"])
    by_force = free.D[0, 0]
    assert 1.0 / by_force == pytest.approx(linear.D[1, 0], rel=1e-9)


def test_strengths_of_components_are_inputs():
    model = pendulum()
    model.point_force(model.frames["bob"], (3.0, 0.0), factor=0.0, name="wind")
    model.point_torque(model.frames["bob"], 0.0, name="twist")
    linear = fm.linearize(model, ["wind", "twist", "bob.fx"], "bob.ax")
    assert linear.D[0] == pytest.approx([3.0 / 2.1, 1.0 / 2.1, 1.0 / 2.1], rel=1e-9)
    assert linear.input_units == ["–", "Nm", "N"]


def test_motor_torque_turns_the_arm_through_its_reducer():
    model = fm.PlanarModel("drive")
    arm = model.add_body("arm", mass=1.0, inertia=2.0)
    model.revolute(model.ground, arm.frame)
    model.motor(model.ground, arm.frame, inertia=1e-3, ratio=50.0, friction=1e-3, name="motor")
    linear = fm.linearize(model, "motor", ["arm.angular_acceleration"])
    assert linear.D[0, 0] == pytest.approx(50.0 / (2.0 + 1e-3 * 2500.0), rel=1e-9)
    assert sorted(linear.poles.real) == pytest.approx([-1e-3 * 2500.0 / 4.5, 0.0], abs=1e-9)


@pytest.mark.parametrize("theory", ["cms", "ancf", "exact"])
def test_outputs_are_derivatives_of_the_nonlinear_ones(theory):
    """C and D against differences along the motion of the mechanism itself: restore, and solve for accelerations."""
    model = damped_arm(2, theory)
    rest = fm.equilibrium(model)
    names = ["rod.end.x", "rod.end.vy", "rod.end.ay", "rod@0.3.bending_moment", "hinge.fx", "hinge.fy"]
    linear = fm.linearize(rest, "rod.end.fx", names)
    rng = np.random.default_rng(1)
    x = rng.normal(size=len(linear)) * 1e-2
    h = 1e-4
    ends = [_outputs(linear.restore(sign * h * x), names) for sign in (1.0, -1.0)]
    scale = np.abs(linear.C) @ np.abs(x)
    np.testing.assert_allclose((ends[0] - ends[1]) / (2 * h) / scale, linear.C @ x / scale, atol=2e-6)


def _outputs(state: State, names: list[str]) -> np.ndarray:
    """Outputs with the accelerations and joint forces that follow from positions and speeds, joints closed exactly."""
    q, v, a, lam, _, _ = consistent_state(state.system, state.t, state.q, state.v, of_model=False)
    n = state.system.n
    settled = State(state.system, state.t, q[:n], v[:n], a[:n], lam)
    return np.array([settled[name] for name in names])


def test_a_moving_state_is_linearized_to_first_order():
    """A slider-crank in full motion: A against differences of its equations of motion in one coordinate."""
    state = state_of(fm.simulate(_crank(), 0.13, step=1e-3, progress=False), "test")
    linear = fm.linearize(state, "crank.moment", ["slider.ax", "pin.fx"], coordinates=["crank.angle"])

    def acceleration(x: np.ndarray) -> np.ndarray:
        moved = linear.restore(x)
        q, v, a, lam, _, _ = consistent_state(moved.system, moved.t, moved.q, moved.v, of_model=False)
        n = moved.system.n
        settled = State(moved.system, moved.t, q[:n], v[:n], a[:n], lam)
        # closing the joints may move the coordinate itself: measured from where it came to be
        k = moved.system.names.index("crank.angle")
        return np.array([a[k], settled["slider.ax"], settled["pin.fx"], q[k], v[k]])

    rows = []
    for x, h in zip(np.eye(2), (1e-4, 1e-2)):
        ends = [acceleration(k * h * x) for k in (-2, -1, 1, 2)]
        rows.append((ends[0] - 8 * ends[1] + 8 * ends[2] - ends[3]) / (12 * h))
    rows = np.array(rows)
    # (a, outputs) as functions of (angle, rate), whatever path the closing took
    derivative = np.linalg.solve(rows[:, 3:], rows[:, :3])
    found = np.vstack([linear.A[1], linear.C]).T
    np.testing.assert_allclose(found, derivative, rtol=2e-6, atol=2e-6 * np.abs(derivative).max())


def _crank() -> fm.PlanarModel:
    model = fm.PlanarModel("slider-crank", gravity=(0.0, -G))
    crank = model.add_body("crank", mass=1.0, inertia=0.02, position=(0.1, 0.0), angle=0.0)
    crank.move(angular_velocity=20.0)
    model.revolute(model.ground, crank.attach("foot", (-0.1, 0.0)), name="foot")
    rod = model.add_body("rod", mass=0.8, inertia=0.02, position=(0.45, 0.0))
    model.revolute(crank.attach("head", (0.1, 0.0)), rod.attach("near", (-0.25, 0.0)), name="elbow")
    slider = model.add_body("slider", mass=0.5, inertia=0.01, position=(0.7, 0.0))
    model.revolute(rod.attach("far", (0.25, 0.0)), slider.frame, name="pin")
    model.prismatic(model.ground, slider.frame, name="guide")
    return model


def test_large_models_by_modes_agree_with_all_coordinates_at_low_frequencies():
    rest = fm.equilibrium(damped_arm(8, "ancf"))
    names = ["rod.end.x", "hinge.fx"]
    whole = fm.linearize(rest, "rod@0.5.fx", names)
    few = fm.linearize(rest, "rod@0.5.fx", names, modes=6)
    assert few.states[:2] == ["mode 0", "mode 1"] and len(few) == 12
    f = np.linspace(0.1, 3.0, 20)
    a, b = whole.response(f).values, few.response(f).values
    np.testing.assert_allclose(b[:, 0], a[:, 0], atol=2e-3 * np.abs(a[:, 0]).max())


# -- frequency --------------------------------------------------------------------------------------------------------


def test_frequency_response_of_an_oscillator():
    oscillator = LinearModel([[0, 1], [-4.0, -0.4]], [[0], [1.0]], [[1.0, 0]], [[0.0]])
    f = np.array([0.0, 0.1, 1.0 / np.pi, 2.0])
    s = 2j * np.pi * f
    np.testing.assert_allclose(oscillator.response(f).values[:, 0, 0], 1.0 / (s**2 + 0.4 * s + 4.0), rtol=1e-12)


def test_sparse_response_without_a_linear_model_agrees():
    rest = fm.equilibrium(damped_arm(4, "ancf"))
    inputs, outputs = ["rod.start.moment", "rod@0.5.fx"], ["rod.end.ax", "rod@0.3.bending_moment", "hinge.fx"]
    f = np.geomspace(0.1, 100.0, 30)
    dense = fm.linearize(rest, inputs, outputs).response(f)
    sparse = fm.frequency_response(rest, inputs, outputs, f)
    size = np.abs(dense.values).max(axis=0)
    np.testing.assert_allclose(sparse.values / size, dense.values / size, atol=1e-8)
    assert sparse["hinge.fx", "rod@0.5.fx"].shape == (30,)


def test_response_of_a_drive_agrees_with_its_linear_model():
    model = crane(driven=True)
    model.torsion_spring(model.frames["cart"], model.frames["bob"], damping=0.3)
    f = np.array([0.2, 0.5, 3.0])
    a = fm.linearize(model, "winch", ["bob.ax", "winch.fx"]).response(f).values
    b = fm.frequency_response(model, "winch", ["bob.ax", "winch.fx"], f).values
    np.testing.assert_allclose(a, b, rtol=1e-8)


def test_bode_plots(tmp_path):
    linear = fm.linearize(fm.equilibrium(damped_arm()), ["rod.start.moment"], ["rod.end.x", "rod.end.ax"])
    f = np.geomspace(0.1, 50.0, 60)
    full = linear.response(f)
    full.bode(path=tmp_path / "one.png")
    full.bode_against({"4 states": linear.modal(2).response(f)}, path=tmp_path / "two.png")
    assert (tmp_path / "one.png").stat().st_size > 5000 and (tmp_path / "two.png").stat().st_size > 5000


# -- time -------------------------------------------------------------------------------------------------------------


def test_simulate_is_exact_for_straight_lines_and_steps():
    linear = LinearModel([[-2.0]], [[1.0]], [[1.0]], [[0.0]])
    t = np.linspace(0.0, 3.0, 7)
    np.testing.assert_allclose(linear.step(t).y[:, 0], 0.5 * (1.0 - np.exp(-2.0 * t)), atol=1e-14)
    ramp = linear.simulate(t, t)
    np.testing.assert_allclose(ramp.y[:, 0], 0.5 * t - 0.25 * (1.0 - np.exp(-2.0 * t)), atol=1e-14)
    free = linear.simulate(t, np.zeros(7), x0=[3.0])
    np.testing.assert_allclose(free["y1"], 3.0 * np.exp(-2.0 * t), atol=1e-14)


def test_discrete_steps_land_on_the_continuous_motion():
    linear = fm.linearize(fm.equilibrium(damped_arm()), "rod.start.moment", "rod.end.x")
    held = linear.discrete(0.01)
    t = np.arange(50) * 0.01
    u = np.sign(np.sin(7.0 * t))
    fine = np.repeat(u, 200)
    tf = np.arange(len(fine)) * 0.01 / 200
    a = held.simulate(t, u).y[:, 0]
    # zero-order hold as very steep straight lines
    b = linear.simulate(tf, fine).y[::200, 0]
    np.testing.assert_allclose(a, b, atol=2e-2 * np.abs(a).max())
    assert held.period == 0.01 and held.stable
    np.testing.assert_allclose(
        np.sort(held.natural_frequencies)[:2], np.sort(linear.natural_frequencies)[:2], rtol=1e-6
    )


# -- smaller models ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [2, 4, 8])
def test_balanced_truncation_keeps_its_bound(order):
    linear = fm.linearize(fm.equilibrium(damped_arm(6, "ancf")), "rod@0.5.fx", "rod.end.x")
    small = linear.balanced(order)
    assert len(small) == order and small.stable
    f = np.unique(np.concatenate([np.geomspace(1e-2, 1e3, 300), linear.natural_frequencies / (2 * np.pi)]))
    off = np.abs(linear.response(f).values - small.response(f).values).max()
    bound = 2.0 * linear.hankel_singular_values[order:].sum()
    assert bound / 20.0 < off <= bound * (1 + 1e-6)


def test_balanced_truncation_keeps_what_does_not_decay():
    """A cart on rails with a damped oscillator on it."""
    model = fm.PlanarModel("cart")
    cart = model.add_body("cart", mass=2.0, inertia=1.0)
    model.prismatic(model.ground, cart.frame)
    load = model.add_body("load", mass=1.0, inertia=1.0)
    model.prismatic(cart.frame, load.frame)
    model.bushing(cart.frame, load.frame, stiffness=(50.0, 0, 0), damping=(1.0, 0, 0))
    linear = fm.linearize(model, "cart.fx", ["cart.x"])
    small = linear.balanced(2)
    assert np.max(np.abs(small.poles)) < 1e-6
    f = np.array([0.01, 0.1])
    np.testing.assert_allclose(small.response(f).values, linear.response(f).values, rtol=2e-2)
    np.testing.assert_allclose(linear.balanced(4).response(f).values, linear.response(f).values, rtol=1e-7)


def test_modal_truncation_with_correction_is_exact_at_rest():
    linear = fm.linearize(fm.equilibrium(damped_arm(6, "ancf")), "rod@0.5.fx", "rod.end.x")
    exact = linear.response(0.0).values
    np.testing.assert_allclose(linear.modal(3).response(0.0).values, exact, rtol=1e-8)
    assert abs(linear.modal(3, correction=False).response(0.0).values - exact).max() > 1e-6 * abs(exact).max()
    slow = linear.modal(2)
    np.testing.assert_allclose(np.sort(np.abs(slow.poles)), np.sort(np.abs(linear.poles))[:4], rtol=1e-6)


def test_undamped_models_cannot_be_balanced():
    with pytest.raises(LinearModelError, match="dies out"):
        fm.linearize(pendulum(), "bob.fx", "bob.x").balanced(1)


# -- what inputs reach ------------------------------------------------------------------------------------------------


def test_what_no_input_reaches_is_told():
    model = fm.PlanarModel("two")
    for k, (name, stiffness) in enumerate((("one", 4.0), ("other", 9.0))):
        body = model.add_body(name, mass=1.0, inertia=1.0, position=(0.0, float(k)))
        model.prismatic(model.ground.attach(f"rail {k}", (0.0, float(k))), body.frame)
        model.bushing(model.ground.attach(f"foot {k}", (0.0, float(k))), body.frame, stiffness=(stiffness, 0, 0))
    linear = fm.linearize(model, "one.fx", "one.x")
    assert not linear.controllable and not linear.observable
    np.testing.assert_allclose(np.abs(linear.uncontrollable), [3.0, 3.0], rtol=1e-9)
    both = fm.linearize(model, ["one.fx", "other.fx"], ["one.x", "other.x"])
    assert both.controllable and both.observable


# -- other programs, wrong input --------------------------------------------------------------------------------------


def test_to_and_from_python_control():
    control = pytest.importorskip("control")
    linear = fm.linearize(fm.equilibrium(damped_arm()), "rod.start.moment", ["rod.end.x", "rod.end.ax"])
    there = linear.to_control()
    assert isinstance(there, control.StateSpace)
    again = LinearModel.from_control(there)
    for what in "ABCD":
        np.testing.assert_array_equal(getattr(again, what), getattr(linear, what))
    assert again.outputs == ["rod_end_x", "rod_end_ax"]
    assert LinearModel.from_control(linear.discrete(0.1).to_control()).period == 0.1
    np.testing.assert_array_equal(linear.to_scipy().A, linear.A)


def test_part_keeps_names():
    linear = fm.linearize(fm.equilibrium(damped_arm()), ["rod.start.moment", "rod.end.fx"], ["rod.end.x", "rod.end.ax"])
    part = linear.part("rod.end.fx", ["rod.end.ax"])
    assert (part.inputs, part.outputs) == (["rod.end.fx"], ["rod.end.ax"])
    np.testing.assert_array_equal(part.D, linear.D[1:, 1:])
    with pytest.raises(NamingError, match=r"rod\.end\.ax"):
        linear.part(outputs="rod.end.axx")


def test_poles_need_no_inputs_and_outputs():
    """They are those of the same model with both, by coordinates and by modes, in the plane and in space."""
    rest = fm.equilibrium(damped_arm())
    space = fm.SpatialModel("pendulum", gravity=(0, 0, -9.81))
    bob = space.add_body("bob", mass=1.0, inertia=(0.1, 0.2, 0.3), position=(0, 0, -1.0))
    space.revolute(space.ground, bob.attach("eye", (0, 0, 1.0)), axis="x", name="hinge")
    for state, push, seen in ((rest, "rod.end.fx", "rod.end.x"), (space, "bob.fy", "hinge.angle")):
        whole = fm.linearize(state, push, seen)
        for linear in (fm.linearize(state), fm.linearize(state, push), fm.linearize(state, outputs=seen)):
            assert linear.states == whole.states
            np.testing.assert_allclose(linear.A, whole.A, rtol=1e-12, atol=1e-12)
        linear = fm.linearize(state)
        assert (linear.B.shape, linear.C.shape, linear.D.shape) == ((len(linear), 0), (0, len(linear)), (0, 0))
        assert "inputs: none" in str(linear) and "poles" not in repr(linear)
        for use in (
            lambda x: x.step(1.0),
            lambda x: x.response([1.0]),
            lambda x: x.closed(np.zeros((0, 0))),
            lambda x: x.balanced(1),
            lambda x: fm.control.lqr(x, np.eye(len(x)), 1.0),
        ):
            with pytest.raises(LinearModelError, match=r"has no inputs.*name some in fm\.linearize, inputs="):
                use(linear)
    np.testing.assert_allclose(fm.linearize(rest, modes=2).A, fm.linearize(rest, "rod.end.fx", modes=2).A, rtol=1e-9)
    assert fm.linearize(space).poles.imag == pytest.approx([-np.sqrt(9.81 / 1.1), np.sqrt(9.81 / 1.1)])
    with pytest.raises(NamingError, match=r"frequency response .*: name at least one input"):
        fm.frequency_response(rest, [], "rod.end.x", [1.0])


def test_a_state_that_is_about_to_move_is_no_operating_point():
    with pytest.warns(BalanceWarning, match=r"give fm\.equilibrium\(model\) in its place"):
        fm.linearize(damped_arm(), "rod.end.fx", "rod.end.x")


def test_wrong_input():
    model = fm.equilibrium(damped_arm())
    with pytest.raises(NamingError, match=r"did you mean 'rod\.end\.fx'"):
        fm.linearize(model, "rod.ende.fx", "rod.end.x")
    with pytest.raises(NamingError, match=r"rod\.end\.x"):
        fm.linearize(model, "rod.end.fx", "rod.end.xx")
    with pytest.raises(NamingError, match="given twice"):
        fm.linearize(model, "rod.end.fx", ["rod.end.x", "rod.end.x"])
    with pytest.raises(NamingError, match="sum over time"):
        fm.linearize(model, "rod.end.fx", "energy.dissipated")
    with pytest.raises(SolverError, match="degrees of freedom"):
        fm.linearize(model, "rod.end.fx", "rod.end.x", coordinates=["rod.start.angle"])
    with pytest.raises(ModelError, match="finite numbers"):
        LinearModel([[np.nan]], [[1]], [[1]], [[0]])
    with pytest.raises(ModelError, match="B has the shape"):
        LinearModel([[1.0]], [[1], [2]], [[1]], [[0]])


def test_a_motion_without_inertia_is_told():
    model = fm.PlanarModel("massless")
    frame = model.add_frame("hand", (1.0, 0.0))
    model.bushing(model.ground, frame, stiffness=(1.0, 1.0, 1.0))
    body = model.add_body("body", mass=1.0, inertia=1.0)
    model.bushing(model.ground, body.frame, stiffness=(1.0, 1.0, 1.0))
    with pytest.raises(SolverError, match="inertia"):
        fm.linearize(model, "body.fx", "body.x")


def test_conveniences():
    linear = fm.linearize(fm.equilibrium(damped_arm()), "rod.start.moment", "rod.end.x")
    assert linear.step(2.0).y.shape == (501, 1)
    response = linear.response([1.0, 2.0])
    np.testing.assert_array_equal(response["rod.end.x"], response["rod.end.x", "rod.start.moment"])
    with pytest.raises(ModelError, match="a row for each"):
        linear.simulate(np.arange(5.0), np.zeros(4))


# each gauge says that a mean force enters, and they are compared with each other
@pytest.mark.filterwarnings("ignore:.*strain of beam .rod. is that of the mean axial force of an element")
def test_two_sensors_with_one_name_have_numbers():
    model = damped_arm(2)
    rod = model.components["rod"]
    gauges = [fm.control.StrainGauge(rod.at(0.2), height) for height in (0.01, -0.01)]
    state = fm.equilibrium(model)
    found = fm.linearize(state, "rod.end.fy", gauges)
    assert found.outputs == ["strain of rod@0.2", "strain of rod@0.2 2"]
    own = found.states[: len(found.states) // 2]
    each = [fm.linearize(state, "rod.end.fy", gauge, coordinates=own) for gauge in gauges]
    np.testing.assert_allclose(found.C, np.vstack([one.C for one in each]), rtol=1e-9)
    with pytest.raises(NamingError, match="given twice"):
        fm.linearize(state, "rod.end.fy", [gauges[0], gauges[0]])


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_strain_gauge_is_doubted_once_and_only_where_it_matters(dimension):
    """In a bent beam's strain weight makes a small part vary, in that of an upright one all."""
    across, up = np.eye(dimension)[[0, -1]]
    steel, square = fm.Material(density=7850, youngs_modulus=205e9), fm.Rectangle(0.02, 0.02)

    def warned(push):
        model = (fm.PlanarModel if dimension == 2 else fm.SpatialModel)("post", gravity=-9.81 * up)
        rod = model.add_beam("rod", 0.0 * up, up, material=steel, section=square, elements=2)
        model.weld(model.ground, rod.start)
        model.point_force(rod.end, push * across, name="load")
        fiber = {"height": 0.01} if dimension == 2 else {"fiber": (0.0, 0.01)}
        rest = fm.equilibrium(model)
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            fm.linearize(rest, inputs="load", outputs=[fm.control.StrainGauge(rod.at(0.1), **fiber)])
        return [str(x.message) for x in found]

    assert not warned(100.0)
    (text,) = warned(1e-3)
    assert "strain of beam 'rod' is that of the mean axial force" in text


@pytest.mark.parametrize(
    ("apart", "singular"), [(1.0, False), (1e-6, False), (1e-12, False), (1e-15, True), (0.0, True)]
)
def test_a_mass_matrix_is_singular_to_rounding_by_its_condition_number(apart, singular):
    """Two coordinates that move alike but for a part, whose condition number is about two over that part."""
    alike = np.array([[1.0, 1.0 - apart], [1.0 - apart, 1.0]])
    assert _is_singular(alike) == singular
    larger = scipy.linalg.block_diag(alike, np.eye(4))
    assert _is_singular(larger) == singular
    assert (np.linalg.cond(larger) > 1e14) == singular
    assert _is_singular(np.array([[1.0, 1.0 + 1e-9], [1.0 + 1e-9, 1.0]])), "not positive"
