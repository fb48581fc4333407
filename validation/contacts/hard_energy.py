"""Impacts with restitution and friction at random states: none gains energy."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

import flexmb as fm
from flexmb.solvers.events.impacts.collision import Meeting, collide, gained
from flexmb.solvers.events.row_states import RowStates
from flexmb.solvers.events.stated_row import RubbingRow, UnilateralRow
from flexmb.system.system import System
from flexmb.validation.registry import Check, case

#: random states
STATES = 1500


def pendulum(restitution: float, friction: float) -> fm.PlanarModel:
    """Two rods of 1 kg and 1 m that hang above a floor."""
    m = fm.PlanarModel("double pendulum", gravity=(0, -9.81))
    last = m.ground
    for k in range(2):
        rod = m.add_body(f"rod {k + 1}", mass=1.0, inertia=1.0 / 12.0, position=(0, -0.5 - k))
        m.revolute(last, rod.attach(f"top {k + 1}", (0, 0.5)), name=f"hinge {k + 1}")
        last = rod.attach(f"end {k + 1}", (0, -0.5))
    floor = fm.HalfPlane("y", (0, -2.0))
    m.contact(m.ground, last, floor, hard=True, restitution=restitution, friction=friction, name="floor")
    return m


def state(system: System, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A position with random angles, and random speeds of both rods by which the tip comes down; all coordinates that
    do not follow from the angles, as the gap, are as they are, since an impact reads its row alone."""
    q, v, angles, rates = system.q0.copy(), np.zeros(system.n), rng.uniform(-1.5, 1.5, 2), rng.normal(size=2)
    names, down = list(system.names), 0.0
    place, speed = np.zeros(2), np.zeros(2)
    for k in range(2):
        along = np.array([math.sin(angles[k]), -math.cos(angles[k])])
        turning = rates[k] * np.array([-along[1], along[0]])
        for axis, x, u in zip("xy", place + 0.5 * along, speed + 0.5 * turning):
            at = names.index(f"rod {k + 1}.{axis}")
            q[at], v[at] = x, u
        q[names.index(f"rod {k + 1}.angle")], v[names.index(f"rod {k + 1}.angle")] = angles[k], rates[k]
        place, speed = place + along, speed + turning
    down = speed[1]
    v[names.index("floor.touch")], v[names.index("floor.slip")] = down, -speed[0]
    return q, v * (-1.0 if down > 0.0 else 1.0)


@case("hard-energy", draw=lambda: pendulum(0.8, 0.5))
def compute() -> Iterator[Check]:
    """impacts of a double pendulum on a floor, with restitution and friction, from random states: none gains energy"""
    rng, worst, lowered, count, would = np.random.default_rng(1), -math.inf, 0, 0, 0
    for _ in range(STATES // 50):
        e, mu = float(rng.uniform(0.2, 1.0)), float(rng.uniform(0.1, 1.0))
        system = System(pendulum(e, mu))
        rows = RowStates(system).rows
        gaps = [row for row in rows if isinstance(row, UnilateralRow)]
        rubbing = [row for row in rows if isinstance(row, RubbingRow)]
        for _ in range(50):
            q, v = state(system, rng)
            at = 0.0, system.full_q(q), system.full(v)
            M = np.asarray(system.mass_matrix(0.0, q))
            meeting = Meeting(system, *at, gaps, rubbing)
            before = v[meeting.speeds]
            given = meeting.impulses(before, np.array([e]))
            would += given is None or gained(before, meeting.answer.D, given.x)
            found = collide(system, meeting, *at, 1.0)
            energies = [float(0.5 * x[: system.n] @ M @ x[: system.n]) for x in (v, found.v)]
            worst = max(worst, energies[1] / energies[0] - 1.0)
            lowered, count = lowered + found.lowered, count + 1
    none, rounding = "energy is not gained", "rounding"
    yield Check(f"largest gain of {count} impacts, as a part", max(worst, 0.0), 0.0, 1e-9, none, rounding)
    yield Check("impacts that would gain, less those lowered", float(would - lowered), 0.0, 0.0, none, "exact")
    yield Check("some would gain", float(would > 0), 1.0, 0.0, "Kane and Levinson (1985)", "exact")
