"""The hand of an arm follows a wanted motion: the inertia that it opposes, the error's own equation, a wrong mass, and
motions of the null space, which do not move it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.validation.computed_torque import OMEGA, START, UNKNOWN, arm
from flexmb.validation.reaction_null_space import LINKS, robot
from flexmb.validation.references import two_point_masses as reference
from flexmb.validation.registry import Check, Errors, case

#: how far from its wanted motion the hand begins [m]
AWAY = np.array([0.08, -0.05])
#: decay of errors of the other arms
GAINS = fm.control.Gains(60.0, 14.0)


def _inertia() -> float:
    """The largest difference between Λ and the closed form in random positions, as a part of the latter."""
    law, worst, rng = fm.control.OperationalSpace(arm(), "fore", (0, 0), GAINS), 0.0, np.random.default_rng(2)
    for _ in range(20):
        q = np.array([rng.uniform(-3.0, 3.0), rng.uniform(0.3, 2.8)])
        exact = reference.inertia_at_hand(q)
        worst = max(worst, float(np.abs(law.inertia(q) - exact).max() / np.abs(exact).max()))
    return worst


def _stray(period: float) -> float:
    """The largest difference [m] between the error of a run and the closed form, on a circle."""
    begin, size, rate = reference.hand(START) + AWAY, 0.1, 4.0
    around = [size * (fm.Harmonic(1.0, rate, phase=0.5 * np.pi) - 1.0), size * fm.Harmonic(1.0, rate)]
    plant = arm()
    law = fm.control.OperationalSpace(
        arm(), "fore", [x + f for x, f in zip(begin.tolist(), around)], fm.control.Gains.of(OMEGA)
    )
    law.control(plant, period=period)
    run = fm.simulate(plant, 1.0, tolerance=1e-9, progress=False)
    # the circle begins with the speed (0, size rate): e = e₀ (1 + ω t) exp(−ω t) + ė₀ t exp(−ω t)
    exact = AWAY * reference.critical_decay(run.t, OMEGA)[:, None]
    exact[:, 1] += size * rate * run.t * np.exp(-OMEGA * run.t)
    wanted = np.column_stack([f(run.t) for f in law.wanted])
    return float(np.abs(wanted - run["fore"].position - exact).max())


def _null_space(dimension: int) -> tuple[float, float]:
    """What posture and torques change in the acceleration of the end, and the error's equation, at most, in random
    states of an arm on a base that floats, as parts of the largest acceleration."""
    n, end = LINKS[dimension], f"link {LINKS[dimension] - 1}.b"
    wanted = [0.2 * fm.Harmonic(1.0, 2.0 + k) + 0.5 for k in range(dimension)]
    turn: dict[str, Any] = {"rotation": 0.3 * fm.Harmonic(1.0, 2.0)}
    if dimension == 3:
        turn = {"rotation": [0.3 * fm.Harmonic(1.0, 2.0), 0.2, 0.1], "sequence": "ZYX"}
    chain = robot(dimension, motors=True)
    besides: dict[str, Any] = {
        "posture": [0.2] * n,
        "posture_gains": fm.control.Gains(20.0, 5.0),
        "torques": lambda q, v, t: np.cos(np.arange(n)),
    }
    laws = [fm.control.OperationalSpace(chain, end, wanted, GAINS, **turn, **more) for more in ({}, besides)]
    dynamics, forward = fm.TreeDynamics(laws[0].tree), fm.formulation(robot(dimension), "aba")
    rows = [3, 4, 2] if dimension == 2 else [3, 4, 5, 0, 1, 2]
    rng, changed, off = np.random.default_rng(3), 0.0, 0.0
    for _ in range(10):
        q, v, t = laws[0].tree.start()[0], rng.normal(size=laws[0].tree.nv), rng.uniform(0.0, 1.0)
        q[-n:] += 0.3 * rng.normal(size=n)
        J, bias = dynamics.jacobian(end, q)[rows], (dynamics.jacobian_rate(end, q, v) @ v)[rows]
        found = [J @ forward(q, v, law.drives(q, v, t)) + bias for law in laws]
        e, rate = laws[0].errors(q, v, t)
        second = np.array([f.second_rate(t) for f in wanted]) - found[0][:dimension]
        size = float(np.abs(found[0]).max())
        changed = max(changed, float(np.abs(found[1] - found[0]).max()) / size)
        off = max(off, float(np.abs(second + 14.0 * rate[:dimension] + 60.0 * e[:dimension]).max()) / size)
    return changed, off


@case("operational-space", draw=lambda: robot(2))
def compute() -> Iterator[Check | Errors]:
    """the hand of an arm follows a wanted motion: its inertia, decay of errors, a wrong mass, motions besides"""
    yield Check("inertia at the hand in random positions, relative", _inertia(), 0.0, 1e-6, "closed form", "of points")
    periods = (4e-3, 2e-3, 1e-3)
    strays = [_stray(period) for period in periods]
    source = "ë + 2 ω ė + ω² e = 0"
    yield Check(
        "on a circle, period 1 ms: error against its closed form [m]", strays[-1], 0.0, 5e-4, source, "held torques"
    )
    order = float(np.log2(strays[1] / strays[2]))
    yield Check("its order in the period", order, 1.0, 0.05, "torques held", "two periods")
    yield Errors("error of the hand against its closed form [m]", "period [s]", periods, strays, 1.0)

    plant, stay = arm(UNKNOWN), reference.hand(START).tolist()
    law = fm.control.OperationalSpace(arm(), "fore", stay, fm.control.Gains.of(OMEGA))
    law.control(plant, period=2e-3)
    rest = fm.simulate(plant, 3.0, tolerance=1e-9, progress=False)["fore"].position[-1]
    exact = reference.hand_at_rest(START, UNKNOWN, OMEGA**2)
    for name, found, wanted in zip("xy", rest.tolist(), exact.tolist()):
        yield Check(f"a tenth of the hand unknown: {name} at rest [m]", found, wanted, 1e-6, "closed form", "run's end")

    for dimension, where in ((2, "in the plane"), (3, "in space")):
        changed, off = _null_space(dimension)
        by = "articulated bodies, with the base that floats"
        yield Check(
            f"{where}: acceleration of the end by motions besides, relative", changed, 0.0, 1e-10, by, "round-off"
        )
        yield Check(f"{where}: ë + K_d ė + K_p e of its place, relative", off, 0.0, 1e-10, by, "round-off")
