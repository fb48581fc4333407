"""The conformance suite against faulty kernels of the plane."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import flexmb as fm
import flexmb.forces.planar
import flexmb.joints.planar
from flexmb import testing
from flexmb.elements.planar.rigid_body import RIGID_BODY, RigidBody
from flexmb.kernels import kernel
from flexmb.kernels.blocks import PLANAR_NODE
from flexmb.model.components import Component
from tests.faults import add, scale, with_fault
from tests.models.components import beams
from tests.models.pairs import coincident, pair


def body() -> RigidBody:
    return fm.PlanarModel("m").add_body("body", mass=2.0, inertia=0.1, center=(0.2, 0.1))


def spring() -> Component:
    m, a, b = pair()
    return m.spring_damper(a, b, stiffness=20.0, damping=3.0, free_length=0.3)


def rod() -> Component:
    return beams()["CmsBeam: thick, damped"]()


def hinge() -> Component:
    m, a, b = coincident()
    return m.revolute(a, b)


FAULTS = {
    "tangent entry": (
        testing.check_tangent,
        body,
        "tangent",
        scale("K", 2, 2),
        "body.*tangent.*∂r.*angle.*must be",
    ),
    "damping entry": (testing.check_tangent, spring, "tangent", scale("K", 5, 1), "spring-damper.*tangent"),
    "mass not symmetric": (testing.check_mass, body, "tangent", scale("K", 0, 2), "mass matrix|linear in a"),
    "kinetic energy": (testing.check_mass, body, "energy", scale("out", 0), "kinetic energy is .* must be"),
    "jacobian entry": (
        testing.check_jacobian,
        hinge,
        "jacobian",
        scale("out", 2),
        "jacobian: ∂g.x.*node 1 angle",
    ),
    "Jacobian of a point": (
        testing.check_point_jacobian,
        rod,
        "point_jacobian",
        scale("out", 5),
        "point_jacobian: ∂x/∂.*node 2 angle.*must be",
    ),
    "geometric part of a point": (
        testing.check_point_jacobian,
        rod,
        "point_jacobian",
        scale("K", 2, 3),
        "K = ∂.Jᵀf.*node 1 angle, node 2 x",
    ),
    "geometric part": (
        testing.check_jacobian,
        hinge,
        "jacobian",
        scale("K", 2, 2),
        "K = ∂.Gᵀλ.*node 1 angle",
    ),
    "velocity error": (testing.check_rates, hinge, "constraint", scale("out", 3), "ġ.y"),
    "gamma": (testing.check_rates, hinge, "constraint", scale("out", 4), "γ.x"),
    "strain energy": (testing.check_power, spring, "energy", scale("out", 1), "power"),
    "dissipated power": (testing.check_power, spring, "energy", scale("out", 3), "power"),
    "reaction missing": (testing.check_momentum, spring, "residual", scale("out", 0), "force along x"),
    "moment missing": (
        testing.check_momentum,
        spring,
        "residual",
        scale("out", 2),
        "moment about the origin",
    ),
    "joint's moment": (testing.check_momentum, hinge, "jacobian", scale("out", 2), "moment about the origin"),
    "fixed direction": (testing.check_frame_indifference, spring, "residual", add("out", 3), "after turning"),
    "strain of rigid motion": (
        testing.check_rigid_motion,
        spring,
        "energy",
        lambda *x: x[9].__setitem__((slice(None), 1), x[9][:, 1] + 1e-6 * x[4][2] ** 2),
        "strain energy goes from",
    ),
    "K overwritten": (
        testing.check_shapes,
        body,
        "tangent",
        lambda *x: x[10].__setitem__((slice(None), 0, 1), 0.0),
        "added to K",
    ),
    "state changed": (
        testing.check_shapes,
        body,
        "residual",
        lambda *x: x[4].__setitem__(0, 0.0),
        "changes q",
    ),
    "scratch overrun": (
        testing.check_shapes,
        spring,
        "tangent",
        lambda *x: x[11].__setitem__(24, 0.0),
        "past the 24",
    ),
    "scratch believed": (
        testing.check_shapes,
        spring,
        "residual",
        lambda *x: x[9].__setitem__((0, 0), x[11][3]),
        "scratch contents",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_the_suite_finds_each_fault(fault: str) -> None:
    check, make, role, change, message = FAULTS[fault]
    check(testing.Recorder.of(make()))
    with pytest.raises(AssertionError, match=message):
        check(with_fault(make, role, change))


def test_a_wrong_point_is_found() -> None:
    def point(p, iq, iv, t, q, v, a, lam, w, out, K, work):  # type: ignore[no-untyped-def]
        for i in range(len(p)):
            for k in range(3):
                out[i, k], out[i, 3 + k], out[i, 6 + k] = (
                    q[iq[i, k]],
                    v[iv[i, k]],
                    a[iv[i, k]] * (1.0 + 1e-5 * k),
                )

    recorder = testing.Recorder.of(body())
    recorder.instances[0].kernels = replace(RIGID_BODY, point=point)
    with pytest.raises(AssertionError, match=r"point: second rate of (y|angle) at 0 is"):
        testing.check_point(recorder)


def test_a_component_without_its_rigid_motion_is_found() -> None:
    class Adrift(RigidBody):
        """Owns places but forgets them in a rigid motion."""

        def assemble(self, assembly) -> None:  # type: ignore[no-untyped-def]
            numbers = assembly.coordinates(self, PLANAR_NODE, np.zeros(3))
            assembly.instance(self, RIGID_BODY, numbers, np.array([*assembly.gravity, 2.0, 0.1, 0.0, 0.0]))

    m = fm.PlanarModel("m")
    adrift = m.add(Adrift("adrift", m.add_frame("f"), 2.0, 0.1))
    with pytest.raises(AssertionError, match=r"adrift.*rigid_motion moves coordinate .x. not as a rigid body"):
        testing.check_momentum(adrift)


def test_a_kernel_that_allocates_memory_is_found() -> None:
    @kernel
    def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):  # type: ignore[no-untyped-def]
        for i in range(p.shape[0]):
            angles = q[iq[i]]
            out[i, 0] = -p[i, 0] * (angles[1] - angles[0] - p[i, 2])
            out[i, 1] = -out[i, 0]

    m, a, b = pair()
    recorder = testing.Recorder.of(m.torsion_spring(a, b, stiffness=20.0))
    testing.check_memory(recorder)
    recorder.instances[0].kernels = replace(recorder.instances[0].kernels, residual=residual)
    with pytest.raises(AssertionError, match=r"torsion_spring 1.*residual makes 3 arrays of its own for 3 instances"):
        testing.check_memory(recorder)
