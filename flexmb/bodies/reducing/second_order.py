"""The quadratic field of a body, by unit loads: slave shapes and the second order of interfaces and loads.

For each pair of modes the second order Θ_ij of the field is what best cancels the second order of Green's strain, K
Θ_ij = −r_ij. For loads f in balance with the body's inertia, and their displacements u_f,

    f·Θ_ij = −φ_iᵀ K_σ(u_f) φ_j + Σ (f − K u_f)_a · ½ (θ̃_i θ̃_j + θ̃_j θ̃_i) y_a

the sum over nodes that are tied rigidly. So what is needed of Θ costs one solution for each load: of linear fields χ
that are orthogonal to the rigid motions by m, T^m_ij = (m χ_m)·Θ_ij; of interfaces their own rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.bodies.fields import PAIRS
from flexmb.bodies.full_models.full_model import MassField, turned_by_units
from flexmb.bodies.reducing.held_body import HeldBody
from flexmb.bodies.reducing.ties import TiedSet

#: squares of norms of linear fields below this part of the largest one: fields that are rigid
RIGID = 1e-9


def slave_shapes(field: MassField, mass_center: np.ndarray, *, free: bool = True) -> np.ndarray:
    """Linear fields χ (P, d, n_s) at the points of mass, orthogonal to rigid motions and to each other by m, of unit
    mass: six in space, three in the plane, fewer for bodies on a line or in a plane. If not `free`, the reference frame
    goes with an interface, Θ has a rigid part, and the rigid fields are among them.

    >>> points = np.array([[0.0, 0], [1, 0], [0, 1], [1, 1]])
    >>> slave_shapes(MassField(points, np.eye(4)), points.mean(axis=0)).shape
    (4, 2, 3)
    """
    X, m = field.positions - mass_center, field.matrix
    P, d = X.shape
    lines = np.zeros((P, d, d * d))
    for j in range(d):
        for i in range(d):
            lines[:, i, j * d + i] = X[:, j]
    turns = turned_by_units(X)
    places = np.zeros((P, d, d))
    places[:, range(d), range(d)] = 1.0
    rigid = np.concatenate([places, turns], axis=2)
    if not free:
        lines = np.concatenate([places, lines], axis=2)
    for _ in range(2 if free else 0):
        lines = lines - rigid @ np.linalg.lstsq(_gram(rigid, m, rigid), _gram(rigid, m, lines), rcond=1e-12)[0]
    values, vectors = np.linalg.eigh(_gram(lines, m, lines))
    good = values > RIGID * values[-1]
    return np.asarray(lines @ (vectors[:, good] / np.sqrt(values[good])))


def _gram(a: np.ndarray, m: object, b: np.ndarray) -> np.ndarray:
    """∫ a·b dm of fields (P, d, k) and (P, d, l)."""
    P = len(a)
    weighted = (m @ b.reshape(P, -1)).reshape(b.shape)  # type: ignore[operator]
    return np.einsum("pik,pil->kl", a, weighted, optimize=True)


@dataclass(frozen=True, eq=False)
class UnitLoads:
    """Loads of which the work on Θ is asked: `nodal` (n, l) on the coordinates of the full model, and `outer` (n', l)
    on those left after rigid ties."""

    nodal: np.ndarray
    outer: np.ndarray

    @staticmethod
    def on_nodes(body: HeldBody, forces: np.ndarray) -> UnitLoads:
        """Loads (n, l) on the coordinates of the full model alone."""
        return UnitLoads(forces, np.zeros((body.map.shape[1], forces.shape[1])))

    @staticmethod
    def on_tie(body: HeldBody, tie: TiedSet) -> UnitLoads:
        """Unit forces and moments (6) on the frame of a tie; those on a mean of nodes are spread over these."""
        width = tie.map.shape[1]
        nodal, outer = np.zeros((len(body.model.node_of), width)), np.zeros((body.map.shape[1], width))
        if tie.rigid:
            outer[body.columns(tie)] = np.eye(width)
        else:
            nodal[tie.rows] = tie.mean.T
        return UnitLoads(nodal, outer)

    def on_body(self, body: HeldBody) -> np.ndarray:
        """The loads (n', l) on the coordinates left after rigid ties."""
        return np.asarray(body.map.T @ self.nodal + self.outer)


def work_on_second_order(
    body: HeldBody, loads: UnitLoads, shapes: np.ndarray, fixed: TiedSet | None = None
) -> np.ndarray:
    """f·Θ_ij (l, n, n) of loads for modes `shapes` (n', n), Θ being orthogonal to the rigid motions by M, or zero at
    the interface to which the reference frame is `fixed`: the body's inertia or that interface holds the loads."""
    model = body.model
    assert model.stress_work is not None
    phi = body.map @ shapes
    total = body.rigid.T @ loads.on_body(body)
    nodal, outer = loads.nodal, loads.outer
    if fixed is None:
        nodal = nodal - model.mass @ (body.all_rigid @ np.linalg.solve(body.rigid_mass, total))
    else:
        outer = outer.copy()
        outer[body.columns(fixed)] -= np.linalg.solve(motion_of(body, fixed, body.rigid).T, total)
    u = body.map @ body.refined(body.free, body.map.T @ nodal + outer)
    work = -model.stress_work(u, phi)
    left = nodal - (model.stiffness @ u if model.forces is None else model.forces(u))
    for tie in body.ties:
        if tie.rigid:
            work += tie.second_order(left[tie.rows], turns_of(body, tie, shapes))
    return work


def second_order_of_tie(body: HeldBody, tie: TiedSet, shapes: np.ndarray, fixed: TiedSet | None = None) -> np.ndarray:
    """Rows (6, n, n) of Θ at the frame of a tie: translations, then rotation vectors.

    The mean of nodes that turn rigidly by a finite angle is to be that turn, so ½ θ̃ θ̃ y is taken from their Θ.
    """
    loads = UnitLoads.on_tie(body, tie)
    work = work_on_second_order(body, loads, shapes, fixed)
    if not tie.rigid:
        work -= tie.second_order(loads.nodal[tie.rows], turns_of(body, tie, shapes))
    return _symmetric(work)


def _symmetric(work: np.ndarray) -> np.ndarray:
    """Without the rounding that differs between (i, j) and (j, i): where Θ vanishes nothing else is left."""
    return np.asarray(0.5 * (work + work.transpose(0, 2, 1)))


def turns_of(body: HeldBody, tie: TiedSet, shapes: np.ndarray) -> np.ndarray:
    """Rotation vectors (r, n) of the frame of a tie in modes (n', n)."""
    return motion_of(body, tie, shapes)[body.model.dimension :]


def motion_of(body: HeldBody, tie: TiedSet, shapes: np.ndarray) -> np.ndarray:
    """Translations and rotation vectors (6, n) of the frame of a tie in modes (n', n)."""
    return shapes[body.columns(tie)] if tie.rigid else np.asarray(tie.mean @ (body.map[tie.rows] @ shapes))


def spin_loads(body: HeldBody) -> UnitLoads:
    """The loads −M ω̃ ω̃ X of ω_x², ω_y², ω_z², ω_y ω_z, ω_x ω_z and ω_x ω_y on the nodes, in the plane of ω²."""
    model, d = body.model, body.model.dimension
    X = np.zeros(len(model.node_of))
    moving = model.direction_of < d
    arms = (model.nodes - body.mass_center)[model.node_of[moving]]
    along, columns = model.direction_of[moving], []
    for pair in PAIRS if d == 3 else (None,):
        field = arms.copy()  # −ω̃ω̃X = ω² X − ω (ω·X)
        if pair is not None and pair[0] == pair[1]:
            field[:, pair[0]] = 0.0
        elif pair is not None:
            field = np.zeros_like(arms)
            field[:, pair[0]], field[:, pair[1]] = -arms[:, pair[1]], -arms[:, pair[0]]
        column = X.copy()
        column[moving] = field[np.arange(len(along)), along]
        columns.append(column)
    return UnitLoads.on_nodes(body, np.asarray(model.mass @ np.stack(columns, axis=1)))


def slaves_by_loads(
    body: HeldBody, field: MassField, chi: np.ndarray, shapes: np.ndarray, fixed: TiedSet | None = None
) -> np.ndarray:
    """T^m (n_s, n, n): the part of each slave shape χ_m (P, d, n_s) in Θ, (m χ_m)·Θ_ij."""
    P, d, many = chi.shape
    forces = np.asarray(field.matrix @ chi.reshape(P, -1)).reshape(P * d, many)
    if field.displacement is None:
        return _symmetric(work_on_second_order(body, UnitLoads.on_nodes(body, forces), shapes, fixed))
    work = work_on_second_order(body, UnitLoads.on_nodes(body, field.displacement.T @ forces), shapes, fixed)
    if field.arms is not None:  # points off the axis of a beam turn with its sections
        turns = (field.turning @ (body.map @ shapes)).reshape(P, -1, shapes.shape[1])
        work += _work_on_arms(forces.reshape(P, d, many), field.arms, turns)
    return _symmetric(work)


def _work_on_arms(forces: np.ndarray, arms: np.ndarray, turns: np.ndarray) -> np.ndarray:
    """Σ f·½ (θ̃_i θ̃_j + θ̃_j θ̃_i) y over points with own turns (P, r, n): forces (P, d, l), arms (P, d)."""
    along = np.einsum("pdl,pd->pl", forces, arms)
    work = -np.einsum("pl,pri,prj->lij", along, turns, turns, optimize=True)
    if arms.shape[1] == 3:
        both = np.einsum("pdl,pdi,pj->lij", forces, turns, np.einsum("pd,pdj->pj", arms, turns), optimize=True)
        work += 0.5 * (both + both.transpose(0, 2, 1))
    return np.asarray(work)
