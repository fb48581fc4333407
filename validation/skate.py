"""A blade that does not slip sideways: cycloids on an incline, Chaplygin's sleigh."""

from __future__ import annotations

from typing import Any

import numpy as np

import flexmb as fm
from flexmb.validation.references.skate import Incline, Sleigh
from flexmb.validation.registry import Check, case

T_END = 4.0
#: options of each method; what the place [m] and the force [N] on the incline, and angle [rad] and force [N] of the
#: sleigh, may be off by; and why. The incline's force has no error of second order: round-off, which grows as 1/h²
METHODS: dict[str, tuple[dict[str, Any], tuple[float, float, float, float], str]] = {
    "generalized_alpha": (
        {"step": 1e-3},
        (4e-6, 2e-8, 2.5e-6, 7e-6),
        "second order at 1 ms, or round-off",
    ),
    "independent": (
        {"tolerance": 1e-9, "absolute_tolerance": 1e-11},
        (5e-7, 4e-6, 2e-7, 2e-6),
        "tolerance 1e-9 in each step",
    ),
    "baumgarte": ({"tolerance": 1e-11, "absolute_tolerance": 1e-13}, (1e-11, 1e-9, 1e-11, 4e-9), "tolerance 1e-11"),
    "projection": ({"tolerance": 1e-11, "absolute_tolerance": 1e-13}, (1e-10, 1e-10, 1e-10, 1e-10), "tolerance 1e-11"),
    "rkf45": ({"step": 2e-3}, (1e-12, 1e-11, 1e-12, 1e-11), "fifth order at 2 ms: round-off"),
}


def on_incline(data: Incline) -> fm.PlanarModel:
    """A body with a blade under its center, which turns; the slope falls along x."""
    model = fm.PlanarModel("skate on an incline", gravity=(data.weight, 0.0))
    skate = model.add_body("skate", mass=data.mass, inertia=0.1)
    model.knife_edge(model.ground, skate.frame, name="blade")
    skate.rigid_motion((0.0, 0.0), data.spin, (0.0, 0.0))
    return model


def sleigh(data: Sleigh) -> fm.PlanarModel:
    """Chaplygin's sleigh, its blade at the origin."""
    model = fm.PlanarModel("Chaplygin's sleigh")
    body = model.add_body("sleigh", mass=data.mass, inertia=data.inertia, center=(data.ahead, 0.0))
    model.knife_edge(model.ground, body.frame, name="blade")
    body.rigid_motion((data.speed, 0.0), data.spin, (0.0, 0.0))
    return model


def side_force(solution: fm.Solution, body: str) -> np.ndarray:
    """The force of the blade across its heading (k,) [N]."""
    angle = solution[f"{body}.angle"]
    return np.asarray(solution["blade.fy"] * np.cos(angle) - solution["blade.fx"] * np.sin(angle))


@case("skate", draw=lambda: sleigh(Sleigh()))
def compute() -> list[Check]:
    """a skate on an incline, and Chaplygin's sleigh: exact motions under a velocity row, by every method"""
    incline, level = Incline(), Sleigh()
    cycloid, sech = "cycloid", "ω = U/k sech(ℓUt/k² + τ₀)"
    checks = []
    for method, (options, allowed, why) in METHODS.items():
        motion = fm.simulate(on_incline(incline), T_END, method, progress=False, **options)
        off = np.max(np.abs(motion["skate"].position - incline.place(motion.t)))
        force = np.max(np.abs(side_force(motion, "skate") - incline.force(motion.t)))
        checks.append(Check(f"{method}: place on the incline [m]", float(off), 0.0, allowed[0], cycloid, why))
        checks.append(Check(f"{method}: force of the blade [N]", float(force), 0.0, allowed[1], cycloid, why))
        motion = fm.simulate(sleigh(level), T_END, method, progress=False, **options)
        turned = np.max(np.abs(motion["sleigh.angle"] - level.angle(motion.t)))
        force = np.max(np.abs(side_force(motion, "sleigh") - level.force(motion.t)))
        checks.append(Check(f"{method}: angle of the sleigh [rad]", float(turned), 0.0, allowed[2], sech, why))
        checks.append(Check(f"{method}: force of its blade [N]", float(force), 0.0, allowed[3], sech, why))
    end = motion["sleigh"].position[-1]
    for k, axis in enumerate("xy"):
        place = float(level.place(float(motion.t[-1]))[k])
        checks.append(
            Check(
                f"place of the sleigh by rkf45, {axis} [m]", float(end[k]), place, 1e-11, "quadrature", "its accuracy"
            )
        )
    straight = Sleigh(speed=2.0, spin=0.0)
    linear = fm.linearize(sleigh(straight), "sleigh.moment", "sleigh.angle")
    checks.append(Check("states of its linear model", float(len(linear)), 5.0, 0.0, "3 places, 2 speeds", "a count"))
    slowest = float(linear.poles.real.min())
    checks.append(
        Check("decay of a small turn [1/s]", slowest, -straight.decay, 1e-11, "−ℓU/k²", "differences of fourth order")
    )
    return checks
