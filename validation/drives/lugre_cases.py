"""Friction of bristles: presliding, break-away, Stribeck's fall, hysteresis."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.validation.references.drives import bristle_motion as reference
from flexmb.validation.registry import Check, case

LAW = reference.Law()
BRISTLES = fm.LuGre(
    stiffness=LAW.s0, damping=LAW.s1, viscous=LAW.s2, coulomb=LAW.fc, static=LAW.fs, stribeck_speed=LAW.vs
)
#: a spring of 2 N/m is pulled at 0.1 m/s, as in section III of the paper
SPRING = 2.0, 0.1
BY = "SciPy's Radau at relative errors of 1e-11 on the equations of Canudas-de-Wit et al. (1995)"


def block(dimension: int, force: Any = 0.0, motion: Any = None, pulled: bool = False) -> Any:
    """A block of 1 kg on a slide, under a force, with a motion, or pulled by a spring."""
    model: Any = fm.PlanarModel("block") if dimension == 2 else fm.SpatialModel("block")
    body = model.add_body("block", mass=1.0, inertia=1.0 if dimension == 2 else (1.0, 1.0, 1.0))
    body.attach("corner", (0.1, 0.05, 0.0)[:dimension])
    more = {} if dimension == 2 else {"axis": "x"}
    slide = model.prismatic(model.ground, body.frame, name="slide", **more)
    model.joint_force(slide, force, friction=BRISTLES, name="pull")
    if motion is not None:
        model.drive_position(
            model.ground, body.frame, motion, name="drive", **({"axis": 0.0} if dimension == 2 else more)
        )
    if pulled:
        k, u = SPRING
        axis = (1.0, 0.0, 0.0)[:dimension]
        model.point_force(body.frame, tuple(k * u * x for x in axis), factor=fm.Polynomial([0.0, 1.0]), name="winch")
        own = np.zeros(3 if dimension == 2 else 6)
        own[0] = k
        model.bushing(model.ground, body.frame, stiffness=tuple(own), name="spring")
    return model


@case("lugre", draw=lambda: block(2, pulled=True))
def compute() -> Iterator[Check]:
    """a block on bristles: pushed to and fro, pulled by a spring (stick and slip), presliding, break-away, Stribeck"""
    times = np.linspace(0.0, 1.0, 101)
    force = fm.Harmonic(2.0, 3.0)
    x, v, z = reference.block(LAW, lambda t: 2.0 * float(np.sin(3.0 * t)), times)
    for dimension, where in ((2, "plane"), (3, "space")):
        run = fm.simulate(block(dimension, force), 1.0, "radau", tolerance=1e-11, times=times, progress=False)
        got = run["block.x"], run["block.vx"], LAW.s0 * run["pull.bristle"]
        for mine, exact, what in zip(got, (x, v, LAW.s0 * z), ("place [m]", "speed [m/s]", "force of bristles [N]")):
            error = float(np.abs(mine - exact).max())
            yield Check(
                f"to and fro, {where}: largest error of its {what}", error, 0.0, 1e-8, BY, "tolerance of the run"
            )
    yield from _stick_slip()
    yield from _slow_pull()
    yield from _steady()


def _stick_slip() -> Iterator[Check]:
    """A spring that is pulled: the block sticks, slips, and sticks again."""
    times = np.linspace(0.0, 20.0, 201)
    exact = reference.block(LAW, lambda t: 0.0, times, SPRING)
    run = fm.simulate(block(2, pulled=True), 20.0, "radau", tolerance=1e-11, times=times, progress=False)
    error = float(np.abs(run["block.x"] - exact[0]).max())
    because = "the instants of slip of both, at speeds of up to 0.3 m/s"
    yield Check("pulled by a spring for 20 s: largest error of its place [m]", error, 0.0, 1e-8, BY, because)


def _slow_pull() -> Iterator[Check]:
    """A pull so slow that inertia and rates count for nothing: presliding and break-away."""
    speed = 1e-8
    run = fm.simulate(
        block(2, motion=fm.Polynomial([0.0, speed])), 1e4, "radau", tolerance=1e-10, times=np.linspace(0.0, 1e4, 11),
        progress=False,
    )  # fmt: skip
    x, z = run["block.x"], run["pull.bristle"]
    first = LAW.s0 * z[1] / x[1]
    bent = x[1] * LAW.s0 / LAW.fs
    exact = LAW.fs / x[1] * (1.0 - float(np.exp(-bent)))
    yield Check(
        "presliding: force over displacement after 1e-5 m [N/m]", float(first), exact, 1e-5 * exact,
        "F = F_S (1 − exp(−σ₀ x/F_S)), the law at a vanishing speed", "F_S at 1e-5 of the Stribeck speed",
    )  # fmt: skip
    yield Check(
        "break-away: force of a very slow pull, after 1e-4 m [N]", float(LAW.s0 * z[-1]),
        LAW.fs * (1.0 - float(np.exp(-LAW.s0 * x[-1] / LAW.fs))), 1e-6, "the same, which goes to F_S = 1.5 N",
        "F_S at 1e-5 of the Stribeck speed",
    )  # fmt: skip


def _steady() -> Iterator[Check]:
    """Stribeck's curve: the force at constant speeds."""
    for speed in (1e-4, 1e-3, 2e-3, 1e-2):
        time = 1e-3 / speed
        run = fm.simulate(
            block(2, motion=fm.Polynomial([0.0, speed])),
            time,
            "radau",
            tolerance=1e-10,
            times=[0.0, time],
            progress=False,
        )
        force = LAW.s0 * run["pull.bristle"][-1] + LAW.s2 * speed
        exact = LAW.level(speed) + LAW.s2 * speed
        yield Check(
            f"force at a constant speed of {speed:g} m/s [N]", float(force), exact, 1e-8,
            "s(v) + σ₂ v, eq. (5) of the paper", "tolerance of the run",
        )  # fmt: skip
