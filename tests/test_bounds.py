"""Kernels and compiled loops within their arrays, and how it is found out that one is not."""

from __future__ import annotations

import math

import numba
import numpy as np
import pytest
from numba import types

import flexmb as fm
from flexmb import testing
from flexmb.elements.absolute_nodes import unit_constraint, unit_jacobian
from flexmb.elements.planar.ancf_cable import node_jacobian, node_point
from flexmb.elements.spatial.ancf.places import node_jacobian as spatial_node_jacobian
from flexmb.elements.spatial.ancf.places import node_point as spatial_node_point
from flexmb.joints.sticking import BACKWARD, FORWARD, FREE, KEPT, STICKS
from flexmb.kernels.cache import Shelf
from flexmb.kernels.compilation import INTERPRETED, OPTIONS, compiled
from flexmb.kernels.contract import address, run_kernel
from flexmb.kernels.hooks.calls import Called, Compiled
from flexmb.model.components import Component
from tests import bounds
from tests.models import components, components_in_space, pairs, pairs_in_space

CATALOGUES = {"plane": components.catalog, "space": components_in_space.catalog}
#: all components; without checks of indices none, as the conformance suites do the same and more
COMPONENTS = [(which, name) for which, make in CATALOGUES.items() for name in make() if numba.config.BOUNDSCHECK]
#: compiled with checks of indices, whatever the environment says
CHECKED = {**OPTIONS, "boundscheck": True}


@pytest.mark.parametrize(("which", "name"), COMPONENTS)
def test_kernels_stay_within_their_arrays(which: str, name: str) -> None:
    """Every kernel of every component, on arrays of just the sizes of the contract."""
    testing.check_shapes(CATALOGUES[which]()[name](), seeds=(0,))


def sticking_joints() -> list[Component]:
    """A joint of each kind whose friction truly sticks."""
    law, found = fm.JointFriction(0.3, radius=0.02, length=0.2, smoothing=0.0), list[Component]()
    m, a, b = pairs.pair()
    for verb, of in (("revolute", {"radius": 0.02}), ("prismatic", {"length": 0.2}), ("pin_in_slot", {})):
        found.append(getattr(m, verb)(a, b, friction=fm.JointFriction(0.3, smoothing=0.0, **of)))
    m, a, b = pairs_in_space.pair()
    for verb, more in (("revolute", {}), ("prismatic", {}), ("screw", {"pitch": 0.1})):
        found.append(getattr(m, verb)(a, b, axis="z", friction=law, **more))
    return found


@pytest.mark.parametrize("k", range(6))
@pytest.mark.parametrize("state", [FREE, FORWARD, BACKWARD, STICKS, KEPT])
def test_kernels_of_joints_that_stick_stay_within_their_arrays(k: int, state: float) -> None:
    """Whatever their friction does, which stands before the last of their parameters."""
    recorder = testing.Recorder.of(sticking_joints()[k])
    for instance in recorder.instances_with("friction"):
        instance.parameters[-2:] = state, 1.0
    testing.check_shapes(recorder, seeds=(0,))


def test_a_node_of_a_cable_is_a_place_with_the_angle_of_its_slope() -> None:
    """The kernels of what is welded to such a node; elsewhere compiled code alone calls them."""
    p, numbers, none, out = np.zeros((1, 0)), np.arange(4).reshape(1, 4), np.zeros((1, 0)), np.zeros((1, 9))
    q, v, a, K = np.array([1.0, 2.0, 0.6, 0.8]), np.array([3.0, 4.0, -1.6, 1.2]), np.zeros(4), np.zeros((1, 4, 4))
    node_point(p, numbers, numbers, 0.0, q, v, a, none, np.zeros(3), out, K, np.zeros(1))
    assert out[0] == pytest.approx([1.0, 2.0, math.atan2(0.8, 0.6), 3.0, 4.0, 2.0, 0.0, 0.0, 0.0])
    J = np.zeros((1, 12))
    node_jacobian(p, numbers, numbers, 0.0, q, v, a, np.ones((1, 3)), np.array([0.0, 1.0]), J, K, np.zeros(1))
    assert J.reshape(3, 4) @ v == pytest.approx([3.0, 4.0, 2.0])


