"""The bicycle of four bodies: eigenvalues of its motion straight ahead, and its weave in a whole run."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import flexmb as fm
from flexmb.examples.bicycle import build, capsize_speed, eigenvalues, weave_at, weave_speed
from flexmb.validation.references.bicycle import Bicycle
from flexmb.validation.references.small_motions import exponents
from flexmb.validation.registry import Check, case

#: eigenvalues, and speeds [m/s] of weave and capsize, as they are printed; of pairs the one with the positive part
PRINTED: dict[float, list[complex]] = {
    0.0: [-5.53094372, -3.13164325, 3.13164325, 5.53094372],
    2.0: [-8.67387985, -3.07158646, 2.68234518 + 1.68066297j],
    4.0: [-12.15861427, -1.42944427, 0.41325332 + 3.07910819j],
    5.0: [-14.07838969, -0.77534188 + 4.46486771j, -0.32286643],
    10.0: [-24.62459635, -3.7201684 + 10.90681139j, 0.16105339],
}
WEAVE, CAPSIZE = 4.29238253634111, 6.02426201538837
#: the run: its speed [m/s], the angle of its steering axis at the start [rad], its end [s]
SPEED, SMALL, T_END = 5.0, 1e-5, 3.0
#: another run: how fast a push makes it fall over [rad/s], its end [s]
PUSH, T_PUSHED = 0.02, 5.0


@case("bicycle", draw=lambda: build(SPEED))
def compute() -> Iterator[Check]:
    """a bicycle of four bodies with rolling wheels: eigenvalues at 0 to 10 m/s, stable speeds, its weave in a run"""
    source, digits = "Meijaard, Papadopoulos, Ruina and Schwab (2007), table 2", "eight digits are printed"
    made = "matrices made from the parameters (validation/references)"
    for speed, printed in PRINTED.items():
        found, exact = eigenvalues(speed), Bicycle().eigenvalues(speed)
        upper = found[found.imag > -1e-9]
        off = max(float(np.min(np.abs(upper - value))) for value in printed)
        yield Check(f"eigenvalues at {speed:g} m/s, printed: error [1/s]", off, 0.0, 1.5e-8, source, digits)
        off = max(float(np.min(np.abs(found - value))) for value in exact)
        off = max(off, *(float(np.min(np.abs(exact - value))) for value in found))
        yield Check(f"eigenvalues at {speed:g} m/s, all: error [1/s]", off, 0.0, 1e-10, made, "exact tangents")
    for what, got, wanted in (("weave", weave_speed(), WEAVE), ("capsize", capsize_speed(), CAPSIZE)):
        yield Check(f"{what} speed [m/s]", got, wanted, 1e-9, source, "roots of our own eigenvalues")
    yield from _run()


def _run() -> Iterator[Check]:
    """A small weave of the whole, nonlinear bicycle."""
    linear = fm.linearize(build(SPEED), "frame.mx", ["steering.angle"], steady=True)
    values, shapes = np.linalg.eig(linear.A)
    weave = int(np.argmax(values.imag))
    steer = complex((linear.C @ shapes[:, weave])[0])
    start = linear.restore(np.real(shapes[:, weave] / steer) * SMALL)
    run = fm.simulate(
        start.model, T_END, "projection", initial=start, tolerance=1e-11, absolute_tolerance=1e-13, progress=False
    )
    t = np.linspace(0.0, T_END, 301)
    found = exponents(t, run.at(t)["steering.angle"], np.array([1.01 * values[weave]]))[0]
    exact = complex(weave_at(SPEED))
    own, why = "eigenvalue of the linear model", "terms of higher order in a steer of 1e-5"
    yield Check("run at 5 m/s: decay of its weave [1/s]", found.real, exact.real, 1e-6, own, why)
    yield Check("run at 5 m/s: its frequency [rad/s]", found.imag, exact.imag, 1e-6, own, why)
    drift = float(np.ptp(run.energy.total))
    yield Check("run at 5 m/s: change of its energy [J]", drift, 0.0, 1e-8, "no forces do work", "tolerance 1e-11")
    pushed = fm.simulate(build(4.6, PUSH), T_PUSHED, "dop853", tolerance=1e-10, progress=False)
    t = np.linspace(0.5 * T_PUSHED, T_PUSHED, 301)
    capsize = float(np.min(np.abs(eigenvalues(4.6))))
    late = exponents(t, pushed.at(t)["steering.rate"], np.array([weave_at(4.6), -capsize]))[0]
    exact, why = weave_at(4.6), "terms of higher order in a push of 0.02 rad/s"
    yield Check("pushed at 4.6 m/s: decay [1/s]", late.real, exact.real, 1e-3, own, why)
    yield Check("pushed at 4.6 m/s: frequency [rad/s]", late.imag, exact.imag, 1e-3, own, why)
    drift = float(np.ptp(pushed.energy.total))
    yield Check("pushed at 4.6 m/s: change of its energy [J]", drift, 0.0, 1e-8, "no forces do work", "tolerance 1e-10")
