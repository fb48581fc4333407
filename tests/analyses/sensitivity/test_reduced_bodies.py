"""Builders that reduce a body anew for each value of a parameter, against differences of whole analyses."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb import bodies


def held(youngs_modulus: float = 2e9, width: float = 0.03) -> fm.SpatialModel:
    """A frame of one member, symmetric about its middle, held at one end, on a spring at the other."""
    material = fm.Material(2700.0, youngs_modulus, 0.3)
    ends = {"near": (0, 0, 0), "middle": (0.5, 0, 0), "far": (1.0, 0, 0)}
    sides = [bodies.Member(x, material, fm.Rectangle(width, 0.02)) for x in (("near", "middle"), ("middle", "far"))]
    reduced = bodies.from_frame(ends, sides, interfaces={"near": "near", "far": "far"}, modes=4)
    model = fm.SpatialModel("held", gravity=(0, 0, -9.81))
    body = model.add_modal_body("bar", reduced)
    model.weld(model.ground.attach("wall", body.at("near").position, body.at("near").orientation), body.at("near"))
    model.spring_damper(model.ground.attach("hook", (1, 0.1, -0.5)), body.at("far"), stiffness=500.0, free_length=0.4)
    return model


def test_of_a_material_and_a_size_against_differences() -> None:
    nominal = {"youngs_modulus": 2e9, "width": 0.03}
    found = fm.static_sensitivity(held, nominal, ["bar.far.y", "bar.far.z"])
    for k, (name, value) in enumerate(nominal.items()):
        up, down = (fm.equilibrium(held(**{**nominal, name: (1.0 + e) * value})) for e in (1e-4, -1e-4))
        wanted = (up["bar.far"].position - down["bar.far"].position)[1:] / (2e-4 * value)
        assert found.matrix[:, k] == pytest.approx(wanted, rel=1e-5)


def test_modes_that_change_their_places_are_refused() -> None:
    with pytest.raises(fm.errors.ModelError, match=r"'width' mode 1 of body 'bar', of .* Hz, is another one"):
        fm.static_sensitivity(held, {"width": 0.02}, "bar.far.z")


def test_modes_follow_from_the_body_and_not_from_rounding() -> None:
    """Of a square section, whose modes come in pairs of one frequency."""
    one, other = (held(2e9 * (1.0 + e), 0.02).components["bar"].reduced for e in (0.0, 1e-9))  # type: ignore[attr-defined]
    size = np.max(np.abs(one.mesh.shapes))
    assert other.mesh.shapes == pytest.approx(one.mesh.shapes, abs=1e-6 * size)
