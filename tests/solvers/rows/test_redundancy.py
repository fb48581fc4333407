"""Joints that repeat one another: what is left out, watched and exchanged on the way, and what is said of it."""

from __future__ import annotations

import inspect
import warnings

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.spatial import SpatialModel
from tests.models.swings import swing, swing_angle
from tests.solvers.every_method import METHODS

LOUD = pytest.mark.filterwarnings("ignore::flexmb.errors.RedundancyWarning")


def door(upper: tuple[float, float, float] = (0.0, 0.0, 1.0)) -> SpatialModel:
    """A door (10 kg) on two hinges of one axis, which is level; five rows are too many."""
    m = SpatialModel("door", gravity=(0, -9.81, 0))
    leaf = m.add_body("leaf", mass=10.0, inertia=(1.0, 2.0, 1.5), position=(0.5, 0, 0.5))
    m.revolute(m.ground, leaf.attach("low", (-0.5, 0, -0.5)), name="lower")
    m.revolute(m.ground.attach("up", upper), leaf.attach("top", (-0.5, 0, 0.5)), name="upper")
    return m


@LOUD
@pytest.mark.parametrize("count", [3, 4])
@pytest.mark.parametrize("method", METHODS)
def test_rows_that_fade_are_exchanged_on_the_way(method, count):
    options = {"step": 1e-3} if method in ("rkf45", "generalized_alpha") else {}
    run = fm.simulate(swing(count), 5.0, method, progress=False, **options)
    assert run.status == "finished" and run.trustworthy, run.message
    truth = swing_angle(count, run.t)
    assert np.ptp(truth) > 5.0
    for k in range(count):
        np.testing.assert_allclose(run[f"crank{k}"].angle, truth, atol=1e-3)
    assert run.statistics.other_rows > 3 and "other constraint rows" in str(run.statistics)
    assert run.source.system.left_out == count - 2
    whole = run.source.system.whole
    apart = 1e-6 + 100.0 * run.statistics.position_drift  # 100 N; rows repeat one another as well as they are met
    for k in np.linspace(0, len(run.t) - 1, 20).astype(int):
        g, _, _ = whole.constraint(run.t[k], run.q[k], run.v[k])
        assert np.max(np.abs(g)) < (1e-3 if method == "baumgarte" else 1e-8)
        r = whole.residual(run.t[k], run.q[k], run.v[k], run.a[k], run.multipliers[k])
        basic = whole.residual(run.t[k], run.q[k], run.v[k], run.a[k], run.basic_multipliers[k])
        np.testing.assert_allclose(r, basic, atol=apart)  # both hold the mechanism
        assert np.linalg.norm(run.multipliers[k]) <= np.linalg.norm(run.basic_multipliers[k]) + 1e-9


@LOUD
def test_a_sampled_controller_goes_on_where_rows_are_exchanged():
    """A brake on one crank, its torque held for 50 ms; errors of the second order against the held pendulum."""
    m, period = swing(3), 0.05
    crank = m.frames["crank0"]
    m.point_torque(crank, 0.0, name="brake")
    sensors = [fm.control.RelativeRate(m.ground, crank)]
    m.add_controller("governor", period=period, sensors=sensors, commands="brake", law=[[-2.0]])
    inertia, pull, y = 3 / 3 + 2.0, (3 / 2 + 2.0) * 9.81, np.array([1.0, -1.0])
    for _ in range(80):
        u = -2.0 * y[1]
        rates = lambda t, y, u=u: [y[1], (u - pull * np.cos(y[0])) / inertia]  # noqa: E731
        y = solve_ivp(rates, (0.0, period), y, rtol=1e-11, atol=1e-12).y[:, -1]
    for step, off in ((1e-3, 2e-5), (2.5e-4, 1.25e-6)):
        run = fm.simulate(m, 80 * period, step=step, progress=False)
        assert run.statistics.other_rows > 3 and len(run.control["governor"].t) == 80
        assert run["crank0"].angle[-1] == pytest.approx(y[0], abs=off)


@LOUD
def test_fixed_steps_stay_on_their_grid_where_rows_are_exchanged():
    run = fm.simulate(swing(3), 3.0, step=1e-2, progress=False)
    assert run.statistics.other_rows > 3
    np.testing.assert_allclose(run.t, 1e-2 * np.arange(301), atol=1e-12)


