"""Elastic motion one way, by Ho and Herber (1982): how its error depends on the speed of a slew, on stiffness, and on
how near the slew is to resonance.

A two-link arm in space on the ground, each link with two modes, the second hinge on a flexible place. The reference is
the same arm with all couplings, by the compiled formulation "aba". In the survey, Ohkami et al. (1985), elastic motion
that does not act on the rigid one is said to be right where it is small; here it is of the order that follows from what
is left out:

(a) hinges move with ΔR and Δθ: an error of the second order in the amplitude of modes;
(b) hinges stay on the rigid run: one of the first order;
(c) hinges are made to move as on the rigid run in both: of the second order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline

import flexmb as fm
from flexmb.formulations.flexible.ho_herber import OneWayRun, one_way
from flexmb.validation.registry import Check, Errors, Record, case

#: speeds of the slew, stiffness, frequencies of the drive as parts of the first one
SPEEDS, STIFFNESS = (0.35, 0.25, 0.18, 0.125), (4.0, 16.0, 64.0)
FREQUENCIES = (0.5, 0.9, 1.0, 1.1, 2.0)
#: angles of the hinges at the start [rad]
ANGLES = 0.4, 1.1
#: length of the slews [s], and the largest moments in both hinges [Nm]
LONG, MOMENTS = 0.4, (3.0, 1.2)


def arm(links: int = 2, stiffness: float = 1.0) -> fm.SpatialModel:
    """One or two links on hinges; the first turns about z, the second about an axis that lies askew."""
    m = fm.SpatialModel("arm")
    at: fm.spatial.Frame = m.ground
    given = fm.spatial.BeamProperties(EA=1e6, EIy=20.0 * stiffness, EIz=30.0 * stiffness, GJ=1e3, rhoA=0.8)
    for k, axis in enumerate(((0, 0, 1), (0, 1, 1))[:links]):
        start, end = (0.9 * k, 0, 0), (0.9 * (k + 1), 0, 0)
        link = m.add_beam(
            f"link{k}", start, end, properties=given, theory="floating", modes=1, torsion_modes=0
        )  # fmt: skip
        m.revolute(at, link.start, axis=axis, name=f"hinge{k}")
        at = link.end
    tip = m.add_body("tip", mass=0.3, inertia=(1e-3, 1e-3, 1e-3), position=(0.9 * links, 0, 0))
    m.weld(at, tip.frame, name="bracket")
    return m


class Compared(NamedTuple):
    """The largest amplitude, and errors of the hinges and of modes: of the rigid run, of (a), of (b) and of (c)."""

    amplitude: float
    rigid: float
    a: float
    b: float
    c: float


def compare(
    tree: fm.Tree, drive: Callable[[float], np.ndarray], v: np.ndarray, long: float = LONG, prescribed: bool = False
) -> Compared:
    """A slew from the start with joint speeds v (nv,) under drives τ(t) (nv,), with (c) if it is asked for."""
    times = np.linspace(0.0, long, 41)
    x = tree.start()[0]
    hinges = [k for k, name in enumerate(tree.names) if name.startswith("hinge")]
    x[hinges] = ANGLES[: len(hinges)]
    run = one_way(tree, times, x, v, drive)
    whole = _solved(_all(tree, drive), times, np.concatenate([x, v]))
    (moving, _), (staying, _) = run.bent(), run.bent(hinges_move=False)
    nv, held = tree.nv, staying[:, run.modes]
    if prescribed:
        still = np.concatenate([x[run.modes], v[run.modes]])
        held = _solved(_held(tree, run, drive), times, still)[:, : len(run.modes)]
    off = whole[:, :nv] - run.q

    def largest(x: np.ndarray) -> float:
        return float(np.max(np.abs(x)))

    return Compared(
        largest(whole[:, run.modes]), largest(off[:, hinges]), largest(off - moving), largest(off - staying),
        largest(held - staying[:, run.modes]),
    )  # fmt: skip


def _solved(rates: Callable[[float, np.ndarray], np.ndarray], times: np.ndarray, start: np.ndarray) -> np.ndarray:
    ends = times[0], times[-1]
    return np.asarray(solve_ivp(rates, ends, start, "DOP853", t_eval=times, rtol=1e-10, atol=1e-13).y.T)


def _all(tree: fm.Tree, drive: Callable[[float], np.ndarray]) -> Callable[[float, np.ndarray], np.ndarray]:
    aba, nv = fm.formulation(tree, "aba"), tree.nv
    return lambda t, s: np.concatenate([s[nv:], aba(s[:nv].copy(), s[nv:].copy(), drive(t))])


def _held(
    tree: fm.Tree, run: OneWayRun, drive: Callable[[float], np.ndarray]
) -> Callable[[float, np.ndarray], np.ndarray]:
    """Modes with all terms, on hinges that are made to move as on the rigid run."""
    dynamics, modes, k = fm.TreeDynamics(tree), run.modes, len(run.modes)
    motion = CubicSpline(run.t, np.hstack([run.q, run.v]))
    rates, nv, at = motion.derivative(), tree.nv, np.ix_(run.modes, run.modes)

    def of(t: float, s: np.ndarray) -> np.ndarray:
        q, v = np.split(motion(t), 2)
        q[modes], v[modes] = s[:k], s[k:]
        vdot = rates(t)[nv:]
        vdot[modes] = 0.0
        left = dynamics.drives(q, v, vdot)[modes] - drive(t)[modes]
        return np.concatenate([s[k:], np.linalg.solve(dynamics.mass_matrix(q)[at], -left)])

    return of


def slew(tree: fm.Tree, speed: float, smooth: int = 2) -> tuple[Callable[[float], np.ndarray], np.ndarray]:
    """Moments that go with the square of the speed, as a power `smooth` of a sine, and the speeds at the start of
    hinges that turn already."""
    hinges = [k for k, name in enumerate(tree.names) if name.startswith("hinge")]
    moments, v = np.zeros(tree.nv), np.zeros(tree.nv)
    moments[hinges], v[hinges] = MOMENTS[: len(hinges)], (1.0, -2.0)[: len(hinges)]

    def drive(t: float) -> np.ndarray:
        return moments * speed**2 * np.sin(np.pi * t / LONG) ** smooth

    return drive, v * speed


def order(x: list[float], y: list[float]) -> float:
    """Of the last two of a series."""
    return float(np.log(y[-2] / y[-1]) / np.log(x[-2] / x[-1]))


@case("one-way", draw=lambda: arm())
def compute() -> Iterator[Record]:
    """elastic motion that does not act on the rigid one, of a two-link arm: error over speed, stiffness and frequency

    Slower slews bend less, and the errors fall with the first or second power of the amplitude, as what is left out
    says. With stiffness they fall as these powers of 1/stiffness where the motion starts smoothly. Where a moment
    swings at the frequency of the first mode they grow."""
    tree = fm.Tree.of(arm())
    found = [compare(tree, *slew(tree, speed), prescribed=True) for speed in SPEEDS]
    bent = [one.amplitude for one in found]
    why = "higher orders of the amplitude"
    for what, label, wanted in (
        ("rigid", "hinges against the rigid run", 1.0), ("a", "(a) all five parts", 2.0),
        ("b", "(b) hinges on the rigid run", 1.0), ("c", "(c) prescribed hinges", 2.0),
    ):  # fmt: skip
        off = [float(getattr(one, what)) for one in found]
        yield Check(f"slower slews, {label}: order of the error", order(bent, off), wanted, 0.1, "(★★)", why)
        if what != "rigid":
            yield Errors(f"slower slews, {label}: error [rad, m]", "largest amplitude [m]", bent, off, wanted)
    trees = [fm.Tree.of(arm(stiffness=factor)) for factor in STIFFNESS]
    found = [compare(tree, slew(tree, 0.5, 6)[0], np.zeros(tree.nv)) for tree in trees]
    why = "some vibration, and higher orders of 1/stiffness"
    for what, label, wanted in (("rigid", "hinges against the rigid run", -1.0), ("a", "(a) all five parts", -2.0)):
        off = [float(getattr(one, what)) for one in found]
        label = f"stiffer links, {label}"
        yield Check(f"{label}: order of the error", order(list(STIFFNESS), off), wanted, 0.2, "(★★)", why)
    yield from resonance()


def resonance() -> Iterator[Record]:
    """One link under a moment that swings."""
    tree = fm.Tree.of(arm(1))
    x, still = tree.start()[0], np.zeros(tree.nv)
    run = one_way(tree, [0.0, 0.01], x, still)
    plane = np.ix_([0, 1], [0, 1])  # the hinge and the mode across it
    first = float(np.sqrt(np.max(np.linalg.eigvals(np.linalg.solve(run.M[0][plane], run.K[0][plane])).real)))
    off = []
    for part in FREQUENCIES:

        def drive(t: float, part: float = part) -> np.ndarray:
            return np.array([0.2 * np.sin(part * first * t), 0.0, 0.0])

        off.append(compare(tree, drive, still, 6.0 * 2.0 * np.pi / first).a)
    at = FREQUENCIES[int(np.argmax(off))]
    label = "a moment that swings: frequency of the largest error, by the first one"
    yield Check(label, at, 1.0, 0.1, "modes of the small motion", "the next frequency of these")
    label = "a moment that swings: error at half the first frequency by that at it"
    because = "forced far from resonance the amplitude stays a tenth, and the error is of its second order"
    yield Check(label, off[FREQUENCIES.index(0.5)] / max(off), 0.0, 0.01, "(★★)", because)
