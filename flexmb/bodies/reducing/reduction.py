"""From the full model of a body to a reduced one: basis, inertia, second order, interfaces and loads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from flexmb.bodies.full_models.full_model import FullModel
from flexmb.bodies.meshes.body_mesh import BodyMesh
from flexmb.bodies.reduced_body import Interface, ModalLoad, ReducedBody, UnitLoadStiffness
from flexmb.bodies.reducing.held_body import HeldBody
from flexmb.bodies.reducing.mass_products import products, products_by_matrix
from flexmb.bodies.reducing.mode_basis import Modes, elastic_modes, held_modes, residual_attachment
from flexmb.bodies.reducing.nodal_loads import spread
from flexmb.bodies.reducing.quartic import SOFTEST, quartic_energy
from flexmb.bodies.reducing.reduction_report import report_of
from flexmb.bodies.reducing.second_order import (
    UnitLoads,
    motion_of,
    second_order_of_tie,
    slave_shapes,
    slaves_by_loads,
    spin_loads,
    work_on_second_order,
)
from flexmb.bodies.reducing.ties import TiedSet, tied_sets
from flexmb.bodies.reducing.unresolved import inertia_forces, stresses_left_out
from flexmb.errors import ModelError
from flexmb.machine.threads import one_thread
from flexmb.model import checks, given_names
from flexmb.model.hints import AnswersCalls

METHODS = ("craig-bampton", "free")
FIELDS = ("quadratic", "linear", "unit-loads")


@dataclass(frozen=True)
class Reduction(metaclass=AnswersCalls):
    """How a body is reduced, besides the number of modes.

    Arguments: `method`: by "craig-bampton", after Hurty (1965) and Craig and Bampton (1968), the basis has static modes
    of the interfaces and modes with these held, by "free" modes of the free body, completed by the residual
    deformations under forces at the interfaces (MacNeal (1971), Rubin (1975)). `inertia_loads`: the deformations under
    loads of inertia join the basis, so that static stresses under them are exact; `spin_loads`: those under centrifugal
    loads of any steady spin join it. `field`: "quadratic"; "linear"
    without the second order of the field; "unit-loads", linear with the geometric stiffness of unit loads. `reference`:
    "mean", the frame that follows the body on average, or the name of an interface that the reference frame is fixed
    to. `damping`, ratio of modal damping, for all modes or each (n,). `spin` (3,) [rad/s], in the plane one number, a
    steady spin at which the modes in the basis are computed, about `spin_center` (d,) [m] or the mass center.
    `estimate`: the errors of the frequencies are estimated, for one more solution for each mode. `progress`: long
    reductions show a bar.

    >>> Reduction(inertia_loads=True, damping=0.01).method
    'craig-bampton'
    """

    method: str = "craig-bampton"
    inertia_loads: bool = False
    spin_loads: bool = False
    field: str = "quadratic"
    reference: str = "mean"
    damping: Any = 0.0
    spin: Any = None
    spin_center: Any = None
    estimate: bool = True
    progress: bool = True

    def __post_init__(self) -> None:
        where = "reduction of a body"
        checks.choice(self.method, METHODS, "method", where)
        checks.choice(self.field, FIELDS, "field", where)
        for what in ("inertia_loads", "spin_loads", "estimate", "progress"):
            checks.flag(getattr(self, what), what, where)


@one_thread
def reduce(
    model: FullModel,
    interfaces: Mapping[str, Any],
    modes: int,
    how: Reduction | None = None,
    *,
    followers: Mapping[str, Any] | None = None,
    loads: Mapping[str, Any] | None = None,
) -> ReducedBody:
    """The reduced body of a full model; arguments as for :func:`flexmb.bodies.from_mesh`."""
    where = f"body {model.name!r}"
    how = Reduction() if how is None else how
    if not isinstance(how, Reduction):
        raise ModelError(f"{where}: reduction must be a flexmb.bodies.Reduction(…), not {checks.quoted(how)}")
    for what, given in (("interfaces", interfaces), ("followers", followers), ("loads", loads)):
        if given is not None or what == "interfaces":
            checks.by_names(given, what, where)
    given_names.all_different([*interfaces, *(followers or {})], "interface", where)
    ties, following = tied_sets(model, interfaces), tied_sets(model, followers or {}, followers=True)
    model.check_connected([tie.nodes for tie in ties if tie.rigid])
    body = HeldBody(model, ties)
    forces, stressed = spread(model, loads or {})
    found = basis_of(body, checks.count(modes, "modes", where), how, forces)
    named = dict(zip(loads or {}, zip(forces.T, stressed, strict=True), strict=True))
    return reduced_by(body, found, [*ties, *following], how, named)


def basis_of(body: HeldBody, modes: int, how: Reduction, loads: np.ndarray | None = None) -> Modes:
    """The modes of a body, `modes` of them in the basis; `loads` (n, l) on the coordinates of the full model, whose
    deformations join the basis."""
    R = body.rigid
    free = how.method == "free" or not body.ties
    rigid = 0 if free else R.shape[1]
    turning = body if how.spin is None else spinning(body, how.spin, how.spin_center)
    omegas, shapes = held_modes(turning, modes, flexible=free, progress=how.progress)
    parts = [shapes]
    if not free:
        parts.insert(0, body.static_modes())
    elif body.ties:
        at_ties = np.hstack([UnitLoads.on_tie(body, tie).on_body(body) for tie in body.ties])
        parts.append(residual_attachment(body, at_ties, omegas, shapes))
    extra = [] if loads is None or not loads.shape[1] else [body.map.T @ loads]
    if how.inertia_loads:
        extra.append(inertia_forces(body) if how.spin_loads else body.mass @ R)
    elif how.spin_loads:
        extra.append(spin_loads(body).on_body(body))
    parts += [body.refined(body.flexible if free else body.held, f) for f in extra]
    held = (np.zeros(0), shapes[:, :0]) if free else (omegas, shapes)
    return elastic_modes(body, np.hstack(parts), held, rigid)


def spinning(body: HeldBody, spin: Any, center: Any = None) -> HeldBody:
    """The body in steady spin about a point, its mass center if not given, seen from axes that turn with it, its
    interfaces held there: K + K_σ + M ω̃ω̃."""
    model, d = body.model, body.model.dimension
    where = f"body {model.name!r}"
    if model.stress_matrix is None:
        raise ModelError(f"{where}: a spin needs the stresses of its elements, and its matrices do not have them")
    omega = checks.vector(np.atleast_1d(spin), "spin", where, 3 if d == 3 else 1)
    wx, wy, wz = omega if d == 3 else (0.0, 0.0, omega[0])
    tilde = np.array([[0.0, -wz, wy], [wz, 0.0, -wx], [-wy, wx, 0.0]])
    square = (tilde @ tilde)[:d, :d]
    moving = model.direction_of < d
    n = len(model.node_of)
    entries = [(a, b) for a in range(d) for b in range(d) if square[a, b] != 0.0]
    index = np.full((len(model.nodes), d), -1)
    index[model.node_of[moving], model.direction_of[moving]] = np.flatnonzero(moving)
    rows = np.concatenate([index[:, a] for a, _ in entries]) if entries else np.zeros(0, dtype=int)
    columns = np.concatenate([index[:, b] for _, b in entries]) if entries else np.zeros(0, dtype=int)
    values = np.concatenate([np.full(len(index), square[a, b]) for a, b in entries]) if entries else np.zeros(0)
    both = (rows >= 0) & (columns >= 0)
    W = sp.csr_matrix((values[both], (rows[both], columns[both])), shape=(n, n))
    arms = np.zeros(n)
    about = body.mass_center if center is None else checks.vector(center, "spin_center", where, d)
    arms[moving] = (model.nodes - about)[model.node_of[moving], model.direction_of[moving]]
    pulled = body.map @ body.held(body.map.T @ (-(model.mass @ (W @ arms)))[:, None])
    softened = model.mass @ W
    return HeldBody(model, body.ties, stress=model.stress_matrix(pulled[:, 0]) + 0.5 * (softened + softened.T))


def reduced_by(
    body: HeldBody, found: Modes, frames: list[TiedSet], how: Reduction, loads: Mapping[str, tuple[np.ndarray, Any]]
) -> ReducedBody:
    """The reduced body of modes that were found; `loads`, each with what its own stress does, if it has one."""
    model, d, n = body.model, body.model.dimension, len(found.omegas)
    fixed = _frame(body, how.reference)
    origin, shapes = body.mass_center, found.shapes
    if fixed is not None:  # the reference frame goes with the interface: its motion is taken out of every mode
        origin = fixed.place
        at_rest = motion_of(body, fixed, body.rigid)
        shapes = shapes - body.rigid @ np.linalg.solve(at_rest, motion_of(body, fixed, shapes))
    mass = model.mass_field
    stressed = how.field != "linear" and model.stress_work is not None and mass is not None
    quadratic = stressed and how.field == "quadratic"
    chi, slaves = None, np.zeros((0, n, n))
    if mass is None:
        total, first, P = products_by_matrix(model, origin, body.map @ shapes)
    else:
        fields = mass.moved(body.map @ shapes)
        if quadratic:
            chi = slave_shapes(mass, body.mass_center, free=fixed is None)
            slaves = slaves_by_loads(body, mass, chi, shapes, fixed)
            fields = np.concatenate([fields, chi], axis=2)
        total, first, P = products(mass, origin, fields)
    named = {}
    for tie in frames:
        moved = motion_of(body, tie, shapes)
        second = second_order_of_tie(body, tie, shapes, fixed) if stressed else np.zeros((len(moved), n, n))
        named[tie.name] = Interface(tie.place - origin, tie.axes, moved[:d], moved[d:], second[:d], second[d:])
    modal = {name: _modal_load(body, load, shapes, origin, stressed, fixed) for name, load in loads.items()}
    slave_nodes = chi if mass is not None and mass.displacement is None else None
    # heat has a stress of its own besides that of the modes, which a motion does not keep
    elasticity = () if any(own is not None for _, own in loads.values()) else model.elasticity
    nodes, cells, moved = model.shown(body.map @ shapes)
    mesh = BodyMesh(
        nodes - origin, cells, moved, slave_nodes, elasticity,
        stresses_left_out(body, found) if how.estimate and elasticity else None,
    )  # fmt: skip
    extra = None
    if how.field == "unit-loads":
        if not stressed or fixed is not None:
            raise ModelError(
                f"body {model.name!r}: unit loads need the stresses of its elements and the mean frame; take "
                "field='linear'"
            )
        extra = UnitLoadStiffness(-work_on_second_order(body, spin_loads(body), shapes))
    return ReducedBody(
        total, first, P, found.omegas**2, slaves, named, how.damping, modal, extra, mesh=mesh, origin=origin,
        report=report_of(body, found, shapes, P, how.estimate),
        quartic=quartic_energy(body, found.shapes[:, :SOFTEST]) if quadratic and model.pair_strains and n else None,
    )  # fmt: skip


def _frame(body: HeldBody, reference: str) -> TiedSet | None:
    """The interface that the reference frame is fixed to; None for the mean frame."""
    if reference == "mean":
        return None
    where = f"body {body.model.name!r}"
    tie = {tie.name: tie for tie in body.ties}[
        given_names.known(reference, [tie.name for tie in body.ties], "interface", where)
    ]
    if not tie.rigid:
        raise ModelError(
            f"{where}: its frame cannot go with the interface {reference!r}, a mean of nodes; tie it rigidly"
        )
    return tie


def _modal_load(
    body: HeldBody, given: tuple[np.ndarray, Any], shapes: np.ndarray, origin: np.ndarray, quadratic: bool,
    fixed: TiedSet | None,
) -> ModalLoad:  # fmt: skip
    """What a load (n,) that turns with the body does to its frame and its modes, or one by a stress, which follows the
    material and so does no work in a motion of the frame."""
    model, d = body.model, body.model.dimension
    phi, (force, stress) = body.map @ shapes, given
    if stress is not None:
        loads = UnitLoads.on_nodes(body, force[:, None])
        second = None
        if quadratic:
            both = work_on_second_order(body, loads, shapes, fixed)[0] + stress(phi)
            second = 0.5 * (both + both.T)
        return ModalLoad(np.zeros(d), np.zeros(3 if d == 3 else 1), phi.T @ force, None, second)
    total = model.rigid_modes(origin).T @ force
    moved, f = model.translations(phi), model.translations(force[:, None])[:, :, 0]
    if d == 3:
        turned = np.cross(moved.transpose(2, 0, 1), f).sum(axis=1).T
    else:
        turned = np.einsum("nk,n->k", moved[:, 0], f[:, 1])[None] - np.einsum("nk,n->k", moved[:, 1], f[:, 0])[None]
    load = UnitLoads.on_nodes(body, force[:, None])
    second = work_on_second_order(body, load, shapes, fixed)[0] if quadratic else None
    return ModalLoad(total[:d], total[d:], phi.T @ force, turned, second)
