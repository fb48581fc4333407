"""A strip of bricks that a force bends far: reduced bodies against the full solid."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

import flexmb as fm
from flexmb import bodies
from flexmb.validation.references import strip_of_bricks as reference
from flexmb.validation.registry import Check, case


def strip(modes: int = 9, **options: Any) -> bodies.ReducedBody:
    """The strip of 20 bricks, held at its root."""
    import skfem

    x = np.linspace(0.0, reference.LENGTH, reference.BRICKS + 1)
    sides = [np.array([-0.5, 0.5]) * size for size in (reference.WIDTH, reference.THICKNESS)]
    return bodies.from_mesh(
        skfem.MeshHex.init_tensor(x, *sides), fm.Material(2700.0, reference.E, reference.NU), modes=modes,
        interfaces={"root": bodies.on_plane((0, 0, 0), (1, 0, 0))},
        followers={"end": bodies.on_plane((reference.LENGTH, 0, 0), (1, 0, 0))},
        reduction=bodies.Reduction(**options),
    )  # fmt: skip


def build(reduced: bodies.ReducedBody, force: Sequence[float], field: str = "quadratic") -> fm.SpatialModel:
    """The strip on the ground, with a dead force on its end."""
    model = fm.SpatialModel("strip of bricks")
    body = model.add_modal_body("strip", reduced, field=field)
    model.weld(model.ground, body.at("root"))
    body.at("end").enter()
    model.point_force(body.at("end"), tuple(force), name="push")
    return model


def off(reduced: bodies.ReducedBody, wanted: reference.Bent, field: str = "quadratic") -> float:
    """The error of the displacement of the end, as a part of it."""
    rest = fm.equilibrium(build(reduced, wanted.force, field)).state
    moved = np.asarray(rest["strip.end"].position) - [reference.LENGTH, 0.0, 0.0]
    return float(np.linalg.norm(moved - wanted.end) / np.linalg.norm(wanted.end))


@case("fe-static-bend", draw=lambda: fm.equilibrium(build(strip(), reference.SOLUTIONS[3].force)))
def compute() -> Iterator[Check]:
    """displacement of the end of a strip of bricks under dead forces, by modes, against the full solution

    A quadratic field in the mean frame is right to 0.3 % where the strip bends by a quarter of
    its length; in the frame of the root, and with linear fields, it is wrong by some percent.
    """
    full = "full solution of the same mesh, by scikit-fem"
    straight, far, skew, skew_far = reference.SOLUTIONS
    mean, root, many = strip(), strip(reference="root"), strip(20)
    left = "left by a field of second order: of third order in the amplitudes"
    yield Check("force of 0.3 EI, 9 modes: error [–]", off(mean, straight), 0.0, 1e-3, full, left)
    yield Check("force of 0.75 EI, 9 modes: error [–]", off(mean, far), 0.0, 3e-3, full, left)
    yield Check("skew force, 20 modes: error [–]", off(many, skew), 0.0, 2e-3, full, left)
    yield Check("twice the skew force, 20 modes: error [–]", off(many, skew_far), 0.0, 4e-3, full, left)
    left = "left by the few modes: bending askew twists the strip"
    yield Check("skew force, 9 modes: error [–]", off(mean, skew), 0.0, 8e-3, full, left)
    yield Check(
        "force of 0.3 EI, frame of the root: error [–]", off(root, straight), 0.0, 1.2e-2, full, "left by the frame"
    )
    worse = off(mean, straight, "linear") / off(mean, straight)
    what = "force of 0.3 EI: 1 if the error of a linear field is more than 10 times as large"
    yield Check(what, float(worse > 10.0), 1.0, 0.0, full, "yes or no")
