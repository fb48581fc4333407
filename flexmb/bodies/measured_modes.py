"""Modes of a body beside measured ones: modal assurance criteria and frequencies.

Measured modes come from universal files: nodes of data sets 15 or 2411, shapes of data
sets 55.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial import cKDTree

from flexmb.bodies.correlation import mac, shapes_from
from flexmb.bodies.reduced_body import ReducedBody
from flexmb.errors import MissingExtraError, ModelError
from flexmb.machine import files
from flexmb.model import checks
from flexmb.model.hints import AnswersCalls, answers_calls

#: part of the size of a body by which a sensor may stand beside the nearest node
NEAR = 0.05


@dataclass(frozen=True, eq=False)
class MeasuredModes(metaclass=AnswersCalls):
    """Modes that were measured: `frequencies` (m,) [Hz], `damping` (m,), ratios; `places` (p, 3) [m] of the sensors;
    `shapes` (p, 3, m), real or complex, NaN in directions that nobody measured; `nodes` (p,), their numbers.

    >>> import numpy as np
    >>> MeasuredModes([10.0], [0.01], np.zeros((2, 3)), np.ones((2, 3, 1)), [1, 2]).shapes.shape
    (2, 3, 1)
    """

    frequencies: Any
    damping: Any
    places: Any
    shapes: Any
    nodes: Any

    def __post_init__(self) -> None:
        where, put = "measured modes", object.__setattr__
        put(self, "frequencies", checks.row(self.frequencies, "frequencies", where))
        put(self, "damping", checks.row(self.damping, "damping", where))
        put(self, "places", checks.matrix(self.places, "places", where))
        put(self, "shapes", shapes_from(self.shapes, "measured modes"))
        put(self, "nodes", checks.row(self.nodes, "nodes", where).astype(np.int64))
        m, p = len(self.frequencies), len(self.places)
        if self.shapes.shape != (p, 3, m) or len(self.damping) != m or len(self.nodes) != p:
            raise ModelError(
                f"{where}: {m} frequencies, {len(self.damping)} ratios of damping, {p} places, {len(self.nodes)} nodes "
                f"and shapes of {self.shapes.shape} do not fit each other"
            )

    @staticmethod
    def read(path: str | Path, *, scale: float = 1.0) -> MeasuredModes:
        """Measured modes of a universal file (.unv, .uff), by pyuff (`pip install 'flexmb[measured]'`).

        Arguments: `path`; `scale`, meters for each unit of its places. The file needs nodes, data sets 15 or 2411, and
        modal shapes, data sets 55 of normal or complex modes.
        """
        return _read(path, scale)


@dataclass(frozen=True, eq=False)
class ModeComparison(metaclass=AnswersCalls):
    """Modes of a body beside measured ones: `mac` (n, m); `pairs` (k, 2), numbers of those that belong together, the
    most alike; `frequencies` (n,) and `measured` (m,) [Hz].

    >>> found = ModeComparison(np.eye(2), np.array([(0, 0), (1, 1)]), np.array([10.0, 20.5]), np.array([10.0, 20.0]))
    >>> found.errors.round(3).tolist()
    [0.0, 0.025]
    """

    mac: np.ndarray
    pairs: np.ndarray
    frequencies: np.ndarray
    measured: np.ndarray

    @property
    def errors(self) -> np.ndarray:
        """By how much (k,) the frequencies of the pairs are above the measured ones, as parts of them."""
        return np.asarray(self.frequencies[self.pairs[:, 0]] / self.measured[self.pairs[:, 1]] - 1.0)

    def __str__(self) -> str:
        lines = ["mode   computed    measured   difference   MAC"]
        for (i, j), off in zip(self.pairs, self.errors, strict=True):
            both = f"{self.frequencies[i]:8.2f} Hz {self.measured[j]:8.2f} Hz"
            lines.append(f"{i + 1:4d} {both} {100.0 * off:9.2f} %  {self.mac[i, j]:6.3f}")
        return "\n".join(lines)

    def plot(self, path: str | Path | None = None, *, ax: Any = None, background: str = "light") -> Any:
        """A picture of all criteria, computed modes upwards and measured ones along: in a window, in a file, or on axes
        `ax` of a figure of your own."""
        from flexmb.plots.figures import target
        from flexmb.plots.modes import correlation

        drawn_on = target(path, ax, "plot of modal assurance criteria")
        return correlation(self.mac, self.frequencies, self.measured, drawn_on, background)


@answers_calls
def compare_modes(body: Any, measured: Any, *, most: int | None = None) -> ModeComparison:
    """Free modes of a body with a mesh beside measured ones, at the nodes nearest to the sensors.

    Arguments: `body`, a :class:`ReducedBody`; `measured`, :class:`MeasuredModes` in the axes of the mesh; `most`, so
    many modes of the body are compared, all of them when not given.

    >>> import flexmb as fm, skfem
    >>> bar = skfem.MeshHex.init_tensor(np.linspace(0, 1, 6), np.array([0, 0.1]), np.array([0, 0.05]))
    >>> body = fm.bodies.from_mesh(bar, fm.Material(7850, 205e9), interfaces={}, modes=4)
    >>> places, hertz = body.mesh.nodes + body.origin, body.frequencies / (2 * np.pi)
    >>> real = MeasuredModes(0.98 * hertz, np.full(4, 0.01), places, 3.0 * body.mesh.shapes, np.arange(len(places)))
    >>> compare_modes(body, real).errors.round(4).tolist()
    [0.0204, 0.0204, 0.0204, 0.0204]
    """
    where = "modes beside measured ones"
    if not isinstance(body, ReducedBody) or body.mesh is None or body.dimension != 3:
        raise ModelError(f"{where}: the body must be a reduced body of space with a mesh, which has its shapes")
    if not isinstance(measured, MeasuredModes):
        raise ModelError(f"{where}: {checks.quoted(measured)} is no MeasuredModes; read them by MeasuredModes.read")
    nodes = body.mesh.nodes @ body.orientation.T + body.origin
    apart, nearest = cKDTree(nodes).query(measured.places)
    size = float(np.max(np.ptp(nodes, axis=0)))
    if np.any(apart > NEAR * size):
        k = int(np.argmax(apart))
        raise ModelError(
            f"{where}: sensor node {measured.nodes[k]} is {apart[k]:.3g} m away from the mesh, which is {size:.3g} m "
            "large; give its places in meters and in the axes of the mesh"
        )
    n = body.modes if most is None else checks.count(most, "most", where, 1, body.modes)
    own = np.einsum("xd,pdn->pxn", body.orientation, body.mesh.shapes[nearest][..., :n])
    known = ~np.any(np.isnan(measured.shapes), axis=2)
    found = mac(own[known], measured.shapes[known])
    rows, columns = linear_sum_assignment(-found)
    order = np.argsort(rows)
    pairs = np.stack([rows[order], columns[order]], axis=1)
    return ModeComparison(found, pairs, body.frequencies[:n] / (2.0 * np.pi), np.asarray(measured.frequencies))


def _read(path: str | Path, scale: float) -> MeasuredModes:
    """Measured modes of a universal file, see :meth:`MeasuredModes.read`."""
    source = files.path_to_read(path, "read")
    where = f"universal file {source.name!r}"
    try:
        import pyuff
    except ImportError:
        raise MissingExtraError(f"{where}: it is read by the package pyuff: pip install 'flexmb[measured]'") from None
    with files.parsing(where, ModelError):
        found = pyuff.UFF(str(source)).read_sets()
        return _measured(found if isinstance(found, list) else [found], scale, where)


def _measured(sets: list[Any], scale: float, where: str) -> MeasuredModes:
    """The modes of data sets."""
    geometry = next((x for x in sets if x.get("type") in (15, 2411)), None)
    modal = [x for x in sets if x.get("type") == 55 and x.get("analysis_type") in (2, 3)]
    if geometry is None or not modal:
        raise ModelError(
            f"{where}: it has {'no nodes (data set 15 or 2411)' if geometry is None else 'no modes (data set 55)'}; "
            "give one with both"
        )
    numbers = np.asarray(geometry.get("node_nums", geometry.get("grid_global")), dtype=np.int64)
    at = {int(number): k for k, number in enumerate(numbers)}
    places = scale * np.stack([np.asarray(geometry[axis], dtype=float) for axis in "xyz"], axis=1)
    shapes = np.full((len(numbers), 3, len(modal)), np.nan, dtype=complex)
    hertz, damping = np.zeros(len(modal)), np.zeros(len(modal))
    for m, one in enumerate(modal):
        nodes = np.asarray(one["node_nums"], dtype=np.int64)
        unknown = [int(x) for x in nodes if int(x) not in at]
        if unknown:
            raise ModelError(
                f"{where}: mode {m + 1} has the node {unknown[0]}, which has no place; node numbers must match"
            )
        rows = [at[int(x)] for x in nodes]
        for c, name in enumerate(("r1", "r2", "r3")):
            if one.get(name) is not None and len(np.atleast_1d(one[name])) == len(nodes):
                shapes[rows, c, m] = one[name]
        if one["analysis_type"] == 3:
            eigenvalue = complex(one["eig"])
            hertz[m], damping[m] = abs(eigenvalue) / (2.0 * np.pi), -eigenvalue.real / abs(eigenvalue)
        else:
            hertz[m], damping[m] = float(one["freq"]), float(one.get("modal_damp_vis") or 0.0)
    return MeasuredModes(hertz, damping, places, shapes, numbers)
