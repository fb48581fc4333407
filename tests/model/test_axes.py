"""Curves for the axes of beams."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flexmb as fm
from flexmb.errors import ModelError


def along(axis, count=9):
    """Points and tangents of an axis that is one piece, equally far apart."""
    path = axis.path()
    return path.at(0, np.linspace(0.0, path.length, count))


@settings(max_examples=20, deadline=None, derandomize=True)
@given(st.floats(0.1, 5.0), st.floats(-8.0, 8.0).filter(lambda x: abs(x) > 0.1), st.floats(-2.0, 2.0))
def test_a_helix_is_as_long_as_its_turns_and_keeps_its_distance(radius, angle, pitch):
    helix = fm.Helix((0, 0, 1), (radius, 0, 0), angle, pitch)
    assert helix.length == pytest.approx(abs(angle) * math.hypot(radius, pitch / (2.0 * math.pi)), rel=1e-12)
    points, tangents = along(helix)
    np.testing.assert_allclose(np.hypot(points[:, 0], points[:, 1]), radius, rtol=1e-12)
    np.testing.assert_allclose(points[:, 2], np.linspace(0.0, abs(angle) * pitch / (2.0 * math.pi), 9), atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(tangents, axis=1), 1.0, rtol=1e-14)


def test_a_curve_by_a_function_is_the_arc_that_it_says():
    """The parameter is no length."""
    curve = fm.Curve(lambda u: (math.cos(u + 0.2 * u * u), math.sin(u + 0.2 * u * u), 0.0), end=2.0)
    arc = fm.Arc((0, 0, 0), (1, 0, 0), 2.8)
    for got, wanted in zip(along(curve), along(arc)):
        np.testing.assert_allclose(got, wanted, atol=1e-10)


def test_fillets_join_without_kinks():
    path = fm.Polyline(((0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1)), fillet=(0.2, 0.0)).path()
    assert path.length == pytest.approx(0.8 + 0.1 * math.pi + 0.8 + 1.0)
    assert path.breaks[-2] == pytest.approx(path.length - 1.0)
    angles = []
    for k, s in enumerate(path.breaks[1:-1]):
        before, after = (path.at(j, np.array([s]))[1][0] for j in (k, k + 1))
        angles.append(math.atan2(np.linalg.norm(np.cross(before, after)), before @ after))
    np.testing.assert_allclose(angles, [0.0, 0.0, math.pi / 2], rtol=1e-6, atol=1e-7)


def test_a_closed_spline_has_no_kink():
    points = [(math.cos(a), math.sin(a), 0.1 * math.cos(2 * a)) for a in np.linspace(0.0, 2.0 * math.pi, 13)[:-1]]
    path = fm.SplineCurve(points, closed=True).path()
    (first, last), tangents = path.at(0, np.array([0.0, path.length]))
    np.testing.assert_allclose(first, last, atol=1e-14)
    np.testing.assert_allclose(tangents[0], tangents[1], atol=1e-12)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: fm.Arc((0, 0, 0), (0, 0, 1), 1.0), "^Arc: its start is on the axis through its center"),
        (lambda: fm.Helix((0, 0, 0), (1, 0, 0), 0.0), "^Helix: its angle is zero"),
        (lambda: fm.Helix((0, 0, 0), (1, 0, 0), math.inf), "^Helix: angle is inf"),
        (lambda: fm.Polyline(((0, 0, 0),)), "points must be 2 points or more"),
        (lambda: fm.Polyline(((0, 0, 0), (1, 0, 0), (1, 0, 0))), "points 1 and 2 are the same"),
        (lambda: fm.Polyline(((0, 0, 0), (1, 0, 0), (0, 0, 0))), "goes back upon itself at point 1"),
        (lambda: fm.Polyline(((0, 0, 0), (1, 0, 0), (1, 1, 0)), fillet=1.1), "its fillets take 1.1 m of the line"),
        (lambda: fm.Polyline(((0, 0, 0), (1, 0, 0), (1, 1, 0)), fillet=-1), "must not be negative"),
        (lambda: fm.Polyline(((0, 0, 0), (1, 0, 0), (1, 1, 0)), fillet=(0.1, 0.1)), "2 radii for 1 inner points"),
        (lambda: fm.Curve(3), "^Curve: 3 is no function"),
        (lambda: fm.Curve(lambda u: (0, 0, 0)).length, "its length is zero"),
        (lambda: fm.Curve(lambda u: (u * u, 0, 0)).length, "it stands still at 0"),
        (lambda: fm.Curve(lambda u: (u, abs(u - 0.3), 0)).length, "is not smooth near 0.2"),
        (lambda: fm.Curve(lambda u: (u, math.nan, 0)).length, "nan"),
    ],
)
def test_bad_input_is_named(make, message):
    with pytest.raises(ModelError, match=message):
        make()
