"""Tangents that flexmb makes of residuals: the rules of differentiation, and families with and without tangents."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from dataclasses import dataclass, replace

import numba
import numpy as np
import pytest

import flexmb as fm
from flexmb import testing
from flexmb.errors import KernelError
from flexmb.forces.coordinate_force import COORDINATE_SPRING
from flexmb.forces.planar.spring_damper import SPRING_DAMPER
from flexmb.forces.spatial.spring_damper import SPATIAL_SPRING_DAMPER
from flexmb.joints import distance
from flexmb.kernels import Kernels, kernel
from flexmb.kernels.compilation import INTERPRETED, SIGNATURE
from flexmb.kernels.completion import orientations_in
from flexmb.kernels.derivatives import jacobian_of, tangent_of
from flexmb.kernels.dual_numbers import dual, slope, teach, value
from flexmb.kernels.fingerprint import fingerprint
from tests.kernels.pairs import pair

teach()
pytestmark = pytest.mark.skipif(INTERPRETED, reason="compiled kernels")


@numba.njit
def of_one(x, y):
    """Functions that the rules know, of numbers near 0.4 and 1.3."""
    return (
        x + y, x - y, x * y, x / y, 2.0 / x, x**3, x**-1.5, 2.0**x, x**y, -x, +x, abs(-x), math.fabs(x - 1.0),
        math.sqrt(x), math.sin(x), math.cos(x), math.tan(x), math.asin(x), math.acos(x), math.atan(x), math.exp(x),
        math.expm1(x), math.log(x), math.log1p(x), math.sinh(x), math.cosh(x), math.tanh(x),
    )  # fmt: skip


@numba.njit
def of_two(x, y):
    return (
        math.hypot(x, y), math.hypot(x, 2.0), math.hypot(2.0, x), math.atan2(x, y), math.atan2(x, 2.0),
        math.atan2(2.0, x), max(x, y), max(x, 0.1), max(0.1, x), min(x, y), min(x, 9.0), min(9.0, x),
        math.copysign(x, -y), math.copysign(x, -2.0), math.copysign(2.0, x) * x, 3 * x - 1, 1 - x,
    )  # fmt: skip


@numba.njit
def chosen(x, y):
    x -= 0.1 * y
    x *= 2.0
    x += y
    x /= 3.0
    return (
        (x if x < y else y), (x if 0.1 <= x else 0.0),
        (y if x > y else 2.0 * x), (x if x >= 5.0 else 3.0 * x), (x if x != y else y), (x if x == y else y),
    )  # fmt: skip


@numba.njit
def with_slopes(x, d, y, e):
    a, b = dual(x, d), dual(y, e)
    found = [(value(z), slope(z)) for z in of_one(a, b)]
    found += [(value(z), slope(z)) for z in of_two(a, b)]
    return found + [(value(z), slope(z)) for z in chosen(a, b)]


def every_function(x, y):
    return np.array([*of_one(x, y), *of_two(x, y), *chosen(x, y)])


def test_every_rule_is_the_derivative():
    x, y, d, e, h = 0.4, 1.3, 0.7, -0.3, 1e-6
    found = np.array(with_slopes(x, d, y, e))
    assert found[:, 0] == pytest.approx(every_function(x, y), rel=1e-15)
    ahead, behind = (every_function(x + s * h * d, y + s * h * e) for s in (1.0, -1.0))
    np.testing.assert_allclose(found[:, 1], (ahead - behind) / (2.0 * h), rtol=1e-8, atol=1e-9)


def test_lengths_and_roots_of_nothing_do_not_change():
    @numba.njit
    def at_zero(x, y):
        return slope(math.hypot(x, y)), slope(math.sqrt(x))

    @numba.njit
    def run():
        return at_zero(dual(0.0, 0.0), dual(0.0, 0.0))

    assert run() == (0.0, 0.0)


def _state(component: fm.Component) -> tuple[fm.System, np.ndarray, np.ndarray, np.ndarray]:
    system, rng = fm.System(component.frames()[0].model), np.random.default_rng(3)
    q = system.retract(system.q0, 0.3 * rng.normal(size=len(system.v0)))
    return system, q, rng.normal(size=len(system.v0)), rng.normal(size=len(system.v0))


FAMILIES = {
    "spring_damper": (fm.PlanarModel, SPRING_DAMPER, {"stiffness": 30.0, "damping": 2.0, "free_length": 0.7}),
    "torsion_spring": (fm.PlanarModel, COORDINATE_SPRING, {"stiffness": 3.0, "damping": 0.2}),
    "spring_damper in space": (
        fm.SpatialModel, SPATIAL_SPRING_DAMPER, {"stiffness": 30.0, "damping": 2.0, "free_length": 0.7}
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FAMILIES)
def test_they_are_those_written_by_hand(name):
    model, family, given = FAMILIES[name]
    m = model("m")
    component = getattr(m, name.split()[0])(*pair(m), **given)
    system, q, v, a = _state(component)
    instance = system.instances_of(component.name)[0]
    numbers = instance.coordinates[None], instance.speeds[None]
    turns = ((3, 3), (10, 9)) if model is fm.SpatialModel else ()
    n, w = len(instance.speeds), np.array([0.3, 0.7, 1.1, 0.0])
    found = []
    for tangent in (family.tangent, tangent_of(family.residual, turns, n)):
        K = np.ones((1, n, n))  # it adds to what is there
        tangent(
            instance.parameters[None], *numbers, 0.0, q, v, a, np.zeros((1, 0)), w, np.zeros((1, n)), K,
            np.zeros(26 * (instance.work + n)),
        )  # fmt: skip
        found.append(K)
    np.testing.assert_allclose(found[1], found[0], rtol=1e-12, atol=1e-12)


JOINTS = {
    "distance": (fm.PlanarModel, {}),
    "drive_distance": (fm.PlanarModel, {"distance": fm.Polynomial([3.0, 0.1, 0.2])}),
    "knife_edge": (fm.PlanarModel, {}),
    "distance in space": (fm.SpatialModel, {}),
    "spherical": (fm.SpatialModel, {}),
}


@pytest.mark.parametrize("name", JOINTS)
def test_jacobians_are_those_written_by_hand(name):
    """Of position rows, of rows that depend on time, and of velocity rows."""
    model, given = JOINTS[name]
    m = model("m")
    joint = getattr(m, name.split()[0])(*pair(m), **given)
    system, q, v, a = _state(joint)
    instance = next(i for i in system.instances_of(joint.name) if i.kernels.jacobian)
    n, rows, w = len(instance.speeds), len(instance.rows), np.array([0.3, 0.7, 1.1, 0.0])
    lam = np.random.default_rng(5).normal(size=(1, rows))
    turns = ((3, 3), (10, 9)) if model is fm.SpatialModel else ()
    found = []
    for jacobian in (instance.kernels.jacobian, jacobian_of(instance.kernels.constraint, turns, n)):
        K, out = np.zeros((1, n, n)), np.zeros((1, (2 if name == "knife_edge" else 1) * rows * n))
        jacobian(
            instance.parameters[None], instance.coordinates[None], instance.speeds[None], 0.4, q, v, a, lam, w, out, K,
            np.zeros(26 * (instance.work + n + rows)),
        )  # fmt: skip
        found.append((out, K))
    np.testing.assert_allclose(found[1][0], found[0][0], rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(found[1][1], found[0][1], rtol=1e-12, atol=1e-13)


@kernel
def hardening(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        phi = q[iq[i, 1]] - q[iq[i, 0]] - p[i, 2]
        moment = p[i, 0] * phi + p[i, 1] * phi**3
        out[i, 0] -= moment
        out[i, 1] += moment


@kernel
def energy_of_hardening(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        phi = q[iq[i, 1]] - q[iq[i, 0]] - p[i, 2]
        out[i, 1] = 0.5 * p[i, 0] * phi**2 + 0.25 * p[i, 1] * phi**4


@kernel
def factorials(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        out[i, 0] = math.gamma(q[iq[i, 0]])


@dataclass(eq=False)
class Hardening(fm.Component):
    a: fm.planar.Frame
    b: fm.planar.Frame
    family: Kernels

    def frames(self):
        return [self.a, self.b]

    def assemble(self, assembly):
        angles = [assembly.node(self.a.node)[1], assembly.node(self.b.node)[1]]
        assembly.instance(self, self.family, angles, np.array([10.0, 4.0, 0.0]))


def wheels(family: Kernels) -> Hardening:
    m = fm.PlanarModel("wheels")
    one, two = (m.add_body(name, mass=1.0, inertia=0.5) for name in ("one", "two"))
    return m.add(Hardening(one.frame, two.frame, family, name="spring"))


def test_a_family_without_a_tangent_conforms_and_runs():
    spring = wheels(Kernels("hardening", residual=hardening, energy=energy_of_hardening))
    testing.conformance(spring)
    testing.check_system(spring.a.model)
    spring.b.move(angular_velocity=3.0)
    for method in ("radau", "generalized_alpha", "independent"):
        run = fm.simulate(spring.a.model, 1.0, method, progress=False)
        assert run.status == "finished" and run.energy.error < 1e-3


def test_a_joint_without_a_jacobian_conforms_and_runs(monkeypatch):
    """A rod between two bodies of the plane."""
    family = replace(distance.DISTANCE, jacobian=None)
    monkeypatch.setitem(distance.KERNELS, 2, family)
    m = fm.PlanarModel("m", gravity=(0.0, -9.81))
    rod = m.distance(*pair(m), name="rod")
    testing.conformance(rod)
    testing.check_system(m)
    run = fm.simulate(m, 0.5, progress=False)
    assert run.status == "finished" and run.energy.error < 1e-4


def test_what_cannot_be_differentiated_is_refused_by_name():
    with pytest.raises(
        KernelError, match=r"tangent of .*'factorials', made by differentiation, cannot be compiled.*gamma"
    ):
        fm.System(wheels(Kernels("factorials", residual=factorials)).a.model)


def test_orientations_must_be_told_apart():
    from flexmb.kernels.blocks import Numbers

    joined = Numbers(np.arange(7), np.arange(6))
    with pytest.raises(KernelError, match="block by block"):
        orientations_in(joined)
    assert orientations_in(np.arange(6)) == ()


def test_code_that_depends_on_the_rules_is_known_by_them():
    """Tangents are kept on disk, and other kernels still are when the rules have been told to the compiler."""
    for made in (tangent_of(hardening, (), 2), SPRING_DAMPER.tangent, SPATIAL_SPRING_DAMPER.residual):
        assert fingerprint(made, SIGNATURE)


def test_interpreted_kernels_have_the_same_tangents():
    code = """
from tests.kernels import test_derivatives as t
from flexmb import testing
spring = t.wheels(t.Kernels("hardening", residual=t.hardening, energy=t.energy_of_hardening))
testing.check_tangent(spring, seeds=[1])
t.test_they_are_those_written_by_hand("spring_damper in space")
t.test_jacobians_are_those_written_by_hand("distance in space")
print("conforms")
"""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.stdout.strip() == "conforms", done.stderr
