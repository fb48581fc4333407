"""Families that give positions g(q, t) alone, against those of flexmb, whose ġ, γ, G and ∂(Gᵀλ)/∂q are written by
hand."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from dataclasses import dataclass, replace

import numpy as np
import pytest

import flexmb as fm
from flexmb import testing
from flexmb.errors import KernelError
from flexmb.joints import distance
from flexmb.joints.planar import drive_position
from flexmb.joints.spatial.rows import one_point
from flexmb.kernels import Kernels, kernel, time_function
from flexmb.kernels.compilation import INTERPRETED, SIGNATURE
from flexmb.kernels.completion import complete
from flexmb.kernels.fingerprint import fingerprint
from flexmb.kernels.geometry import pair_arms
from flexmb.kernels.positions import constraint_from
from flexmb.validation.performance.joints_by_positions import ALONG, LENGTH, LENGTH_IN_SPACE, ONE_PLACE, one_place
from tests.kernels.pairs import pair

compiled_only = pytest.mark.skipif(INTERPRETED, reason="compiled kernels")


#: functions of time of every kind whose rate does not jump
MOTION = (
    fm.Polynomial([3.0, 0.1, 0.2, 0.3]) + 0.3 * fm.SmoothStep(0.0, 1.0, 0.0, 0.7) + fm.Harmonic(0.1, 3.0, 0.4)
    + 0.2 * fm.Spline([0.0, 0.3, 0.8, 1.0], [0.0, 0.3, 0.1, 0.2]) + fm.SpinUp(0.3, 2.0)
    + fm.TrapezoidalSpeed(0.0, 1.0, 0.2, 0.3)
)  # fmt: skip

#: the model, the verb with what it is given, where the family by hand stands under which name, and that of positions
JOINTS = {
    "distance": (fm.PlanarModel, "distance", {}, distance.KERNELS, 2, LENGTH),
    "drive_distance": (fm.PlanarModel, "drive_distance", {"distance": MOTION}, distance.KERNELS, 2, LENGTH),
    "pin_in_slot": (fm.PlanarModel, "pin_in_slot", {"axis": 0.4}, vars(drive_position), "ALONG", ALONG),
    "drive_position": (fm.PlanarModel, "drive_position", {"position": MOTION}, vars(drive_position), "ALONG", ALONG),
    "distance in space": (fm.SpatialModel, "distance", {}, distance.KERNELS, 3, LENGTH_IN_SPACE),
    "drive_distance in space": (
        fm.SpatialModel, "drive_distance", {"distance": MOTION}, distance.KERNELS, 3, LENGTH_IN_SPACE,
    ),
    "spherical": (fm.SpatialModel, "spherical", {}, vars(one_point), "ONE_POINT_PAIR", ONE_PLACE),
}  # fmt: skip


def joined(name: str) -> fm.Component:
    model, verb, given, *_ = JOINTS[name]
    m = model("m")
    return getattr(m, verb)(*pair(m), **given, name="joint")


@compiled_only
@pytest.mark.parametrize("name", JOINTS)
def test_they_are_those_written_by_hand(name):
    joint = joined(name)
    family = JOINTS[name][-1]
    system, rng = fm.System(joint.a.model), np.random.default_rng(3)
    instance = next(i for i in system.instances_of("joint") if i.kernels.constraint)
    n, m = len(instance.speeds), len(instance.rows)
    rows = [("x", "length")] * m
    numbers = [*joint_numbers(joint)]
    made, work = complete(family, numbers, rows, 2, "here")
    for _ in range(3):
        q = system.retract(system.q0, rng.normal(size=len(system.v0)))
        v = 3.0 * rng.normal(size=len(system.v0))
        lam, w, t = rng.normal(size=(1, m)), np.array([0.3, 0.7, 1.1, 0.0]), float(rng.uniform(0.05, 0.95))
        given = instance.parameters[None], instance.coordinates[None], instance.speeds[None], t, q, v, 0.0 * v, lam, w
        found = []
        for kernels in (instance.kernels, made):
            rates, G, K = np.zeros((1, 3 * m)), np.zeros((1, m * n)), np.ones((1, n, n))
            kernels.constraint(*given, rates, np.zeros((1, n, n)), np.zeros(work + 100))
            kernels.jacobian(*given, G, K, np.zeros(work + 100))
            found.append((rates, G, K))
        for x, y in zip(*found):
            np.testing.assert_allclose(y, x, rtol=1e-12, atol=1e-12 * max(1.0, np.abs(x).max()))


def joint_numbers(joint):
    """Blocks of two nodes, as an assembly numbers them."""
    recorder = testing.Recorder(np.zeros(joint.a.model.dimension))
    return [*recorder.node(joint.a.node), *recorder.node(joint.b.node)]


@pytest.mark.parametrize("name", ["drive_distance", "pin_in_slot", "distance in space", "spherical"])
def test_they_conform(name, monkeypatch):
    *_, where, family, positions = JOINTS[name]
    for place in (where, vars(sys.modules["flexmb.joints.spatial.lower_pairs"])):
        if family in place:
            monkeypatch.setitem(place, family, positions)
    joint = joined(name)
    testing.conformance(joint)
    testing.check_system(joint.a.model)


@dataclass(eq=False)
class Rod(fm.Component):
    """A rod between two frames of the plane."""

    a: fm.planar.Frame
    b: fm.planar.Frame
    family: Kernels = LENGTH
    level: tuple[str, ...] = ()

    def frames(self):
        return [self.a, self.b]

    def assemble(self, assembly):
        blocks = [*assembly.node(self.a.node), *assembly.node(self.b.node)]
        gap = float(np.linalg.norm(self.b.position - self.a.position))
        p = np.array([*self.a.offset, 0.0, *self.b.offset, 0.0, *fm.Constant(gap).parameters()])
        assembly.instance(self, self.family, blocks, p, [("distance", "length", *self.level)], 6)


def swing(family: Kernels = LENGTH, level: tuple[str, ...] = ()) -> Rod:
    m = fm.PlanarModel("swing", gravity=(0.0, -9.81))
    body = m.add_body("body", mass=1.0, inertia=0.1, position=(1.0, 0.0))
    return m.add(Rod(m.ground, body.attach("end", (-0.2, 0.1)), family, level))


@compiled_only
def test_a_run_keeps_the_length_and_its_energy():
    rod = swing()
    testing.conformance(rod)
    by_hand = swing(distance.DISTANCE)
    runs = [fm.simulate(x.a.model, 1.0, progress=False, tolerance=1e-8) for x in (rod, by_hand)]
    assert runs[0].energy.error < 1e-6
    np.testing.assert_allclose(runs[0].q[-1], runs[1].q[-1], atol=1e-7)


@compiled_only
def test_a_drive_is_swept(monkeypatch):
    """A boom on a cylinder, through given places."""
    ends = []
    for family in (distance.DISTANCE, LENGTH):
        monkeypatch.setitem(distance.KERNELS, 2, family)
        m = fm.PlanarModel("crane")
        boom = m.add_body("boom", mass=1.0, inertia=0.1, position=(1.0, 0.5))
        m.revolute(m.ground, boom.attach("foot", (-1.0, -0.5)))
        hook = m.ground.attach("hook", (1.0, -1.0))
        m.drive_distance(hook, boom.frame, fm.SmoothStep(0.0, 1.0, 1.5, 1.9), name="cylinder")
        ends.append(fm.kinematics(m, 1.0))
    for what in ("q", "v", "a"):
        np.testing.assert_allclose(getattr(ends[1], what), getattr(ends[0], what), atol=1e-8)


@kernel
def mean_place(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        for k in range(iq.shape[1] // 3):
            out[i, 0] += q[iq[i, 3 * k]] * math.cos(q[iq[i, 3 * k + 2]])
            out[i, 1] += q[iq[i, 3 * k + 1]] * out[i, 0] - p[i, 0]


@dataclass(eq=False)
class Among(fm.Component):
    """Two rows that tie many bodies together."""

    bodies: list[fm.planar.Frame]
    fixed_in_space = True

    def frames(self):
        return self.bodies

    def assemble(self, assembly):
        blocks = [block for body in self.bodies for block in assembly.node(body.node)]
        rows = [("along", "length"), ("across", "length")]
        assembly.instance(self, Kernels("mean place", position=mean_place), blocks, np.array([0.1]), rows)


@pytest.mark.parametrize("count", [2, 5])
def test_joints_of_many_coordinates_conform(count):
    """Of more columns than are differentiated at once; and where one node comes twice."""
    m = fm.PlanarModel("m")
    bodies = [m.add_body(f"body {k}", mass=1.0, inertia=0.2, position=(k + 0.3, 0.2 * k)).frame for k in range(count)]
    among = m.add(Among([*bodies, bodies[0]] if count == 2 else bodies))
    for check in (testing.check_jacobian, testing.check_rates, testing.check_shapes, testing.check_memory):
        check(among)
    testing.check_system(m)


@kernel
def rate(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        out[i, 0] = v[iv[i, 0]]


@kernel
def acceleration(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        out[i, 0] = q[iq[i, 0]] + a[iv[i, 1]]


@kernel
def count(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        out[i, 0] = q[iq[i, 0]] + len(v)


@kernel
def matrix(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        K[i, 0, 0] = q[iq[i, 0]]


@compiled_only
@pytest.mark.parametrize("position", [rate, acceleration, count, matrix])
def test_positions_that_use_more_than_positions_are_refused_by_name(position):
    with pytest.raises(KernelError, match=r"constraint of kernels 'more', made by differentiation.*cannot be compiled"):
        fm.System(swing(Kernels("more", position=position)).a.model)


def refuse_interpreted():
    """What a process without Numba says of them."""
    for position in (rate, acceleration, count, matrix):
        with pytest.raises(KernelError, match="position of kernels 'more' makes use of v, a or K; positions depend on"):
            fm.System(swing(Kernels("more", position=position)).a.model)


@kernel
def from_the_end(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        ax, ay, bx, by = pair_arms(p[i], iq[i], q)
        work[-1] = q[iq[i, 3]] + bx - q[iq[i, 0]] - ax
        k = -2 if iq.shape[1] > 5 else -1
        work[k] = q[iq[i, 4]] + by - q[iq[i, 1]] - ay
        out[i, 0] = math.hypot(work[-1], work[-2]) - time_function(p[i], 6, t)[0]


def test_scratch_from_its_end():
    testing.check_system(scratch_from_its_end().a.model)


def scratch_from_its_end():
    """Negative places of scratch numbers count from an end that is beyond what was asked for, as the suite says; they
    reach nothing else's numbers."""
    rod, by_hand = swing(Kernels("from the end", position=from_the_end)), swing(distance.DISTANCE)
    with pytest.raises(AssertionError, match=r"writes past the .* scratch numbers that it asked for"):
        testing.check_shapes(rod)
    systems = [fm.System(x.a.model) for x in (rod, by_hand)]
    given = np.array([0.9, 0.2, 0.3]), np.array([0.5, -0.4, 0.7])
    for a, b in zip(*(system.constraint(0.0, *given) for system in systems), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-14)
    np.testing.assert_allclose(*(system.jacobian(0.0, given[0]) for system in systems), atol=1e-14)
    return rod


