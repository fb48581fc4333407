"""Several bodies joined into one before its reduction, as Hurty (1965) does it.

The frames at which substructures are joined are interfaces of all that meet there: their coordinates are shared, K and
M of the rest are those of the substructures side by side, and modes with held interfaces are those of single
substructures.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp

from flexmb.bodies.full_models.frame_skin import joined_skins
from flexmb.bodies.full_models.full_model import FullModel, MassField
from flexmb.bodies.full_models.node_sets import numbers_of
from flexmb.bodies.reduced_body import ReducedBody
from flexmb.bodies.reducing.reduction import Reduction, reduce
from flexmb.bodies.reducing.ties import Tie
from flexmb.errors import ModelError
from flexmb.model import checks


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
    for weld, ends in welds.items():
        at = f"{where}, weld {checks.quoted(weld)}"
        if len(ends) < 2:
            raise ModelError(f"{at}: it has {len(ends)} ends; join two parts or more")
        ties[weld] = Tie(np.concatenate([_numbers(substructures, part, nodes, at) for part, nodes in ends]))
    for key, (part, given) in (interfaces or {}).items():
        at = f"{where}, interface {checks.quoted(key)}"
        tie = given if isinstance(given, Tie) else Tie(given)
        numbers = _numbers(substructures, part, tie.nodes, at)
        ties[key] = Tie(numbers, tie.position, tie.orientation, tie.average, tie.weights)
    return reduce(model, ties, modes, reduction or Reduction())


def side_by_side(parts: Mapping[str, FullModel], name: str) -> FullModel:
    """The models of several bodies as one, not joined yet.

    >>> one = FullModel(np.zeros((1, 2)), sp.eye(2), sp.eye(2), [0, 0], [0, 1])
    >>> side_by_side({"a": one, "b": one}, "both").node_of.tolist()
    [0, 0, 1, 1]
    """
    models = list(parts.values())
    where = f"body {checks.name(name, 'a body')!r}"
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
    return FullModel(
        np.concatenate([model.nodes for model in models]), sp.block_diag([model.stiffness for model in models]),
        sp.block_diag([model.mass for model in models]), np.concatenate(node_of),
        np.concatenate([model.direction_of for model in models]), _all_mass(models),
        stress_work if known else None, stress_matrix if known else None, cells=cells, name=name,
        forces=None if all(model.forces is None for model in models) else forces,
        skin=joined_skins([m.skin for m in models], [len(m.node_of) for m in models], models[0].dimension),
        elasticity=tuple(x for m in models for x in m.elasticity) if all(m.elasticity for m in models) else (),
    )  # fmt: skip


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
