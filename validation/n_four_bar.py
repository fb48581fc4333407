"""A row of parallelograms that passes again and again through the line in which all its rods lie."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.validation.references import n_four_bar as reference
from flexmb.validation.registry import Check, Errors, Record, case

T_END = 10.0


def build(windows: int) -> fm.PlanarModel:
    """The mechanism upright, its tops moving at 1 m/s."""
    model = fm.PlanarModel(f"{windows}-four-bar", gravity=(0.0, -reference.G))
    rod: dict[str, Any] = {"mass": 1.0, "inertia": 1.0 / 12.0}
    tops: list[fm.planar.Frame] = []
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


#: steps of generalized-α [s]
STEPS = (2e-3, 1e-3, 5e-4)
#: near the line the forces in the hinges are hardly determined, and the error that Newton's method leaves is not small:
#: the default tolerance adds an error of some 5e-5 rad to φ
NEWTON = 1e-12

#: The other methods: options, and the largest error of φ [rad] for two parallelograms. With rkf45 it is 2.7e-6 or
#: 5.6e-6: round-off decides which of two steps begins the restart at the line (ten step sizes that differ by parts in
#: 10⁷ give either).
METHODS: dict[str, tuple[dict[str, Any], float, str]] = {
    "projection": ({"tolerance": 1e-9, "absolute_tolerance": 1e-11}, 3e-8, "tolerance 1e-9 a step"),
    "baumgarte": (
        {"tolerance": 1e-9, "absolute_tolerance": 1e-11},
        6e-7,
        "tolerance 1e-9 a step, a restart at the line",
    ),
    "independent": (
        {"tolerance": 1e-8, "absolute_tolerance": 1e-10},
        5e-5,
        "tolerance 1e-8, a thousand times magnified near the line",
    ),
    "rkf45": ({"step": 1e-3}, 8e-6, "1 ms, a restart at the line"),
    "dop853": ({"tolerance": 1e-8}, 1e-7, "the tolerance, ten times through the line"),
}


@case("n-four-bar", draw=lambda: build(2))
def compute() -> Iterator[Record]:
    """2 and 40 parallelograms in a row that fall over, ten times through the line where they could part; 10 s"""
    source = "one coordinate: J φ̈ = −G cos φ"
    for windows in (2, 40):
        label = f"N = {windows}"
        errors, drifts = [], []
        for step in STEPS:
            run = fm.simulate(build(windows), T_END, step=step, newton_tolerance=NEWTON, progress=False)
            posts = np.array([run[f"post{k}"].angle for k in range(windows + 1)])
            errors.append(float(np.max(np.abs(posts[0] - reference.motion(windows, run.t)[0]))))
            energy = reference.energy(windows, posts[0], run["post0"].angular_velocity)
            drifts.append(float(np.max(np.abs(energy - energy[0]))))
        yield Errors(f"{label}: φ [rad]", "step [s]", STEPS, errors, 2.0)
        yield Errors(f"{label}: energy [J]", "step [s]", STEPS, drifts, 2.0)
        apart = float(np.max(np.abs(posts - posts[0])))
        # each way through the line leaves a tenth of the error to chance, at every step: two halvings tell the order
        order, drift_order = (float(0.5 * np.log2(found[0] / found[-1])) for found in (errors, drifts))
        second = "generalized-α is of second order"
        # a row of N m is known to N ε, and what is off along it turns the posts by 1/sin φ times as much
        rounding = np.finfo(float).eps * windows / float(np.min(np.abs(np.sin(posts[0]))))
        because = "Newton's tolerance, a hundred times magnified near the line, and rounding there"
        what = f"{label}: posts out of parallel [rad]"
        yield Check(what, apart, 0.0, 1e-10 + rounding, "opposite links stay parallel", because)
        what = f"{label}: error of φ, step of 1 ms [rad]"
        yield Check(what, errors[1], 0.0, 2.2e-4, source, "(√(G/J) h)² over 10 s")
        yield Check(f"{label}: order of that error", order, 2.0, 0.1, second, "terms of higher order at 2 ms")
        what = f"{label}: energy drifts by, step of 1 ms [J]"
        yield Check(what, drifts[1], 0.0, 0.1, "IFToMM (n.d.), problem A02", "the benchmark's own bound")
        yield Check(f"{label}: order of that drift", drift_order, 2.0, 0.01, second, "terms of higher order at 2 ms")
    for method, (options, allowed, why) in METHODS.items():
        run = fm.simulate(build(2), T_END, method, progress=False, **options)
        off = float(np.max(np.abs(run["post0"].angle - reference.motion(2, run.t)[0])))
        yield Check(f"N = 2, {method}: error of φ [rad]", off, 0.0, allowed, source, why)
