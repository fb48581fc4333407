"""One kernel instance of a component, taken out of the mechanism, so that its kernels can be called one by one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from flexmb.kernels.blocks import ORIENTATION, Numbers
from flexmb.kernels.compilation import python_of
from flexmb.kernels.completion import asked_scratch
from flexmb.kernels.contract import MADE, Kernels
from flexmb.kernels.widths import SIDES, widths
from flexmb.model.components import Component
from flexmb.system.kernel_checks import check_numbers
from flexmb.system.numbering import SCALARS, Numbering
from flexmb.testing.motions import TrialState

Array = np.ndarray
#: weights (wm, wd, wk) that choose one part of a tangent
UNIT = np.eye(3)


def require(holds: bool, message: str) -> None:
    """Raise an AssertionError with the message unless the condition holds."""
    if not holds:
        raise AssertionError(message)


@dataclass(eq=False)
class RecordedInstance:
    """One kernel instance that a component added, on the `given` numbers in q and v.

    Its states are vectors of its own: v and a (nv,), and q (nq,) in the order of a system's, the scalar parts of
    orientations behind all others. `columns` are the numbers of its speeds among the recorder's, `coordinates` those of
    this q; `order` says where in this q each coordinate stands that the kernels find by `iq`, and `orientations` (k, 2)
    where in it orientations are. The same coordinate may come twice, as in a spring between two frames of one body.

    >>> import flexmb as fm
    >>> from flexmb import testing
    >>> m = fm.PlanarModel("m")
    >>> body = m.add_body("body", mass=2.0, inertia=0.1, center=(0.2, 0.1))
    >>> part = testing.Recorder.of(body)
    >>> [len(instance.columns) for instance in part.instances]  # x, y and angle
    [3]
    """

    owner: Component
    kernels: Kernels
    given: Numbers
    parameters: Array
    rows: list[tuple[str, str, str]]
    work: int
    label: str
    strength: int | None = None
    found: bool = False
    dimension: int = 2
    coordinates: Array = field(init=False)
    order: Array = field(init=False)
    orientations: Array = field(init=False)

    @property
    def columns(self) -> Array:
        """Numbers of its speeds (nv,) among the recorder's."""
        return self.given.v

    def settle(self, numbering: Numbering) -> None:
        """Find its coordinates among all of a component, once all of these are numbered."""
        given = self.given
        check_numbers(f"{self.owner.where}: instance of {self.kernels.name!r}", given, numbering, Numbering(fixed=True))
        self.dimension = max(numbering.dimension, 2)
        columns, starts = given.v.tolist(), numbering.numbers_of(ORIENTATION, 3)[:, 0].tolist()
        found = [(at, starts.index(number)) for at, number in enumerate(columns) if number in starts]
        scalars = [len(numbering) + k for _, k in found]
        turns = [(at, len(columns) + j) for j, (at, _) in enumerate(found)]
        self.orientations = np.array(turns, dtype=np.int64).reshape(-1, 2)
        self.coordinates = np.array([*columns, *scalars], dtype=np.int64)
        left: dict[int, list[int]] = {}  # where each number still stands that `iq` has not yet used
        for at, number in enumerate(self.coordinates.tolist()):
            left.setdefault(number, []).append(at)
        final = np.where(given.q >= SCALARS, given.q - SCALARS + len(numbering), given.q)
        self.order = np.array([left[number].pop(0) for number in final.tolist()], dtype=np.int64)

    def where(self, role: str) -> str:
        """The kernel of a role as messages name it."""
        label = f" {self.label!r}" if self.label else ""
        return f"{self.owner.where}{label}: kernel {self.kernels.name!r}, {role}"

    def at(self, whole: TrialState) -> TrialState:
        """Its part of a state of the component."""
        c = self.columns
        return TrialState(whole.t, whole.q[self.coordinates], whole.v[c], whole.a[c], self.orientations)

    @property
    def at_speed(self) -> Array:
        """Which of the rows (m,) are velocity rows."""
        return np.array([level == "velocity" for _, _, level in self.rows], dtype=bool)

    def width(self, role: str) -> int:
        """The number of values that a kernel fills for each instance."""
        return widths(len(self.columns), len(self.rows), int(np.sum(self.at_speed)), self.dimension)[role]

    def jacobian(self, t: float, q: Array, v: Array | None = None) -> Array:
        """G, (m, nv), at a state, or (n, m, nv) at n states."""
        m, nv = len(self.rows), len(self.columns)
        out = self.call("jacobian", t, q, v)[0]
        return out[..., : m * nv].reshape(*out.shape[:-1], m, nv)

    def multipliers(self, role: str) -> int:
        """The number of values that a kernel takes in `lam` for each instance."""
        return SIDES[self.dimension].rows if role == "point_jacobian" else len(self.rows)

    def numbers(self, count: int) -> tuple[Array, Array]:
        """`iq` and `iv` of many instances whose states stand one behind the other."""
        nq, nv = len(self.coordinates), len(self.columns)
        iq = np.arange(count * nq, dtype=np.int64).reshape(count, nq)[:, self.order]
        return np.ascontiguousarray(iq), np.arange(count * nv, dtype=np.int64).reshape(count, nv)

    def asked(self, role: str) -> int:
        """How many scratch numbers a kernel may use: those that its family asked for, or all if it was made."""
        function = python_of(getattr(self.kernels, role))
        if function is not None and function.__qualname__.endswith(MADE):
            return self.work
        return asked_scratch(self.kernels, self.work, len(self.columns), len(self.rows))

    def call(
        self,
        role: str,
        t: float,
        q: Array,
        v: Array | None = None,
        a: Array | None = None,
        lam: Array | None = None,
        w: Iterable[float] = (0.0, 0.0, 0.0),
        work: Array | None = None,
    ) -> tuple[Array, Array]:
        """`out` and `K` of a kernel at a state q (nq,), v, a (nv,), or at states (n, …) in one call."""
        states = np.atleast_2d(q)
        n, nv = len(states), len(self.columns)

        def rows(x: Array | None, width: int) -> Array:
            filled = np.empty((n, width))
            filled[:] = 0.0 if x is None else x
            return filled

        out = np.zeros((n, self.width(role)))
        K = np.zeros((n, nv, nv))
        scratch = np.full(max(self.work, 1), np.nan) if work is None else work
        getattr(self.kernels, role)(
            rows(self.parameters, len(self.parameters)),
            *self.numbers(n),
            float(t),
            rows(states, len(self.coordinates)).ravel(),
            rows(v, nv).ravel(),
            rows(a, nv).ravel(),
            rows(lam, self.multipliers(role)),
            np.array(tuple(w), dtype=float),
            out,
            K,
            scratch,
        )
        return (out[0], K[0]) if np.ndim(q) == 1 else (out, K)