@LOUD
@pytest.mark.parametrize("count", [2, 3])
def test_a_drawing_of_few_digits_hides_no_repetition(count):
    """With three digits the Jacobian of the drawing has full rank; closed, it has not."""
    with pytest.warns(fm.errors.InitialConditionWarning):
        run = fm.simulate(swing(count, rounded=3), 1.0, progress=False)
    assert run.status == "finished" and run.source.system.left_out == count - 2
    np.testing.assert_allclose(run["crank0"].angle, swing_angle(count, run.t), atol=3e-3)


@pytest.mark.parametrize("method", METHODS)
def test_a_door_on_two_hinges(method):
    """A pendulum, φ̈ = −m g l cos φ / (J + m l²); by symmetry each hinge carries half."""
    with pytest.warns(fm.errors.RedundancyWarning, match=r"rank 5 of 10.*'upper' \(row x\) with joint 'lower'") as said:
        run = fm.simulate(door(), 2.0, method, progress=False)
    assert len(said) == 1 and run.status == "finished"
    way = solve_ivp(
        lambda t, y: [y[1], -10 * 9.81 * 0.5 * np.cos(y[0]) / 4.0], (0.0, run.t[-1]), [0, 0], t_eval=run.t, rtol=1e-10
    ).y
    np.testing.assert_allclose(run["leaf"].position[:, 1], 0.5 * np.sin(way[0]), atol=2e-3)
    lower, upper = run.multipliers_of("lower"), run.multipliers_of("upper")
    np.testing.assert_allclose(lower[:, :2], upper[:, :2], atol=1e-6)
    assert not run.unique_reactions("lower") and "not unique" in run.summary()
    with pytest.raises(fm.errors.NamingError, match="there is no joint 'latch'"):
        run.unique_reactions("latch")


def test_hinges_out_of_line_contradict_each_other():
    with pytest.raises(
        fm.errors.RedundancyError, match=r"'upper' \(row x\) with joint 'lower', off by .*contradict.*remove"
    ):
        fm.simulate(door((1e-3, 0.0, 1.0)), 1.0, progress=False)
    with pytest.warns(fm.errors.RedundancyWarning):  # rounding is no contradiction
        run = fm.simulate(door((1e-8, 0.0, 1.0)), 1.0, progress=False)
    assert run.status == "finished" and run["leaf"].position[-1, 1] < -0.005


@LOUD
@pytest.mark.parametrize("method", METHODS)
def test_a_linkage_of_bennett(method):
    """Four skew hinges that turn all the same, b/sin β = a/sin α: three rows of twenty are too many."""
    run = fm.simulate(bennett(), 3.0, method, progress=False)
    assert run.status == "finished" and run.source.system.left_out == 3, run.message
    assert np.ptp(run["link0"].position[:, 1]) > 0.9 and np.ptp(run.energy.total) < 1e-2
    whole = run.source.system.whole
    errors = [np.max(np.abs(whole.constraint(run.t[k], run.q[k], run.v[k])[0])) for k in range(0, len(run.t), 10)]
    assert max(errors) < 1e-7


def bennett(first: float = 1.0) -> SpatialModel:
    """tan(θ₁/2) tan(θ₂/2) = sin((β + α)/2) / sin((β − α)/2), θ₃ = −θ₁, θ₄ = −θ₂; the fourth link is the ground."""
    alpha, beta = 0.6, 1.1
    ratio = np.sin((beta + alpha) / 2) / np.sin((beta - alpha) / 2)
    second = 2 * np.arctan(ratio / np.tan(first / 2))
    turns, places = [Rotation.identity()], [np.zeros(3)]
    links = ((1.0, alpha), (np.sin(beta) / np.sin(alpha), beta)) * 2
    for angle, (length, twist) in zip((first, second, -first, -second), links):
        about = turns[-1] * Rotation.from_euler("z", angle)
        places.append(places[-1] + about.apply([length, 0, 0]))
        turns.append(about * Rotation.from_euler("x", twist))
    m = SpatialModel("Bennett", gravity=(0, -9.81, 0))
    last = m.ground
    for k in range(3):
        middle = 0.5 * (places[k] + places[k + 1])
        link = m.add_body(f"link{k}", mass=1.0, inertia=(0.1, 0.1, 0.1), position=middle, orientation=turns[k + 1])
        back = turns[k + 1].inv()
        start = link.attach("start", back.apply(places[k] - middle), orientation=back * turns[k])
        m.revolute(last, start, name=f"hinge{k}")
        last = link.attach("end", back.apply(places[k + 1] - middle))
    m.revolute(last, m.ground.attach("pillar", places[3], orientation=turns[3]), name="hinge3")
    return m


