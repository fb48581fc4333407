"""Reduced bodies with what stands on them and acts on them, for the conformance suite."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import flexmb as fm
from flexmb.model.components import Component
from tests.models.pairs_in_space import LEAN, WAVE
from tests.models.particles import Particles


def blob(mean: bool = False, slaves: int = 2, **options: Any) -> Any:
    """A body of particles that lies askew."""
    m = fm.SpatialModel("m", gravity=(0.3, -9.81, 0.7))
    reduced = Particles.random(slaves=slaves, seed=3, mean=mean).reduced(damping=0.05)
    return m.add_modal_body("blob", reduced, (0.1, 0.2, 0.3), fm.rotation_vector((0.3, -0.4, 0.5)), **options)


def welded() -> Component:
    body = blob(amplitudes=(0.2, -0.3, 0.1))
    body.at("a").attach("clip", (0.1, 0.05, -0.2), LEAN)
    body.at("b").enter()
    return body


def loaded(method: str, axes: str) -> Component:
    body = blob()
    return getattr(body.model, method)(body.at("b"), (3.0, WAVE, -4.0), factor=WAVE, axes=axes)


def modal_bodies_in_space() -> dict[str, Callable[[], Component]]:
    found: dict[str, Callable[[], Component]] = {
        "ModalBody": blob,
        "ModalBody: mean frame": partial(blob, mean=True, damping=fm.ModalDamping((0.1, 0.2))),
        "ModalBody: linear": partial(blob, field="linear", damping=fm.StiffnessProportional(0.01)),
        "ModalBody: no slaves": partial(blob, slaves=0, field="linear"),
        "ModalBody: welded interfaces": welded,
    }
    for axes in ("ground", "body"):
        for method in ("point_force", "point_torque"):
            found[f"{method} at an interface of ModalBody, {axes}"] = partial(loaded, method, axes)
    return found