@kernel
def beyond(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        work[6] = q[iq[i, 0]]
        out[i, 0] = work[6]


def test_scratch_beyond_what_was_asked_for_is_refused_by_name():
    with pytest.raises(KernelError, match=r"position of kernels 'beyond' reaches beyond .* and 6 scratch numbers"):
        fm.System(swing(Kernels("beyond", position=beyond)).a.model)


def test_velocity_rows_have_no_positions():
    with pytest.raises(KernelError, match="give positions, which a velocity row has not"):
        fm.System(swing(level=("velocity",)).a.model)


@kernel
def reads_what_it_wrote(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        f, _, _ = time_function(p[i], 6, t)
        ax, ay, bx, by = pair_arms(p[i], iq[i], q)
        work[0] = q[iq[i, -3]] + bx - q[iq[i, 0]] - ax
        out[i, 0] = work[0]
        out[i, -1] = math.hypot(out[i, -1], q[iq[i][4]] + by - q[iq[i, 1]] - ay)
        out[i][0] -= f


def test_numbers_in_the_output_and_in_scratch_have_derivatives_too(monkeypatch):
    monkeypatch.setitem(distance.KERNELS, 2, Kernels("length", position=reads_what_it_wrote))
    testing.conformance(joined("drive_distance"))


@kernel
def wrong(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        out[i, 0] = q[iq[i, 3]] - q[iq[i, 0]] - p[i, 0]


def test_the_suite_compares_positions_with_the_constraint():
    family = replace(distance.DISTANCE, position=wrong)
    with pytest.raises(AssertionError, match="position"):
        testing.conformance(swing(family))


@compiled_only
def test_machine_code_is_kept():
    assert fingerprint(constraint_from(one_place, ((3, 3), (10, 9))), SIGNATURE)


def test_interpreted_kernels_have_the_same_rates():
    code = """
from tests.kernels import test_positions as t
for name in ("drive_distance", "spherical"):
    t.test_they_are_those_written_by_hand(name)
t.scratch_from_its_end()
t.refuse_interpreted()
print("conforms")
"""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.stdout.strip() == "conforms", done.stderr
