"""Blocks of coordinates that a component gives: which are refused, and what they mean for momentum."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import flexmb as fm
from flexmb.elements.planar.rigid_body import RIGID_BODY
from flexmb.elements.spatial.rigid_body import SPATIAL_RIGID_BODY
from flexmb.errors import KernelError, ModelError
from flexmb.kernels import Kernels, kernel
from flexmb.kernels.blocks import Block, Numbers, angle, free, joined, modal, orientation, place, shape_of, vector
from flexmb.kernels.vectors import put, vector_at
from flexmb.spatial import SpatialModel
from flexmb.system.kernel_checks import check_numbers
from flexmb.system.numbering import Numbering
from flexmb.testing import Recorder

NODE = (place("x", "y", "z"), orientation())
UNTURNED = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
BODY = (0.0, 0.0, 0.0, 2.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0)


@kernel
def held(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        put(out[i], 0, vector_at(q, iq[i], 0))


@kernel
def held_tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        for k in range(3):
            K[i, k, k] += w[2]


#: a unit spring on the first three coordinates, by functions that are compiled
HELD = Kernels("held", held, held_tangent)


@kernel
def both(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        out[i, 0] = out[i, 1] = p[i, 0] * (q[iq[i, 0]] + q[iq[i, 1]])


@kernel
def both_tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        for j in range(2):
            for k in range(2):
                K[i, j, k] += w[2] * p[i, 0]


#: ½ k (x₁ + x₂)²
BOTH = Kernels("both", both, both_tangent)


@dataclass(eq=False)
class Own(fm.Component):
    """A component with coordinates of its own, and one instance on them or on some `numbers`."""

    frame: fm.planar.Frame
    blocks: Any = NODE
    initial: Any = UNTURNED
    speeds: Any = None
    kernels: Kernels = SPATIAL_RIGID_BODY
    parameters: Any = BODY
    numbers: Any = field(default=lambda own, node: own)
    kind = "gadget"
    dimension = None

    def frames(self):
        return [self.frame]

    def assemble(self, assembly):
        own = assembly.coordinates(self, self.blocks, self.initial, self.speeds)
        chosen = self.numbers(own, assembly.node(self.frame.node))
        assembly.instance(self, self.kernels, chosen, np.array(self.parameters))


def in_space(*values: Any, **options: Any) -> SpatialModel:
    m = SpatialModel("m")
    body = m.add_body("body", mass=1.0, inertia=(1.0, 1.0, 1.0))
    m.add(Own(body.frame, *values, name="mine", **options))
    return m


def in_the_plane(*values: Any, **options: Any) -> fm.PlanarModel:
    m = fm.PlanarModel("m")
    m.add(Own(m.add_body("body", mass=1.0, inertia=0.1).frame, *values, name="mine", **options))
    return m


TURNED_TOO_FAR = (0.0, 0.0, 0.0, 1.0, 0.1, 0.0, 0.0)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ((NODE, TURNED_TOO_FAR), r"\(1, 0.1, 0, 0\) is no rotation, .* do not add up to 1; give a unit quaternion"),
        ((NODE, np.zeros(7)), r"\(0, 0, 0, 0\) is no rotation"),
        (
            (NODE, np.zeros(6)),
            r"have 7 coordinates and 6 speeds, but initial values of the shape \(6,\) .* give as many",
        ),
        ((NODE, UNTURNED, np.zeros(7)), r"speeds of the shape \(7,\) are given"),
        ((NODE, [UNTURNED, UNTURNED], np.zeros(12)), r"values of the shape \(2, 7\) and speeds of the shape \(12,\)"),
        ((NODE, np.zeros((1, 1, 7))), r"initial values of the shape \(1, 1, 7\)"),
        ((NODE, [UNTURNED, TURNED_TOO_FAR]), r"\(1, 0.1, 0, 0\) is no rotation"),
        ((NODE, "abc"), "its initial values are 'abc'; give an array of numbers"),
        ((NODE, None), "among its initial values, 'x' is nan"),
        ((NODE, (0, 0, 0, 1, np.nan, 0, 0)), "among its initial values, 'e1' is nan; give finite numbers"),
        ((NODE, UNTURNED, (0, 0, 0, 0, np.inf, 0)), "among its initial speeds, 'wy' is inf"),
        ((NODE[0], UNTURNED), "'place' is no block of coordinates; give a list of place"),
        (([NODE[0], "turn"], UNTURNED), "'turn' is no block of coordinates; give a list of place"),
        (
            ([place("x", "y"), NODE[1]], np.zeros(6)),
            "orientation wx, wy, wz: blocks of the plane and of space are",
        ),
        (([NODE[0], angle()], np.zeros(4)), "angle angle: blocks of the plane and of space are mixed"),
        (([place("x", "y")], np.zeros(2)), "its coordinates x, y are of the plane, .* in space: give .* orientations"),
        (([Block("place", ["x", "y", "z"], "length")], np.zeros(3)), "the names of its blocks must be tuples"),
        (([Block("place", ("x",), "length"), NODE[1]], np.zeros(5)), r"\(place\) has 2 or 3 names .*; 1 are given"),
        (([Block("orientation", ("a", "b"), "angle")], np.ones(3)), r"\(orientation\) has 3 names of speeds"),
        (([Block("spot", ("x", "y"), "length")], np.zeros(2)), "of kind 'spot'; choose one of place, vector"),
        (([Block("place", ("x", "y", "z"), "angle")], np.zeros(3)), "measured in 'angle'; choose one of length"),
    ],
)
def test_blocks_and_values_that_are_refused_in_space(values, message):
    m = in_space(*values)
    for made in (lambda: fm.System(m), lambda: Recorder.of(m.components["mine"])):
        with pytest.raises(KernelError, match="gadget 'mine': .*" + message):
            made()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            (NODE, UNTURNED),
            "its coordinates x, y, z, wx, wy, wz are of space, .* in the plane: give .* two names, and angles",
        ),
        (([vector("a", "b", "c")], np.zeros(3)), "its coordinates a, b, c are of space"),
        (([orientation()], (1, 0, 0, 0)), "its coordinates wx, wy, wz are of space"),
        (([place("u", "w")], np.zeros(3)), r"2 coordinates and 2 speeds, but .*\(3,\)"),
    ],
)
def test_blocks_and_values_that_are_refused_in_the_plane(values, message):
    with pytest.raises(KernelError, match="gadget 'mine': .*" + message):
        fm.System(in_the_plane(*values))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: place("x"), r"\(place\) has 2 or 3 names of speeds; 1 are given"),
        (lambda: vector("a", "b", "c", "d"), "4 are given"),
        (lambda: place("x", 3, "z"), r"names of a block \(place\) are \('x', 3, 'z'\); give different texts"),
        (lambda: place("x", "x"), "give different texts"),
        (lambda: modal("abc"), r"names of coordinates are 'abc'; give a list of them, e.g. \['s'\]"),
        (lambda: free(3, "angle"), "names of coordinates are 3; give a list"),
        (lambda: free(["s"], "meter"), "coordinates s are measured in 'meter'; choose one of length, angle, slope"),
    ],
)
def test_blocks_that_cannot_be_made(make, message):
    with pytest.raises(KernelError, match=message):
        make()


@pytest.mark.parametrize(
    "numbers",
    [
        lambda own, node: [own[0], Numbers(own[1].q[1:], own[1].v)],  # without e0
        lambda own, node: [own[0], Numbers(own[1].v, own[1].v)],
        lambda own, node: own[1].v,
        lambda own, node: [own[0], Numbers(own[1].q, node[1].v)],  # the orientation of another
        lambda own, node: Numbers(own[1].q[:3], own[1].v[:2]),  # half of one
        lambda own, node: Numbers(own[0].q, own[0].v[::-1][:2]),
    ],
)
def test_numbers_in_q_that_are_not_those_of_the_speeds(numbers):
    m = in_space(numbers=numbers)
    for made in (lambda: fm.System(m), lambda: Recorder.of(m.components["mine"])):
        with pytest.raises(KernelError, match=r"'mine'.*its coordinates are not those whose speeds are .*whole blocks"):
            made()


def pairs(count: int, fixed: int = 0) -> tuple[Numbering, Numbering, list[list[Numbers]]]:
    """Nodes in space, the last of which are fixed, and the blocks of each two neighbors."""
    loose, still = Numbering(), Numbering(fixed=True)
    nodes = [
        (still if k > count - fixed else loose).add(f"n{k}.", shape_of(NODE), UNTURNED, np.zeros(6).tolist())
        for k in range(count + 1)
    ]
    return loose, still, [[*first, *second] for first, second in pairwise(nodes)]


def rows_of(instances: list[list[Numbers]]) -> Numbers:
    return Numbers(*(np.array(x) for x in zip(*(joined(blocks) for blocks in instances))))


@pytest.mark.parametrize("count", [3, 40])
@pytest.mark.parametrize("order", [(0, 1, 2, 3), (1, 0, 3, 2), (3, 1), (1, 1, 0), (0, 2), (2,)])
def test_whole_blocks_of_many_instances(count, order):
    """In any order, once or twice, of free nodes and of fixed ones."""
    loose, still, instances = pairs(count, fixed=2)
    check_numbers("gadget", rows_of([[blocks[k] for k in order] for blocks in instances]), loose, still)


@pytest.mark.parametrize("count", [3, 40])
@pytest.mark.parametrize("which", [0, -1])
@pytest.mark.parametrize(
    "change",
    [
        lambda q, v: (np.r_[q[:3], q[10:14], q[7:]], v),  # another orientation
        lambda q, v: (np.r_[q[:3], q[10], q[4:]], v),  # another e0
        lambda q, v: (np.r_[q[:3], q[4], q[4:]], v),  # a coordinate for e0
        lambda q, v: (q, np.r_[v[:4], v[3], v[5:]]),  # e1 for e2
        lambda q, v: (np.r_[q[:5], q[4], q[6:]], np.r_[v[:4], v[3], v[5:]]),  # an axis twice in both
    ],
)
def test_one_instance_of_many_that_has_no_whole_blocks(count, which, change):
    loose, still, instances = pairs(count, fixed=2)
    numbers = rows_of(instances)
    numbers.q[which], numbers.v[which] = change(numbers.q[which].copy(), numbers.v[which].copy())
    name = (loose.names[numbers.v[0, 0]], still.names[-1 - numbers.v[-1, 0]])[which]
    with pytest.raises(KernelError, match=f"gadget: its coordinates are not those whose speeds are {name}, .*blocks"):
        check_numbers("gadget", numbers, loose, still)


def test_the_numbers_of_an_instance_in_any_order():
    loose, still, instances = pairs(40, fixed=2)
    numbers, rng = rows_of(instances), np.random.default_rng(0)
    check_numbers("gadget", Numbers(*(rng.permuted(x, axis=1) for x in numbers)), loose, still)


def test_many_instances_are_compared_at_once():
    """As many functions are called for a thousand instances as for twenty."""
    calls = []
    for count in (20, 1000):
        loose, still, instances = pairs(count)
        numbers, seen = rows_of(instances), []
        sys.setprofile(lambda frame, event, of, seen=seen: seen.append(event))
        try:
            check_numbers("gadget", numbers, loose, still)
        finally:
            sys.setprofile(None)
        calls.append(len(seen))
    assert 0 < calls[0] == calls[1]


def test_an_orientation_that_is_no_rotation():
    m = in_space()
    frame = m.frames["body"].attach("tip")
    frame.axes = np.array([1.0, 1.0, 0.0, 0.0])
    with pytest.raises(ModelError, match=r"'tip': axes is a quaternion of the length 1.41421; it must be 1"):
        fm.System(m)
    frame.axes = np.array([1.0, 0.0, 0.0, 0.0])
    frame.node.orientation = np.array([0.0, 0.0, 0.0, 0.5])
    with pytest.raises(ModelError, match=r"the orientation of its node is a quaternion of the length 0.5"):
        fm.System(m)


@pytest.mark.parametrize("kernels", [SPATIAL_RIGID_BODY, HELD])
def test_blocks_too_small_for_the_kernels(kernels):
    """The kernels read by functions that are compiled, which would not see the end of an array."""
    m = in_space([free(["s"], "length")], (0.0,), kernels=kernels)
    with pytest.raises(
        KernelError, match=r"'mine': residual of kernels .* reaches beyond its arrays .* 1 coordinates,"
    ):
        fm.System(m)


@pytest.mark.parametrize("dense_limit", [0, 100])
def test_the_same_coordinate_twice_is_summed_up(dense_limit):
    """½ k (x + x)² has the force 4 k x and the stiffness 4 k."""
    options = {"kernels": BOTH, "parameters": (3.0,), "numbers": lambda own, node: [own[0], own[0]]}
    system = fm.System(in_the_plane([free(["s"], "length")], (0.5,), **options), dense_limit=dense_limit)
    zero = np.zeros(system.n)
    s = system.names.index("mine.s")
    assert system.residual(0.0, system.q0, zero, zero)[s] == 6.0
    K = system.tangent(0.0, system.q0, zero, zero, np.zeros(0), (0.0, 0.0, 1.0))
    assert K[s, s] == 12.0 and system.q0[s] == 0.5


@pytest.mark.parametrize("block", [free(["x", "y", "angle"], "length"), modal(["x", "y", "angle"])])
def test_names_do_not_make_a_body(block):
    """A component whose own coordinates are called x, y and angle but do not move with the whole has no momentum."""
    options = {"kernels": RIGID_BODY, "parameters": (0.0, 0.0, 1.0, 0.1, 0.0, 0.0)}
    m = in_the_plane([block], np.zeros(3), (1.0, 1.0, 1.0), **options)
    m.components["body"].move((1.0, 1.0), 10.0)
    system = fm.System(m)
    assert system.mass_matrix(0.0, system.q0).diagonal().tolist() == [1.0, 1.0, 0.1] * 2
    np.testing.assert_allclose(system.momentum(0.0, system.q0, system.v0), [1.0, 1.0, 1.0], rtol=1e-14)
    own = [system.names.index(f"mine.{name}") for name in ("x", "y", "angle")]
    assert not system.rigid_motions(system.q0)[:, own].any() and system.v0[own].tolist() == [1.0, 1.0, 1.0]


def test_names_do_not_make_a_body_in_space():
    options = {"kernels": HELD, "parameters": (1.0,)}
    m = in_space([free(["x", "y", "z"], "length")], np.ones(3), (5.0, 6.0, 7.0), **options)
    m.components["body"].move((1.0, 2.0, 3.0), (0.4, 0.5, 0.6))
    system = fm.System(m)
    momentum = system.momentum(0.0, system.q0, system.v0)
    np.testing.assert_allclose(momentum, [1.0, 2.0, 3.0, 0.4, 0.5, 0.6], rtol=1e-14)
