"""How much the modes of two reductions of a body differ."""

from __future__ import annotations

import numpy as np

from flexmb.bodies.reduced_body import ReducedBody

#: modes that move nodes and interfaces by less than this part of the most are those of nothing that is seen
UNSEEN = 1e-6


def mode_change(body: ReducedBody, other: ReducedBody) -> np.ndarray:
    """How much modes (n,) differ between two reductions of a body, as a part of each: at the interfaces of both, and at
    the nodes of their meshes where these have as many.

    >>> from flexmb.bodies import from_modes
    >>> line = np.linspace(0, 1, 5)[:, None] * [1, 0]
    >>> bent = np.stack([0 * line[:, 0], (1 - 6 * line[:, 0] * (1 - line[:, 0]))], axis=1)[:, :, None]
    >>> up, down = (from_modes(line, sign * bent, [80.0], np.full(5, 0.2)) for sign in (1, -1))
    >>> mode_change(up, up).tolist(), mode_change(up, down).tolist()
    ([0.0], [2.0])
    """
    length = np.sqrt(np.trace(body.products[0, 0]) / body.mass)  # turns times it are displacements
    rows = [[np.zeros((1, body.modes))], [np.zeros((1, body.modes))]]
    for k, b in enumerate((body, other)):
        for name in body.interfaces.keys() & other.interfaces.keys():
            rows[k] += [b.interfaces[name].translation, length * b.interfaces[name].rotation]
    if body.mesh is not None and other.mesh is not None and body.mesh.shapes.shape == other.mesh.shapes.shape:
        for k, mesh in enumerate((body.mesh, other.mesh)):
            rows[k].append(mesh.shapes.reshape(-1, body.modes) / np.sqrt(len(mesh.nodes)))
    mine, its = (np.vstack(x) for x in rows)
    size, change = np.linalg.norm(mine, axis=0), np.linalg.norm(its - mine, axis=0)
    seen = size > UNSEEN * size.max(initial=0.0)
    return np.divide(change, size, out=np.zeros(body.modes), where=seen)
