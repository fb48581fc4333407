"""Standard input data (SID) of a flexible arm: written, read, and the same motion."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

import flexmb as fm
from flexmb import bodies
from flexmb.validation.reduced_solids import ALUMINIUM, bracket_mesh
from flexmb.validation.registry import Check, Record, case


@cache
def _bracket(field: str) -> bodies.ReducedBody:
    """A coarse bracket with two interfaces."""
    ends = {"foot": bodies.on_plane((0.1, 0, 0), (1, 0, 0)), "top": bodies.on_plane((0, 0, 0.12), (0, 0, 1))}
    how = bodies.Reduction(field=field, damping=0.01, estimate=False, progress=False)
    return bodies.from_mesh(bracket_mesh((2, 1, 2)), ALUMINIUM, interfaces=ends, modes=4, reduction=how)


def spinning(reduced: bodies.ReducedBody, **options: Any) -> fm.SpatialModel:
    """The bracket on a hinge that a motor turns, under gravity, with a weight on its top."""
    model = fm.SpatialModel("bracket on a hinge", gravity=(0, 0, -9.81))
    body = model.add_modal_body("bracket", reduced, **options)
    axle = model.ground.attach("axle", body.at("foot").position)
    model.revolute(axle, body.at("foot"), axis="y", name="hinge")
    model.drive_angle(axle, body.at("foot"), fm.SpinUp(150.0, 0.03), axis="y", name="motor")
    weight = model.add_body("weight", mass=0.05, inertia=(1e-5, 1e-5, 1e-5), position=body.at("top").position)
    model.weld(body.at("top"), weight)
    return model


def _way(reduced: bodies.ReducedBody, **options: Any) -> np.ndarray:
    """The motion of the weight (k, 3) [m], less where it begins."""
    # equations solved to rounding: what Newton leaves by default, 1e-10, is more than the two bodies differ
    run = fm.simulate(spinning(reduced, **options), 0.05, step=1e-4, newton_tolerance=1e-14, progress=False)
    place = run["weight"].position
    return np.asarray(place - place[0])


@case("sid", draw=lambda: spinning(_bracket("quadratic")))
def compute() -> Iterator[Record]:
    """a bracket written as standard input data, read again, and spun up: the same motion

    With a linear field, with and without the geometric stiffness of unit loads, a file has all of a body. Of a
    quadratic field it has the geometric stiffness, and of the slave shapes no inertia of their own."""
    source = "the body before it was written"
    stiffened = {"field": "linear", "geometric_stiffness": True}
    with tempfile.TemporaryDirectory() as folder:
        for field, own, label, tolerance, why in (
            ("linear", {"field": "linear"}, "linear field", 1e-12, "rounding"),
            ("unit-loads", stiffened, "linear field with unit loads", 1e-12, "rounding"),
            ("quadratic", {}, "quadratic field", 2e-6, "inertia of slave shapes, which a file has not"),
        ):  # fmt: skip
            body = _bracket(field)
            again = bodies.read_sid(bodies.write_sid(body, f"{folder}/{field}.SID_FEM"))
            options = stiffened if again.unit_load_stiffness is not None else {"field": "linear"}
            before, after = _way(body, **own), _way(again, **options)
            off = float(np.max(np.abs(after - before)) / np.max(np.abs(before)))
            yield Check(f"{label}: difference of the motion, relative [–]", off, 0.0, tolerance, source, why)
