"""A row of parallelograms that passes again and again through the line in which all its rods lie."""

from __future__ import annotations

from typing import Any

import numpy as np

import flexmb as fm
from flexmb.validation.references import n_four_bar as reference
from flexmb.validation.registry import Check, case

T_END = 10.0


def build(windows: int) -> fm.PlanarModel:
    """The mechanism upright, its tops moving at 1 m/s."""
    model = fm.PlanarModel(f"{windows}-four-bar", gravity=(0.0, -reference.G))
    rod: dict[str, Any] = {"mass": 1.0, "inertia": 1.0 / 12.0}
    tops: list[fm.Frame] = []
    for k in range(windows + 1):
        post = model.add_body(f"post{k}", position=(float(k), 0.5), angle=0.5 * np.pi, **rod)
        post.move((0.5, 0.0), -1.0)
        model.revolute(
            model.ground.attach(f"foot{k}", (float(k), 0.0)), post.attach("foot", (-0.5, 0.0)), name=f"foot{k} hinge"
        )
        tops.append(post.attach("top", (0.5, 0.0)))
    for k in range(windows):
        beam = model.add_body(f"beam{k}", position=(k + 0.5, 1.0), **rod)
        beam.move((1.0, 0.0))
        model.revolute(tops[k], beam.attach("near", (-0.5, 0.0)), name=f"near{k}")
        model.revolute(tops[k + 1], beam.attach("far", (0.5, 0.0)), name=f"far{k}")
    return model


#: step of generalized-α [s]; the largest error of φ that one of second order leaves with it, and without its first term
STEP, SECOND_ORDER, EXTRAPOLATED = 2e-3, 9e-4, 5e-6


@case("n-four-bar")
def compute() -> list[Check]:
    """2 and 40 parallelograms in a row that fall over, ten times through the line where they could part; 10 s"""
    checks = []
    source = "one coordinate: J φ̈ = −G cos φ"
    for windows in (2, 40):
        runs = [fm.simulate(build(windows), T_END, step=step, progress=False) for step in (STEP, 0.5 * STEP)]
        coarse, fine = ([run[f"post{k}"].angle for k in range(windows + 1)] for run in runs)
        phi, _ = reference.motion(windows, runs[0].t)
        label = f"N = {windows}"
        apart = max(float(np.max(np.abs(angle - fine[0]))) for angle in fine)
        why = "opposite links stay parallel; loops close to Newton's tolerance, and a hundred times that near the line"
        checks.append(Check(f"{label}: posts out of parallel [rad]", apart, 0.0, 2e-8, "geometry", why))
        off = float(np.max(np.abs(coarse[0] - phi)))
        checks.append(Check(f"{label}: error of φ, 2 ms [rad]", off, 0.0, SECOND_ORDER, source, "second order at 2 ms"))
        between = (4.0 * fine[0][::2] - coarse[0]) / 3.0
        off = float(np.max(np.abs(between - phi)))
        why = "fourth order, of two runs of second"
        checks.append(Check(f"{label}: error of φ, 1 and 2 ms extrapolated [rad]", off, 0.0, EXTRAPOLATED, source, why))
        energy = reference.energy(windows, fine[0], runs[1]["post0"].angular_velocity)
        drift = float(np.max(np.abs(energy - energy[0])))
        bound = "the benchmark's own bound"
        checks.append(Check(f"{label}: energy drifts by [J]", drift, 0.0, 0.1, "IFToMM benchmark A02", bound))
    return checks
