"""FLEX-ARM of Sunada and Dubowsky: its coordinates for the Cincinnati T3, and its error against the full equations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.examples import t3_arm as t3
from flexmb.formulations import FlexArm
from flexmb.validation.registry import Check, Errors, case

ELASTIC = "Sunada and Dubowsky (1983), in Ohkami et al. (1985), section 2.9"
#: a soft arm in free space, without weight, for the order of the error
SOFT = fm.Material(1200.0, 3e9, 0.35)
PIPE = fm.Tube(outer_diameter=0.05, inner_diameter=0.04)
#: how much slower each run is than the first, and the duration of the first [s]
SLOWER, FIRST = (1.0, 1.0 / 0.7, 2.0, 1.0 / 0.35), 1.0
PRECISELY: dict[str, Any] = {"method": "radau", "tolerance": 1e-9, "progress": False}


def table(angles: tuple[float, ...]) -> dict[str, np.ndarray]:
    """Table 2.9.8: α of each link by q₁ … q₂₇; of the forearm a₃ = q₁₇, of which the print has q₁₄."""
    (c1, s1), (c2, s2), (c3, s3) = ((np.cos(x), np.sin(x)) for x in angles)
    q = np.vstack([np.zeros(27), np.eye(27)])
    base = [*np.zeros((6, 27)), *q[1:7]]
    shoulder = [
        c1 * q[1] + s1 * q[2], q[3], s1 * q[1] - c1 * q[2], c1 * q[4] + s1 * q[5], q[7], s1 * q[4] - c1 * q[5], *q[8:14]
    ]  # fmt: skip
    upper = [
        c2 * q[8] + s2 * q[9], -s2 * q[8] + c2 * q[9], q[10], c2 * q[11] + s2 * q[12], -s2 * q[11] + c2 * q[12],
        *q[14:21],
    ]  # fmt: skip
    forearm = [
        c3 * q[15] + s3 * q[16], -s3 * q[15] + c3 * q[16], q[17], c3 * q[18] + s3 * q[19], -s3 * q[18] + c3 * q[19],
        *q[21:28],
    ]  # fmt: skip
    names = ("base", "shoulder", "upper arm", "forearm")
    return {f"{name}.beam": np.array(rows) for name, rows in zip(names, (base, shoulder, upper, forearm), strict=True)}


def of_tables() -> Iterator[Check]:
    """Tables 2.9.1, 2.9.6 and 2.9.8."""
    angles = (0.4, 0.9, -1.3)
    arm = FlexArm(t3.held(angles))
    where = "Table 2.9.1: 6 + 7 + 7 + 7"
    yield Check("T3, number of coordinates", len(arm.coordinates), 27, 0.0, where, "a number")
    found, wanted = arm.compatibility(0.0), table(angles)
    off = max(float(np.abs(found[name] - B).max()) for name, B in wanted.items())
    yield Check("T3, compatibility B(θ), largest difference", off, 0.0, 1e-12, "Table 2.9.8", "round-off")
    stretched = (0.0, 0.0, 0.0)
    few = FlexArm(t3.held(stretched), servos=np.inf).frequencies()
    yield Check(
        "T3, lowest frequency stretched [Hz]", float(few[0]), 20.0, 0.5, "Table 2.9.6", "sections chosen so", True
    )
    whole = fm.modes(t3.held(stretched, gravity=0.0), 6).frequencies
    off = float(np.abs(few[:6] / whole - 1.0).max())
    why = "round-off: without weight they are the same equations"
    yield Check("T3, six frequencies against the full model, relative", off, 0.0, 1e-8, "fm.modes", why)
    many = FlexArm(t3.held(stretched, modes=20), servos=np.inf).frequencies()
    below = many[many < 100.0]
    off = float(np.abs(few[: len(below)] / below - 1.0).max())
    why = "5 %, what the table says of 27 coordinates against all"
    yield Check(
        "T3, frequencies below 100 Hz against 20 modes more a link, relative", off, 0.0, 0.05, "Table 2.9.6", why
    )


def of_motion() -> Iterator[Check]:
    """The T3 in motion, led by its drives: deflection of the tool."""
    arm = t3.moving(damping=0.01)
    times = np.linspace(0.0, t3.DURATION, 61)
    full = fm.simulate(arm, t3.DURATION, times=times, initial=fm.equilibrium(arm), **PRECISELY)
    of = FlexArm(arm, servos=np.inf)
    run = of.run(t3.DURATION, t3.DURATION / 240, start="quasi-static", method="gauss").every(4)
    size = float(np.abs(run.deflection("tool")).max())
    off = float(np.abs(full["tool"].position - run.position("tool")).max()) / size
    why = "what is left out is products of deflections: as many parts as links turn by, 1e-3 rad"
    yield Check(
        "T3 in motion, deflection of the tool, difference relative to its largest", off, 0.0, 2e-3, ELASTIC, why
    )


def soft_arm(duration: float, *, driven: bool) -> tuple[fm.Robot, dict[str, fm.TimeFunction]]:
    """Two soft links on hinges across each other in free space, and their nominal motion; `driven` by it, or free."""
    links = [
        fm.spatial.ArmLink(
            name, mass=0.3, inertia=(1e-3, 1e-3, 1e-3), material=SOFT, section=PIPE, modes=0, elements=4, damping=0.02
        )
        for name in ("upper", "lower")
    ]
    table = [[0, 0, 0.8, 0.5 * np.pi], [0, 0, 0.7, 0]]
    arm = fm.denavit_hartenberg(table, links=links, gravity=(0, 0, 0), positions={"joint 2": 0.4})
    motion: dict[str, fm.TimeFunction] = {
        "joint 1": t3.smooth(duration, 0.0, 1.2), "joint 2": t3.smooth(duration, 0.4, -0.6)
    }  # fmt: skip
    for name, f in motion.items() if driven else ():
        arm.drive(name, f)
    return arm, motion


def differences(slower: float) -> dict[str, tuple[float, float]]:
    """Largest deviation and its error, of the tool [m] where joints are led and of joints [rad] where they are free, in
    a run that is slower than the first."""
    duration, steps = slower * FIRST, 180
    led, motion = soft_arm(duration, driven=True)
    times = np.linspace(0.0, duration, 61)
    found = {}
    full = fm.simulate(led, duration, times=times, **PRECISELY)
    nodes = np.linspace(0.0, duration, 241)
    torques = [FlexArm(led).torques(t) for t in nodes.tolist()]
    free, _ = soft_arm(duration, driven=False)
    for name in motion:
        free.actuate(name, fm.Spline(nodes, [x[name] for x in torques]))
    fell = free.positions(fm.simulate(free, duration, times=times, **PRECISELY))
    for label, more in (("paper", False), ("second order", True)):
        run = FlexArm(led, servos=np.inf, second_order=more).run(duration, duration / steps, method="gauss")
        run = run.every(3)
        off = full["tool"].position - run.position("tool")
        found[f"led, {label}"] = float(np.abs(run.deflection("tool")).max()), float(np.abs(off).max())
        run = FlexArm(led, second_order=more).run(duration, duration / steps, method="gauss")
        name, f = "joint 2", motion["joint 2"]
        own = run.every(3).deviation(name)
        off = fell[name] - f(times) - own
        found[f"free, {label}"] = float(np.abs(own).max()), float(np.abs(off).max())
    return found


def of_order() -> Iterator[Check | Errors]:
    """How the error falls with the deflections, as the motion is slowed."""
    runs = [differences(slower) for slower in SLOWER]
    orders = {"led, paper": 2.0, "led, second order": 2.0, "free, paper": 1.0, "free, second order": 2.0}
    says = {
        "led, paper": "products of elastic coordinates are left out: they are small beside the stiffness",
        "led, second order": "the equations are exact to first order",
        "free, paper": "the term of second order is left out, and joints have no stiffness beside it",
        "free, second order": "the equations are exact to first order",
    }
    for label, order in orders.items():
        size, off = (np.array([run[label][k] for run in runs]) for k in (0, 1))
        slopes = np.diff(np.log(off)) / np.diff(np.log(size))
        what = "tool [m]" if label.startswith("led") else "angle of joint 2 [rad]"
        yield Errors(f"joints {label}: error of the {what}", f"deflection, {what}", size.tolist(), off.tolist(), order)
        quantity = f"joints {label}: order of the error in the deflection"
        yield Check(quantity, float(slopes[-1]), order, 0.15, says[label], "the order of an error that is small")


@case("flexarm-t3", draw=t3.moving)
def compute() -> Iterator[Check | Errors]:
    """FLEX-ARM of Sunada and Dubowsky for the Cincinnati T3: coordinates, frequencies, deflections, order of error"""
    yield from of_tables()
    yield from of_motion()
    yield from of_order()
