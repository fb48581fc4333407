"""Sensitivities: closed forms, central differences of whole runs, the two methods against each other."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import ModelError, NamingError, SolverError
from flexmb.validation.derivatives.sensitivities import differences, four_bar, pendulum


def oscillator(mass: float, stiffness: float, damping: float, unused: float = 1.0) -> fm.PlanarModel:
    model = fm.PlanarModel("oscillator")
    body = model.add_body("body", mass=mass, inertia=1.0)
    model.prismatic(model.ground, body.frame)
    model.bushing(model.ground, body.frame, stiffness=(stiffness, 0, 0), damping=(damping, 0, 0))
    body.move((1.0, 0.0))
    return model


NOMINAL = {"mass": 1.0, "stiffness": 4.0, "damping": 0.2}


def closed_form(mass: float, stiffness: float, damping: float, t: float) -> float:
    decay = damping / (2.0 * mass)
    omega = np.sqrt(stiffness / mass - decay**2)
    return float(np.exp(-decay * t) * np.sin(omega * t) / omega)


@pytest.mark.parametrize("method", ["direct", "adjoint"])
def test_oscillator_against_its_closed_form(method):
    found = fm.sensitivity(oscillator, NOMINAL, 1.0, final="body.x", step=1e-3, derivatives=method)
    assert found.values[0] == pytest.approx(closed_form(**NOMINAL, t=1.0), abs=1e-6)
    for name, value in NOMINAL.items():
        e = 1e-4 * value
        ends = [closed_form(**{**NOMINAL, name: value + sign * e}, t=1.0) for sign in (1.0, -1.0)]
        assert found["body.x", name] == pytest.approx((ends[0] - ends[1]) / (2 * e), abs=2e-6)


def test_a_parameter_without_influence_gives_exact_zeros():
    found = fm.sensitivity(oscillator, {**NOMINAL, "unused": 3.0}, 0.2, final=["body.x", "body.vx"], step=1e-2)
    assert found["body.x", "unused"] == 0.0 and found["body.vx", "unused"] == 0.0


CASES = {
    "pendulum": (
        pendulum,
        {"length": 1.0, "EI": 1.5, "rhoA": 0.4, "gravity": 9.81},
        2e-3,
        ["rod.end.y", "rod.end.vy", "rod.end.ay", "hinge.fx", "rod@0.5.bending_moment"],
        ["rod.end.y", "rod.end.vx"],
    ),
    "four-bar": (four_bar, {"coupler": 1.0, "crank": 0.7, "spring": 3.0}, 2e-3, ["b.y", "j1.fx"], ["c.angle"]),
}


@pytest.mark.parametrize("case", CASES)
def test_direct_and_adjoint_agree_and_central_differences_of_runs_as_well(case):
    build, parameters, step, final, integrals = CASES[case]
    direct = fm.sensitivity(build, parameters, 0.3, final=final, integrals=integrals, step=step)
    adjoint = fm.sensitivity(build, parameters, 0.3, final=final, integrals=integrals, step=step, derivatives="adjoint")
    size = np.abs(direct.matrix).max(axis=1)[:, None]
    np.testing.assert_allclose(adjoint.matrix / size, direct.matrix / size, atol=1e-6)
    # joint forces of a step are known to the tolerance of Newton's method over h²: larger changes where they are asked
    near = differences(build, parameters, 0.3, final, integrals, step, 2e-3 if case == "four-bar" else 2e-4)
    np.testing.assert_allclose(direct.matrix / size, near / size, atol=2e-6)


def test_an_integral_of_a_square():
    found = fm.sensitivity(oscillator, NOMINAL, 1.0, integrals={"effort": ("body.vx", 2)}, step=1e-2)
    assert found.quantities == ["effort"] and found.units == ["(m/s)² s"]
    ends = []
    for sign in (1.0, -1.0):
        run = fm.simulate(
            oscillator(**{**NOMINAL, "stiffness": 4.0 + sign * 1e-3}),
            1.0, step=1e-2, newton_tolerance=1e-13, progress=False,
        )  # fmt: skip
        v = run["body.vx"] ** 2
        ends.append(float(np.sum(0.5 * (v[1:] + v[:-1]) * np.diff(run.t))))
    assert found["effort", "stiffness"] == pytest.approx((ends[0] - ends[1]) / 2e-3, rel=1e-6)


def cable(EI: float, length: float) -> fm.PlanarModel:
    model = fm.PlanarModel("cable", gravity=(0.0, -9.81))
    given = fm.planar.BeamProperties(EA=2000.0, EI=EI, rhoA=0.4)
    rod = model.add_beam("rod", (0, 0), (length, 0), properties=given, theory="ancf", elements=20)
    model.revolute(model.ground, rod.start, name="hinge")
    return model


def test_large_models_with_sparse_matrices():
    parameters = {"EI": 1.5, "length": 1.0}
    direct = fm.sensitivity(cable, parameters, 0.05, final=["rod@1.y", "rod@0.5.x"], step=1e-3)
    adjoint = fm.sensitivity(cable, parameters, 0.05, final=["rod@1.y", "rod@0.5.x"], step=1e-3, derivatives="adjoint")
    np.testing.assert_allclose(adjoint.matrix, direct.matrix, rtol=1e-6, atol=1e-9)
    near = differences(cable, parameters, 0.05, ["rod@1.y", "rod@0.5.x"], [], 1e-3)
    np.testing.assert_allclose(direct.matrix, near, rtol=1e-6, atol=1e-8)


def driven(amplitude: float, gain: float) -> fm.PlanarModel:
    model = fm.PlanarModel("driven", gravity=(0.0, -9.81))
    arm = model.add_body("arm", mass=1.0, inertia=0.1)
    model.revolute(model.ground, arm.frame)
    model.drive_angle(model.ground, arm.frame, amplitude * fm.SmoothStep(0.0, 0.4), name="motor")
    bob = model.add_body("bob", mass=0.5, inertia=0.01, position=(0.5, 0.0))
    model.revolute(arm.frame.attach("tip", (0.5, 0.0)), bob.frame, name="hinge")
    model.torsion_spring(arm.frame, bob.frame, stiffness=gain, damping=0.01 * gain, free_angle=0.0)
    bob.frame.attach("far", (0.3, 0.0))
    return model


def test_parameters_of_drives_and_gains():
    parameters = {"amplitude": 0.8, "gain": 2.0}
    found = fm.sensitivity(driven, parameters, 0.4, final=["far.y", "bob.angle", "motor.moment"], step=1e-3)
    near = differences(driven, parameters, 0.4, ["far.y", "bob.angle", "motor.moment"], [], 1e-3, 3e-3)
    size = np.abs(found.matrix).max(axis=1)[:, None]
    np.testing.assert_allclose(found.matrix / size, near / size, atol=2e-6)


def sagging(EI: float, load: float, length: float) -> fm.PlanarModel:
    model = fm.PlanarModel("cantilever")
    properties = fm.planar.BeamProperties(EA=1e6, EI=EI, rhoA=1.0)
    rod = model.add_beam("rod", model.ground, (length, 0), properties=properties, theory="cms", elements=4)
    model.point_force(rod.end, (0.0, 1.0), factor=load)
    return model


def test_statics():
    parameters = {"EI": 2.0, "load": 3.0, "length": 1.2}
    names = ["rod.end.y", "rod@0.1.bending_moment"]
    found = fm.static_sensitivity(sagging, parameters, names)
    for name, value in parameters.items():
        e = 1e-4 * value
        ends = [fm.equilibrium(sagging(**{**parameters, name: value + sign * e})) for sign in (1.0, -1.0)]
        for quantity in names:
            near = (ends[0][quantity] - ends[1][quantity]) / (2 * e)
            assert found[quantity, name] == pytest.approx(near, rel=1e-6)


def test_tables_and_relative_values():
    found = fm.sensitivity(oscillator, NOMINAL, 0.5, final="body.x", step=1e-2)
    assert "body.x [m]" in str(found) and "d/d stiffness" in str(found)
    table = found.to_pandas()
    assert table.loc["body.x", "mass"] == found["body.x", "mass"]
    assert found.relative["body.x", "mass"] == pytest.approx(found["body.x", "mass"] * 1.0 / found.values[0])


def changing(elements: float) -> fm.PlanarModel:
    model = fm.PlanarModel("changing")
    model.add_beam(
        "rod", model.ground, (1, 0), properties=fm.planar.BeamProperties(EA=1e3, EI=1.0, rhoA=1.0), theory="ancf",
        elements=round(4.0 + 3000.0 * (elements - 1.0)),
    )  # fmt: skip
    return model


def test_wrong_input():
    with pytest.raises(ModelError, match="changes numbers only"):
        fm.sensitivity(changing, {"elements": 1.0}, 0.1, final="rod@1.y", step=1e-2)
    with pytest.raises(NamingError, match="did you mean 'mass'"):
        fm.sensitivity(oscillator, {**NOMINAL, "mas": 1.0}, 0.1, final="body.x", step=1e-2)
    with pytest.raises(NamingError, match=r"body\.x"):
        fm.sensitivity(oscillator, NOMINAL, 0.1, final="body.xx", step=1e-2)
    with pytest.raises(ModelError, match="at least one output"):
        fm.sensitivity(oscillator, NOMINAL, 0.1, step=1e-2)
    with pytest.raises(ModelError, match="at least one parameter"):
        fm.sensitivity(lambda: oscillator(**NOMINAL), {}, 0.1, final="body.x", step=1e-2)
    with pytest.raises(SolverError, match="whole number of steps"):
        fm.sensitivity(oscillator, NOMINAL, 0.105, final="body.x", step=1e-2)
    with pytest.raises(ModelError, match="finite"):
        fm.sensitivity(oscillator, {**NOMINAL, "mass": float("nan")}, 0.1, final="body.x", step=1e-2)


def test_a_parameter_at_the_end_of_its_range():
    """A damping of zero, below which no builder goes."""
    found = fm.sensitivity(oscillator, {**NOMINAL, "damping": 0.0}, 1.0, final="body.x", step=1e-3)
    ends = [closed_form(1.0, 4.0, damping, 1.0) for damping in (1e-4, -1e-4)]
    assert found["body.x", "damping"] == pytest.approx((ends[0] - ends[1]) / 2e-4, abs=2e-6)


def test_quantities_that_are_no_polynomials():
    """Sizes of speeds and forces, by both methods."""
    build, parameters, step, _, _ = CASES["four-bar"]
    wanted = ["b.speed", "j1.force"]
    direct, adjoint = (
        fm.sensitivity(build, parameters, 0.3, final=wanted, step=step, derivatives=method)
        for method in ("direct", "adjoint")
    )
    size = np.abs(direct.matrix).max(axis=1)[:, None]
    np.testing.assert_allclose(adjoint.matrix / size, direct.matrix / size, atol=1e-6)


def test_builders_that_cannot_be_called():
    with pytest.raises(ModelError, match="cannot be called with these parameters"):
        fm.sensitivity(oscillator, {"mass": 1.0}, 0.1, final="body.x", step=1e-2)
    with pytest.raises(ModelError, match="is no function"):
        fm.sensitivity(3.0, NOMINAL, 0.1, final="body.x", step=1e-2)  # type: ignore[arg-type]
    with pytest.raises(NamingError, match="there is no part of the model 'damping'"):
        fm.sensitivity(oscillator(**NOMINAL), ["damping"], 0.1, final="body.x", step=1e-2)
