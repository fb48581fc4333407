"""Wrong descriptions are refused by messages with the names in them, and leave the model as it was."""

from __future__ import annotations

import math

import pytest

import flexmb as fm
from flexmb.errors import FlexmbError, ModelError, NamingError
from tests.models.pendulums import SOFT


def _model():
    model = fm.PlanarModel("m")
    model.add_body("body", mass=1.0, inertia=1.0)
    return model


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda m: m.add_body("body", mass=1, inertia=1), NamingError, "'body' already"),
        (lambda m: m.add_body("", mass=1, inertia=1), NamingError, "name"),
        (lambda m: m.add_body("b", mass=0, inertia=1), ModelError, "'b'.*mass.*positive"),
        (lambda m: m.add_body("b", mass=-1, inertia=1), ModelError, "mass"),
        (lambda m: m.add_body("b", mass=math.nan, inertia=1), ModelError, "mass.*finite"),
        (lambda m: m.add_body("b", mass=1, inertia=-1), ModelError, "inertia"),
        (lambda m: m.add_body("b", mass=1, inertia=1, position=(0, math.inf)), ModelError, "position"),
        (lambda m: m.add_body("b", mass=1, inertia=1, position=(0, 1, 2)), ModelError, "2 numbers"),
        (lambda m: m.add_frame("ground"), NamingError, "'ground' already"),
        (lambda m: m.frame("boddy"), NamingError, "did you mean 'body'"),
        (lambda m: m.component("boddy"), NamingError, "did you mean 'body'"),
        (lambda m: m.add_beam("r", (0, 0), (0, 0), properties=SOFT), ModelError, "length is zero"),
        (lambda m: m.add_beam("r", (0, 0), (1, 0)), ModelError, "material and a section"),
        (lambda m: m.add_beam("r", (0, 0), (math.nan, 0), properties=SOFT), ModelError, "finite"),
        (lambda m: m.add_beam("r", (0, 0), (1, 0), properties=SOFT, theory="cmss"), ModelError, "'cms'"),
        (lambda m: m.add_beam("body", (0, 0), (1, 0), properties=SOFT), NamingError, "already"),
        (lambda m: fm.planar.BeamProperties(EA=0, EI=1, rhoA=1), ModelError, "EA"),
        (lambda m: fm.Circle(diameter=-0.1), ModelError, "diameter"),
        (lambda m: fm.Tube(outer_diameter=0.1, inner_diameter=0.2), ModelError, "smaller"),
        (lambda m: fm.Material(density=0, youngs_modulus=1), ModelError, "density"),
        (lambda m: fm.Material(density=1, youngs_modulus=1, poissons_ratio=0.7), ModelError, "poissons_ratio"),
        (lambda m: fm.PlanarModel("x", gravity=(0, math.nan)), ModelError, "gravity"),
        (lambda m: m.revolute(m.ground, "body"), ModelError, "not a frame"),
        (lambda m: m.revolute(m.frame("body"), m.frame("body").attach("p")), ModelError, "same body"),
        (lambda m: m.revolute(m.ground, fm.PlanarModel("other").add_frame("f")), ModelError, "'other'"),
        (lambda m: m.add("beam"), ModelError, "not a component"),
    ],
)
def test_refusals(call, error, message):
    model = _model()
    frames, components = sorted(model.frames), sorted(model.components)
    with pytest.raises(error, match=message) as caught:
        call(model)
    assert isinstance(caught.value, FlexmbError)
    assert sorted(model.components) == components
    assert [f for f in sorted(model.frames) if f != "body.p" and not f.startswith("p")] == frames


def test_names_are_given_in_order():
    model = _model()
    model.add_body("second", mass=1, inertia=1)
    first = model.revolute(model.ground, model.frame("body"))
    other = model.revolute(model.frame("body"), model.frame("second"))
    assert (first.name, other.name) == ("revolute 1", "revolute 2")
