"""The data of a run in joint coordinates, and the check whether a model can be simulated in them."""

from __future__ import annotations

import weakref
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from flexmb.formulations.binding import Bound, FormulationKind, invoke
from flexmb.formulations.kinds import Hybrid, kind_of
from flexmb.formulations.missing_inertia import without_inertia
from flexmb.formulations.tree.arrays import Beams, Columns, Joints, Links, Moving, Nodes, Places, Seen
from flexmb.formulations.tree.inertial import plan_of
from flexmb.formulations.tree.reading import seen_for
from flexmb.formulations.tree.tree import Tree
from flexmb.formulations.tree.turns import parallel_axes
from flexmb.kernels.references import by_reference
from flexmb.model.ways import BALL, FREE, SLIDE, SPEEDS
from flexmb.solvers.coordinates.joints.along_joints import AlongJoints, along_joints, nothing_along
from flexmb.solvers.coordinates.joints.bearing import bearing_of, no_bearing
from flexmb.solvers.coordinates.joints.followers import Followers, followers_of, no_followers
from flexmb.solvers.coordinates.joints.further_rows import FurtherRows, further_rows, no_rows, rows_beyond
from flexmb.solvers.coordinates.joints.joint_friction import Rubbing, no_plan, no_rubbing, rubbing_of
from flexmb.solvers.coordinates.joints.joint_state import stand_on
from flexmb.solvers.coordinates.joints.multipliers import Reactions, no_reactions, reactions_of
from flexmb.system.kernel_calls import RESIDUAL
from flexmb.system.plan import KERNEL_AT, Plan
from flexmb.system.system import System

#: Smallest sine of the angle between the first and the last axis with which Euler angles are used.
NEAREST = 1e-3
#: Largest displacement of joints [rad, or model lengths] by which a mechanism is opened, to see which rows repeat one
#: another there too.
OPENED = 0.05


@by_reference
class LastJoints(NamedTuple):
    """The end of the last step: joint coordinates x (nq,), speeds u (nv,) and their rates ud (nv,); `side` (n,) of the
    singular positions of Euler angles (:func:`flexmb.formulations.tree.turns.note_sides`), empty if no Euler angles are
    used."""

    x: np.ndarray
    u: np.ndarray
    ud: np.ndarray
    side: np.ndarray


@by_reference
class Acting(NamedTuple):
    """Forces on the tree: the `plan` of the components that are neither bodies nor joints of the tree; `any`, 1 if
    there are such forces or friction, else 0; `along`, 1 if these and further rows act along the joints alone, whatever
    the positions of the links are, on the coordinates that are `known` from those of the joints, else 0; forces `tau`
    (nv,) along the joints, wrenches `wrench` (n, 6) on the links; r (total,), minus the forces in the coordinates of
    the system."""

    plan: Plan
    any: int
    along: int
    known: AlongJoints
    tau: np.ndarray
    wrench: np.ndarray
    r: np.ndarray


@by_reference
class BoundFormulation(NamedTuple):
    """The formulation that computes u̇, bound at the address `place`. x, u, tau, ud: the parts of the vectors of joint
    motion that it reads and fills, without loose coordinates; `base`: a vector for another result; `accelerations` (n,
    6): of the links, its result. `grouped` is 1 if some links share their mass, as the nodes of an elastic body do,
    whose forces depend on the `time` (1,). `stabilize` (2,): how fast the formulation closes gaps of loops, if it
    closes loops (:class:`flexmb.formulations.pieces.room.Room`)."""

    place: int
    x: np.ndarray
    u: np.ndarray
    tau: np.ndarray
    ud: np.ndarray
    base: np.ndarray
    accelerations: np.ndarray
    grouped: int
    time: np.ndarray
    stabilize: np.ndarray


@by_reference
class JointWork(NamedTuple):
    """Scratch: `seen`, the motion of the links as coordinates of the system give it; `motions` and `others` (n, 6) of
    links; `move`,
    `free` and `base` (nv,), of joint speeds; `a` and `zero` (total,), of the system; `lam`, `g`, `gd`, `gamma`, `along`
    (m,), of rows; `weights` (4,)."""

    seen: Seen
    motions: np.ndarray
    others: np.ndarray
    move: np.ndarray
    free: np.ndarray
    base: np.ndarray
    a: np.ndarray
    zero: np.ndarray
    lam: np.ndarray
    g: np.ndarray
    gd: np.ndarray
    gamma: np.ndarray
    along: np.ndarray
    weights: np.ndarray


