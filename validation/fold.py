"""A parallelogram that is laid flat five times, in joint coordinates with its loop closed.

Takahashi (2012), §3.3: from rest at 60° the cranks of the closed chain go through level five times in 3 s. All rods lie
in one line there, the rows of the loop lose rank, and the motion of the source jumps and loses its energy. In a row of
parallelograms (:mod:`flexmb.validation.n_four_bar`) the rows of all loops do so at once.

In space three of the five rows of the hinge that closes the loop repeat others, so that the matrix of 10 × 10 which the
source inverts to close it (eqs. 3.15 and 3.26) has rank 7 everywhere, and 6 where the rods lie in one line.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.examples.four_bar import build
from flexmb.formulations.kinds import FORMULATIONS
from flexmb.validation import n_four_bar, shapes
from flexmb.validation.references import n_four_bar as row_of_windows
from flexmb.validation.references import parallelogram as reference
from flexmb.validation.registry import Check, case

T_END = 3.0
#: of rows of parallelograms that are pushed over
ROW_T_END = 4.0
SUM = "a hundred steps of 1e-10"
BETWEEN = "interpolated between the ends of a step over it"


def in_space() -> fm.SpatialModel:
    """The parallelogram on hinges about y in space, of whose rows three repeat others."""
    model = fm.SpatialModel("four-bar in space", gravity=(0.0, 0.0, -reference.G))
    along = np.array([np.sin(reference.THROUGH_FLAT), 0.0, np.cos(reference.THROUGH_FLAT)])
    across, foot = np.array([1.0, 0.0, 0.0]), np.zeros(3)
    rod: dict[str, Any] = {"mass": 1.0, "inertia": (1.0 / 12.0, 1.0 / 12.0, 1.0 / 12.0)}
    left, right = (
        model.add_body(n, position=at + 0.5 * along, shape=shapes.bar(-0.5 * along, 0.5 * along), **rod)
        for n, at in (("left", foot), ("right", across))
    )
    level = shapes.bar(-0.5 * across, 0.5 * across)
    coupler = model.add_body("coupler", position=along + 0.5 * across, shape=level, **rod)
    far = model.ground.attach("right ground", across)
    for a, b, name in (
        (model.ground, left.attach("foot", -0.5 * along), "left foot"),
        (far, right.attach("foot", -0.5 * along), "right foot"),
        (left.attach("top", 0.5 * along), coupler.attach("left", -0.5 * across), "left top"),
        (right.attach("top", 0.5 * along), coupler.attach("right", 0.5 * across), "right top"),
    ):
        model.revolute(a, b, axis="y", name=name)
    return model


#: methods that follow the loops in joint coordinates
METHODS: dict[str, dict[str, Any]] = {
    "dop853": {"tolerance": 1e-10},
    "projection": {"tolerance": 1e-10, "absolute_tolerance": 1e-12},
    "baumgarte": {"tolerance": 1e-10, "absolute_tolerance": 1e-12},
    "rkf45": {"tolerance": 1e-10},
}


def simulated(name: str, model: Any, formulation: str, method: str) -> Iterator[Check]:
    """Times, place and energy of one run; an event notes when the coupler is as low as the feet."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fm.errors.RedundancyWarning)  # three rows of five repeat others in space
        run = fm.simulate(model, T_END, method, formulation=formulation, progress=False, **METHODS[method])
    label, times = f"{name}, {formulation}, {method}", reference.flat(T_END)
    yield Check(f"{label}: times laid flat", len(run.events), len(times), 0.0, "Takahashi (2012), §3.3", "a count")
    for event, wanted in zip(run.events, times):
        yield Check(f"{label}: laid flat at [s]", event.t, wanted, 1e-7, "elliptic integrals", BETWEEN)
    exact = reference.angle(run.t, reference.THROUGH_FLAT)
    place = np.stack([np.sin(exact) + 0.5, np.cos(exact)], axis=1)
    off = float(np.max(np.abs(run["coupler"].position[:, [0, -1]] - place)))
    yield Check(f"{label}: error of the coupler's place [m]", off, 0.0, 1e-8, "elliptic functions", SUM)
    drift = float(np.ptp(run.energy.total))
    yield Check(f"{label}: energy drifts by [J]", drift, 0.0, 1e-8, "conservation of energy", SUM)


@case("fold", draw=in_space)
def compute() -> Iterator[Check]:
    """a parallelogram goes five times through the line of its rods, in joint coordinates by every formulation"""
    for name, model in (("plane", build(reference.THROUGH_FLAT)), ("space", in_space())):
        model.add_event(fm.crossing("coupler.y" if name == "plane" else "coupler.z", 0.0), fm.Note(), name="flat")
        for formulation in FORMULATIONS:
            for method in METHODS:
                yield from simulated(name, model, formulation, method)

    for windows in (2, 4):
        model = n_four_bar.build(windows)
        model.add_event(fm.crossing("post0.y", 0.0), fm.Note(), name="flat")
        run = fm.simulate(model, ROW_T_END, "dop853", formulation="lagrange", progress=False, **METHODS["dop853"])
        off = float(np.max(np.abs(run["post0"].angle - row_of_windows.motion(windows, run.t)[0])))
        label, source = f"{windows} in a row, Lagrange", "one coordinate: J φ̈ = −G cos φ"
        yield Check(f"{label}: times laid flat", len(run.events), 4, 0.0, source, "a count")
        yield Check(f"{label}: error of φ over {ROW_T_END:g} s [rad]", off, 0.0, 1e-8, source, SUM)
        drift = float(np.ptp(run.energy.total))
        yield Check(f"{label}: energy drifts by [J]", drift, 0.0, 1e-8, "conservation of energy", SUM)
