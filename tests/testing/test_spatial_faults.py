"""The conformance suite against faulty kernels of space."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmb as fm
import flexmb.forces.spatial
import flexmb.joints.spatial
from flexmb import testing
from flexmb.elements.spatial.rigid_body import SPATIAL_RIGID_BODY, RigidBody
from flexmb.forces.bushing import Bushing
from flexmb.forces.spatial.bushing import SPATIAL_BUSHING
from flexmb.kernels.contract import Kernels, Pattern
from flexmb.kernels.rotations import exp, inverse_rate_map, inverse_rate_map_change, log, product
from flexmb.model.components import Component
from flexmb.spatial import SpatialModel
from flexmb.testing import Recorder
from tests.faults import add, scale, with_fault
from tests.models.components_in_space import between, body, catalog, turntable
from tests.models.pairs_in_space import FULL, INERTIA, Make, coincident, pair


def spun(make: Make, factor: float) -> Recorder:
    """A body whose gyroscopic term is a multiple of the right one, in residual and tangent alike."""

    def gyroscopic(p, iv, v, i):  # type: ignore[no-untyped-def]
        omega = v[iv[i, 3:6]]
        return (factor - 1.0) * np.cross(omega, INERTIA @ omega)

    def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):  # type: ignore[no-untyped-def]
        SPATIAL_RIGID_BODY.residual(p, iq, iv, t, q, v, a, lam, w, out, K, work)
        for i in range(len(p)):
            out[i, 3:6] += gyroscopic(p, iv, v, i)

    def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):  # type: ignore[no-untyped-def]
        SPATIAL_RIGID_BODY.tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work)
        for i in range(len(p)):
            for k, axis in enumerate(np.eye(3)):
                omega = v[iv[i, 3:6]]
                slope = np.cross(axis, INERTIA @ omega) + np.cross(omega, INERTIA @ axis)
                K[i, 3:6, 3 + k] += w[1] * (factor - 1.0) * slope

    recorder = Recorder.of(make())
    recorder.instances[0].kernels = replace(SPATIAL_RIGID_BODY, residual=residual, tangent=tangent)
    return recorder


@pytest.mark.parametrize("factor", [-1.0, 0.0, 1.0 + 1e-5])
def test_a_wrong_gyroscopic_term_is_found(factor: float) -> None:
    recorder = spun(body, factor)
    testing.check_tangent(recorder)  # it does no work and has its tangent
    testing.check_power(recorder)
    testing.check_momentum(spun(body, 1.0))
    with pytest.raises(AssertionError, match=r"body 'a'.*moment about [xyz] through the origin"):
        testing.check_momentum(recorder)


STIFF = np.diag([1.0, 2.0, 5.0])


def twisted(with_T: bool, exact: bool = True) -> Recorder:
    """A spring that holds one body: U = ½ φᵀ S φ with the rotation vector φ of its orientation, so that the moment in
    the axes of the body is T⁻ᵀ S φ. Without T it is S φ, and its tangent S T⁻¹."""

    def vectors(q, iq, i):  # type: ignore[no-untyped-def]
        phi = np.array(log(tuple(q[iq[i, 3:7]])))
        return phi, np.array(inverse_rate_map(tuple(phi))).reshape(3, 3)

    def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):  # type: ignore[no-untyped-def]
        for i in range(len(p)):
            phi, Ti = vectors(q, iq, i)
            out[i, 3:6] = (Ti.T if with_T else np.eye(3)) @ STIFF @ phi

    def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):  # type: ignore[no-untyped-def]
        for i in range(len(p)):
            phi, Ti = vectors(q, iq, i)
            slope = STIFF
            if with_T:
                change = inverse_rate_map_change(tuple(phi), tuple(STIFF @ phi), -1.0)
                slope = Ti.T @ STIFF + np.array(change).reshape(3, 3)
            K[i, 3:6, 3:6] += w[2] * (slope @ Ti if exact else slope)

    def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):  # type: ignore[no-untyped-def]
        for i in range(len(p)):
            phi, _ = vectors(q, iq, i)
            out[i, 1] = 0.5 * phi @ STIFF @ phi

    recorder = Recorder.of(body())
    recorder.instances[0].kernels = Kernels("twist", residual=residual, tangent=tangent, energy=energy)
    return recorder


def test_a_missing_T_is_found() -> None:
    right = twisted(True)
    testing.check_tangent(right)
    testing.check_power(right)
    forgotten = twisted(False)
    testing.check_tangent(forgotten)
    with pytest.raises(AssertionError, match="body 'a': power of the residual is"):
        testing.check_power(forgotten)
    for with_T in (True, False):
        with pytest.raises(AssertionError, match=r"twist', tangent: ∂r\[node 1 w[xyz]\]/∂q\[node 1 w[xyz]\] is"):
            testing.check_tangent(twisted(with_T, exact=False))


def hinge() -> Component:
    return between(coincident, "Revolute")


def bushing() -> Component:
    return between(pair, "Bushing")


def symmetrized(p, iq, iv, t, q, v, a, lam, w, out, K, work) -> None:  # type: ignore[no-untyped-def]
    """The derivative of Gᵀλ along world axes is not symmetric, and half the sum with its transpose is not it."""
    K[:] = 0.5 * (K + np.swapaxes(K, 1, 2))


def in_ground_axes(p, iq, iv, t, q, v, a, lam, w, out, K, work) -> None:  # type: ignore[no-untyped-def]
    """Columns of ω of body a in the axes of the ground."""
    for i in range(len(p)):
        turn = Rotation.from_quat(np.roll(q[iq[i, 3:7]], -1))
        G = out[i].reshape(-1, len(iv[i]))
        G[:, 3:6] = turn.apply(G[:, 3:6])


def as_in_the_plane(p, iq, iv, t, q, v, a, lam, w, out, K, work) -> None:  # type: ignore[no-untyped-def]
    """A coordinate read by the number of its speed."""
    for i in range(len(p)):
        out[i, 0] += 1e-3 * q[iv[i, 0]]


def own_axes(p, iq, iv, t, q, v, a, lam, w, out, K, work) -> None:  # type: ignore[no-untyped-def]
    """Angular velocity and acceleration of a point in the axes of the body."""
    for i in range(len(p)):
        out[i, 10:13], out[i, 16:19] = v[iv[i, 3:6]], a[iv[i, 3:6]]


FAULTS = {
    "tangent entry": (testing.check_tangent, body, "tangent", scale("K", 4, 5), "∂r.node 1 wy./∂a.node 1 wz"),
    "mass not symmetric": (testing.check_mass, body, "tangent", scale("K", 3, 5), "mass matrix|linear in a"),
    "stiffness along q": (testing.check_tangent, bushing, "tangent", scale("K", 3, 10), "tangent: ∂r.node 1 wx"),
    "jacobian entry": (testing.check_jacobian, hinge, "jacobian", scale("out", 4), "∂g.x./∂.node 1 wy"),
    "axes of the ground": (testing.check_jacobian, hinge, "jacobian", in_ground_axes, "jacobian: ∂g.*node 1 w"),
    "K made symmetric": (testing.check_jacobian, hinge, "jacobian", symmetrized, "K = ∂.Gᵀλ..∂q, entry .node . w"),
    "velocity error": (testing.check_rates, hinge, "constraint", scale("out", 6), "ġ.y"),
    "sign of γ": (testing.check_rates, hinge, "constraint", scale("out", 13, by=-1.0), "γ.tilt 1"),
    "γ of a velocity row": (testing.check_rates, turntable, "constraint", scale("out", 6, by=-1.0), "γ.x"),
    "∂ġ/∂q": (testing.check_jacobian, turntable, "jacobian", scale("out", 22), "∂ġ.x./∂q.node 1 wy"),
    "strain energy": (testing.check_power, bushing, "energy", scale("out", 1), "power"),
    "reaction missing": (testing.check_momentum, bushing, "residual", scale("out", 2), "force along z"),
    "moment missing": (testing.check_momentum, bushing, "residual", scale("out", 10), "moment about"),
    "joint's moment": (testing.check_momentum, hinge, "jacobian", scale("out", 4), "moment about . through"),
    "fixed direction": (testing.check_frame_indifference, bushing, "residual", add("out", 0), "after turning"),
    "strain of rigid motion": (
        testing.check_rigid_motion,
        bushing,
        "energy",
        lambda *x: x[9].__setitem__((slice(None), 1), x[9][:, 1] + 1e-6 * x[4][x[1][:, 3]] ** 2),
        "strain energy goes from",
    ),
    "numbers of q and v": (testing.check_shapes, body, "residual", as_in_the_plane, "out.0, 0. among 3"),
    "orientation of a point": (testing.check_point, body, "point", scale("out", 5), "quaternion at 0 has the length"),
    "rate of a point": (testing.check_point, body, "point", scale("out", 9), "point: rate of z at 0 is"),
    "α in the axes of the body": (testing.check_point, body, "point", own_axes, "rate of turn about [xyz] at 0 is"),
    "q changed": (
        testing.check_shapes,
        body,
        "energy",
        lambda *x: x[4].__setitem__(int(x[1][0, 3]), 1.0),
        "changes q",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_the_suite_finds_each_fault(fault: str) -> None:
    check, make, role, change, message = FAULTS[fault]
    check(Recorder.of(make()))
    with pytest.raises(AssertionError, match=message):
        check(with_fault(make, role, change))


def test_a_row_that_nothing_fills_is_found() -> None:
    """Five rows are named, and the kernels fill four."""

    def constraint(*x: np.ndarray) -> None:
        x[9][:, [4, 9, 14]] = 0.0

    def jacobian(*x: np.ndarray) -> None:
        x[9][:, 48:] = 0.0

    recorder = with_fault(hinge, "constraint", constraint)
    right = recorder.instances[0].kernels.jacobian
    kernels = replace(recorder.instances[0].kernels, jacobian=lambda *x: (right(*x), jacobian(*x)))
    recorder.instances[0].kernels = kernels
    with pytest.raises(AssertionError, match="of its 5 rows, 'tilt 2' depends on no coordinate"):
        testing.check_jacobian(recorder)


# -- points and sections -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (scale("out", 16), r"point_jacobian: ∂z/∂\[node 1 wy\] at 0.31"),
        (scale("out", 29), r"point_jacobian: ∂turn about y/∂\[node 1 wz\] at 0"),
        (scale("K", 4, 5), r"K = ∂\(Jᵀf\)/∂q, entry \[node 1 wy, node 1 wz\]"),
    ],
)
def test_the_jacobian_of_a_point(change: Callable[..., None], message: str) -> None:
    testing.check_point_jacobian(body())
    with pytest.raises(AssertionError, match=message):
        testing.check_point_jacobian(with_fault(body, "point_jacobian", change))


@pytest.mark.parametrize(
    ("make", "check", "matrix", "message"),
    [
        (body, testing.check_tangent, "K", r"tangent: K\[.*wx, .*wy\] is .*, but the family's pattern has it zero"),
        (lambda: between(coincident, "Spherical"), testing.check_jacobian, "G", r"jacobian: G\[x, .*wy\] is "),
        (lambda: between(coincident, "Spherical"), testing.check_jacobian, "K", r"jacobian: K\[.*wx, .*wy\] is "),
    ],
)
def test_a_pattern_with_too_little_in_it_is_found(
    make: Make, check: Callable[..., None], matrix: str, message: str
) -> None:
    recorder = Recorder.of(make())
    kernels = recorder.instances[0].kernels
    pattern = {name: own.copy() for name, own in kernels.pattern._asdict().items()}
    pattern[matrix][..., 4] = False
    recorder.instances[0].kernels = replace(kernels, pattern=Pattern(**pattern))
    with pytest.raises(AssertionError, match=message):
        check(recorder)


def test_a_body_of_ones_own_is_checked_as_plain_python() -> None:
    class Ball(RigidBody):
        """Its kernels are run once, since it is no class of flexmb."""

    m = SpatialModel("m")
    m.add(Ball("ball", m.add_frame("ball"), 2.0, (0.3, 0.3, 0.3)))
    assert fm.System(m).n == 6


LENGTH = 0.7


@dataclass(eq=False)
class Bar(Bushing):
    """A massless bar between two nodes, of constant strains: those of a bushing, e = (u − u₀, φ), over its length. Its
    sections turn from a to b by s φ."""

    length = LENGTH


def section(p, iq, iv, t, q, v, a, lam, w, out, K, work):  # type: ignore[no-untyped-def]
    """Γ | κ = e/L, and (N, M), which do the work of the bushing on them."""
    for i in range(len(p)):
        one = np.zeros((1, 12)), np.zeros((1, 12, 12)), np.zeros(300)
        SPATIAL_BUSHING.residual(p[i : i + 1], iq[i : i + 1], iv[i : i + 1], t, q, v, a, lam, w, *one)
        out[i, :6], out[i, 6:] = one[2][:6] / LENGTH, one[2][12:18]


def point(p, iq, iv, t, q, v, a, lam, w, out, K, work):  # type: ignore[no-untyped-def]
    """Orientations along the bar, which are all that is asked for."""
    for i in range(len(p)):
        from_a, from_b = (product(tuple(q[iq[i, k : k + 4]]), tuple(p[i, j : j + 4])) for k, j in ((3, 6), (10, 10)))
        phi = log(product((from_a[0], -from_a[1], -from_a[2], -from_a[3]), from_b))
        out[i, 3:7] = product(from_a, exp(tuple(w[0] * x for x in phi)))


def bar(**faults: Callable[..., None]) -> Recorder:
    m, a, b = pair()
    component = Bar(a, b, stiffness=FULL, damping=FULL / 50.0, name="bar")
    recorder = Recorder.of(m.add(component))
    kernels = replace(recorder.instances[0].kernels, section=section, point=point)
    for role, change in faults.items():
        right = getattr(kernels, role)

        def faulty(*x: np.ndarray, right: Callable = right, change: Callable = change) -> None:
            right(*x)
            change(*x)

        kernels = replace(kernels, **{role: faulty})
    recorder.instances[0].kernels = kernels
    return recorder


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (4, "the curvature, summed over the length, is off the turn between the ends"),
        (0, "the stiffness of its sections"),
        (8, "the stiffness of its sections"),
        (10, "the stiffness of its sections"),
    ],
)
def test_sections(entry: int, message: str) -> None:
    testing.check_section(bar())
    with pytest.raises(AssertionError, match=message):
        testing.check_section(bar(section=scale("out", entry, by=1.0 + 1e-4)))


@pytest.mark.parametrize("entry", [3, 4, 5])
def test_curvatures_of_a_beam_with_modes(entry: int) -> None:
    with pytest.raises(AssertionError, match="the curvature, summed over the length, is off the turn between the ends"):
        testing.check_section(with_fault(catalog()["CmsBeam"], "section", scale("out", entry, by=1.0 + 1e-4)))


def test_sections_that_feel_a_rigid_motion() -> None:
    def felt(*x: np.ndarray) -> None:
        x[9][:, 3] += 1e-3 * x[4][x[1][:, 4]]

    with pytest.raises(AssertionError, match="twist at 0 after turning the whole"):
        testing.check_section(bar(section=felt))
