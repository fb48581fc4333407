"""Finishes of the surface of a reduced body, which its file keeps."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from flexmb.bodies.full_models.node_sets import NodeSet
from flexmb.bodies.meshes.finish import SurfaceFinish
from flexmb.bodies.meshes.skin import skin_of
from flexmb.bodies.reduced_body import ReducedBody
from flexmb.errors import ModelError
from flexmb.model import checks
from flexmb.model.hints import answers_calls


def faces_on(nodes: np.ndarray, triangles: np.ndarray, region: Any, where: str) -> np.ndarray:
    """Whether triangles (f,) have all their corners in a set of nodes; all of them without one."""
    if region is None:
        return np.ones(len(triangles), dtype=bool)
    if not isinstance(region, NodeSet):
        raise ModelError(f"{where}: {checks.quoted(region)} is no set of nodes; give fm.bodies.on_plane(…), in_box(…)")
    chosen = np.zeros(len(nodes), dtype=bool)
    chosen[region.numbers(nodes, where)] = True
    found = np.asarray(chosen[triangles].all(axis=1))
    if not found.any():
        raise ModelError(f"{where}: no face has all its corners {region.text}; choose a region that holds whole faces")
    return found


def row_of(finish: Any, what: str, where: str) -> list[float]:
    """The numbers of a finish."""
    if not isinstance(finish, SurfaceFinish):
        raise ModelError(f"{where}: {what} is {checks.quoted(finish)}; give an fm.spatial.SurfaceFinish")
    return finish.numbers


@answers_calls
def painted(
    reduced: ReducedBody, finish: SurfaceFinish, on: NodeSet | None = None, *, back: SurfaceFinish | None = None
) -> ReducedBody:
    """A reduced body in space whose surface has a finish, for sunlight and heat on it; files of the body keep it.

    Arguments: `reduced`, a body with a mesh; `finish`, a :class:`flexmb.spatial.SurfaceFinish`; `on`: the faces, all of
    whose nodes are in a set, in the axes of the reference frame; all when not given; what is painted later lies above;
    `back`: the finish of the inner side of shells, that of the outer one when not given. What is nowhere painted is
    black and does not radiate.

    >>> import flexmb as fm
    >>> alloy, tube = fm.Material(2700.0, 70e9, 0.3), fm.Tube(outer_diameter=0.05, inner_diameter=0.046)
    >>> side = fm.bodies.Member(("a", "b"), alloy, tube)
    >>> boom = fm.bodies.from_frame({"a": (0, 0, 0), "b": (3, 0, 0)}, [side], interfaces={"end": "b"}, modes=2)
    >>> white = fm.bodies.painted(boom, fm.spatial.SurfaceFinish(mirror=0.1, diffuse=0.7, emissivity=0.9))
    >>> white.mesh.finishes[0].tolist()
    [0.1, 0.7, 0.9, 1.0, 1.0, 0.1, 0.7, 0.9, 1.0, 1.0]
    """
    where = "painted body"
    if not isinstance(reduced, ReducedBody):
        raise ModelError(f"{where}: {checks.quoted(reduced)} is no ReducedBody; see fm.bodies")
    if reduced.mesh is None or reduced.dimension != 3:
        raise ModelError(f"{where}: it has no mesh in space, and so no faces; make it with one")
    triangles = skin_of(reduced.mesh, where).triangles
    chosen = faces_on(reduced.mesh.nodes, triangles, on, where)
    front = row_of(finish, "finish", where)
    finishes = (
        np.tile(SurfaceFinish().numbers, (len(triangles), 2))
        if reduced.mesh.finishes is None
        else np.array(reduced.mesh.finishes)
    )
    if len(finishes) != len(triangles):
        raise ModelError(f"{where}: its mesh has {len(finishes)} finishes and {len(triangles)} faces; leave them out")
    finishes[chosen] = front + (front if back is None else row_of(back, "back", where))
    return replace(reduced, mesh=replace(reduced.mesh, finishes=finishes))
