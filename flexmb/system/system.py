"""The system: arrays and compiled kernels that answer questions about (t, q, v)."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from flexmb.errors import ModelError
from flexmb.kernels.contract import Kernels
from flexmb.kernels.widths import ENERGY_WIDTH
from flexmb.model import checks
from flexmb.model.model import Model
from flexmb.system import evaluation, linear
from flexmb.system.assembly import DENSE_LIMIT, NO_OVERRIDES, Assembly, Overrides
from flexmb.system.instances import Instance
from flexmb.system.plan import NP, P_AT, ROWS, scratch_for


class System:
    """The equations of a model: M a + f(t, q, v) + Gᵀ λ = 0,  g(q, t) = 0.

    All vectors of coordinates and speeds that go in and out have `n` entries, those of constraints `m`.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m", gravity=(0, -10))
    >>> body = m.add_body("body", mass=2.0, inertia=0.1)
    >>> system = fm.System(m)
    >>> system.residual(0.0, system.q0, system.v0, [0, 0, 0]).tolist()
    [0.0, 20.0, 0.0]
    """

    def __init__(
        self,
        model: Model,
        *,
        kept_rows: np.ndarray | None = None,
        dense_limit: int = DENSE_LIMIT,
        overrides: Overrides = NO_OVERRIDES,
    ) -> None:
        if not isinstance(model, Model):
            raise ModelError(f"System: {checks.quoted(model)} is not a model; give a PlanarModel")
        dense_limit = checks.count(dense_limit, "dense_limit", f"System of model {model.name!r}")
        self.model = model
        self.assembly = Assembly(model, overrides)
        if kept_rows is not None:
            kept_rows = _row_numbers(kept_rows, len(self.assembly.rows), f"System of model {model.name!r}")
        if not len(self.assembly.free):
            raise ModelError(f"model {model.name!r} has nothing that can move; add a body, a beam or a frame")
        self._dense_limit = dense_limit
        self.plan, self.pattern = self.assembly.plan(kept_rows, dense_limit)
        self.n, self.m = self.plan.n, self.plan.m
        rows = self.assembly.rows
        self.rows = rows if kept_rows is None else [rows[k] for k in kept_rows]
        self.scratch = scratch_for(self.plan, self.assembly.work)
        self.linear = linear.linear_for(self.plan, self.pattern)
        free, fixed = self.assembly.free, self.assembly.fixed
        self.names = free.names
        self.initial, self.initial_speeds = self.assembly.initial, self.assembly.initial_speeds
        self.length_scale = _length_scale(model, self.initial, free.kinds + fixed.kinds)
        self.scale = np.array([self.length_scale if kind == "length" else 1.0 for kind in free.kinds])
        self.turning = np.array([kind == "angle" for kind in free.kinds])
        self.row_scale = np.array([self.length_scale if row.kind == "length" else 1.0 for row in self.rows])
        self._weights = np.zeros(3)
        self._zero = np.zeros(self.plan.total)
        masses = self.diagonal(self.q0, (1.0, 0.0, 0.0))
        in_length = [mass for mass, kind in zip(masses.tolist(), free.kinds) if kind == "length"]
        largest = max(in_length, default=0.0)
        self.mass_scale = largest if largest > 0 else float(masses.max() or 1.0)

    @property
    def q0(self) -> np.ndarray:
        """Coordinates (n,) as the model describes them."""
        return self.initial[: self.n].copy()

    @property
    def v0(self) -> np.ndarray:
        """Speeds (n,) as the model describes them."""
        return self.initial_speeds[: self.n].copy()

    # -- questions ----------------------------------------------------------------------------------------------------

    def full(self, x: np.ndarray, tail: np.ndarray | None = None) -> np.ndarray:
        """A vector (total,): x (n,), then the entries of fixed frames from `tail`, zero when not given."""
        out = np.zeros(self.plan.total) if tail is None else tail.copy()
        out[: self.n] = x
        return out

    def full_q(self, q: np.ndarray) -> np.ndarray:
        """Coordinates (total,): q (n,), then those of fixed frames."""
        return self.full(np.asarray(q, dtype=float), self.initial)

    def residual(
        self, t: float, q: np.ndarray, v: np.ndarray, a: np.ndarray, lam: np.ndarray | None = None
    ) -> np.ndarray:
        """M a + f, and + Gᵀ λ when λ (m,) is given; (n,)."""
        r = np.zeros(self.plan.total)
        state = (float(t), self.full_q(q), self.full(v), self.full(a))
        evaluation.residual(self.plan, self.scratch, *state, self._weights, r)
        if lam is not None:
            lam = np.asarray(lam, dtype=float)
            evaluation.add_constraint_forces(self.plan, self.scratch, *state, lam, self._weights, r)
        return r[: self.n]

    def constraint(self, t: float, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Position error g, velocity error ġ and right-hand side γ of G a = γ, (m,) each."""
        g, gd, gamma = np.zeros((3, self.m))
        evaluation.constraints(
            self.plan, self.scratch, float(t), self.full_q(q), self.full(v), self._zero, self._weights, g, gd, gamma
        )
        return g, gd, gamma

    def matrix(
        self,
        t: float,
        q: np.ndarray,
        v: np.ndarray,
        a: np.ndarray,
        lam: np.ndarray,
        weights: tuple[float, float, float],
    ) -> np.ndarray | sp.csc_array:
        """[wm M + wd D + wk K, Gᵀ; G, 0] with weights (wm, wd, wk): an array when small, sparse when large."""
        values = np.zeros(len(self.linear.values))
        evaluation.matrix(
            self.plan,
            self.scratch,
            float(t),
            self.full_q(q),
            self.full(v),
            self.full(a),
            np.asarray(lam, dtype=float),
            np.array(weights, dtype=float),
            values,
        )
        return self.shaped(values)

    def shaped(self, values: np.ndarray) -> np.ndarray | sp.csc_array:
        """The matrix (n + m, n + m) whose values, in the order of the plan, are given."""
        if self.pattern is None:
            return values.reshape(self.plan.size, self.plan.size)
        return sp.csc_array((values, self.pattern.indices, self.pattern.indptr), shape=self.pattern.shape)

    def tangent(
        self,
        t: float,
        q: np.ndarray,
        v: np.ndarray,
        a: np.ndarray,
        lam: np.ndarray,
        weights: tuple[float, float, float],
    ) -> np.ndarray | sp.csc_array:
        """wm M + wd D + wk K, (n, n)."""
        return self.matrix(t, q, v, a, lam, weights)[: self.n, : self.n]

    def diagonal(self, q: np.ndarray, weights: tuple[float, float, float], t: float = 0.0) -> np.ndarray:
        """The diagonal (n,) of wm M + wd D + wk K at rest, without forces in the joints."""
        values = np.zeros(len(self.linear.values))
        rest = (self._zero, self._zero, np.zeros(self.m), np.array(weights, dtype=float))
        evaluation.matrix(self.plan, self.scratch, float(t), self.full_q(q), *rest, values)
        return self.shaped(values).diagonal()[: self.n]

    def jacobian(self, t: float, q: np.ndarray) -> np.ndarray | sp.csc_array:
        """G, (m, n)."""
        values = np.zeros(len(self.linear.values))
        groups = self.plan.groups
        joints = self.plan._replace(groups=groups[groups[:, ROWS] > 0])
        rest = (self._zero, self._zero, np.zeros(self.m), self._weights)
        evaluation.matrix(joints, self.scratch, float(t), self.full_q(q), *rest, values)
        return self.jacobian_in(values)

    def jacobian_in(self, values: np.ndarray) -> np.ndarray | sp.csc_array:
        """G, (m, n), cut out of the values of the whole matrix."""
        return self.shaped(values)[self.n :, : self.n]

    def mass_matrix(self, t: float, q: np.ndarray) -> np.ndarray | sp.csc_array:
        """M, (n, n)."""
        zero = np.zeros(self.n)
        return self.tangent(t, q, zero, zero, np.zeros(self.m), (1.0, 0.0, 0.0))

    def energy(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Kinetic, strain, potential energy [J], dissipated and input power [W]; (5,)."""
        e = np.zeros(ENERGY_WIDTH)
        evaluation.energies(
            self.plan, self.scratch, float(t), self.full_q(q), self.full(v), self._zero, self._weights, e
        )
        return e

    def rigid_motions(self, q: np.ndarray) -> np.ndarray:
        """Speeds (3, n) of the free coordinates when everything moves as one body: along x, along y, and turning about
        the origin with unit rates. Coordinates whose names end in x, y or dx, dy are points and vectors, those of kind
        'angle' turn along, all others (modal ones, angles between parts) stay."""
        Z = np.zeros((3, self.n))
        number = {name: k for k, name in enumerate(self.names)}
        for k, (name, kind) in enumerate(zip(self.names, self.assembly.free.kinds)):
            stem, _, tag = name.rpartition(".")
            if kind == "angle":
                Z[2, k] = 1.0
            elif tag in ("x", "dx") and f"{stem}.{tag[:-1]}y" in number:
                j = number[f"{stem}.{tag[:-1]}y"]
                Z[2, k], Z[2, j] = -q[j], q[k]
                if tag == "x":
                    Z[0, k] = Z[1, j] = 1.0
        return Z

    def momentum(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Linear momentum (x, y) [kg m/s] and angular momentum about the origin [kg m²/s]; (3,)."""
        return self.rigid_motions(q) @ (self.mass_matrix(t, q) @ v)

    def instances_of(self, name: str) -> list[Instance]:
        """The kernel instances of a component, in the order in which it gave them."""
        return [i for i in self.assembly.instances if i.owner.name == name]

    def coordinates_of(self, name: str, kernels: Kernels) -> np.ndarray:
        """Numbers (k, nv) of the coordinates of a component's instances of one kernel family."""
        series = [s for s in self.assembly.instance_series if s.owner.name == name and s.kernels is kernels]
        return np.concatenate([s.coordinates for s in series])

    def strength_places(self, name: str) -> np.ndarray:
        """Places in the plan's parameters where the strength of a component is commanded, one for each instance."""
        places = []
        for series in self.assembly.instance_series:
            if series.owner.name == name and series.strength is not None:
                group = self.plan.groups[series.group]
                number = series.place + np.arange(len(series.coordinates))
                places.append(group[P_AT] + number * group[NP] + series.strength)
        if not places:
            where = self.model.components[name].where
            raise ModelError(
                f"{where}: its assemble() does not say where its strength stands; give strength=… to assembly.instance"
            )
        return np.concatenate(places)

    def prescribed_row(self, name: str) -> int | None:
        """The number of the constraint row that follows the motion prescribed by a component; None if that row was left
        out."""
        for series in self.assembly.instance_series:
            if series.owner.name == name and series.prescribed is not None:
                row = self.assembly.rows[int(series.rows[0, series.prescribed])]
                return next((k for k, own in enumerate(self.rows) if own is row), None)
        where = self.model.components[name].where
        raise ModelError(
            f"{where}: its assemble() does not say which row follows its motion; give prescribed=… to assembly.instance"
        )

    def grow(self) -> None:
        """Enlarge the room for the sparse factors."""
        self.linear = linear.enlarged(self.linear)


def _row_numbers(given: np.ndarray, count: int, where: str) -> np.ndarray:
    """Check numbers of constraint rows: all different, and less than `count`."""
    numbers = checks.row(given, "kept_rows", where)
    rows = numbers.astype(np.int64)
    if np.any(rows != numbers) or np.any(rows < 0) or np.any(rows >= count) or len(np.unique(rows)) < len(rows):
        raise ModelError(f"{where}: kept_rows must be different numbers of its {count} constraint rows, from 0 on")
    return rows


def _length_scale(model: Model, values: np.ndarray, kinds: list[str]) -> float:
    """The size of the mechanism [m]: its extent, or the largest distance from the origin, or 1."""
    nodes = [frame.position for frame in model.frames.values()]
    for component in model.components.values():
        nodes += [node.position for node in component.nodes()]
        nodes += list(getattr(component, "ends", []))
    extent = max(float(max(along) - min(along)) for along in zip(*nodes))  # along x, along y
    if extent > 0.0:
        return extent
    lengths = [abs(value) for value, kind in zip(values.tolist(), kinds) if kind == "length"]
    longest = max(lengths, default=0.0)
    return longest if longest > 0.0 else 1.0
