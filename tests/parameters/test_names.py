"""Parameters by name: what they mean, what cannot vary, and what the changed model is."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import ModelError, NamingError
from flexmb.model.geometry.made_of import made_of
from flexmb.parameters.names import changed, parameter, parameters_of
from tests.models import components, components_in_space

STEEL = fm.Material(density=7850, youngs_modulus=205e9)
SECTIONS = [
    (fm.Circle(diameter=0.01), "diameter", 0.02, fm.Circle(diameter=0.02)),
    (fm.Circle(radius=0.01), "radius", 0.02, fm.Circle(radius=0.02)),
    (fm.Tube(outer_diameter=0.03, inner_diameter=0.02), "inner_diameter", 0.01,
     fm.Tube(outer_diameter=0.03, inner_diameter=0.01)),
    (fm.Rectangle(width=0.01, height=0.02), "height", 0.03, fm.Rectangle(width=0.01, height=0.03)),
    (fm.Section(1e-4, 1e-9, second_moment_y=1e-9, torsion_constant=1e-9), "area", 2e-4,
     fm.Section(2e-4, 1e-9, second_moment_y=1e-9, torsion_constant=1e-9)),
]  # fmt: skip


def rod(space=False, **given):
    model = fm.SpatialModel("m") if space else fm.PlanarModel("m")
    end = (1, 0, 0) if space else (1, 0)
    model.add_beam("rod", model.ground, end, **(given or {"material": STEEL, "section": fm.Circle(diameter=0.01)}))
    return model


@pytest.mark.parametrize("space", [False, True], ids=["plane", "space"])
@pytest.mark.parametrize("section, size, value, expected", SECTIONS, ids=lambda x: x if isinstance(x, str) else "")
def test_sizes_of_sections(space, section, size, value, expected):
    model = rod(space, material=STEEL, section=section)
    other = changed(model, {f"rod.section.{size}": value}, "here").components["rod"]
    family = fm.spatial.BeamProperties if space else fm.planar.BeamProperties
    assert other.properties == family.of(STEEL, expected)
    assert model.components["rod"].properties == family.of(STEEL, section)  # as it was


def test_several_parameters_of_one_beam_and_the_material_after_the_section():
    values = {"rod.section.diameter": 0.02, "rod.material.youngs_modulus": 70e9, "rod.material.density": 2700.0}
    own = changed(rod(), values, "here").components["rod"].properties
    assert own.EI == pytest.approx(70e9 * math.pi * 0.02**4 / 64, rel=1e-12)
    assert own.rhoA == pytest.approx(2700 * math.pi * 1e-4, rel=1e-12)


def test_a_beam_of_given_properties_has_these_alone():
    model = rod(properties=fm.planar.BeamProperties(EA=1e6, EI=10.0, rhoA=0.6))
    assert changed(model, {"rod.properties.EI": 20.0}, "here").components["rod"].properties.EI == 20.0
    with pytest.raises(NamingError, match=r"here: there is no parameter of 'rod' 'material'"):
        parameter(model, "rod.material.density", "here")


CATALOG = {
    f"{kind}: {name}": make
    for kind, catalog in (("plane", components.catalog()), ("space", components_in_space.catalog()))
    for name, make in catalog.items()
}


@pytest.mark.parametrize("make", CATALOG.values(), ids=CATALOG.keys())
def test_all_numbers_of_a_component_have_names(make):
    """Each name leads to its value; with the same value put back the equations are those of the model, to the bit."""
    component = make()
    parts = [component, *component.parts()]
    model = next((frame.model for part in parts for frame in part.frames()), None)
    held = model is not None and all(part is model.components.get(part.name) for part in parts)
    if not held or hasattr(component, "failure"):
        pytest.skip("it stands in no model, or its parameters hold the address of a function")
    try:
        model.check()
    except ModelError:
        pytest.skip("its model is no mechanism that could move")
    names = list(parameters_of(model))
    assert names[0] in ("gravity", "gravity.mu")
    same = changed(model, {name: parameter(model, name, "here").value(model) for name in names}, "here")
    for name in names:
        value = parameter(model, name, "here").value(model)
        np.testing.assert_equal(parameter(same, name, "here").value(same), value)
    assert fm.System(same).plan.p.tobytes() == fm.System(model).plan.p.tobytes()


def test_laws_and_gravity():
    m = fm.PlanarModel("wheel", gravity=(0, -9.81))
    wheel = m.add_body("wheel", mass=1.0, inertia=1.0)
    m.point_torque(wheel.frame, 0.0, name="motor")
    rate = fm.control.RelativeRate(m.ground, wheel.frame)
    m.add_controller("servo", period=0.01, sensors=rate, commands=["motor"], law=fm.control.LinearLaw(D=[[-1.0]]))
    law = fm.control.LinearLaw(D=[[-2.0]])
    other = changed(m, {"servo.law": law, "gravity": (0, -1.62)}, "here")
    assert other.controllers["servo"].law is law and other.gravity.tolist() == [0.0, -1.62]
    assert m.gravity.tolist() == [0.0, -9.81]
    with pytest.raises(ModelError, match=r"here: 'servo.law' is LinearLaw.*, not 3; give one like it"):
        changed(m, {"servo.law": 3}, "here")


def test_what_sections_are_made_of_survives_copies_and_files():
    circle = pickle.loads(pickle.dumps(fm.Circle(diameter=0.01)))
    assert made_of(circle).arguments == {"diameter": 0.01} and circle == fm.Circle(diameter=0.01)
    assert made_of(circle.moved((0.0, 0.1))) is None  # its sizes are no longer those of a circle on the axis
    assert made_of(fm.Section(1e-4, 1e-9)) is None


@pytest.mark.parametrize(
    "name, error, text",
    [
        ("rud.mass", NamingError, r"no part of the model 'rud' \(did you mean 'rod'\?\)"),
        (
            "rod.section.diametre",
            NamingError,
            r"no parameter of 'rod.section' 'diametre' \(did you mean 'diameter'\?\)",
        ),
        ("rod", ModelError, r"'rod' is a whole part; name a parameter of it: rod.material.density"),
        ("rod.section", ModelError, r"'rod.section' is Circle.*, and no number that could vary.*rod.section.diameter"),
        ("rod.ends", NamingError, r"no parameter of 'rod' 'ends'"),
        (3, NamingError, r"3 is no name of a parameter"),
    ],
)
def test_names_that_mean_nothing(name, error, text):
    with pytest.raises(error, match=f"here: .*{text}"):
        parameter(rod(), name, "here")


@pytest.mark.parametrize(
    "name, value, text",
    [
        ("rod.material.youngs_modulus", -1.0, r"youngs_modulus is -1; it must be positive"),
        ("rod.section.diameter", "wide", r"must be a number, not 'wide'"),
        ("gravity", (0, 0, 1), r"'gravity' has the shape \(2,\), not \(3,\)"),
    ],
)
def test_values_that_cannot_be(name, value, text):
    with pytest.raises(ModelError, match=f"here: .*{text}"):
        changed(rod(), {name: value}, "here")
