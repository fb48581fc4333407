"""Reduced bodies with what stands on them and acts on them, for the conformance suite."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import flexmb as fm
from flexmb.model.components import Component
from tests.models.pairs_in_space import LEAN, WAVE
from tests.models.particles import Particles


def blob(mean: bool = False, slaves: int = 2, modes: int = 3, **options: Any) -> Any:
    """A body of particles in space that lies askew."""
    m = fm.SpatialModel("m", gravity=(0.3, -9.81, 0.7))
    reduced = Particles.random(slaves=slaves, modes=modes, seed=3, mean=mean).reduced(damping=0.05)
    return m.add_modal_body("blob", reduced, (0.1, 0.2, 0.3), fm.rotation_vector((0.3, -0.4, 0.5)), **options)


def flat_blob(mean: bool = False, slaves: int = 2, modes: int = 3, **options: Any) -> Any:
    """The same of the plane."""
    m = fm.PlanarModel("m", gravity=(0.3, -9.81))
    reduced = Particles.random(dimension=2, slaves=slaves, modes=modes, seed=3, mean=mean).reduced(damping=0.05)
    return m.add_modal_body("blob", reduced, (0.1, 0.2), 0.4, **options)


def welded(make: Callable[..., Any], clip: tuple[Any, ...]) -> Component:
    body = make(amplitudes=(0.2, -0.3, 0.1))
    body.at("a").attach("clip", *clip)
    body.at("b").enter()
    return body


def loaded(make: Callable[..., Any], method: str, axes: str) -> Component:
    body, load = make(), (3.0, WAVE, -4.0)
    if body.model.dimension == 3:
        return getattr(body.model, method)(body.at("b"), load, factor=WAVE, axes=axes)
    if method == "point_force":
        return body.model.point_force(body.at("b"), (3.0, -4.0), factor=WAVE, axes=axes)
    return body.model.point_torque(body.at("b"), WAVE)


def _all(make: Callable[..., Any], clip: tuple[Any, ...]) -> dict[str, Callable[[], Component]]:
    found: dict[str, Callable[[], Component]] = {
        "ModalBody": make,
        "ModalBody: mean frame": partial(make, mean=True, damping=fm.ModalDamping((0.1, 0.2))),
        "ModalBody: linear": partial(make, field="linear", damping=fm.StiffnessProportional(0.01)),
        "ModalBody: no slaves": partial(make, slaves=0, field="linear"),
        "ModalBody: welded interfaces": partial(welded, make, clip),
    }
    found["BodyLoad"] = lambda: (body := make()).model.body_load(body, "push", factor=WAVE)
    for axes in ("ground", "body"):
        for method in ("point_force", "point_torque"):
            found[f"{method} at an interface of ModalBody, {axes}"] = partial(loaded, make, method, axes)
    return found


def modal_bodies_in_space() -> dict[str, Callable[[], Component]]:
    return _all(blob, ((0.1, 0.05, -0.2), LEAN))


def modal_bodies() -> dict[str, Callable[[], Component]]:
    """Those of the plane."""
    return _all(flat_blob, ((0.1, 0.05), 0.3))