@LOUD
def test_a_row_that_comes_to_contradict_ends_the_run_at_that_step():
    """Two drives of one angle, equal until t = 0.5 s."""
    m = fm.PlanarModel("twice driven")
    arm = m.add_body("arm", mass=1.0, inertia=0.1)
    m.revolute(m.ground, arm.frame, name="pin")
    m.drive_angle(m.ground, arm.frame, fm.Polynomial([0.0, 1.0]), name="steady")
    m.drive_angle(m.ground, arm.frame, fm.Polynomial([0.0, 1.0]) + fm.SmoothStep(0.5, 0.5, 0.0, 0.1), name="hurried")
    for method in METHODS:
        with pytest.warns(fm.errors.DivergenceWarning, match=r"'?hurried.*was left out as redundant.*contradicts"):
            run = fm.simulate(m, 1.0, method, progress=False)
        when = float(run.message.split("others at t = ")[1].split(" ")[0])
        assert run.status == "diverged" and run.t[-1] < when and 0.5 < when
        np.testing.assert_allclose(run["arm"].angle, run.t, atol=2e-5)


@LOUD
@pytest.mark.parametrize("space", [False, True])
@pytest.mark.parametrize(
    ("powers", "said"), [((1, 2), "speeds at t = 0 s, by 1;"), ((2, 1), "speeds"), ((2, 3), "accelerations.* by 2;")]
)
def test_drives_that_agree_at_the_start_in_positions_only_are_refused(powers, said, space):
    """t, t² and t³ rad: (0, 1, 0), (0, 0, 2) and (0, 0, 0) in positions, speeds and accelerations."""
    m = SpatialModel("twice driven") if space else fm.PlanarModel("twice driven")
    arm = m.add_body("arm", mass=1.0, inertia=(1.0, 2.0, 2.5) if space else 0.1)
    m.revolute(m.ground, arm.frame, name="pin")
    for name, power in zip(("first", "second"), powers):
        m.drive_angle(m.ground, arm.frame, fm.Polynomial([0.0] * power + [1.0]), name=name)
    with pytest.raises(fm.errors.RedundancyError, match=f"second .*contradicts the others in the {said}.*remove one"):
        fm.simulate(m, 1.0, progress=False)


@LOUD
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("heading", [3.821644, 1.569678, 0.51397])
def test_rounding_in_the_speeds_of_a_mechanism_at_rest_is_no_contradiction(heading, method):
    """A force along the one axle of three wheels, which holds it."""
    m = fm.PlanarModel("cart", gravity=(0, 0))
    body = m.add_body("body", mass=2.0, inertia=0.7, position=(0.3, 0.2), angle=heading)
    for k, y in enumerate((0.5, -0.5, -0.237)):
        m.knife_edge(m.ground, body.attach(f"hub{k}", (0.0, y)), name=f"wheel{k}")
    m.point_force(body.frame, (-3.0 * np.sin(heading), 3.0 * np.cos(heading)))
    run = fm.simulate(m, 1.0, method, progress=False)
    assert run.status == "finished" and run.source.system.left_out == 2, run.message
    assert np.max(np.abs(run.v)) < 1e-11


@LOUD
def test_analyses_leave_rows_out_as_runs_do(tmp_path):
    model = swing(3, rate=0.0)
    rest = fm.equilibrium(model)
    assert rest.state["plate"].position[1] == pytest.approx(-1.0, abs=1e-9)
    weights = sum(rest.state.reaction(f"low{k}", frame=f"crank{k}")[0][1] for k in range(3))
    assert weights == pytest.approx(5.0 * 9.81, rel=1e-9)
    pull = (3 / 2 + 2.0) * 9.81 / (3 / 3 + 2.0)
    assert fm.modes(rest.state).frequencies[0] == pytest.approx(np.sqrt(pull) / (2 * np.pi), rel=1e-9)
    model.drive_angle(model.ground, model.frame("crank0"), fm.Polynomial([1.0, 0.5]), name="drive")
    path = fm.kinematics(model, 6.0, steps=10, progress=False)  # through angles where the rows in use are singular
    np.testing.assert_allclose(path["crank2"].angle, 1.0 + 0.5 * path.t, atol=1e-9)
    assert path.status == "finished" and path.events == []
    assert not path.unique_reactions("high2") and path.multipliers.shape == (11, 13)
    again = fm.load(path.save(tmp_path / "path.h5"))
    assert again.joints_not_unique == path.joints_not_unique
    np.testing.assert_array_equal(again.reaction("high2")[0], path.reaction("high2")[0])


