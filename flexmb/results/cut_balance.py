"""The force through a cut of a body by balance with what acts on its parts.

Few modes leave out stresses which loads between interfaces cause: inertia, weight, and tension N that bending turns,
N w″. What the part ahead passes on balances the forces on its interfaces and its inertia all the same,

    F = Σ f_i − ∫ ψ ρ (r̈ − g) dV,    M = Σ (m_i + (x_i − x_p) × f_i) − ∫ ψ (x − x_p) × ρ (r̈ − g) dV

whose inertia is that of the modes. f_i are known where frames of interfaces stand on nodes of their own. All that acts
on other interfaces together is what the whole body lacks in balance. If such interfaces are on both sides of the plane,
or the plane goes through the nodes of one, each component may act on either side: then the stresses of the modes are
taken, and the least error of all shares is how far they are off at least.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.bodies.cuts import Cut
from flexmb.bodies.inertia_ahead import PartAhead, part_ahead
from flexmb.bodies.reduced_body import axial
from flexmb.errors import AccuracyWarning, warn
from flexmb.model.appearance import MeshPlace
from flexmb.results import names
from flexmb.results.recorded import Recorded

#: part of the largest of the forces on the body, in the direction of the error, by which a cut may be off
NOTICEABLE = 0.05
#: part of the largest of the forces on the body in any direction below which errors do not count
NEGLIGIBLE = 1e-3
#: nodes are those around an interface if they are off it by less than so many times the nearest
AROUND = 1.5


class Interfaces(NamedTuple):
    """Interfaces of a body on one side of a cut whose loads are known: `loads` (p, k, d + r) about the origin of the
    body's frame, in its axes, and whether they are `ahead` (p,), 1 or 0; the shares ahead (s,) of the others."""

    loads: np.ndarray
    ahead: np.ndarray
    unknown: np.ndarray


def cross(w: np.ndarray) -> np.ndarray:
    """w̃ (k, d, d) of turns (k, r).

    >>> cross(np.array([[2.0]])).tolist()
    [[[0.0, -2.0], [2.0, 0.0]]]
    """
    if w.shape[1] == 1:
        return np.asarray(w[:, :, None] * np.array([[0.0, -1.0], [1.0, 0.0]]))
    x, y, z = w.T
    o = np.zeros(len(w))
    return np.stack([np.stack(row, axis=1) for row in ((o, -z, y), (z, o, -x), (-y, x, o))], axis=1)


def balanced(
    solution: Recorded, body: str, found: Cut, at: np.ndarray, motion: names.FrameMotion, rates: tuple[np.ndarray, ...],
    through: np.ndarray,
) -> np.ndarray:  # fmt: skip
    """What goes through a cut (k, d + r), by nodal forces, in balance about the point `at` (d,), or as the stresses of
    the modes have it `through` the cut where balance is not known, with a warning if it cannot be right; `rates`:
    amplitudes of modes, their rates and second rates (k, n)."""
    mesh = solution.layout.bodies[body].mesh
    assert mesh is not None
    d, n = len(at), rates[0].shape[1]
    own = interfaces_of(solution, body, mesh, found.ahead, motion, rates[0])
    point = at + rates[0] @ found.moved.T
    ahead, whole = (
        _about(inertia_of(part_ahead(mesh, weights, n), motion, *rates), point)
        for weights in (found.ahead, np.ones(len(found.ahead)))
    )
    loads = np.array([_about(x, point) for x in own.loads]).reshape(-1, *through.shape)
    lacking = whole - loads.sum(axis=0)
    known = np.einsum("p,pkx->kx", own.ahead, loads) - ahead
    sides = set(own.unknown.tolist())
    if sides <= {0.0} or sides == {1.0}:
        return known + lacking if sides == {1.0} else known
    off, other = through - known, through - known - lacking
    off = np.where(off * other <= 0.0, 0.0, np.where(np.abs(off) < np.abs(other), off, other))
    terms = np.concatenate([loads, [ahead, whole - ahead, lacking]])
    for what, unit, part in (("force", "N", slice(0, d)), ("moment", "Nm", slice(d, None))):
        text = _too_far(off[:, part], terms[:, :, part], unit)
        if text:
            warn(
                f"{solution.where}, body {body!r}: the {what} through a cut is off by {text}, as balance of the parts "
                "of the body shows: its modes leave out deformations under what acts between interfaces; reduce it "
                "with more modes, under inertia or weight with Reduction(inertia_loads=True), for centrifugal forces "
                "spin_loads=True too; or join massless bodies to all interfaces with forces, whose reactions are known",
                AccuracyWarning,
            )
            break
    return through