@by_reference
class JointMotion(NamedTuple):
    """A tree with n `links` and their `nodes` in motion: the joint coordinates x (nq,), speeds u (nv,) and rates ud
    (nv,) of the present state, the poses and motion of the links in it, `moving`, and the end of the `last` step. Loose
    coordinates of the `followers` come after the joint coordinates.

    `acting`: the forces on the tree; `formulation`: the formulation that computes u̇; `rows`: constraint rows beyond the
    joints of the tree, with multipliers of their own; `reactions`: data for the joint forces of the tree; `rubbing`:
    friction that depends on joint forces. `unit`: the smallest multiplier with which responses are computed.
    """

    links: Links
    nodes: Nodes
    moving: Moving
    followers: Followers
    x: np.ndarray
    u: np.ndarray
    ud: np.ndarray
    last: LastJoints
    acting: Acting
    formulation: BoundFormulation
    rows: FurtherRows
    reactions: Reactions
    rubbing: Rubbing
    work: JointWork
    unit: float


def _in_motion(
    tree: tuple[Links, Nodes, Followers, np.ndarray], acting: tuple[Plan, bool, AlongJoints | None],
    formulation: tuple[int, Any, np.ndarray], rows: FurtherRows, reactions: Reactions, rubbing: Rubbing,
    sizes: tuple[int, int, float], euler_angles: bool,
) -> JointMotion:  # fmt: skip
    """The JointMotion of a tree and its followers at joint coordinates x (nq,); `formulation`: the address of a
    formulation, its workspace and its stabilization; `sizes`: the numbers of all coordinates of the system and of its
    rows, and the unit."""
    (links, nodes, followers, x), (place, room, stabilize), (total, m, unit) = tree, formulation, sizes
    n, before = len(links.parent), links.joints.nv - len(followers.loose)
    u, ud, tau, base, move, free = np.zeros((6, links.joints.nv))
    motions, others = np.zeros((2, n, 6))
    return JointMotion(
        links, nodes, room.moving, followers, x, u, ud,
        LastJoints(x.copy(), np.zeros(links.joints.nv), np.zeros(links.joints.nv), np.zeros(n if euler_angles else 0)),
        Acting(
            acting[0], int(acting[1]), int(acting[2] is not None), acting[2] or nothing_along(), tau, np.zeros((n, 6)),
            np.zeros(total),
        ),
        BoundFormulation(
            place, x[: links.joints.nq - len(followers.loose)], u[:before], tau[:before], ud[:before], base[:before],
            room.accelerations, int(len(room.groups.size) > 0), room.groups.kernels.time, stabilize,
        ),
        rows, reactions, rubbing,
        JointWork(
            seen_for(links), motions, others, move, free, base, a=np.zeros(total), zero=np.zeros(total),
            **{name: np.zeros(m) for name in ("lam", "g", "gd", "gamma", "along")}, weights=np.zeros(4),
        ),
        float(unit),
    )  # fmt: skip


def _nothing() -> JointMotion:
    """An empty JointMotion: the run is in the coordinates of the system."""
    whole, none, table = np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros((0, 0))
    wholes = np.zeros((0, 0), dtype=np.int64)
    nodes = Nodes(wholes, wholes, table, table, none, whole, none, whole, 0)
    beams, columns = (
        Beams(none, whole, whole, whole, whole, whole, none, whole, whole),
        Columns(whole, whole, whole, whole, whole),
    )
    places = Places(whole, whole, beams, columns, nodes, none, none, none, none, none, table, table, table)
    joints = Joints(whole, whole, none, table, table, none, whole, whole, 0, 0, 0)
    links = Links(whole, joints, none, table, table, table, none, whole, whole, places)
    moving = Moving(whole, table, table, none, table, table, table, table, table, table, table, table)
    room = SimpleNamespace(
        moving=moving, accelerations=table, groups=SimpleNamespace(size=none, kernels=SimpleNamespace(time=none))
    )
    return _in_motion(
        (links, nodes, no_followers(), none), (no_plan(), False, None), (0, room, none), no_rows(), no_reactions(),
        no_rubbing(), (0, 0, 1.0), False,
    )  # fmt: skip


#: The JointMotion of runs in the coordinates of the system.
NOTHING: JointMotion = _nothing()