@LOUD
def test_rows_that_repeat_others_in_one_position_only_are_not_lost_sight_of():
    """A parallelogram drawn flat: the row left out there is needed beside it."""
    m = fm.PlanarModel("flat", gravity=(0, -9.81))
    ends = {}
    for name, middle in (("crank", (0.5, 0.0)), ("rocker", (2.5, 0.0)), ("coupler", (2.0, 0.0))):
        half = 1.0 if name == "coupler" else 0.5
        bar = m.add_body(name, mass=1.0, inertia=0.1, position=middle)
        ends[name] = [bar.attach(f"{name} {side}", (x, 0.0)) for side, x in (("a", -half), ("b", half))]
    m.revolute(m.ground, ends["crank"][0])
    m.revolute(m.ground.attach("pillar", (2.0, 0.0)), ends["rocker"][0])
    m.revolute(ends["coupler"][0], ends["crank"][1])
    m.revolute(ends["coupler"][1], ends["rocker"][1], name="last")
    with pytest.warns(fm.errors.DivergenceWarning, match=r"last .x. was left out as redundant and contradicts"):
        assert fm.simulate(m, 1.0, progress=False).status == "diverged"
    rest = fm.equilibrium(m)
    assert rest.state["coupler"].position[1] == pytest.approx(-1.0, abs=1e-9)  # where all rows hold
    m.point_force(m.frame("crank"), (5.0, 0.0))
    m.point_force(m.frame("rocker"), (-5.0, 0.0))
    with pytest.raises(fm.errors.RedundancyError, match=r"last .x. was left out .* contradicts .*another position"):
        fm.equilibrium(m)
    with pytest.warns(fm.errors.DivergenceWarning, match=r"stopped at a load factor of 0: at .* last .x. was left out"):
        path = fm.equilibrium_path(m, initial=rest)
    assert path.status == "stopped" and path["coupler.y"][-1] == pytest.approx(-1.0, abs=1e-9)


def test_the_warning_of_an_analysis_names_verbs_that_can_refuse():
    advice = r"redundant='error' of simulate, kinematics or equilibrium"
    with pytest.warns(fm.errors.BalanceWarning), pytest.warns(fm.errors.RedundancyWarning, match=advice):
        fm.modes(swing(3))
    for verb in (fm.simulate, fm.kinematics, fm.equilibrium):
        assert "redundant" in inspect.signature(verb).parameters
    with pytest.raises(fm.errors.RedundancyError, match="remove one, or use redundant='remove'"):
        fm.equilibrium(swing(3), redundant="error")


def test_strictness_is_by_request():
    with pytest.raises(fm.errors.RedundancyError, match=r"rank 11 of 12.*remove one, or use redundant='remove'"):
        fm.simulate(swing(3), 1.0, redundant="error", progress=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = fm.simulate(swing(2), 0.1, progress=False)
    assert run.multipliers is run.basic_multipliers and run.joints_not_unique == []
    with pytest.raises(fm.errors.ModelError, match="redundant is 'drop'"):
        fm.simulate(swing(2), 0.1, redundant="drop", progress=False)


def test_of_many_redundant_rows_that_which_contradicts_is_named_first():
    model = door()
    leaf = model.frame("leaf")
    model.revolute(model.ground.attach("off", (0, 0.002, 0.5)), leaf.attach("middle", (-0.5, 0, 0)), name="middle")
    with pytest.raises(
        fm.errors.RedundancyError, match=r"rank 5 of 15\): joint 'middle' \(row y\) with .* off by -0\.002: they"
    ):
        fm.simulate(model, 0.1, progress=False)
