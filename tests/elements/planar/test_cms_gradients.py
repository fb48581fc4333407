"""Gradients of the inertia loads of a CMS beam, against the matrices that they are made of."""

from __future__ import annotations

import numpy as np
import pytest

from flexmb.elements.cms_products import pair
from flexmb.elements.planar.cms.gradients import mass_gradients, motion_gradients, unit_loads
from flexmb.elements.planar.cms.inertia import acceleration, amplitudes, c_of_g
from flexmb.kernels.fours import FOUR

AXIAL = (0, 2)
BENDING = (2, 3, 4)


class Numbers:
    """An element with arbitrary integrals G in an arbitrary state."""

    def __init__(self, m, ng, second):
        rng = np.random.default_rng([m, ng])
        self.m, self.ng, self.second = m, ng, second
        self.nx = 1 + m + (ng * (ng + 1) // 2 if second else 0)
        self.nf, self.ny = 1 + self.nx + ng, 4 + m + ng
        half = rng.standard_normal((self.nf, self.nf))
        self.G = half + half.T
        self.om, self.al, self.ax, self.ay, self.l = rng.standard_normal(5)
        self.c, self.g = rng.standard_normal((3, 1 + m + ng)), rng.standard_normal((3, ng))
        self.c[:, [c_of_g(j, m) for j in range(ng)]] = self.g

    def zeta(self, l, c, g):
        zeta = np.zeros((3, self.nx))
        amplitudes(self.m, self.ng, self.second, l, c, g, zeta)
        return zeta

    def shapes(self):
        """B and C (nf, ny): the functions that move with (R1 in body axes, θ, c)."""
        B, C, m, nx = np.zeros((self.nf, self.ny)), np.zeros((self.nf, self.ny)), self.m, self.nx
        B[0, 0] = C[0, 1] = 1.0
        B[1 + nx :, 2], C[1 : 1 + nx, 2] = -self.g[0], self.zeta(self.l, self.c, self.g)[0]
        B[1, 4] = 1.0
        for k in range(m):
            B[2 + k, 6 + k] = 1.0
        for j in range(self.ng):
            column = 3 + c_of_g(j, m)
            C[1 + nx + j, column] = 1.0
            for k in range(self.ng if self.second else 0):
                B[2 + m + pair(j, k, self.ng), column] += self.g[0, k]
        return B, C

    def unit(self):
        """What `unit_loads` finds."""
        gram = np.pad(self.G, ((0, 0), (0, -self.nf % FOUR)))
        unit = np.full((2 * self.nf, self.ny + -self.ny % FOUR), np.nan)
        sums = np.full((2 + self.ng, gram.shape[1]), np.nan)
        unit_loads(self.m, self.second, self.zeta(self.l, self.c, self.g), self.g, gram, sums, unit)
        return unit

    def fields(self, y):
        """u and w (2 nf,) of  (θ, l, ξ, g; θ̇, …; R̈1, θ̈, …) = y; the frame does not turn with θ here."""
        c, g = y[: 3 * (1 + self.m + self.ng)].reshape(3, -1), np.empty((3, self.ng))
        g[:] = c[:, [c_of_g(j, self.m) for j in range(self.ng)]]
        om, al, ax, ay = y[-4:]
        fields = np.empty((2, self.nf))
        acceleration(om, al, ax, ay, self.zeta(self.l + c[0, 1] - self.c[0, 1], c, g), g, fields)
        return fields.ravel()


@pytest.fixture(params=[(m, ng, second) for m in AXIAL for ng in BENDING for second in (False, True)])
def numbers(request):
    return Numbers(*request.param)


def test_unit_loads_are_integrals_of_shapes_times_functions(numbers):
    B, C = numbers.shapes()
    wanted = np.vstack([numbers.G @ B, numbers.G @ C])
    got = numbers.unit()
    np.testing.assert_allclose(got[:, : numbers.ny], wanted, rtol=1e-13, atol=1e-13)
    assert not got[:, numbers.ny :].any()


def test_mass_is_shapes_times_shapes(numbers):
    B, C = numbers.shapes()
    P = np.full((numbers.ny, numbers.unit().shape[1]), np.nan)
    zeta = numbers.zeta(numbers.l, numbers.c, numbers.g)
    mass_gradients(numbers.m, numbers.second, 0.7, zeta, numbers.g, numbers.unit(), P)
    wanted = 0.7 * (B.T @ numbers.G @ B + C.T @ numbers.G @ C)
    np.testing.assert_allclose(P[:, : numbers.ny], wanted, rtol=1e-12, atol=1e-12)


def test_gradients_are_those_of_the_acceleration(numbers):
    """By differences of u and w, which are quadratic: these are exact."""
    n = numbers
    weights = wm, wd, wk = 0.7, 1.3, -0.4
    own, unit = 1 + n.m + n.ng, n.unit()
    y = np.concatenate([n.c.ravel(), [n.om, n.al, n.ax, n.ay]])
    by = np.array([(n.fields(y + e) - n.fields(y - e)) / 2.0 for e in np.eye(len(y))])
    rates = by[: 3 * own].reshape(3, own, -1)  # by c, ċ, c̈
    by_om, by_al, by_ax, by_ay = by[-4:]
    ends = [0, 2]  # of c: ū3 and ū6 fall by θ
    turning = [by_al - rates[2, ends].sum(axis=0), by_om - rates[1, ends].sum(axis=0)]
    turned = np.zeros(2 * n.nf)
    turned[0], turned[n.nf] = wk * n.ay, -wk * n.ax  # gravity and R̈1 stay while the frame turns
    wanted = [
        wm * by_ax, wm * by_ay, wm * by_al + wd * by_om + turned,
        *(wm * rates[2, k] + wd * rates[1, k] + wk * rates[0, k] for k in range(own)),
        turning[0], rates[2, 1], turning[1], rates[1, 1],
    ]  # fmt: skip
    P, fields = np.full((n.ny + 4, unit.shape[1]), np.nan), np.empty((2, n.nf))
    zeta = n.zeta(n.l, n.c, n.g)
    motion_gradients(n.m, n.second, n.om, n.al, n.ax, n.ay, *weights, zeta, n.g, fields, unit, P)
    loads = np.array(wanted) @ unit[:, : n.ny]
    np.testing.assert_allclose(P[:, : n.ny], loads, rtol=1e-10, atol=1e-10)
