"""Fixed steps: the error of the motion is estimated, and the grid that was asked for is kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import flexmb as fm

G = 9.81
RUNS: dict[str, dict[str, Any]] = {
    "absolute": {},
    "joints": {"formulation": "aba"},
    "rkf45": {"method": "rkf45"},
}


def top() -> fm.SpatialModel:
    """15 kg on a ball joint, spun at 150 rad/s about its axis y, precessing."""
    m = fm.SpatialModel("top", gravity=(0, 0, -G))
    body = m.add_body("top", mass=15.0, inertia=(0.234375, 0.46875, 0.234375), position=(0, 1, 0))
    body.frame.move(velocity=(4.61538, 0, 0), angular_velocity=(0, 150, -4.61538))
    m.spherical(m.ground, body.frame.attach("tip", (0, -1, 0)), name="ball")
    return m


def top_reference(t: np.ndarray) -> np.ndarray:
    """Places of the mass center: Euler's equations about the tip, and the rotation matrix itself."""
    inertia = np.array([0.234375 + 15.0, 0.46875, 0.234375 + 15.0])

    def rates(_: float, y: np.ndarray) -> np.ndarray:
        R, w = y[:9].reshape(3, 3), y[9:]
        moment = np.cross([0.0, 1.0, 0.0], R.T @ [0.0, 0.0, -15.0 * G])
        tilde = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
        return np.concatenate([(R @ tilde).ravel(), (moment - np.cross(w, inertia * w)) / inertia])

    start = np.concatenate([np.eye(3).ravel(), [0.0, 150.0, -4.61538]])
    found = solve_ivp(rates, (0.0, t[-1]), start, "DOP853", t_eval=t, rtol=1e-11, atol=1e-12)
    return found.y[[1, 4, 7]].T