def joint_motion(system: System, formulation: str | Hybrid, euler_angles: str | None = None) -> JointMotion:
    """The JointMotion of a run with a `formulation`, given by its name or with its options; joints that turn about a
    point have quaternions, or the Euler angles of a sequence. Raises a FormulationError if the model cannot be
    simulated in joint coordinates."""
    name, kind = kind_of(formulation)
    where = f"simulate model {system.model.name!r}, formulation {name!r}"
    tree = Tree.of(system, euler_angles=euler_angles)
    followers = followers_of(system, tree, where)
    links, joints = tree.arrays._replace(gravity=tree.arrays.gravity.copy()), tree.arrays.joints
    others = plan_of(system.plan, [s for s in tree.graph.shares if not (s.massive or s.spins)], rows=False)
    # Friction depends on the forces of all joints, so that joints that close loops need multipliers as well.
    rubs = system.plan.friction > 0
    closing = kind.room_for(tree) if kind.takes_loops and tree.chords and not rubs else None
    held = _held_by_formulation(system, tree, kind, closing, followers)
    closes = kind.takes_loops and not rubs and held is not None
    plan, further = rows_beyond(system, tree, closes, followers.followed, followers.loose_rows)
    e, m, loose = len(further), system.m, len(followers.loose)
    room = closing
    if room is None or not closes:
        room = kind.room_for(tree if closes else replace(tree, graph=replace(tree.graph, chords=[])))
    bound = Bound(kind, links, room, kind.halves if e else None)
    left = e > 0 or loose > 0 or system.left_out > 0 or len(tree.chords) > 0
    meets = e > 0 and loose == 0 and system.left_out == 0 and not rubs and not (closes and tree.chords)
    pushes = rubs or bool(np.any(others.groups[:, KERNEL_AT + RESIDUAL]))
    rows = further_rows(
        plan, further, system.row_scale, (left, meets), tree.nv - system.n + m - (held or 0), tree.nv + loose,
        bearing_of(plan, further, tree, followers, kind.halves, room) if e else no_bearing(),
    )  # fmt: skip
    motion = _in_motion(
        (
            links._replace(joints=joints._replace(nq=tree.nq + loose, nv=tree.nv + loose, inner=joints.inner + loose)),
            tree.nodes._replace(inner=np.append(tree.nodes.inner, followers.loose)),
            followers, np.append(tree.zero, np.zeros(loose)),
        ),
        (
            others, pushes,
            along_joints(others, plan, tree, followers) if (pushes or e) and not (rubs or loose) else None,
        ),
        (bound.place, room, room.stabilize if closes else np.zeros(2)), rows,
        reactions_of(system, tree, followers.followed), rubbing_of(system, tree, followers) if rubs else no_rubbing(),
        (system.plan.total, m, system.mass_scale), euler_angles is not None,
    )  # fmt: skip
    weakref.finalize(motion.x, keep_alive, bound)
    stand_on(motion, system.initial, system.initial_speeds)
    formulation_of, x = motion.formulation, motion.formulation.x
    status = invoke(
        formulation_of.place, x, formulation_of.u, formulation_of.tau, motion.acting.wrench, formulation_of.ud
    )
    if status > 0 and not (euler_angles and parallel_axes(joints, x, NEAREST) >= 0):
        raise without_inertia(tree, status, where, x, room)
    return motion


def keep_alive(bound: Bound) -> None:
    """Does nothing: a finalizer of the joint motion that holds a bound formulation keeps it alive as long."""


def _held_by_formulation(
    system: System, tree: Tree, kind: FormulationKind, room: Any, followers: Followers
) -> int | None:
    """The number of degrees of freedom of the tree that a formulation removes by closing its loops with its workspace
    `room`, 0 if that is None; None if the formulation should not close them.

    A formulation counts the rows that are independent of one another in the state for which it is called. In stages and
    trial states joints are open by a little, and rows that repeat one another where they are closed, such as the rows
    of a plate on three parallel cranks, do not repeat one another there: the formulation would find a mechanism that
    cannot move.
    """
    if room is None:
        return 0
    links = tree.arrays
    bound = Bound(kind, links, room)
    x, _ = tree.start()
    moved = OPENED * np.random.default_rng(0).uniform(-1.0, 1.0, len(x))
    for turn, at in zip(links.joints.kind, links.joints.at_q):
        moved[at : at + (1 if turn == SLIDE else 3 if turn == FREE else 0)] *= system.length_scale
    x += moved
    for turn, at in zip(links.joints.kind, links.joints.at_q):
        if turn in (BALL, FREE):
            four = x[at + (3 if turn == FREE else 0) :][:4]
            four /= np.linalg.norm(four)
    u, tau, ud = np.zeros((3, tree.nv))
    invoke(bound.place, x, u, tau, np.zeros((len(links.parent), 6)), ud)
    held = _rows_of_loops(tree, room)
    _, others = rows_beyond(system, tree, True, followers.followed, followers.loose_rows)
    return held if held + len(others) <= tree.nv - system.n + system.m else None


def _rows_of_loops(tree: Tree, room: Any) -> int:
    """The number of rows of joints that close loops that were independent of one another in the last call with the
    workspace `room`. The first joint that holds a free body closes no loop of links, since a free joint has no rows;
    all of its own hold."""
    s, n = room.schedule, len(tree.links)
    first = s.joint[(np.repeat(s.loop, np.diff(s.joint_first)) == 0) & (s.joint >= n)] - n
    ways = (sum(SPEEDS[motion.kind] for motion in tree.graph.chords[k].ways.motions) for k in first)
    return int(room.steps.rank[s.loop > 0].sum()) + sum(6 - count for count in ways)


def sizes(motion: JointMotion, length: float) -> tuple[np.ndarray, np.ndarray]:
    """The scales of joint coordinates and of joint speeds, for a mechanism of a `length` [m]."""
    joints = motion.links.joints
    x, u = np.ones(joints.nq), np.ones(joints.nv)
    for kind, i, k in zip(joints.kind, joints.at_q, joints.at_v):
        count = 1 if kind == SLIDE else 3 if kind == FREE else 0
        x[i : i + count] = u[k : k + count] = length
    return x, u
