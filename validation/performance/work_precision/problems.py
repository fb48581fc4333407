"""The mechanisms whose motion is computed, and what is compared of it."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import flexmb as fm
from flexmb.examples import slider_crank, spin_up, two_squares
from flexmb.examples.two_link_arm import arm, motions
from flexmb.validation import andrews, free_rotation, n_four_bar
from flexmb.validation.performance import cable
from flexmb.validation.references import andrews as andrews_data
from flexmb.validation.references import free_rotation as free_rotation_data
from flexmb.validation.references import n_four_bar as n_four_bar_data
from flexmb.validation.references import two_squares as two_squares_data

#: the times at which errors count are these parts of a run; those between are so many in all, both ends included
QUARTERS = (0.25, 0.5, 0.75, 1.0)
INSTANTS = 41


@dataclass(frozen=True)
class Problem:
    """A mechanism with the time [s] to which it moves and the frames that are compared.

    `exact`: the same numbers as :meth:`observe` from elsewhere, (times (k,), length) → (k, c), where there is a closed
    form or another derivation; `other`: the same by one more way, where no method is exact enough to confirm it.
    `rounds`: whether forces are so stiff that their rounding leaves an explicit method with tight tolerances no steps.
    """

    name: str
    about: str
    build: Callable[[], fm.PlanarModel | fm.SpatialModel]
    t_end: float
    frames: tuple[str, ...]
    exact: Callable[[np.ndarray, float], np.ndarray] | None = None
    other: Callable[[np.ndarray, float], np.ndarray] | None = None
    rounds: bool = False

    @property
    def times(self) -> np.ndarray:
        """All times of the reference (k,) [s]."""
        return np.linspace(0.0, self.t_end, INSTANTS)

    @property
    def ends(self) -> list[float]:
        """The times at which errors count [s]."""
        return [part * self.t_end for part in QUARTERS]

    @property
    def length(self) -> float:
        """The model's length [m], in whose units places are compared."""
        return fm.System(self.build()).length_scale

    def observe(self, solution: fm.Solution, length: float) -> np.ndarray:
        """What is compared (k, c): of each frame its place by the model's length and its angle, in space the nine
        numbers of its rotation matrix."""
        columns = []
        for frame in self.frames:
            track = solution[frame]
            columns.append(track.position / length)
            if isinstance(track, fm.spatial.Track):
                columns.append(track.orientation.as_matrix().reshape(len(track.t), 9))
            else:
                columns.append(track.angle[:, None])
        return np.concatenate(columns, axis=1)


def free_arm() -> fm.PlanarModel:
    """The two-link arm with a right elbow, whose rotors are given smooth steps that last as long as the run."""
    angles = (arm.RATIO * fm.SmoothStep(0.0, 1.0, 0.0, 0.6), arm.RATIO * fm.SmoothStep(0.0, 1.0, 0.0, -1.0))
    return arm.build(elbow_angle=0.5 * np.pi, angles=angles).model


#: the controlled arm: by how much both joints turn [rad], and the duration of each of three phases [s]
ARM_ANGLE, ARM_PHASE = float(np.radians(15.0)), 0.25


def controlled_arm() -> fm.PlanarModel:
    """The two-link arm whose joints are turned by sampled controllers."""
    made = arm.build()
    motions.local_feedback(made, (ARM_ANGLE, ARM_ANGLE), ARM_PHASE)
    return made.model


#: the stiff rod: length [m]; EA and EI by ρA, so that waves of stretching travel at 31.6 km/s
ROD_LENGTH = 1.0
ROD = fm.planar.BeamProperties(EA=1e9, EI=100.0, rhoA=1.0)


def stiff_rod() -> fm.PlanarModel:
    """A pendulum, released level, of one element with two bending modes."""
    model = fm.PlanarModel("stiff rod", gravity=(0.0, -9.81))
    rod = model.add_beam("rod", (0.0, 0.0), (ROD_LENGTH, 0.0), properties=ROD, modes=2)
    model.revolute(model.ground, rod.start, name="hinge")
    return model


def _two_squares(times: np.ndarray, length: float) -> np.ndarray:
    run = two_squares_data.motion(times)
    columns = [run["x1"], run["y1"], length * run["theta1"], run["x2"], run["y2"], length * run["theta2"]]
    return np.column_stack(columns) / length


