"""Force and moment through a plane cut of a body, of second order in the amplitudes of its modes.

Elements that reach across the plane have the nodal forces f_a = ∫ (1 + ∇u) σ ∇N_a dV by the stresses σ of the modes,
which are second Piola and Kirchhoff's: they turn with the section, so that tension has a part across the undeformed
body. The forces of the nodes ahead of the plane balance all loads there. With ψ = Σ N_a of these nodes, and H = 1 ahead
of the plane and 0 behind it, the part ahead exerts

    F = Σ f_a + ∫ (ψ − H) ρ (r̈ − g) dV,
    M = Σ (x_a − x_p) × f_a + ∫ (Σ N_a (X_a − X_p) − H (X − X_p)) × ρ (r̈ − g) dV

The integrals are the inertia and the weight between the plane and the nodes, by points of Gauss and by parts of
simplices that end at the plane. Loads on nodes count by the side of the node.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from flexmb.bodies.full_models.cell_kinds import CORNERS, gauss_points, shape_functions
from flexmb.bodies.meshes.surface import EDGES
from flexmb.bodies.reduced_body import axial
from flexmb.bodies.stresses import AT_ONCE, PLACES, checked_modes, needed_elasticity
from flexmb.errors import ModelError
from flexmb.model import checks
from flexmb.model.hints import answers_calls

#: corners of the simplices into which cells are divided
SIMPLICES: dict[str, tuple[tuple[int, ...], ...]] = {
    "triangle": ((0, 1, 2),),
    "quad": ((0, 1, 2), (0, 2, 3)),
    "tetra": ((0, 1, 2, 3),),
    "hexahedron": ((0, 1, 2, 6), (0, 2, 3, 6), (0, 3, 7, 6), (0, 7, 4, 6), (0, 4, 5, 6), (0, 5, 1, 6)),
    "wedge": ((0, 1, 2, 3), (1, 2, 3, 4), (2, 3, 4, 5)),
    "pyramid": ((0, 1, 2, 4), (0, 2, 3, 4)),
}
#: nodes that are off the plane by less than this part of the body's size lie on it
ON_PLANE = 1e-9


class Cut(NamedTuple):
    """A cut of a body with modes η: `force` (d, n) [N], `moment` (r, n) [Nm] about a point, `force2` (d, n, n) and
    `moment2` (r, n, n), F = force η + ηᵀ force2 η, in axes of the body's frame. `slice_mass`, `slice_arm` (d,),
    `slice_first` (1 + n, d), `slice_products` (1 + n, d, d) are ∫ μ, ∫ (X − X_p) μ, ∫ F μ and ∫ (X − X_p) Fᵀ μ of the
    inertia μ between the plane and the nodes, F being X and the modes; NaN where the density is not known. `ahead`
    (N,): weights of the nodes ahead of the plane; `moved` (d, n): how the point moves with the section.

    >>> import flexmb as fm, skfem
    >>> bar = skfem.MeshQuad.init_tensor(np.linspace(0, 1, 3), np.array([0, 0.1]))
    >>> ends = {"foot": fm.bodies.on_plane((0, 0), (1, 0)), "top": fm.bodies.on_plane((1, 0), (1, 0))}
    >>> body = fm.bodies.from_mesh(bar, fm.Material(1000, 1e9), interfaces=ends, modes=0)
    >>> found = cut(body.mesh, (0.1, 0), (1, 0))
    >>> round(found.slice_mass, 3), round(float(found.slice_arm[0] / found.slice_mass), 3)  # elements of second order
    (1.667, 0.2)
    """

    force: np.ndarray
    moment: np.ndarray
    force2: np.ndarray
    moment2: np.ndarray
    slice_mass: float
    slice_arm: np.ndarray
    slice_first: np.ndarray
    slice_products: np.ndarray
    ahead: np.ndarray
    moved: np.ndarray


@answers_calls
def cut(mesh: Any, point: Any, normal: Any, modes: int | None = None) -> Cut:
    """What acts through the cut of a plane, from its part ahead, on the side to which the `normal` (d,) points, on the
    part behind, by the stresses of the modes; moments about `point` (d,), in the reference frame of the body, which
    moves with the section.

    >>> import flexmb as fm, skfem
    >>> bar = skfem.MeshHex.init_tensor(np.linspace(0, 1, 3), np.array([0, 0.1]), np.array([0, 0.1]))
    >>> ends = {"foot": fm.bodies.on_plane((0, 0, 0), (1, 0, 0)), "top": fm.bodies.on_plane((1, 0, 0), (1, 0, 0))}
    >>> body = fm.bodies.from_mesh(bar, fm.Material(7850, 205e9), interfaces=ends, modes=0)
    >>> found = cut(body.mesh, (0.1, 0, 0), (1, 0, 0))
    >>> found.force.shape, found.moment2.shape, round(found.slice_mass, 3)
    ((3, 6), (3, 6, 6), 1.308)
    """
    where = "cut through a body"
    needed_elasticity(mesh, where)
    d = mesh.nodes.shape[1]
    at, along = checks.vector(point, "point", where, d), checks.vector(normal, "normal", where, d)
    if not np.any(along):
        raise ModelError(f"{where}: its normal is zero; give a direction")
    n = checked_modes(mesh, modes, where)
    level = (mesh.nodes - at) @ (along / np.linalg.norm(along))
    used = np.unique(np.concatenate([numbers.ravel() for _, numbers in mesh.cells]))
    level[np.abs(level) < ON_PLANE * np.max(np.ptp(mesh.nodes[used], axis=0))] = 0.0
    # nodes on the plane count half, but wholly where it goes through the first or the last nodes
    on_plane = 0.5 if level[used].min() < 0.0 < level[used].max() else 0.0 if level[used].max() > 0.0 else 1.0
    ahead = np.where(level == 0.0, on_plane, np.where(level > 0.0, 1.0, 0.0))
    if np.ptp(ahead[used]) == 0.0:
        raise ModelError(f"{where}: no elements of the body are on both sides of the plane; give a point inside of it")
    touched = [numbers[np.ptp(ahead[numbers], axis=1) > 0.0] for _, numbers in mesh.cells]
    moved = _motion_of(mesh, touched, level, ahead, at, n)
    total = _nothing(d, n)
    for (kind, _), numbers, own in zip(mesh.cells, touched, mesh.elasticity, strict=True):
        step = max(1, AT_ONCE // (len(own.weights) * numbers.shape[1] * d * d * max(n, 1)))
        for first in range(0, len(numbers), step):
            part = numbers[first : first + step]
            total = total + _of_cells(mesh, kind.rstrip("0123456789"), part, own, ahead[part], level, at, moved)
    return _as_cut(total, ahead, moved)


def _sizes(d: int, n: int) -> list[tuple[int, ...]]:
    """The shapes of force, arms by force, both of second order, and of mass, arm, first and products of slices."""
    return [(d, n), (d, d, n), (d, n, n), (d, d, n, n), (), (d,), (1 + n, d), (1 + n, d, d)]


def _nothing(d: int, n: int) -> np.ndarray:
    return np.zeros(sum(int(np.prod(size)) for size in _sizes(d, n)))


def _as_cut(total: np.ndarray, ahead: np.ndarray, moved: np.ndarray) -> Cut:
    sizes = _sizes(*moved.shape)
    ends = np.cumsum([int(np.prod(size)) for size in sizes])[:-1]
    force, turning, force2, turning2, mass, arm, first, products = (
        part.reshape(size) for part, size in zip(np.split(total, ends), sizes, strict=True)
    )
    moments = [np.moveaxis(axial(np.moveaxis(x, (0, 1), (-2, -1))), -1, 0) for x in (turning, turning2)]
    return Cut(force, moments[0], force2, moments[1], float(mass), arm, first, products, ahead, moved)


def _of_cells(
    mesh: Any, shape: str, numbers: np.ndarray, own: Any, ahead: np.ndarray, level: np.ndarray, at: np.ndarray,
    moved: np.ndarray,
) -> np.ndarray:  # fmt: skip
    """All numbers of a cut from some of the cells that reach across it."""
    d, n = moved.shape
    X, u = mesh.nodes[numbers], mesh.shapes[numbers][..., :n]
    stress, G, volume = own.at_gauss_points(X, u)
    place = [[PLACES[d].index((min(i, j), max(i, j))) for j in range(d)] for i in range(d)]
    S = stress[:, :, place] * volume[:, :, None, None, None]  # (e, q, x, y, n)
    H = np.einsum("eaxn,eqay->eqxyn", u, G, optimize=True)
    chosen = ahead[:, None, :, None] * G
    pulled = np.einsum("eqxyn,eqay->eqxn", S, chosen, optimize=True)
    arms = np.einsum("eaw,eqay->eqwy", X - at, chosen, optimize=True)
    turning = np.einsum("eqxyn,eqwy->eqwxn", S, arms, optimize=True)
    leaning = np.einsum("eawi,eqay->eqwyi", u - moved, chosen, optimize=True)
    force2 = np.einsum("eqxzi,eqzj->xij", H, pulled, optimize=True)
    turning2 = np.einsum("eqxzi,eqwzj->wxij", H, turning, optimize=True)
    turning2 += np.einsum("eqwyi,eqxyj->wxij", leaning, S, optimize=True)
    slices = _slices(np.concatenate([X[..., None], u], axis=3), volume, shape, ahead, level[numbers], at)
    parts = [pulled.sum(axis=(0, 1)), turning.sum(axis=(0, 1)), force2, turning2, *(own.density * x for x in slices)]
    return np.concatenate([np.ravel(x) for x in parts])


def _slices(
    F: np.ndarray, volume: np.ndarray, shape: str, ahead: np.ndarray, level: np.ndarray, at: np.ndarray
) -> list[np.ndarray]:
    """Volume, arm, first moments and products between nodes and plane, of fields F (e, a, d, 1 + n) of cells, the first
    being X."""
    d, corners = F.shape[2], len(CORNERS[shape])
    order = 1 if F.shape[1] == corners else 2
    values = shape_functions(shape, order, gauss_points(shape, order)[0])[0]
    simplices = np.array(SIMPLICES[shape])
    whole = F[:, :corners][:, simplices]  # (e, s, corners, d, 1 + n)
    share, middle = parts_ahead(level[:, :corners][:, simplices])
    sizes = np.abs(np.linalg.det(whole[:, :, 1:, :, 0] - whole[:, :, :1, :, 0]))
    sizes *= (volume.sum(axis=1) / sizes.sum(axis=1))[:, None]
    cut_off = np.einsum("esv,esvxf->esxf", middle, whole, optimize=True)
    # forces on nodes have the arms of the nodes, the parts of simplices their own
    counted = ahead[:, :, None] * _with_one(F[..., 0] - at)
    at_gauss = np.einsum("eq,qa,eac->eqc", volume, values, counted, optimize=True)
    beyond = -(sizes * share)[..., None] * _with_one(cut_off[..., 0] - at)
    fields = [np.einsum("qa,eaxf->eqxf", values, F, optimize=True), cut_off]
    mu = np.concatenate([x.reshape(-1, 1 + d) for x in (at_gauss, beyond)])
    moments = np.einsum(
        "pc,pxf->cfx", mu, np.concatenate([x.reshape(-1, d, F.shape[3]) for x in fields]), optimize=True
    )
    return [mu[:, 0].sum(), mu[:, 1:].sum(axis=0), moments[0], np.moveaxis(moments[1:], 0, 1)]


def _with_one(arms: np.ndarray) -> np.ndarray:
    """1 and arms (…, d), in one array (…, 1 + d)."""
    return np.concatenate([np.ones((*arms.shape[:-1], 1)), arms], axis=-1)


def parts_ahead(levels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of simplices whose corners have the levels (…, d + 1): the share (…) of each that has positive ones, and the
    barycentric coordinates (…, d + 1) of the middle of that part.

    >>> share, middle = parts_ahead(np.array([1.0, -1.0, -1.0]))
    >>> float(share), middle.round(3).tolist()
    (0.25, [0.667, 0.167, 0.167])
    """
    v = levels.shape[-1]
    flat = levels.reshape(-1, v)
    order = np.argsort(-flat, axis=1, kind="stable")
    s = np.take_along_axis(flat, order, axis=1)
    count = np.sum(s > 0.0, axis=1)
    share, moment = np.zeros(len(s)), np.zeros((len(s), v))
    share[count == v], moment[count == v] = 1.0, 1.0 / v
    for k in range(1, v):
        rows = count == k
        if not np.any(rows):
            continue
        unit = np.broadcast_to(np.eye(v), (int(rows.sum()), v, v))
        t = s[rows, :k, None] / (s[rows, :k, None] - s[rows, None, k:])  # where edges from ahead end at the plane
        ends = unit[:, :k, None] + t[..., None] * (unit[:, None, k:] - unit[:, :k, None])  # (m, k, v − k, v)
        for path in _staircases(k, v - k):
            corners = np.stack([unit[:, a] if b == 0 else ends[:, a, b - 1] for a, b in path], axis=1)
            size = np.abs(np.linalg.det(corners))
            share[rows] += size
            moment[rows] += size[:, None] * corners.mean(axis=1)
    middle = np.divide(moment, share[:, None], out=np.full_like(moment, 1.0 / v), where=share[:, None] > 0.0)
    middle[count == v] = 1.0 / v
    back = np.empty_like(middle)
    np.put_along_axis(back, order, middle, axis=1)
    return share.reshape(levels.shape[:-1]), back.reshape(levels.shape)


