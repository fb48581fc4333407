"""States inside a step that was made again, and the polynomials through them.

Within a step, or each of several equal panels of it, a quantity is the polynomial of eighth degree through its values
at nine nodes, those of Chebyshev and Lobatto, the ends among them. With the weights w = ½, −1, 1, …, ½,
Berrut and Trefethen (2004), eq. (5.4),

    x(s) = Σ_j w_j/(s − s_j) x_j / Σ_j w_j/(s − s_j),    s_j = ½ (1 − cos πj/8)

The first node is the start of the step, behind what jumps there; the last is the end of the step as the run has it.
A run and its file have the same values at the nodes, and so the same between them. Of a smooth quantity the
coefficients of Chebyshev's polynomials fall fast; how small the last of them is tells how well nine nodes serve.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from flexmb.results.signals import ControlLog

#: the degree of the polynomials; the most panels of a step
DEGREE, MOST_PANELS = 8, 16
#: nodes of a panel, 0 … 1, and their weights
NODES = 0.5 * (1.0 - np.cos(np.pi * np.arange(DEGREE + 1) / DEGREE))
WEIGHTS = (-1.0) ** np.arange(DEGREE + 1) * np.where(NODES * (1.0 - NODES) > 0.0, 1.0, 0.5)
#: The last two coefficients of Chebyshev's expansion are  2/n Σ_j x_j cos(k j π/n)  for k = n − 1, half of that for
#: k = n, with half of the terms at the ends.
LAST = np.cos(np.pi * np.outer([DEGREE - 1, DEGREE], np.arange(DEGREE + 1)) / DEGREE) * np.abs(WEIGHTS) / DEGREE
LAST[0] *= 2.0


class States(NamedTuple):
    """Coordinates (k, nq), speeds, accelerations (k, n) and multipliers (k, m) at k times."""

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    multipliers: np.ndarray


class StepAgain(Protocol):
    """Makes one step of a method again, to have the states inside it."""

    def __call__(self, t: np.ndarray, q: np.ndarray, v: np.ndarray) -> States | None:
        """The states at the nodes of the step but the last (:func:`node_times`), from the times (2,), the coordinates
        (2, nq) and speeds (2, n) at both ends; None where it cannot be made, so that they are interpolated."""


class RunStepAgain(StepAgain, Protocol):
    """Makes steps of a run again, with what its controllers held in them."""

    logs: Sequence[ControlLog]


def node_times(t: np.ndarray, panels: int) -> np.ndarray:
    """The times (8 panels,) of the nodes of a step with the times t (2,) at its ends, but for the last.

    >>> node_times(np.array([0.0, 2.0]), 1).round(3).tolist()
    [0.0, 0.076, 0.293, 0.617, 1.0, 1.383, 1.707, 1.924]
    """
    parts = (np.arange(panels)[:, None] + NODES[:-1]).ravel() / panels
    return t[0] + parts * (t[1] - t[0])


def at_nodes(ends: np.ndarray, inner: np.ndarray, quaternions: Sequence[Sequence[int]] = ()) -> np.ndarray:
    """Values (8 panels + 1, n) at all nodes of a step, from those at its ends (2, n) and at its nodes but the last.
    `quaternions`: numbers (4,) of the columns of each, which have the sign that is nearer to that of their neighbor,
    from the start of the step on."""
    values = np.concatenate([inner, ends[1:]])
    for own in quaternions:
        e = np.concatenate([ends[:1, own], values[:, own]])
        turns = np.where(np.sum(e[1:] * e[:-1], axis=1) < 0.0, -1.0, 1.0)
        values[:, own] = e[1:] * np.cumprod(turns)[:, None]
    return values


def quaternions_of(orientations: np.ndarray) -> list[list[int]]:
    """The numbers (4,) of the coordinates of each orientation; `orientations` as in :mod:`flexmb.kernels.charts`."""
    return [[first, first + 1, first + 2, scalar] for first, scalar in orientations.tolist()]


def unresolved(values: np.ndarray) -> np.ndarray:
    """The largest of the last coefficients of all panels, for each of the quantities with values (8 panels + 1, n) at
    nodes."""
    panels = (len(values) - 1) // DEGREE
    each = np.stack([values[DEGREE * p : DEGREE * (p + 1) + 1] for p in range(panels)])
    return np.max(np.abs(np.einsum("kj,pjn->pkn", LAST, each)), axis=(0, 1))


def through_nodes(
    ends: np.ndarray, inner: np.ndarray, parts: np.ndarray, quaternions: Sequence[Sequence[int]] = ()
) -> np.ndarray:
    """Quantities (r, n) at parts (r,) of a step, 0 … 1, from their values at its ends (2, n) and at its nodes but the
    last (8 panels, n). `quaternions`: numbers (4,) of the columns of each, which have length one.

    >>> t = node_times(np.array([0.0, 1.0]), 1)[:, None]
    >>> through_nodes(np.array([[0.0], [1.0]]), t**8, np.array([0.0, 0.5, 0.75])).ravel().round(12).tolist()
    [0.0, 0.00390625, 0.100112915039]
    """
    values = at_nodes(ends, inner, quaternions)
    panels = (len(values) - 1) // DEGREE
    panel = np.clip((parts * panels).astype(int), 0, panels - 1)
    apart = (parts * panels - panel)[:, None] - NODES
    there = apart == 0.0
    terms = WEIGHTS / np.where(there, 1.0, apart)
    terms = np.where(there.any(axis=1, keepdims=True), there, terms)
    terms /= terms.sum(axis=1, keepdims=True)
    out = np.einsum("rj,rjn->rn", terms, values[DEGREE * panel[:, None] + np.arange(DEGREE + 1)])
    for own in quaternions:
        out[:, own] /= np.linalg.norm(out[:, own], axis=1, keepdims=True)
    return out


def states_through_nodes(ends: States, inner: States, parts: np.ndarray, orientations: np.ndarray) -> States:
    """The states at parts (r,) of a step, from those at its two ends and at its nodes; `orientations` as in
    :mod:`flexmb.kernels.charts`."""
    turning = quaternions_of(orientations)
    return States(*(through_nodes(*both, parts, turning if k == 0 else ()) for k, both in enumerate(zip(ends, inner))))


class StoredSteps:
    """Steps whose states inside are known, as those from a file: their numbers `steps` (s,) among the times t (k,) of a
    solution, with how many `panels` (s,) each, and the states at the nodes of all of them."""

    def __init__(self, t: np.ndarray, steps: np.ndarray, panels: np.ndarray, states: States) -> None:
        last = np.cumsum(DEGREE * panels)
        nodes = [slice(end - DEGREE * count, end) for end, count in zip(last.tolist(), panels.tolist())]
        self.steps, self.panels, self.states = steps, panels, states
        #: the nodes of each step, by number
        self.nodes = dict(zip(steps.tolist(), nodes))
        self._by_ends = {(t[k], t[k + 1]): own for k, own in self.nodes.items()}

    @classmethod
    def of(cls, t: np.ndarray, q: np.ndarray, v: np.ndarray, again: StepAgain) -> StoredSteps | None:
        """All steps between times t (k,) that are made again; None if there are none."""
        pairs = ((k, slice(k, k + 2)) for k in range(len(t) - 1) if t[k + 1] > t[k])
        found = {k: inner for k, own in pairs if (inner := again(t[own], q[own], v[own])) is not None}
        if not found:
            return None
        steps, panels = np.array(list(found)), np.array([len(inner.q) // DEGREE for inner in found.values()])
        return cls(t, steps, panels, States(*map(np.concatenate, zip(*found.values()))))

    def times(self, t: np.ndarray) -> np.ndarray:
        """The times of all nodes."""
        return np.concatenate([node_times(t[k : k + 2], int(p)) for k, p in zip(self.steps, self.panels)])

    def __call__(self, t: np.ndarray, q: np.ndarray, v: np.ndarray) -> States | None:
        own = self._by_ends.get((t[0], t[1]))
        return None if own is None else States(*(x[own] for x in self.states))
