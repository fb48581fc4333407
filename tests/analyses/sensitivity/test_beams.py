"""Sensitivities of beams in space: stresses, and a curved and tapered beam, against differences of whole runs."""

from __future__ import annotations

import math

import numpy as np
import pytest

import flexmb as fm

NOMINAL = {"radius": 0.8, "modulus": 70e9, "taper": 0.4}
OUTPUTS = ["horn.end.z", "horn@0.25.stress", "horn@0.25.bending_moment_y", "horn@0.25.torque"]


def horn(radius: float, modulus: float, taper: float) -> fm.SpatialModel:
    """A quarter of a ring that grows thinner, with a body at its end."""
    model = fm.SpatialModel("horn", gravity=(0, 0, -9.81))
    metal = fm.Material(density=2700, youngs_modulus=modulus, poissons_ratio=0.3)
    root = model.add_frame("root", (radius, 0, 0), fixed=True)

    def section(s: float) -> fm.Rectangle:
        return fm.Rectangle(height=0.03 * (1 - taper * s), width=0.01 * (1 - 0.5 * taper * s))

    axis = fm.Arc(center=(0, 0, 0), start=(radius, 0, 0), angle=math.pi / 2)
    beam = model.add_beam("horn", root, axis=axis, material=metal, section=section, theory="exact", elements=4)
    body = model.add_body("body", mass=0.3, inertia=(1e-3, 2e-3, 2e-3), position=beam.end.position)
    model.weld(beam.end, body.frame)
    model.point_force(beam.end, (3.0, 2.0, -5.0))
    return model


def differences(build, names, run, nominal, part):
    columns = []
    for name, value in nominal.items():
        h = part * value
        ends = []
        for offset in (1, -1, 2, -2):
            found = run(build(**{**nominal, name: value + offset * h}))
            ends.append(np.array([found[x][-1] for x in names]))
        columns.append((8.0 * (ends[0] - ends[1]) - (ends[2] - ends[3])) / (12.0 * h))
    return np.array(columns).T


def test_a_curved_and_tapered_beam_at_rest():
    found = fm.static_sensitivity(horn, NOMINAL, OUTPUTS)
    expected = differences(horn, OUTPUTS, lambda m: fm.equilibrium(m).solution, NOMINAL, 1e-3)
    scale = np.abs(found.values[:, None] / list(NOMINAL.values()))
    assert np.all(np.abs(found.matrix - expected) < 1e-5 * np.maximum(np.abs(expected), 0.01 * scale))


@pytest.mark.parametrize("method", ["direct", "adjoint"])
def test_a_curved_and_tapered_beam_in_motion(method):
    def run(model):
        return fm.simulate(
            model, 0.02, "generalized_alpha", step=1e-3, newton_tolerance=1e-13, second_run=False, progress=False
        )

    found = fm.sensitivity(horn, NOMINAL, 0.02, final=OUTPUTS, step=1e-3, derivatives=method)
    expected = differences(horn, OUTPUTS, run, NOMINAL, 3e-4)
    assert np.all(
        np.abs(found.matrix - expected)
        < 2e-5 * np.max(np.abs(expected * [*NOMINAL.values()]), axis=1)[:, None] / [*NOMINAL.values()]
    )


def bar(force: float, size: float, shape: str, push: float) -> fm.SpatialModel:
    model = fm.SpatialModel("bar")
    metal = fm.Material(density=2700, youngs_modulus=70e9, poissons_ratio=0.3)
    section = fm.Circle(diameter=size) if shape == "round" else fm.Rectangle(height=size, width=0.5 * size)
    beam = model.add_beam("bar", model.ground, (1, 0, 0), material=metal, section=section)
    model.point_force(beam.end, (push, force, 0.5 * force))
    model.point_torque(beam.end, (-2.0, 0, 0))
    return model


@pytest.mark.parametrize(("shape", "push"), [("round", 0.0), ("round", -50.0), ("edged", 0.01), ("edged", -50.0)])
def test_the_largest_stress_of_a_section(shape, push):
    """Fibers on both sides have nearly the same stress, and small pushes lie far within the steps of differences."""
    names = ["bar@0.25.stress", *(["bar@0.25.shear_stress"] if shape == "round" else [])]

    def build(force: float, size: float) -> fm.SpatialModel:
        return bar(force, size, shape, push)

    nominal = {"force": 2.0, "size": 0.02}
    found = fm.static_sensitivity(build, nominal, names)
    expected = differences(build, names, lambda m: fm.equilibrium(m).solution, nominal, 1e-3)
    assert found.matrix == pytest.approx(expected, rel=1e-6, abs=1e-3)


def test_the_largest_stress_in_a_linear_model():
    """In the plane and in space: of a bent rod its change with the load, from the equilibria beside it."""
    model = bar(2.0, 0.02, "round", -50.0)
    model.add_point_mass("weight", model.component("bar").end, 0.1)
    linear = fm.linearize(fm.equilibrium(model), "bar.end.fy", "bar@0.25.stress")
    gain = (linear.D - linear.C @ np.linalg.solve(linear.A, linear.B)).item()
    ends = []
    for push in (-1e-3, 1e-3):
        pushed = bar(2.0, 0.02, "round", -50.0)
        pushed.point_force(pushed.component("bar").end, (0, push, 0))
        ends.append(fm.equilibrium(pushed).solution["bar@0.25.stress"][-1])
    assert gain == pytest.approx((ends[1] - ends[0]) / 2e-3, rel=1e-5)
