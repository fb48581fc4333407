"""Input shapers: closed forms for damped modes, and what they leave on a nonlinear arm.

On linear modes the parts of the shapers are compared with the solutions of the equations that define them, and what is
left with the states of an oscillator under impulses. On the two-link arm of the case `two-link-arm`, whose rotors
follow shaped steps, the amplitude of the tip's acceleration after the motion is a part of that after the plain step. In
the first motion the arm stays outstretched. In the second its elbow turns by 60°, so that its second frequency falls
from 6.0 to 5.3 Hz on the way, and centrifugal forces and large turns act; shapers are for the middle of this range.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
from scipy.optimize import fsolve

import flexmb as fm
from flexmb.examples import two_link_arm as arm
from flexmb.examples.two_link_arm import arm as data
from flexmb.validation.registry import Check, case

KINDS = ("zv", "zvd", "ei")
#: modes [rad/s] by frequency and damping ratio, and what EI may leave
MODES, LEFT = ((3.0, 0.0), (12.0, 0.02), (5.0, 0.15)), 0.05
#: angles of shoulder and elbow [rad] of both motions, their duration [s], and the time from which is measured
MOTIONS = {"45°, 0°": (np.radians(45.0), 0.0), "30°, −60°": (np.radians(30.0), np.radians(-60.0))}
LASTS, AFTER, END = 0.6, 2.5, 4.0
PAYLOADS = (1.0, 0.8, 1.2)


def pole_of(omega: float, zeta: float) -> complex:
    """The pole of a mode."""
    return complex(-zeta * omega, omega * np.sqrt(1.0 - zeta * zeta))


def impulse_response(shaper: fm.control.InputShaper, pole: complex) -> float:
    """The swing behind the last impulse of an oscillator ẍ + 2ζω ẋ + ω² x = Σ A_i δ(t − t_i), by complex amplitudes."""
    amplitude = 0.0 + 0.0j
    before = 0.0
    for t, a in zip(shaper.times, shaper.amplitudes):
        amplitude = amplitude * np.exp(pole * (t - before)) + a
        before = t
    return float(abs(amplitude))


def by_definition(kind: str, pole: complex) -> np.ndarray:
    """The amplitudes of the parts at 0, τ and 2τ by the equations that define them, solved by numbers."""
    tau = np.pi / pole.imag

    def response(A: np.ndarray, lam: complex) -> complex:
        times = tau * np.arange(len(A))
        return complex(np.sum(A * np.exp(-lam * times)))

    if kind == "zv":
        ends = [response(np.array([x, 1.0 - x]), pole).real for x in (0.0, 1.0)]  # linear in the first part
        first = ends[0] / (ends[0] - ends[1])
        return np.array([first, 1.0 - first])

    def equations(x: np.ndarray) -> list[float]:
        A = np.array([x[0], x[1], 1.0 - x[0] - x[1]])
        at = response(A, pole)
        if kind == "zvd":  # the derivative by ω is zero as well
            slope = complex(np.sum(A * np.arange(3) * np.exp(-pole * tau * np.arange(3))))
            return [at.real, slope.real]
        beside = complex(pole.real, pole.imag * (1.0 + x[2]))
        zero = response(A, beside)
        return [abs(at) * np.exp(pole.real * 2.0 * tau) - LEFT, zero.real, zero.imag]

    start = [0.25, 0.5] if kind == "zvd" else [0.26, 0.48, 0.14]
    x, _, _, _ = fsolve(equations, start, xtol=1e-14, full_output=True)
    return np.array([x[0], x[1], 1.0 - x[0] - x[1]])


def held(elbow: float) -> fm.PlanarModel:
    """The arm with its rotors held, its elbow at an angle."""
    model = arm.build(elbow_angle=elbow).model
    model.lock(model.ground, model.frame("hub"), "angle", name="shoulder brake")
    model.lock(model.frame("elbow"), model.frame("forearm"), "angle", name="elbow brake")
    return model


@cache
def shaper_for(kind: str, motion: str) -> fm.control.InputShaper:
    """The shaper of both modes, in the middle of what their frequencies are along a motion."""
    first, last = (fm.complex_modes(held(x), 2).eigenvalues for x in (0.0, MOTIONS[motion][1]))
    return fm.control.input_shaper(kind, 0.5 * (first + last), modes=[0, 1], tolerance=LEFT)


@cache
def left(kind: str, motion: str, payload: float) -> float:
    """The amplitude of the tip's acceleration behind a motion [m/s²], with a part of the payload; "" is not shaped."""
    steps = [fm.SmoothStep(0.0, LASTS, 0.0, x * arm.RATIO) for x in MOTIONS[motion]]
    one, two = (shaper_for(kind, motion)(f) for f in steps) if kind else steps
    model = arm.build(angles=(one, two), tip_mass=payload * data.TIP_MASS).model
    run = fm.simulate(model, END, step=arm.PERIOD, second_run=False, progress=False)
    return run.residual(*arm.TIP, after=AFTER)


def _modes() -> Iterator[Check]:
    for omega, zeta in MODES:
        pole = pole_of(omega, zeta)
        for kind in KINDS:
            shaper = fm.control.input_shaper(kind, pole, tolerance=LEFT)
            off = float(np.abs(shaper.amplitudes - by_definition(kind, pole)).max())
            about = f"{kind} of a mode of {omega:g} rad/s, ζ = {zeta:g}"
            yield Check(f"{about}: parts off by", off, 0.0, 1e-9, "their equations, by numbers", "a solver's tolerance")
            wanted = LEFT if kind == "ei" else 0.0
            swing = impulse_response(shaper, pole)
            yield Check(f"{about}: left of an impulse", swing, wanted, 1e-9, "an oscillator under impulses", "rounding")


def _arm() -> Iterator[Check]:
    for motion, (allowed, why) in zip(
        MOTIONS, ((0.01, "it stays outstretched"), (0.05, "its frequency falls by 12 %"))
    ):
        part = left("zvd", motion, 1.0) / left("", motion, 1.0)
        yield Check(f"arm, {motion}: left by zvd, part of the plain step's", part, 0.0, allowed, "no vibration", why)
        for payload in PAYLOADS:
            part = left("ei", motion, payload) / left("", motion, payload)
            what = f"arm, {motion}, payload ×{payload:g}: left by ei, part of the plain step's"
            yield Check(what, part, 0.0, LEFT, "what EI may leave", "by its tolerance")


@case("shapers", draw=lambda: held(0.3))
def compute() -> Iterator[Check]:
    """shapers ZV, ZVD and EI of damped modes by their equations, and on a nonlinear arm with other payloads"""
    yield from (*_modes(), *_arm())