def governor() -> fm.SpatialModel:
    """A ball on an arm of √½ m, at first at 45°, on a post that turns at 6 rad/s."""
    m = fm.SpatialModel("governor", gravity=(0, 0, -G))
    ball = m.add_body("ball", mass=1.0, inertia=(1e-3, 1e-3, 1e-3), position=(0.5, 0, -0.5))
    post = m.add_body("post", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.revolute(m.ground, post.frame, axis="z")
    m.drive_angle(m.ground, post.frame, fm.Polynomial([0.0, 6.0]), axis="z")
    m.revolute(post.frame, ball.frame.attach("top", (-0.5, 0, 0.5)), axis="y")
    return m


def governor_reference(t: np.ndarray) -> np.ndarray:
    length, turning = np.sqrt(0.5), 6.0

    def rates(_: float, y: np.ndarray) -> list[float]:
        lift = length**2 * turning**2 * np.sin(y[0]) * np.cos(y[0]) - G * length * np.sin(y[0])
        return [y[1], lift / (length**2 + 1e-3)]

    angle = solve_ivp(rates, (0.0, t[-1]), [np.pi / 4, 0.0], "DOP853", t_eval=t, rtol=1e-11, atol=1e-12).y[0]
    out, turn = length * np.sin(angle), turning * t
    return np.column_stack([out * np.cos(turn), out * np.sin(turn), -length * np.cos(angle)])


def slider_crank() -> fm.PlanarModel:
    """Crank 0.2 m, rod 0.6 m, thrown at 10 rad/s from the dead point."""
    m = fm.PlanarModel("slider crank", gravity=(0, -G))
    crank = m.add_body("crank", mass=1.0, inertia=0.01, position=(0.1, 0))
    crank.frame.move(velocity=(0, 1.0), angular_velocity=10.0)
    rod = m.add_body("rod", mass=2.0, inertia=0.05, position=(0.5, 0))
    slider = m.add_body("slider", mass=3.0, inertia=0.01, position=(0.8, 0))
    m.revolute(m.ground, crank.attach("crank.a", (-0.1, 0)))
    m.revolute(crank.attach("crank.b", (0.1, 0)), rod.attach("rod.a", (-0.3, 0)))
    m.revolute(rod.attach("rod.b", (0.3, 0)), slider.frame)
    m.prismatic(m.ground, slider.frame)
    return m


def slider_crank_reference(t: np.ndarray) -> np.ndarray:
    """Places of the slider: ½ J(φ) φ̇² + V(φ) stays, with J and V from the places of all mass centers."""

    def places(phi: complex) -> np.ndarray:
        """x, y of the crank's and of the rod's mass center, the rod's angle, x of the slider."""
        psi = -np.arcsin(np.sin(phi) / 3.0)
        x, y = 0.2 * np.cos(phi), 0.2 * np.sin(phi)
        return np.array([0.5 * x, 0.5 * y, x + 0.3 * np.cos(psi), y + 0.3 * np.sin(psi), psi, x + 0.6 * np.cos(psi)])

    masses = np.array([1.0, 1.0, 2.0, 2.0, 0.05, 3.0])

    def along(phi: float) -> np.ndarray:
        return np.asarray(np.imag(places(phi + 1e-30j))) / 1e-30

    def rates(_: float, y: np.ndarray) -> list[float]:
        inertia = [float(masses @ along(y[0] + e) ** 2) + 0.01 for e in (-1e-5, 0.0, 1e-5)]
        weight = G * (along(y[0])[1] + 2.0 * along(y[0])[3])
        return [y[1], -(0.25e5 * (inertia[2] - inertia[0]) * y[1] ** 2 + weight) / inertia[1]]

    angle = solve_ivp(rates, (0.0, t[-1]), [0.0, 10.0], "DOP853", t_eval=t, rtol=1e-9, atol=1e-10).y[0]
    return np.array([[places(float(phi))[5].real, 0.0] for phi in angle])


Make = Callable[[], Any]
MOTIONS: dict[str, tuple[Make, Callable[[np.ndarray], np.ndarray], float, str]] = {
    "top": (top, top_reference, 0.5, "top"),
    "governor": (governor, governor_reference, 3.0, "ball"),
    "slider-crank": (slider_crank, slider_crank_reference, 1.0, "slider"),
}


def followed(motion: str, run: str, step: float) -> tuple[fm.Solution, float]:
    """A run, and the error of places in it, in lengths of the model."""
    make, reference, t_end, body = MOTIONS[motion]
    solution = fm.simulate(make(), t_end, step=step, progress=False, **RUNS[run])
    off = np.max(np.abs(solution[body].position - reference(solution.t)))
    return solution, float(off / solution.source.system.length_scale)


@pytest.mark.filterwarnings("ignore::flexmb.errors.AccuracyWarning")
@pytest.mark.parametrize(
    ("motion", "run", "step"),
    [
        ("top", "absolute", 1e-2),
        ("top", "joints", 1e-2),
        ("governor", "absolute", 5e-2),
        ("governor", "joints", 5e-2),
        ("slider-crank", "absolute", 5e-3),
    ],
)
def test_steps_that_are_too_long_are_doubted(motion: str, run: str, step: float) -> None:
    solution, error = followed(motion, run, step)
    assert error > 1e-2
    assert any("the estimated error of its motion" in doubt for doubt in solution.doubts)
    assert solution.statistics.estimated_error > 0.7 * error


@pytest.mark.parametrize(
    ("motion", "run", "step"),
    [
        ("top", "absolute", 5e-4),
        ("top", "rkf45", 3e-3),
        ("governor", "absolute", 5e-3),
        ("governor", "joints", 5e-3),
        ("governor", "rkf45", 5e-2),
        ("slider-crank", "absolute", 1e-3),
        ("slider-crank", "joints", 1e-3),
        ("slider-crank", "rkf45", 5e-3),
    ],
)
def test_steps_that_are_short_enough_are_not(motion: str, run: str, step: float) -> None:
    solution, error = followed(motion, run, step)
    assert solution.trustworthy
    assert 0.7 * error < solution.statistics.estimated_error < 1e-2


def test_the_grid_stays_where_steps_are_divided() -> None:
    """1.5 rad a step is three times what the method takes at once."""
    solution = fm.simulate(top(), 0.1, step=0.01, progress=False)
    assert solution.t == pytest.approx(np.linspace(0.0, 0.1, 11), abs=1e-15)
    assert solution.statistics.divided == 10
    assert solution.statistics.steps == 30
    assert "10 of its steps of 0.01 s were divided" in solution.message
    assert "10 fixed steps divided" in str(solution.statistics)


def rubbing() -> fm.PlanarModel:
    """A block on a spring that slides, turns round and sticks."""
    m = fm.PlanarModel("rubbing", gravity=(0, -G))
    block = m.add_body("block", mass=1.0, inertia=0.1)
    block.frame.move(velocity=(1.0, 0))
    m.prismatic(m.ground, block.frame, friction=fm.JointFriction(0.2, length=0.1, smoothing=0.0), name="guide")
    m.spring_damper(m.add_frame("wall", (2.0, 0), fixed=True), block.frame, stiffness=20.0, free_length=2.0)
    return m


@pytest.mark.parametrize("step", [1e-2, 3e-2])
@pytest.mark.parametrize("run", RUNS)
def test_the_grid_stays_behind_events(run: str, step: float) -> None:
    solution = fm.simulate(rubbing(), 1.1, step=step, progress=False, **RUNS[run])
    assert [event.done for event in solution.events] == [["slides backward"], ["sticks"]]
    grid = np.append(np.arange(0.0, 1.1 - 1e-9, step), 1.1)
    at_events = np.repeat([event.t for event in solution.events], 2)
    assert solution.t == pytest.approx(np.sort([*grid, *at_events]), abs=1e-12)
    assert solution.t[-1] == 1.1


GAIN = [-80.0, -15.0]


def held(law: Any) -> fm.PlanarModel:
    """A rod that a controller holds upright, by a law."""
    m = fm.PlanarModel("held", gravity=(0, -G))
    rod = m.add_body("rod", mass=1.0, inertia=0.01, position=(0, 1.0))
    m.revolute(m.ground, rod.attach("foot", (0, -1.0)), name="hinge")
    rod.frame.move(velocity=(-2.0, 0), angular_velocity=2.0)
    motor = m.motor(m.ground, rod.frame, name="motor")
    m.add_controller(
        "hold",
        period=0.02,
        sensors=[fm.control.MotorAngle(motor), fm.control.MotorRate(motor)],
        commands=motor,
        law=law,
    )
    return m


def test_steps_as_long_as_the_period_of_a_controller() -> None:
    """Shorter ones show the error; a law in Python, which may keep a memory, is called once at each instant."""
    runs = [fm.simulate(held([GAIN]), 1.0, step=step, progress=False) for step in (0.02, 0.002)]
    off = float(np.max(np.abs(runs[0].q - runs[1].q[::10])))
    assert 0.7 * off < runs[0].statistics.estimated_error < 2.0 * off
    called = []

    def law(t: float, read: np.ndarray) -> float:
        called.append(t)
        return float(np.dot(GAIN, read))

    solution = fm.simulate(held(law), 1.0, step=0.02, progress=False)
    assert solution.q == pytest.approx(runs[0].q, abs=1e-12)
    assert np.array_equal(called, solution.control["hold"].t)


@pytest.mark.parametrize("run", RUNS)
def test_without_a_second_run_an_error_that_only_it_could_tell_is_not_estimated(run: str) -> None:
    coarse, told, fine = (
        fm.simulate(governor(), 1.0, step=step, second_run=second, progress=False, **RUNS[run])
        for step, second in ((2e-2, False), (2e-2, True), (1e-4, False))
    )
    assert np.array_equal(coarse.q, told.q)
    assert 0.0 < fine.statistics.estimated_error < 1e-5 and 0.0 < told.statistics.estimated_error < 1e-2
    if run == "rkf45":  # of fifth order: the rough estimate is small already
        assert coarse.statistics.estimated_error == told.statistics.estimated_error
    else:
        assert np.isnan(coarse.statistics.estimated_error)
        assert "its error is not estimated" in str(coarse.statistics)


def test_only_fixed_steps_have_a_second_run() -> None:
    with pytest.raises(fm.errors.SolverError, match="second_run=False is for fixed steps"):
        fm.simulate(governor(), 1.0, second_run=False, progress=False)