def _too_far(off: np.ndarray, terms: np.ndarray, unit: str) -> str:
    """How far errors (k, x) are off, with terms (p, k, x) of balance, if that is much."""
    sizes = np.linalg.norm(off, axis=1)
    k = int(np.argmax(sizes))
    size = float(sizes[k])
    if size <= NEGLIGIBLE * float(np.max(np.linalg.norm(terms, axis=2))):
        return ""
    along = float(np.max(np.abs(terms @ (off[k] / size))))
    if size <= NOTICEABLE * along:
        return ""
    return f"{size:.2g} {unit}, where {along:.2g} {unit} act on the body in this direction"


def _about(loads: np.ndarray, point: np.ndarray) -> np.ndarray:
    """Forces and moments (k, d + r) about points (k, d) instead of the origin."""
    d = point.shape[1]
    force, moment = loads[:, :d], loads[:, d:]
    return np.concatenate([force, moment - axial(np.einsum("kw,kx->kwx", point, force))], axis=1)


def inertia_of(
    part: PartAhead, motion: names.FrameMotion, eta: np.ndarray, rate: np.ndarray, second: np.ndarray
) -> np.ndarray:
    """∫ ψ ρ (r̈ − g) and its moment (k, d + r) about the origin of the frame, in its axes.

    >>> still, even = np.zeros((1, 1)), np.zeros((1, 2, 2))
    >>> flat = names.FrameMotion(np.eye(2)[None], np.array([[0.0, 9.81]]), still, still, even)
    >>> part, none = PartAhead(2.0, *2 * [np.array([[1.0, 0.0]])], np.zeros((1, 1, 2, 2))), np.zeros((1, 0))
    >>> inertia_of(part, flat, none, none, none).tolist()
    [[0.0, 19.62, 9.81]]
    """
    d = motion.acceleration.shape[1]
    omega = cross(motion.omega)
    turning = cross(motion.alpha) + omega @ omega - motion.gradient
    now = np.concatenate([np.ones((len(eta), 1)), eta], axis=1)
    rate, second = (np.pad(x, ((0, 0), (1, 0))) for x in (rate, second))
    by_field = np.einsum("kf,kxy->kfxy", now, turning) + np.einsum("kf,kxy->kfxy", rate, 2.0 * omega)
    by_field = by_field + np.einsum("kf,xy->kfxy", second, np.eye(d))
    force = part.mass * motion.acceleration + np.einsum("kfxy,fy->kx", by_field, part.first, optimize=True)
    arms = np.einsum("kg,gw,kx->kwx", now, part.arms, motion.acceleration, optimize=True)
    arms = arms + np.einsum("kg,kfxy,gfwy->kwx", now, by_field, part.products, optimize=True)
    return np.concatenate([force, axial(arms)], axis=1)


def interfaces_of(
    solution: Recorded, body: str, mesh: MeshPlace, ahead: np.ndarray, motion: names.FrameMotion, eta: np.ndarray
) -> Interfaces:
    """What acts on the interfaces of a body, and on which side of a cut they are by weights `ahead` (N,) of nodes."""
    layout, d = solution.layout, solution.layout.dimension
    frame = names.find_track(solution, layout.bodies[body].frame)
    least = int(np.argmin(np.linalg.norm(eta, axis=1)))
    nodes = mesh.nodes + mesh.moved(eta[least : least + 1])[0]
    used = np.unique(np.concatenate([numbers.ravel() for _, numbers in mesh.cells]))

    def place_of(name: str) -> tuple[np.ndarray, float]:
        place = np.einsum("kxd,kx->kd", motion.axes, names.find_track(solution, name).position - frame.position)
        off = np.linalg.norm(nodes[used] - place[least], axis=1)
        return place, float(np.mean(ahead[used[off <= AROUND * off.min() + 1e-9 * np.max(off)]]))

    loads, shares = [], []
    unknown = [place_of(name)[1] for name, (owner, _) in layout.inner.items() if owner == body]
    for row, (owner, text, _) in enumerate(layout.rows):
        name = f"{body}.{text.removesuffix(' x')}"
        if owner != body or (name not in layout.frames and name not in layout.spatial):
            continue
        place, share = place_of(name)
        if share not in (0.0, 1.0):
            unknown.append(share)
            continue
        values = solution.multipliers[:, row : row + (6 if d == 3 else 3)]
        force, moment = np.einsum("kxd,kx->kd", motion.axes, values[:, :d]), values[:, d:]
        if d == 3:
            turned = names.find_track(solution, name).orientation.apply(moment)
            moment = np.einsum("kxd,kx->kd", motion.axes, turned)
        loads.append(np.concatenate([force, moment + axial(np.einsum("kw,kx->kwx", place, force))], axis=1))
        shares.append(share)
    size = d + motion.omega.shape[1]
    return Interfaces(np.array(loads).reshape(-1, len(eta), size), np.array(shares), np.array(unknown))
