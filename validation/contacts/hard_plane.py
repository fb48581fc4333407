"""Hard contacts in the plane: what bounces, rocks, walks, slides, sticks, wedges and rattles."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.validation.contacts import hard_forms, hard_mechanisms
from flexmb.validation.registry import Check, Errors, case

#: runs in absolute coordinates and in those of joints, by each family of methods, with the error allowed: ten
#: tolerances
HOWS: list[tuple[str, dict[str, Any], float]] = [
    ("radau", {"method": "radau", "tolerance": 1e-8}, 1e-7),
    ("radau, joints", {"method": "radau", "formulation": "aba", "tolerance": 1e-8}, 1e-7),
    ("dop853", {"method": "dop853", "tolerance": 1e-8}, 1e-7),
    ("dop853, joints", {"method": "dop853", "formulation": "aba", "tolerance": 1e-8}, 1e-7),
    ("rkf45", {"method": "rkf45", "tolerance": 1e-8}, 1e-7),
    ("generalized_alpha", {"method": "generalized_alpha", "tolerance": 1e-6}, 1e-5),
]
#: steps [s] by which the order of generalized-α over an impact is measured
STEPS = [4e-3, 2e-3, 1e-3, 5e-4]
CLOSED, EVENTS = "closed form", "reference by events"
TEN = "ten tolerances"


def _run(model: fm.PlanarModel, t_end: float, how: dict[str, Any]) -> Any:
    return fm.simulate(model, t_end, progress=False, **how)


def rest_of(run: Any) -> float:
    """The time at which bouncing ends, as the record of the last impact predicts it [s]."""
    said = [text for record in run.events for text in record.done if text.startswith("bouncing ends")]
    return float(said[-1].removeprefix("bouncing ends at t = ").removesuffix(" s")) if said else math.nan


@case("hard-plane", draw=hard_mechanisms.wheel)
def compute() -> Iterator[Check | Errors]:
    """hard contacts in the plane with friction of Coulomb, by events: closed forms, and a reference by events"""
    for label, how, allowed in HOWS:
        yield from _by_closed_forms(label, how, allowed)
        yield from _by_events(label, how, allowed)
    for label, how, _ in HOWS[:4:2]:
        yield from _once(label, how)
    yield from _order()


def _by_closed_forms(label: str, how: dict[str, Any], allowed: float) -> Iterator[Check]:
    """Balls, disks, boxes, grippers and wheels."""
    run, rest = _run(hard_mechanisms.ball(), 3.0, how), hard_forms.rest_of_ball(1.0, 0.7)
    yield Check(f"{label}: ball, e = 0.7: rest [s]", rest_of(run), rest, 1e-8, CLOSED, "what the last flights tell")
    run = _run(hard_mechanisms.spinning_disk(), 2.5, how)
    speed, spin, place = hard_forms.spinning_disk(1.0, 0.1, 0.6, 0.15, 2.0, 30.0, 2.5)
    behind = run.at([run.events[0].t + 1e-9])
    yield Check(f"{label}: disk behind its first impact, ẋ", behind["disk.vx"][0], speed, 1e-10, CLOSED, "rounding")
    yield Check(f"{label}: its spin", behind["disk.angular_velocity"][0], spin, 1e-9, CLOSED, "rounding")
    yield Check(f"{label}: x when it rolls [m]", run["disk.x"][-1], place, allowed, CLOSED, TEN)
    run, slides = _run(hard_mechanisms.slope(0.3), 2.5, how), hard_forms.slides_down(0.2, 0.3, 2.0)
    yield Check(f"{label}: box on a slope, until it sticks [m]", run["box.x"][-1], slides, allowed, CLOSED, TEN)
    for force in (9.0, 7.0, 6.0):
        slips = hard_forms.held_body(0.5, force, 0.4, hard_mechanisms.LIFT)
        run = _run(hard_mechanisms.gripper(force), 0.6, how)
        name = f"{label}: gripper of {force:g} N, slip [m]"
        yield Check(name, run["body.y"][-1], slips, allowed, CLOSED, TEN)
    speed, period = hard_forms.rimless_wheel(8, 0.5, 0.08)
    run = _run(hard_mechanisms.wheel(speed=speed), 2.5, how)
    times = [record.t for record in run.events if record.done[0].startswith("impact")]
    yield Check(f"{label}: wheel without a rim, period [s]", times[-1] - times[-2], period, allowed, CLOSED, TEN)


def _by_events(label: str, how: dict[str, Any], allowed: float) -> Iterator[Check]:
    """Double pendulums at their wall."""
    angles, times, lost = hard_forms.double_pendulum(0.8, -0.2, 5.0)
    run = _run(hard_mechanisms.double_pendulum(0.8), 5.0, how)
    source = "DOP853 in other coordinates"
    yield Check(f"{label}: double pendulum, first touch [s]", run.events[0].t, times[0], allowed, source, TEN)
    for k in (1, 2):
        got = run[f"rod {k}.angle"][-1]
        yield Check(f"{label}: behind 4 impacts, angle {k} [rad]", got, angles[k - 1], 10.0 * allowed, source, TEN)
    got = sum(record.lost for record in run.events)
    yield Check(f"{label}: what they lost [J]", got, lost, 10.0 * allowed, source, TEN)
    for t_end, wanted in hard_forms.RUBBED_PENDULUM.items():
        run = _run(hard_mechanisms.double_pendulum(0.5, 0.3), t_end, how)
        for k in (1, 2):
            name = f"{label}: with friction, t = {t_end:g} s, angle {k} [rad]"
            yield Check(name, run[f"rod {k}.angle"][-1], wanted[k - 1], 10.0 * allowed, EVENTS, TEN)


def _once(label: str, how: dict[str, Any]) -> Iterator[Check]:
    """A block that rocks, a rod that wedges, a slider that rattles, a box that hardly sticks."""
    first, rest = hard_forms.rocking_block(0.2, 1.0, 0.1)
    run = _run(hard_mechanisms.block(), 12.5, how)
    yield Check(f"{label}: rocking block, first impact [s]", run.events[0].t, first, 1e-7, "quadrature", TEN)
    yield Check(f"{label}: its rest [s]", rest_of(run), rest, 1e-8, "quadratures", "what the last flights tell")
    run = _run(hard_mechanisms.rod(), 0.01, how)
    impulse, _ = run.events[0].impulses["floor"]
    wedged = hard_forms.wedged_rod(math.pi / 3.0, -3.0)
    small = "it falls for 10 ns before"
    yield Check(f"{label}: Painlevé's rod, normal impulse [N s]", impulse[1], wedged[0], 2e-7, CLOSED, small)
    yield Check(f"{label}: impulse along the slip [N s]", impulse[0], wedged[1], 2e-7, CLOSED, small)
    for part in (1e-9, -1e-9):
        run = _run(hard_mechanisms.slope(math.tan(0.2) * (1.0 + part), speed=0.0), 1.0, how)
        slid = 0.0 if part > 0.0 else 0.5 * hard_mechanisms.G * math.sin(0.2) * 1e-9
        name = f"{label}: slope of tan β (1 {'+' if part > 0 else '−'} 1e-9), slid [m]"
        yield Check(name, run["box.x"][-1], slid, 1e-14, CLOSED, "rounding")
    for turning, t_end, wanted in (
        (0.0, 0.04, hard_forms.SLIDER_CRANK),
        (-0.01, 0.02, hard_forms.TURNED_SLIDER_CRANK),
    ):
        run = _run(hard_mechanisms.slider_crank(turning), t_end, how)
        for name, angle in zip(("crank", "link", "slider"), wanted):
            text = f"{label}: slider-crank with clearance, ω₃ = {turning:g}, {name} [rad]"
            yield Check(text, run[f"{name}.angle"][-1], angle, 1e-7, EVENTS, TEN)


def _order() -> Iterator[Check | Errors]:
    """The order of generalized-α with fixed steps over impacts."""
    angles, _, _ = hard_forms.double_pendulum(0.8, -0.2, 2.0)
    errors = []
    for step in STEPS:
        how = {"method": "generalized_alpha", "step": step, "second_run": False}
        run = _run(hard_mechanisms.double_pendulum(0.8), 2.0, how)
        errors.append(abs(float(run["rod 1.angle"][-1]) - float(angles[0])))
    yield Errors("double pendulum behind an impact, generalized_alpha", "step [s]", STEPS, errors, 2.0)
    order = float(np.polyfit(np.log(STEPS), np.log(errors), 1)[0])
    yield Check("generalized_alpha: order over an impact", order, 2.0, 0.1, "theory", "as the goal says")
