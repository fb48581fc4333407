"""Several bodies joined into one before its reduction, as Hurty (1965) does it.

The frames at which substructures are joined are interfaces of all that meet there: their coordinates are shared, K and
M of the rest are those of the substructures side by side, and modes with held interfaces are those of single
substructures.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from flexmb.bodies.full_models.frame_skin import joined_skins
from flexmb.bodies.full_models.full_model import FullModel, MassField, PairStrains
from flexmb.bodies.full_models.node_sets import numbers_of
from flexmb.bodies.reduced_body import ReducedBody
from flexmb.bodies.reducing.reduction import Reduction, reduce
from flexmb.bodies.reducing.ties import Tie
from flexmb.errors import ModelError
from flexmb.model import checks
from flexmb.model.hints import answers_calls


@answers_calls
def from_substructures(
    substructures: Mapping[str, FullModel],
    welds: Mapping[str, Any],
    *,
    interfaces: Mapping[str, Any] | None = None,
    modes: int = 20,
    reduction: Reduction | None = None,
    name: str = "body",
) -> ReducedBody:
    """A reduced body of several ones that are joined rigidly.

    Arguments: `substructures` by names, made by :func:`mesh_model`, :func:`frame_model` or :func:`matrix_model`, all in
    the same axes; `welds`: for the name of each weld the pairs of a part and a set of its nodes, all of which are tied
    to one frame; `interfaces` by names, each a pair of a part and a set of its nodes or :class:`Tie`. Welds are frames
    of the body too, and have static modes.

    >>> import skfem
    >>> from flexmb import Material
    >>> from flexmb.bodies import mesh_model, on_plane
    >>> bar = skfem.MeshHex.init_tensor(np.linspace(0, 1, 4), np.array([0, 0.1]), np.array([0, 0.1]))
    >>> left, right = (mesh_model(bar.translated((x, 0, 0)), Material(7850, 205e9)) for x in (0, 1))
    >>> end = on_plane((1, 0, 0), (1, 0, 0))
    >>> body = from_substructures({"left": left, "right": right}, {"weld": [("left", end), ("right", end)]}, modes=8)
    >>> round(body.mass, 3)
    157.0
    """
    model = side_by_side(substructures, name)
    where = f"body {name!r}"
    ties: dict[str, Any] = {}
    for weld, ends in checks.by_names(welds, "welds", where).items():
        at = f"{where}, weld {checks.quoted(weld)}"
        pairs = [_pair(end, at) for end in checks.several(ends, "its ends", at)]
        if len(pairs) < 2:
            raise ModelError(f"{at}: it has {len(pairs)} ends; join two parts or more")
        ties[weld] = Tie(np.concatenate([_numbers(substructures, part, nodes, at) for part, nodes in pairs]))
    own = checks.names_or_none(interfaces, "interfaces", where)
    checks.all_different([*ties, *own], "weld or interface", where)
    for key, one in own.items():
        at = f"{where}, interface {checks.quoted(key)}"
        part, given = _pair(one, at)
        tie = given if isinstance(given, Tie) else Tie(given)
        numbers = _numbers(substructures, part, tie.nodes, at)
        ties[key] = Tie(numbers, tie.position, tie.orientation, tie.average, tie.weights)
    return reduce(model, ties, modes, reduction)


def _pair(given: Any, where: str) -> tuple[str, Any]:
    """The name of a part and what is given of its nodes."""
    if not isinstance(given, list | tuple) or len(given) != 2:
        raise ModelError(
            f"{where}: give pairs of the name of a part and a set of its nodes, not {checks.quoted(given)}"
        )
    return given[0], given[1]


def side_by_side(parts: Mapping[str, FullModel], name: str) -> FullModel:
    """The models of several bodies as one, not joined yet.

    >>> one = FullModel(np.zeros((1, 2)), sp.eye(2), sp.eye(2), [0, 0], [0, 1])
    >>> side_by_side({"a": one, "b": one}, "both").node_of.tolist()
    [0, 0, 1, 1]
    """
    where = f"body {checks.name(name, 'a body')!r}"
    models = list(checks.by_names(parts, "substructures", where).values())
    for part, model in parts.items():
        if not isinstance(model, FullModel):
            raise ModelError(
                f"{where}: its part {checks.quoted(part)} must be a model of fm.bodies.mesh_model, frame_model or "
                f"matrix_model, not {checks.quoted(model)}"
            )
    if not models or len({model.dimension for model in models}) > 1:
        raise ModelError(f"{where}: its parts must be one or more, all in the plane or all in space")
    starts = np.cumsum([0] + [len(model.nodes) for model in models])
    rows = np.cumsum([0] + [len(model.node_of) for model in models])
    cells = [(kind, numbers + a) for model, a in zip(models, starts, strict=False) for kind, numbers in model.cells]
    node_of = [np.where(m.node_of < 0, -1, m.node_of + a) for m, a in zip(models, starts, strict=False)]

    def stress_work(u: np.ndarray, phi: np.ndarray) -> np.ndarray:
        work = np.zeros((u.shape[1], phi.shape[1], phi.shape[1]))
        for model, a, b in zip(models, rows, rows[1:], strict=False):
            assert model.stress_work is not None
            work += model.stress_work(u[a:b], phi[a:b])
        return work

    def stress_matrix(u: np.ndarray) -> Any:
        pieces = zip(models, rows, rows[1:], strict=False)
        return sp.block_diag([m.stress_matrix(u[a:b]) for m, a, b in pieces])  # type: ignore[misc]

    def forces(u: np.ndarray) -> np.ndarray:
        pieces = zip(models, rows, rows[1:], strict=False)
        return np.concatenate([m.stiffness @ u[a:b] if m.forces is None else m.forces(u[a:b]) for m, a, b in pieces])

    known = all(model.stress_work is not None for model in models)
    strained = [model.pair_strains for model in models if model.pair_strains is not None]
    return FullModel(
        np.concatenate([model.nodes for model in models]), sp.block_diag([model.stiffness for model in models]),
        sp.block_diag([model.mass for model in models]), np.concatenate(node_of),
        np.concatenate([model.direction_of for model in models]), _all_mass(models),
        stress_work if known else None, stress_matrix if known else None, cells=cells, name=name,
        forces=None if all(model.forces is None for model in models) else forces,
        skin=joined_skins([m.skin for m in models], [len(m.node_of) for m in models], models[0].dimension),
        elasticity=tuple(x for m in models for x in m.elasticity) if all(m.elasticity for m in models) else (),
        pair_strains=_StrainsSideBySide(strained, rows) if len(strained) == len(models) else None,
    )  # fmt: skip


class _StrainsSideBySide(NamedTuple):
    """The second order of strains of several models, each with its `rows` of the coordinates of all."""

    parts: list[PairStrains]
    rows: np.ndarray

    def pair_forces(self, shapes: np.ndarray, pairs: np.ndarray) -> np.ndarray:
        """The forces of all parts in turn, see :class:`flexmb.bodies.full_models.full_model.PairStrains`."""
        return np.concatenate([part.pair_forces(shapes[a:b], pairs) for part, a, b in self._each()])

    def pair_energies(self, shapes: np.ndarray, pairs: np.ndarray, fields: np.ndarray) -> np.ndarray:
        """The sum of the energies of all parts."""
        parts = [part.pair_energies(shapes[a:b], pairs, fields[a:b]) for part, a, b in self._each()]
        return np.asarray(np.sum(parts, axis=0))

    def _each(self) -> Iterator[tuple[PairStrains, int, int]]:
        return zip(self.parts, self.rows, self.rows[1:], strict=False)


def _all_mass(models: list[FullModel]) -> MassField | None:
    """The points of mass of all models, None if one of them has none."""
    fields = [model.mass_field for model in models]
    d = models[0].dimension
    if any(field is None for field in fields):
        return None
    points = [field for field in fields if field is not None]
    L = [sp.eye(x.positions.size) if x.displacement is None else x.displacement for x in points]
    arms = turning = None
    if any(x.arms is not None for x in points):
        r = 3 if d == 3 else 1
        arms = np.concatenate([np.zeros_like(x.positions) if x.arms is None else x.arms for x in points])
        turning = sp.block_diag([
            sp.csr_matrix((r * len(x.positions), len(m.node_of))) if x.turning is None else x.turning
            for x, m in zip(points, models, strict=True)
        ]).tocsr()  # fmt: skip
    plain = all(x.displacement is None for x in points)
    return MassField(
        np.concatenate([x.positions for x in points]), sp.block_diag([x.matrix for x in points]).tocsr(),
        None if plain else sp.block_diag(L).tocsr(), arms, turning,
    )  # fmt: skip


def _numbers(parts: Mapping[str, FullModel], part: str, nodes: Any, where: str) -> np.ndarray:
    """Numbers of nodes of a part among those of all."""
    names = list(parts)
    checks.known(part, names, "part", where)
    first = sum(len(parts[x].nodes) for x in names[: names.index(part)])
    own = parts[part]
    return first + numbers_of(nodes, own.nodes, own.sets, where, own.points)
