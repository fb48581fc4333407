"""The flat plan: the pattern of a large matrix."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import flexmb as fm
from flexmb.errors import KernelError, ModelError
from flexmb.kernels.contract import Pattern
from flexmb.system.plan import compress
from flexmb.system.planning import plan_of
from tests.system.own_families import FORCE, JOINT


@given(st.integers(1, 40), st.integers(0, 300), st.integers(0, 2**32 - 1))
def test_places_are_compressed_as_sorting_does_it(size, count, seed):
    places = np.random.default_rng(seed).integers(-1, size * size, count)
    numbers, columns, rows = places.copy(), np.empty(size + 1, dtype=np.int64), np.empty(count, dtype=np.int64)
    values = compress(numbers, size, columns, rows, np.empty((4, count), dtype=np.int64))
    used = places >= 0
    unique, inverse = np.unique(places[used], return_inverse=True)
    assert values == len(unique)
    assert np.array_equal(numbers[used], inverse) and np.all(numbers[~used] == -1)
    assert np.array_equal(rows[:values], unique % size)
    assert np.array_equal(columns, np.searchsorted(unique // size, np.arange(size + 1)))


class Several(fm.Component):
    """Instances on the angles of frames, put in by a function."""

    kind = "gadget"

    def __init__(self, on, put):
        self.name, self.on, self.put = "several", on, put

    def assemble(self, assembly):
        self.put(assembly, self, np.array([assembly.node(frame.node)[1].v for frame in self.on]))


def model(put):
    """Its instances act on a body, on the ground, and on another body."""
    m = fm.PlanarModel("m")
    one, other = (m.add_body(name, mass=1.0, inertia=0.1).frame for name in ("one", "other"))
    m.add(Several([one, m.ground, other], put))
    return m


def one_by_one(assembly, component, numbers):
    for k, number in enumerate(numbers):
        assembly.instance(component, FORCE, number, np.array([2.0 + k]))


def at_once(assembly, component, numbers):
    assembly.series(component, FORCE, numbers, 2.0 + np.arange(len(numbers))[:, None])


def test_a_series_is_its_instances():
    one, all_of_them = (fm.System(model(put)) for put in (one_by_one, at_once))
    for a, b in zip((*one.plan[:-1], *one.plan.near), (*all_of_them.plan[:-1], *all_of_them.plan.near)):
        assert np.array_equal(a, b)
    for a, b in zip(one.assembly.instances, all_of_them.assembly.instances, strict=True):
        assert all(getattr(a, what) == getattr(b, what) for what in ("kernels", "label", "work", "group", "place"))
        assert np.array_equal(a.coordinates, b.coordinates) and np.array_equal(a.parameters, b.parameters)


def test_a_series_of_equal_parameters():
    system = fm.System(model(lambda assembly, own, numbers: assembly.series(own, FORCE, numbers, np.array([7.0]))))
    assert [i.parameters.tolist() for i in system.instances_of("several")] == [[7.0]] * 3


@pytest.mark.parametrize(
    ("kernels", "numbers", "parameters", "error", "says"),
    [
        (FORCE, slice(0, 2), np.ones((3, 1)), KernelError, r"shape \(2, 1\) and its parameters the shape \(3, 1\)"),
        (FORCE, 0, np.ones((3, 1)), KernelError, r"coordinates have the shape \(1,\)"),
        (FORCE, slice(0, 3), np.ones((3, 1, 1)), KernelError, r"parameters the shape \(3, 1, 1\)"),
        (FORCE, slice(0, 3), 1.0, KernelError, r"parameters the shape \(\)"),
        (FORCE, slice(0, 3), np.array([[1.0], [np.nan], [1.0]]), ModelError, r"NaN or infinity \(entry 0\)"),
        (JOINT, slice(0, 3), np.ones(1), KernelError, "have a constraint, but no rows are given"),
        (FORCE, slice(0, 0), np.ones(1), ModelError, "put in no instance of any kernel family"),
    ],
)
def test_a_series_that_does_not_fit_is_refused(kernels, numbers, parameters, error, says):
    wrong = model(lambda assembly, own, known: assembly.series(own, kernels, known[numbers], parameters))
    with pytest.raises(error, match="gadget 'several': .*" + says):
        fm.System(wrong)


def test_numbers_of_a_series_must_exist():
    with pytest.raises(KernelError, match="there is no coordinate number 99"):
        fm.System(model(lambda assembly, own, numbers: assembly.series(own, FORCE, numbers * 0 + 99, np.ones(1))))


def test_a_pattern_of_another_size():
    m = fm.SpatialModel("m")
    body = m.add_body("body", mass=1.0, inertia=(0.1, 0.1, 0.1))
    joint = m.spherical(m.ground, body.frame)
    system = fm.System(m)
    series = next(s for s in system.assembly.instance_series if s.owner is joint)
    series.kernels = replace(series.kernels, pattern=Pattern(np.ones((12, 12), bool), np.ones((4, 12), bool)))
    with pytest.raises(KernelError, match=r"G \(4, 12\); with 12 speeds and 3 rows they are \(12, 12\) and \(3, 12\)"):
        plan_of(system.assembly)
