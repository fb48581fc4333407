"""An open chain of four links that a controller moves as a parallel four-bar or as a slider-crank.

Takahashi (2012), sections 7.2 and 7.3. Between two instants of the controller the torques are held, so that all errors
are of the first order in its period. What is left at the chain's end would add up without stabilization.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import flexmb as fm
from flexmb.examples import virtual_loop as arm
from flexmb.validation.references import virtual_loop as reference
from flexmb.validation.registry import Check, Errors, case

#: near the positions in which the cranks lie in one line with the coupler, or crank and rod are stretched (section 7.3)
FLAT, BEYOND = np.deg2rad([85.0, 5.0, 175.0, -85.0]), float(np.deg2rad(95.0))
STRETCHED, FULL = np.deg2rad([80.0, 15.0, 0.0, 85.0]), 3.0


def _at_the_end(run: fm.Solution, end: str = "link 4.end 4") -> float:
    """How far the end has left its place [m]."""
    return float(arm.strays(run, end).max())


def _crank(run: fm.Solution) -> np.ndarray:
    return np.asarray(0.5 * np.pi - run["link 1.angle"])


@case("virtual-loop", draw=arm.chain)
def compute() -> Iterator[Check | Errors]:
    """an open chain moves as a four-bar and as a slider-crank that its controller imagines, through flat positions"""
    source = "the loop's own equation, in one coordinate"
    periods, ends, angles = (2e-3, 1e-3), [], []
    for period in periods:
        run = arm.controlled(arm.four_bar(), arm.FOUR_BAR, 5.0, period=period)
        exact = reference.four_bar_angle(run.t, float(arm.FOUR_BAR[0]), arm.LEVEL)
        ends.append(_at_the_end(run))
        angles.append(float(np.abs(_crank(run) - exact).max()))
    held = "4.0e-6 by the same equations elsewhere, of first order in the period"
    yield Check("four-bar, period 1 ms: largest error of the end [m]", ends[1], 0.0, 1e-5, "the end stands still", held)
    yield Check("its order in the period", float(np.log2(ends[0] / ends[1])), 1.0, 0.05, "torques held", "two periods")
    yield Check(
        "four-bar, period 1 ms: crank's angle [rad]", angles[1], 0.0, 1.2e-3, source, "the hold is half a period late"
    )
    yield Check(
        "its order in the period", float(np.log2(angles[0] / angles[1])), 1.0, 0.05, "torques held", "two periods"
    )
    yield Errors("end of the four-bar [m]", "period [s]", periods, ends, 1.0)
    yield Errors("angle of its crank [rad]", "period [s]", periods, angles, 1.0)

    frequencies, left = (20.0, 40.0, 80.0), []
    for frequency in frequencies:
        left.append(_at_the_end(arm.controlled_flexible(frequency, 2.0), "link 4.end"))
    order = float(np.log2(left[1] / left[2]))
    quantity = "links that bend: order of what is left in 1/(natural frequency)"
    yield Check(quantity, order, 2.0, 0.05, "rigid links", "small deflections are as 1/EI")
    yield Errors("end of the arm with links that bend [m]", "natural frequency [Hz]", frequencies, left, -2.0)

    run = arm.controlled(arm.four_bar(FLAT, BEYOND), FLAT, 5.0, period=2e-3)
    exact = reference.four_bar_angle(run.t, float(FLAT[0]), BEYOND)
    yield Check(
        "through the flat position: end [m]", _at_the_end(run), 0.0, 1e-6, "the end stands still", "a small motion"
    )
    off = float(np.abs(_crank(run) - exact).max())
    yield Check("through the flat position: crank [rad]", off, 0.0, 1e-3, source, "the hold is half a period late")

    for what, start, wanted, end, allowed in (
        ("slider-crank", arm.SLIDER_CRANK, arm.PLACE, 5.0, 3e-3),
        ("slider-crank beyond its stretched position", STRETCHED, FULL, 20.0, 3e-3),
    ):
        run = arm.controlled(arm.slider_crank(start, wanted), start, end, period=2e-3)
        slider = run["link 4.start 4"].position
        exact = reference.slider_place(run.t, float(start[0]), float(slider[0, 1]), wanted)
        off = float(np.abs(slider[:, 0] - exact).max())
        yield Check(f"{what}: place [m]", off, 0.0, allowed, source, "the hold is half a period of 2 ms late")
        high = float(np.abs(slider[:, 1] - slider[0, 1]).max())
        yield Check(f"{what}: height [m]", high, 0.0, 1e-5, "the slider stays on its rail", "first order in the period")
        turn = float(np.abs(run["link 4.angle"] - run["link 4.angle"][0]).max())
        yield Check(f"{what}: slider's turn [rad]", turn, 0.0, 1e-4, "it does not turn", "first order in the period")
