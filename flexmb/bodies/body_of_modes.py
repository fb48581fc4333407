"""Bodies from modes alone: shapes, frequencies and modal masses, computed elsewhere or measured."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp

from flexmb.bodies.full_models.full_model import FullModel, MassField
from flexmb.bodies.meshes.body_mesh import BodyMesh
from flexmb.bodies.reduced_body import Interface, ReducedBody
from flexmb.bodies.reducing.mass_products import products, with_modal_masses
from flexmb.bodies.reducing.ties import tied_sets
from flexmb.errors import ModelError
from flexmb.model import checks, given_names
from flexmb.model.hints import answers_calls

#: singular values of modes of unit mass below this one: nearly parallel
PARALLEL = 1e-4


@answers_calls
def from_modes(
    nodes: Any,
    shapes: Any,
    omegas: Any,
    node_masses: Any,
    *,
    modal_masses: Any = None,
    interfaces: Mapping[str, Any] | None = None,
    damping: Any = 0.0,
    cells: Any = (),
    name: str = "body",
) -> ReducedBody:
    """A reduced body from free modes; its field is linear.

    Arguments: `nodes` (N, d) [m]; `shapes` (N, d, n), the displacements of the nodes in each mode, in space (N, 6, n)
    with their rotation vectors, in the plane (N, 3, n); `omegas` (n,) [rad/s]; `node_masses` (N,) [kg], the mass of the
    body shared out to its nodes; `modal_masses` (n,) [kg] for these shapes, 1 if not given; `interfaces` by names, sets
    of nodes or :class:`Tie`, each a mean of its nodes; `damping`, ratio of all modes or each (n,); `cells` for
    pictures, pairs of meshio's name and numbers of nodes.

    Rigid motions are taken out of the shapes by the masses of the nodes. The report says how much that was, and by
    how much the modal masses that these masses give differ from the ones given, which count.

    >>> line = np.column_stack([np.linspace(0, 1, 5), np.zeros(5)])
    >>> bent = np.zeros((5, 2, 1))
    >>> bent[:, 1, 0] = 1, -0.4, -0.9, -0.4, 1
    >>> body = from_modes(line, bent, [80.0], np.full(5, 0.2), modal_masses=[0.4])
    >>> round(body.mass, 9), float(body.frequencies[0])
    (1.0, 80.0)
    """
    where = f"body {given_names.name(name, 'a body')!r}"
    X = checks.matrix(nodes, "nodes", where)
    N, d = X.shape
    given = checks.numbers(shapes, "shapes", where, "an array of shape (N, d, n)")
    six = d + (3 if d == 3 else 1)
    if given.ndim != 3 or given.shape[0] != N or given.shape[1] not in (d, six):
        raise ModelError(
            f"{where}: shapes must be an array of shape {(N, d, 'n')} or {(N, six, 'n')}, not {given.shape}"
        )
    n = given.shape[2]
    if not n:
        raise ModelError(f"{where}: its shapes have no modes; a body that does not bend is add_body")
    omega = checks.vector(omegas, "omegas", where, n)
    masses = checks.vector(node_masses, "node_masses", where, N)
    modal = np.ones(n) if modal_masses is None else checks.vector(modal_masses, "modal_masses", where, n)
    for what, values in (("omegas", omega), ("modal_masses", modal), ("node_masses", masses)):
        if np.any(values < 0.0) or (what != "node_masses" and np.any(values == 0.0)):
            raise ModelError(f"{where}: {what} must be positive; it has {values.min():g}")
    per = given.shape[1]
    count = N * per
    empty = sp.csr_matrix((count, count))
    model = FullModel(X, empty, empty, np.repeat(np.arange(N), per), np.tile(np.arange(per), N), cells=cells, name=name)
    phi = given.reshape(count, n) / np.sqrt(modal)
    total = float(np.sum(masses))
    center = masses @ X / total
    R = model.rigid_modes(center)
    weights = np.where(model.direction_of < d, masses[model.node_of], 0.0)[:, None]
    inertia = R.T @ (weights * R)
    if np.linalg.matrix_rank(inertia) < R.shape[1]:
        raise ModelError(f"{where}: its node_masses lie on a line or in a point, so that it has no inertia about that")
    rigid = np.linalg.solve(inertia, R.T @ (weights * phi))
    part = float(np.sqrt(np.max(np.einsum("ij,ij->j", rigid, inertia @ rigid), initial=0.0)))
    phi = phi - R @ rigid
    moved = model.translations(phi)
    mass, first, P = products(MassField(X, sp.diags(masses).tocsr()), center, moved)
    e = np.trace(P[1:, 1:], axis1=2, axis2=3)
    lowest = float(np.sqrt(np.maximum(np.linalg.eigvalsh(e), 0.0))[0])
    if lowest < PARALLEL:
        raise ModelError(
            f"{where}: its modes are nearly parallel: one is a sum of others but for {lowest:.2g} of its size; leave "
            "one out"
        )
    P = with_modal_masses(P, np.eye(n))
    named = {}
    of = checks.names_or_none(interfaces, "interfaces", where)
    for tie in tied_sets(model, of, followers=True):
        u = tie.mean @ phi[tie.rows]
        named[tie.name] = Interface(tie.place - center, tie.axes, u[:d], u[d:])
    report = "\n".join([
        f"body {name!r}: {N} nodes, {n} modes from {omega.min() / 2 / np.pi:.6g} to {omega.max() / 2 / np.pi:.6g} Hz",
        f"mass {mass:.6g} kg; rigid motion in the shapes: {part:.2g} of their size",
        f"largest difference of modal masses, |e − 1|: {np.max(np.abs(e - np.eye(n))):.2g}",
    ])  # fmt: skip
    return ReducedBody(
        mass, first, P, omega**2, None, named, damping,
        mesh=BodyMesh(X - center, cells, moved), origin=center, report=report,
    )  # fmt: skip