def test_a_node_of_a_cable_in_space_turns_least() -> None:
    """With the slope in x–y the axes turn about z, as those of the cable of the plane do."""
    p, numbers, none, out = np.array([[1.0, 0, 0, 0]]), np.arange(6).reshape(1, 6), np.zeros((1, 0)), np.zeros((1, 19))
    q, v, a = np.array([1.0, 2.0, 3.0, 0.6, 0.8, 0.0]), np.array([3.0, 4.0, 5.0, -1.6, 1.2, 0.0]), np.zeros(6)
    K, J = np.zeros((1, 6, 6)), np.zeros((1, 36))
    spatial_node_point(p, numbers, numbers, 0.0, q, v, a, none, np.zeros(3), out, K, np.zeros(1))
    half = 0.5 * math.atan2(0.8, 0.6)
    assert out[0, 3:7] == pytest.approx([math.cos(half), 0.0, 0.0, math.sin(half)])
    assert out[0, 7:16] == pytest.approx([3.0, 4.0, 5.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0])
    spatial_node_jacobian(p, numbers, numbers, 0.0, q, v, a, np.ones((1, 6)), np.array([0.0, 1.0]), J, K, np.zeros(1))
    assert J.reshape(6, 6) @ v == pytest.approx([3.0, 4.0, 5.0, 0.0, 0.0, 2.0])


def test_a_slope_of_a_cable_is_held_at_length_1() -> None:
    """½ (r'·r' − 1) with its rates, and the part of its multiplier in K."""
    p, numbers, none, out = np.zeros((1, 0)), np.arange(2).reshape(1, 2), np.zeros((1, 0)), np.zeros((1, 3))
    q, v, a, K, G = np.array([0.6, 1.2]), np.array([2.0, -1.0]), np.zeros(2), np.zeros((1, 2, 2)), np.zeros((1, 2))
    unit_constraint(p, numbers, numbers, 0.0, q, v, a, none, np.zeros(4), out, K, np.zeros(1))
    assert out[0] == pytest.approx([0.4, 0.0, -5.0])
    weights = np.array([0.0, 0.0, 2.0, 0.0])
    unit_jacobian(p, numbers, numbers, 0.0, q, v, a, np.array([[3.0]]), weights, G, K, np.zeros(1))
    assert G[0] == pytest.approx(q) and K[0] == pytest.approx(6.0 * np.eye(2))


def _kernel(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    out[0, p.shape[1]] = 1.0


def _part(x, k):
    x[k] = 1.0


if not INTERPRETED:
    _kernel, _part = Compiled(_kernel, targetoptions=CHECKED), Called(_part, types.none, {**CHECKED, "_nrt": False})
    _kernel._cache, _part._cache = Shelf(_kernel), Shelf(_part)


@compiled
def _calls_a_kernel(where, p, iq, x, out, K):
    run_kernel(where, p, iq, iq, 0.0, x, x, x, p, x, out, K, x)


@compiled
def _calls_a_part(x, k):
    _part(x, k)


def test_an_index_beyond_its_array_is_handed_up_through_calls_by_address():
    """Code that is called by its address, as kernels and parts of loops are, hands its errors to whoever calls it."""
    x, K = np.zeros(3), np.zeros((1, 3, 3))
    with pytest.raises(IndexError):
        _calls_a_kernel(address(_kernel), np.zeros((1, 3)), np.zeros((1, 3), dtype=np.int64), x, np.zeros((1, 3)), K)
    with pytest.raises(IndexError):
        _calls_a_part(x, 3)
    _calls_a_part(x, 2)
    assert x.tolist() == [0.0, 0.0, 1.0]


@pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")
def test_what_has_run_is_known():
    """A loop that was called has run, with the parts that its code contains; one that nobody called has not."""

    @compiled
    def inner(x):
        return x + 1.0

    @compiled
    def outer(x):
        return inner(x)

    assert not bounds.has_run(outer)
    assert outer(1.0) == 2.0
    assert bounds.has_run(outer) and not bounds.has_run(inner)
    assert list(bounds.contained(outer)) == [inner]
    names = {"flexmb.system.kernel_calls.call_kernel", "flexmb.joints.sticking.STICKING.friction"}
    assert names <= bounds.functions().keys()
