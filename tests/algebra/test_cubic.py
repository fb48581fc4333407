"""Where cubics go through zero, against the roots of NumPy."""

from __future__ import annotations

import numpy as np

from flexmb.algebra.cubic import first_passage, root_beyond


def _data(c):
    """Values and slopes at 0 and 1."""
    p = np.polynomial.Polynomial(c)
    return p(0.0), p.deriv()(0.0), p(1.0), p.deriv()(1.0)


def test_first_passages_are_roots_in_their_direction():
    random = np.random.default_rng(5)
    found = 0
    for _ in range(400):
        roots = random.uniform(-0.5, 1.5, 3)
        c = random.choice([-1.0, 1.0]) * np.poly(roots)[::-1]
        slope = np.polynomial.Polynomial(c).deriv()
        inside = np.sort(roots[(roots > 0.0) & (roots < 1.0)])
        if len(inside) > 1 and np.diff(inside).min() < 0.04:
            continue
        for direction in (-1.0, 1.0):
            passages = [x for x in inside if direction * slope(x) > 0.0]
            place = first_passage(*_data(c), direction)
            assert abs(place - passages[0]) < 1e-9 if passages else place == -1.0
            found += bool(passages)
    assert found > 200


def test_a_root_beyond_the_end():
    assert abs(root_beyond(*_data([1.0, -0.1, -0.2])) - (np.sqrt(0.81) - 0.1) / 0.4) < 1e-12
