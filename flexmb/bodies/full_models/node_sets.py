"""Sets of nodes, chosen by where the nodes lie."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.model import checks
from flexmb.model.hints import AnswersCalls, answers_calls

#: part of the size of a body within which a node lies on a plane or on a cylinder
ON = 1e-6


class NodeSet(metaclass=AnswersCalls):
    """Nodes chosen by a rule: `a & b` are those in both, `a | b` those in one of two, `~a` all others.

    >>> nodes = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0]])
    >>> (on_plane((1, 0, 0), (1, 0, 0)) & in_box((0, 0.5, 0), (2, 2, 0))).numbers(nodes, "here").tolist()
    [2]
    """

    def __init__(self, rule: Callable[[np.ndarray], np.ndarray], text: str) -> None:
        self.rule, self.text = rule, text

    def numbers(self, nodes: np.ndarray, where: str) -> np.ndarray:
        """The numbers of the nodes among `nodes` (N, d), of which there must be one at least."""
        found = np.flatnonzero(self.rule(nodes))
        if not len(found):
            low, high = nodes.min(axis=0), nodes.max(axis=0)
            raise ModelError(
                f"{where}: there is no node {self.text}; the nodes lie between {_point(low)} and {_point(high)}"
            )
        return found

    def __and__(self, other: NodeSet) -> NodeSet:
        return NodeSet(lambda x: self.rule(x) & other.rule(x), f"{self.text} and {other.text}")

    def __or__(self, other: NodeSet) -> NodeSet:
        return NodeSet(lambda x: self.rule(x) | other.rule(x), f"{self.text} or {other.text}")

    def __invert__(self) -> NodeSet:
        return NodeSet(lambda x: ~self.rule(x), f"not {self.text}")


@answers_calls
def in_box(low: Any, high: Any) -> NodeSet:
    """Nodes inside a box and on its faces. Arguments: its corners `low` and `high` (d,) [m]; infinite ones are allowed.

    >>> in_box((0, 0), (1, 1)).numbers(np.array([[0.5, 1.0], [2.0, 0.0]]), "here").tolist()
    [0]
    """
    a, b = (checks.numbers(x, "corner", "in_box", "2 or 3 numbers", infinite=True) for x in (low, high))
    if a.shape not in ((2,), (3,)) or b.shape != a.shape:
        raise ModelError(
            f"in_box: its corners are {checks.quoted(low)} and {checks.quoted(high)}; give 2 or 3 numbers each"
        )
    return NodeSet(
        lambda x: np.all((x >= a - _near(x)) & (x <= b + _near(x)), axis=1), f"between {_point(a)} and {_point(b)}"
    )


@answers_calls
def on_plane(point: Any, normal: Any, *, tolerance: float | None = None) -> NodeSet:
    """Nodes on a plane, in two dimensions on a line.

    Arguments: a `point` of it (d,) [m]; its `normal` (d,); `tolerance`, distance [m] up to which a node counts, a
    millionth of the size of the body if not given.

    >>> on_plane((0, 0), (0, 1)).numbers(np.array([[5.0, 0.0], [0.0, 1.0]]), "here").tolist()
    [0]
    """
    p, n = checks.row(point, "point", "on_plane"), checks.row(normal, "normal", "on_plane")
    n = _direction(n, "normal", "on_plane")
    return NodeSet(
        lambda x: np.abs((x - p) @ n) <= (_near(x) if tolerance is None else tolerance),
        f"on the plane through {_point(p)} normal to {_point(n)}",
    )


@answers_calls
def on_cylinder(point: Any, axis: Any, radius: float, *, tolerance: float | None = None) -> NodeSet:
    """Nodes on a cylinder, such as the wall of a hole; in two dimensions a circle, whose `axis` is None.

    Arguments: a `point` of its axis (d,) [m] and the direction `axis` (3,); its `radius` [m]; `tolerance`, distance
    from the wall [m] up to which a node counts, a millionth of the size of the body if not given.

    >>> on_cylinder((0, 0, 0), (0, 0, 1), 2.0).numbers(np.array([[0, 2, 5.0], [1, 0, 0]]), "here").tolist()
    [0]
    """
    p = checks.row(point, "point", "on_cylinder")
    r = checks.positive(radius, "radius", "on_cylinder")
    n = np.zeros(len(p)) if axis is None else _direction(checks.row(axis, "axis", "on_cylinder"), "axis", "on_cylinder")

    def rule(x: np.ndarray) -> np.ndarray:
        arm = x - p
        arm = arm - np.outer(arm @ n, n)
        return np.asarray(np.abs(np.linalg.norm(arm, axis=1) - r) <= (_near(x) if tolerance is None else tolerance))

    return NodeSet(rule, f"on the cylinder of the radius {r:g} about {_point(p)}")


@answers_calls
def nearest(point: Any, count: int = 1) -> NodeSet:
    """The nodes that are nearest to a `point` (d,) [m], `count` of them.

    >>> nearest((0.9, 0)).numbers(np.array([[0.0, 0.0], [1.0, 0.0]]), "here").tolist()
    [1]
    """
    p, k = checks.row(point, "point", "nearest"), checks.count(count, "count", "nearest", 1)

    def rule(x: np.ndarray) -> np.ndarray:
        chosen = np.zeros(len(x), dtype=bool)
        chosen[np.argsort(np.linalg.norm(x - p, axis=1), kind="stable")[:k]] = True
        return chosen

    return NodeSet(rule, f"near {_point(p)}")


def numbers_of(
    given: Any, nodes: np.ndarray, sets: Mapping[str, np.ndarray], where: str, points: np.ndarray | None = None
) -> np.ndarray:
    """Numbers of nodes (k,) of what a user gives: a NodeSet, the name of a set of the mesh or several names, or the
    numbers, each once, in the order in which they come; `points` (p,), nodes by the numbers that a mesh has for them,
    if others.

    >>> numbers_of("top", np.zeros((3, 2)), {"top": np.array([1])}, "here").tolist()
    [1]
    >>> numbers_of([2, 0], np.zeros((3, 2)), {}, "here").tolist()
    [2, 0]
    >>> numbers_of([1, 3], np.zeros((3, 2)), {}, "here", points=np.array([-1, 0, 1, 2])).tolist()
    [0, 2]
    """
    if isinstance(given, NodeSet):
        return given.numbers(nodes, where)
    if isinstance(given, str):
        return np.asarray(sets[checks.known(given, sets.keys(), "set of nodes", where)])
    if isinstance(given, list | tuple) and given and all(isinstance(name, str) for name in given):
        return np.unique(np.concatenate([numbers_of(name, nodes, sets, where, points) for name in given]))
    found = checks.row(given, "nodes", where)
    if not len(found):
        raise ModelError(f"{where}: it has no nodes")
    count = len(nodes) if points is None else len(points)
    unknown = found[(found < 0) | (found >= count) | (found != np.floor(found))]
    if len(unknown):
        raise ModelError(f"{where}: it names a node {unknown[0]:g}; there are {count}, from 0 on")
    numbers = found[np.sort(np.unique(found, return_index=True)[1])].astype(np.int64)
    if points is None:
        return np.asarray(numbers)
    if np.any(points[numbers] < 0):
        raise ModelError(
            f"{where}: it names the point {numbers[points[numbers] < 0][0]}, at whose place the elements have no node "
            "or more than one; name another, or merge points at one place"
        )
    return np.asarray(points[numbers])


def _near(nodes: np.ndarray) -> float:
    return ON * float(np.max(np.ptp(nodes, axis=0)))


def _direction(value: np.ndarray, what: str, where: str) -> np.ndarray:
    length = float(np.linalg.norm(value))
    if length == 0.0:
        raise ModelError(f"{where}: {what} has no length; give a direction")
    return value / length


def _point(value: np.ndarray) -> str:
    return f"({', '.join(f'{x:g}' for x in value)})"
