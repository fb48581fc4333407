"""Kernels of space called with arrays made by hand, and their checks against differences along retract.

The coordinates of an instance are nodes, each a place (3) and a quaternion (4), and single numbers behind them.
Rotations are those of SciPy, not of the kernels.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from flexmb.algebra.differences import derivative
from flexmb.kernels.blocks import Numbers
from flexmb.kernels.completion import complete
from flexmb.kernels.widths import SPATIAL_POINT_WIDTH


def quaternion(turn):
    """The four numbers of a rotation, scalar first."""
    return np.roll(turn.as_quat(), 1)


def rotation(numbers):
    """The rotation of four numbers, scalar first."""
    return Rotation.from_quat(np.roll(numbers, -1))


def retract(q, y, nodes):
    """q ∘ exp y: places and numbers are added, quaternions turned in the axes of their bodies."""
    moved = []
    for k in range(nodes):
        place, axes = q[7 * k : 7 * k + 3], rotation(q[7 * k + 3 : 7 * k + 7])
        turn = axes * Rotation.from_rotvec(y[6 * k + 3 : 6 * k + 6])
        moved += [place + y[6 * k : 6 * k + 3], quaternion(turn)]
    return np.concatenate([*moved, q[7 * nodes :] + y[6 * nodes :]])


class Instance:
    """One instance of a family: parameters, `nodes` nodes and `singles` numbers, `rows` constraint rows. Its
    coordinates stand anywhere in q and in v, as in a model."""

    def __init__(self, kernels, parameters, nodes, singles=0, rows=0, work=0):
        shapes = [(3, 3), (4, 3)] * nodes + [(1, 1)] * singles
        blocks = [Numbers(np.zeros((1, nq)), np.zeros((1, nv))) for nq, nv in shapes]
        self.kernels, self.work = complete(kernels, blocks, [("row", "length")] * rows, work, "the instance")
        self.nodes, self.rows = nodes, rows
        self.p = np.atleast_2d(np.asarray(parameters, dtype=float))
        self.nq, self.nv = 7 * nodes + singles, 6 * nodes + singles
        rng = np.random.default_rng(0)
        self.iq = rng.permutation(self.nq + 3)[: self.nq][None, :].copy()
        self.iv = rng.permutation(self.nv + 2)[: self.nv][None, :].copy()

    def call(self, role, q, v=None, a=None, t=0.3, lam=None, w=(0.0, 0.0, 0.0)):
        """`out` and K of one kernel."""
        v = np.zeros(self.nv) if v is None else v
        a = np.zeros(self.nv) if a is None else a
        total_q, total_v, total_a = (
            np.full(self.nq + 3, np.nan),
            np.full(self.nv + 2, np.nan),
            np.full(self.nv + 2, np.nan),
        )
        total_q[self.iq[0]], total_v[self.iv[0]], total_a[self.iv[0]] = q, v, a
        width = {
            "residual": self.nv,
            "energy": 5,
            "constraint": 3 * self.rows,
            "jacobian": self.rows * self.nv,
            "point": SPATIAL_POINT_WIDTH,
            "point_jacobian": 6 * self.nv,
        }
        out = np.zeros((1, width.get(role, 0)))
        K = np.zeros((1, self.nv, self.nv))
        lam = np.zeros((1, self.rows)) if lam is None else np.atleast_2d(np.asarray(lam, dtype=float))
        scratch = np.append(np.full(self.work, 7.7), np.full(4, 1234.5))
        kernel = getattr(self.kernels, role)
        kernel(self.p, self.iq, self.iv, t, total_q, total_v, total_a, lam, np.array(w, float), out, K, scratch)
        assert np.all(scratch[self.work :] == 1234.5)
        return out[0], K[0]

    def state(self, seed, q=None):
        """Random coordinates (near q, if they are given), speeds and accelerations."""
        rng = np.random.default_rng(seed)
        if q is None:
            q = rng.uniform(-1, 1, self.nq)
            for k in range(self.nodes):
                q[7 * k + 3 : 7 * k + 7] /= np.linalg.norm(q[7 * k + 3 : 7 * k + 7])
        return retract(q, 0.2 * rng.uniform(-1, 1, self.nv), self.nodes), *rng.uniform(-1, 1, (2, self.nv))


def agree(given, wanted, error, tolerance=1e-9):
    size = max(np.max(np.abs(wanted), initial=0.0), 1.0)
    assert np.max(np.abs(given - wanted)) < tolerance * size + 10 * np.max(error)


def columns(instance, f, q, v, a, which):
    """Derivatives of f(q, v, a) along each q ∘ exp y, v or a, one a column."""
    unit = np.eye(instance.nv)

    def moved(h):
        rows = []
        for k in range(instance.nv):
            there = {"q": retract(q, h * unit[k], instance.nodes) if which == "q" else q,
                     "v": v + (h * unit[k] if which == "v" else 0.0),
                     "a": a + (h * unit[k] if which == "a" else 0.0)}  # fmt: skip
            rows.append(f(there["q"], there["v"], there["a"]))
        return np.array(rows)

    slopes, error = derivative(moved, 0.02)
    return slopes.T, error


def later(instance, q, v, a, h):
    """Coordinates and speeds a time h later; exact for both in their values and rates at h = 0."""
    return retract(q, h * v + 0.5 * h * h * a, instance.nodes), v + h * a


def check_tangent(instance, q, v, a):
    def residual(q, v, a):
        return instance.call("residual", q, v, a)[0]

    parts = []
    for k, which in enumerate("avq"):
        w = np.eye(3)[k]
        K = instance.call("tangent", q, v, a, w=w)[1]
        agree(K, *columns(instance, residual, q, v, a, which))
        parts.append(K)
    w = np.array([0.7, -1.3, 0.4])
    agree(instance.call("tangent", q, v, a, w=w)[1], sum(x * K for x, K in zip(w, parts)), 0.0, 1e-12)


def check_constraint(instance, q, v, a, lam):
    """G, K = ∂(Gᵀλ)/∂y, ġ and γ against differences."""
    m = instance.rows

    def rows(q, v, a):
        return instance.call("constraint", q, v)[0]

    def flat_jacobian(q):
        return instance.call("jacobian", q)[0].reshape(m, instance.nv)

    G = flat_jacobian(q)
    slopes, error = columns(instance, lambda q, v, a: rows(q, v, a)[:m], q, v, a, "q")
    agree(G, slopes, error)
    slopes, error = columns(instance, lambda q, v, a: rows(q, v, a)[m : 2 * m], q, v, a, "v")
    agree(G, slopes, error)
    K = instance.call("jacobian", q, lam=lam, w=(0.3, 0.2, 1.7))[1]
    slopes, error = columns(instance, lambda q, v, a: flat_jacobian(q).T @ lam, q, v, a, "q")
    agree(K, 1.7 * slopes, 1.7 * error)
    rate, error = derivative(lambda h: rows(*later(instance, q, v, a, h), a), 0.02)
    now = rows(q, v, a)
    agree(now[m : 2 * m], rate[:m], error)
    agree(now[2 * m :], G @ a - rate[m : 2 * m], error)


def check_power(instance, q, v, a):
    """Rate of energy and dissipated power are together the power of the residual."""

    def total(h):
        there = later(instance, q, v, a, h)
        return np.array([instance.call("energy", *there, a)[0][:3].sum()])

    rate, error = derivative(total, 0.02)
    lost, given = instance.call("energy", q, v, a)[0][3:]
    agree(instance.call("residual", q, v, a)[0] @ v, rate[0] + lost - given, error)