def _staircases(a: int, b: int) -> list[list[tuple[int, int]]]:
    """The simplices, each as a path of a + b corners (i, j) from (0, 0) to (a − 1, b) by steps of one, that together
    are the product of simplices with a and with b + 1 corners."""
    paths = [[(0, 0)]]
    for _ in range(a + b - 1):
        paths = [[*p, q] for p in paths for q in ((p[-1][0] + 1, p[-1][1]), (p[-1][0], p[-1][1] + 1))]
    return [p for p in paths if p[-1] == (a - 1, b)]


def _motion_of(
    mesh: Any, touched: list[np.ndarray], level: np.ndarray, ahead: np.ndarray, at: np.ndarray, n: int
) -> np.ndarray:
    """How a point (d,) of the plane moves with the section, (d, n) by modes: as a rigid body that follows on average
    the places where edges of elements pass through the plane."""
    d = len(at)
    places, moves = [], []
    for (kind, _), numbers in zip(mesh.cells, touched, strict=True):
        for a, b in EDGES[kind.rstrip("0123456789")]:
            i, j = numbers[:, a], numbers[:, b]
            across = ahead[i] != ahead[j]
            i, j = i[across], j[across]
            t = (level[i] / (level[i] - level[j]))[:, None]
            places.append(mesh.nodes[i] + t * (mesh.nodes[j] - mesh.nodes[i]))
            moves.append(mesh.shapes[i][..., :n] + t[..., None] * (mesh.shapes[j] - mesh.shapes[i])[..., :n])
    X, u = np.concatenate(places), np.concatenate(moves)
    middle, mean = X.mean(axis=0), u.mean(axis=0)
    r = X - middle
    turn = np.linalg.pinv(np.sum(r**2) * np.eye(d) - r.T @ r) if d == 3 else 1.0 / max(np.sum(r**2), 1e-300) * np.eye(1)
    theta = turn @ axial(np.einsum("pw,pxn->nwx", r, u)).T
    arm = at - middle
    if d == 3:
        return np.asarray(mean + np.cross(theta.T, arm).T)
    return np.asarray(mean + np.outer([-arm[1], arm[0]], theta[0]))
