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
from flexmb.formulations.road import ROADS
from flexmb.validation import n_four_bar
from flexmb.validation.references import n_four_bar as row_of_windows
from flexmb.validation.references import parallelogram as reference
from flexmb.validation.registry import Check, case

T_END = 3.0
#: of rows of parallelograms that are pushed over
ROW_T_END = 4.0
SUM = "a hundred steps of 1e-10"


def in_space() -> fm.SpatialModel:
    """The same on hinges about y in space, three of whose rows repeat others; the first rod is the left crank."""
    model = fm.SpatialModel("four-bar in space", gravity=(0.0, 0.0, -reference.G))
    along = np.array([np.sin(reference.THROUGH_FLAT), 0.0, np.cos(reference.THROUGH_FLAT)])
    across, foot = np.array([1.0, 0.0, 0.0]), np.zeros(3)
    rod: dict[str, Any] = {"mass": 1.0, "inertia": (1.0 / 12.0, 1.0 / 12.0, 1.0 / 12.0)}
    left, right = (model.add_body(n, position=at + 0.5 * along, **rod) for n, at in (("left", foot), ("right", across)))
    coupler = model.add_body("coupler", position=along + 0.5 * across, **rod)
    far = model.ground.attach("right ground", across)
    for a, b, name in (
        (model.ground, left.attach("foot", -0.5 * along), "left foot"),
        (far, right.attach("foot", -0.5 * along), "right foot"),
        (left.attach("top", 0.5 * along), coupler.attach("left", -0.5 * across), "left top"),
        (right.attach("top", 0.5 * along), coupler.attach("right", 0.5 * across), "right top"),
    ):
        model.revolute(a, b, axis="y", name=name)
    return model


def passed(label: str, motion: fm.ClosedMotion, sense: float) -> Iterator[Check]:
    """What a motion keeps; angles of hinges count along φ times `sense`."""
    source, exact = "(5/3) φ̈ = 2 g sin φ by elliptic integrals", reference.flat(T_END)
    yield Check(f"{label}: times laid flat", len(motion.singular), len(exact), 0.0, "Takahashi (2012), §3.3", "a count")
    for found, wanted in zip(motion.singular, exact):
        yield Check(f"{label}: laid flat at [s]", found, wanted, 2e-5, source, "foreseen on a parabola")
    angle = motion.tree.names.index("left foot.angle")
    turned = motion.q[:, angle] - motion.q[0, angle]
    phi = reference.angle(motion.t, reference.THROUGH_FLAT) - reference.THROUGH_FLAT
    off = float(np.max(np.abs(sense * turned - phi)))
    yield Check(f"{label}: error of φ over {T_END:g} s [rad]", off, 0.0, 1e-8, source, SUM)
    drift = float(np.max(np.abs(motion.energy - motion.energy[0])))
    yield Check(f"{label}: energy drifts by [J]", drift, 0.0, 1e-8, "conservation of energy", SUM)


#: methods of `simulate` that take loops in joint coordinates
METHODS: dict[str, dict[str, Any]] = {
    "dop853": {"tolerance": 1e-10},
    "projection": {"rtol": 1e-10, "atol": 1e-12},
    "baumgarte": {"rtol": 1e-10, "atol": 1e-12},
    "rkf45": {"tolerance": 1e-10},
}


def simulated(name: str, model: Any, road: str, method: str) -> Iterator[Check]:
    """The same by `simulate`, whose methods have a way of their own over singular positions."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fm.RedundancyWarning)  # three rows of five repeat others in space
        run = fm.simulate(model, T_END, method, formulation=road, progress=False, **METHODS[method])
    exact = reference.angle(run.t, reference.THROUGH_FLAT)
    tip = run["coupler"].position
    place = np.stack([np.sin(exact) + 0.5, np.cos(exact)], axis=1)
    off = float(np.max(np.abs(tip[:, [0, -1]] - place)))
    label = f"{name}, {road}, {method} of simulate"
    yield Check(f"{label}: error of the coupler's place [m]", off, 0.0, 1e-8, "elliptic functions", SUM)
    drift = float(np.ptp(run.energy.total))
    yield Check(f"{label}: energy drifts by [J]", drift, 0.0, 1e-8, "conservation of energy", SUM)


@case("fold")
def compute() -> Iterator[Check]:
    """a parallelogram goes five times through the line of its rods: joint coordinates, the loop closed by every road"""
    for name, model, sense in (("plane", build(reference.THROUGH_FLAT), -1.0), ("space", in_space(), 1.0)):
        tree = fm.Tree.of(model)
        yield from passed(f"{name}, Lagrange", fm.closed_motion(tree, T_END), sense)
        for road in (road for road, kind in ROADS.items() if kind.takes_loops):
            motion = fm.closed_motion(tree, T_END, accelerations=fm.road(tree, road))
            yield from passed(f"{name}, {road}", motion, sense)
            for method in METHODS:
                yield from simulated(name, model, road, method)

    for windows in (2, 4):
        motion = fm.closed_motion(n_four_bar.build(windows), ROW_T_END)
        phi = motion.q[:, motion.tree.names.index("foot0 hinge.angle")]
        off = float(np.max(np.abs(phi - row_of_windows.motion(windows, motion.t)[0])))
        label, source = f"{windows} in a row, Lagrange", "one coordinate: J φ̈ = −G cos φ"
        yield Check(f"{label}: times laid flat", len(motion.singular), 4, 0.0, source, "a count")
        yield Check(f"{label}: error of φ over {ROW_T_END:g} s [rad]", off, 0.0, 1e-8, source, SUM)
        drift = float(np.max(np.abs(motion.energy - motion.energy[0])))
        yield Check(f"{label}: energy drifts by [J]", drift, 0.0, 1e-8, "conservation of energy", SUM)