def _n_four_bar_integrated(times: np.ndarray, length: float) -> np.ndarray:
    """J φ̈ = −G cos φ, from each time to the next, so that nothing is interpolated."""
    from scipy.integrate import solve_ivp

    inertia, moment = n_four_bar_data.coefficients(WINDOWS)
    states = [np.array([0.5 * np.pi, -1.0])]
    for span in itertools.pairwise(times):
        run = solve_ivp(
            lambda t, y: [y[1], -moment / inertia * np.cos(y[0])], span, states[-1], "DOP853", rtol=1e-13, atol=1e-14
        )
        states.append(run.y[:, -1])
    return _posts(np.array(states)[:, 0], length)


def _n_four_bar(times: np.ndarray, length: float) -> np.ndarray:
    """φ + π/2 = 2 am(K(m) − Ω t, m): a pendulum that goes over its top, with Ω² = w² + 1/4 and m = w²/Ω², w² = G/J."""
    from scipy.special import ellipj, ellipk

    inertia, moment = n_four_bar_data.coefficients(WINDOWS)
    squared = moment / inertia + 0.25
    m = moment / inertia / squared
    amplitude = ellipj(ellipk(m) - np.sqrt(squared) * times, m)[3]
    return _posts(2.0 * amplitude - 0.5 * np.pi, length)


def _posts(phi: np.ndarray, length: float) -> np.ndarray:
    x, y = 0.5 * np.cos(phi), 0.5 * np.sin(phi)
    columns = [x, y, length * phi, WINDOWS + x, y, length * phi]
    return np.column_stack(columns) / length


def _free_rotation(times: np.ndarray, length: float) -> np.ndarray:
    from scipy.spatial.transform import Rotation

    q = free_rotation_data.orientation(free_rotation_data.INERTIA, free_rotation_data.START, times)
    turns = Rotation.from_quat(np.roll(q, -1, axis=1)).as_matrix().reshape(len(times), 9)
    return np.concatenate([np.zeros((len(times), 3)), turns], axis=1)


#: parallelograms of the row, and elements of the cable
WINDOWS, CABLE_ELEMENTS = 40, 64

PROBLEMS: dict[str, Problem] = {
    problem.name: problem
    for problem in (
        Problem("spin-up", "one CMS element on a hub, 20 s", spin_up.build, spin_up.T_END, ("blade.end",)),
        Problem("two-link-free", "two flexible links, rotors given, 1 s", free_arm, 1.0, ("elbow", "tip")),
        Problem("two-link-controlled", "the arm, sampled every 1 ms, 1 s", controlled_arm, 1.0, ("elbow", "tip")),
        Problem("andrews", "Andrews' squeezer, 0.03 s", andrews.build, andrews_data.T_END, ("K1", "K3", "K5", "K7")),
        Problem(
            "n-four-bar",
            f"{WINDOWS} parallelograms through their line, 10 s",
            lambda: n_four_bar.build(WINDOWS),
            n_four_bar.T_END,
            ("post0", f"post{WINDOWS}"),
            _n_four_bar,
            _n_four_bar_integrated,
        ),
        Problem(
            "two-squares",
            "two plates, spring, damper, 10 s",
            two_squares.build,
            10.0,
            ("first", "second"),
            _two_squares,
        ),
        Problem(
            "slider-crank",
            "a rod that bends, driven, 0.3 s",
            slider_crank.build,
            0.3,
            ("rod.start", "rod.end", "slider"),
        ),
        Problem(
            "cable",
            f"{CABLE_ELEMENTS} ANCF elements, 0.1 s",
            lambda: cable.build(CABLE_ELEMENTS),
            0.1,
            ("cable.end",),
            rounds=True,
        ),
        Problem("stiff-rod", "a pendulum with EA/ρA = 10⁹ m²/s², 0.5 s", stiff_rod, 0.5, ("rod.end",)),
        Problem(
            "free-body",
            "a body that turns over in space, 20 s",
            free_rotation.build,
            free_rotation.T_END,
            ("body",),
            _free_rotation,
        ),
    )
}
