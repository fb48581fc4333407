"""What a run in joint coordinates works on, and which models it can take."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from flexmb.formulations.binding import Bound, RoadKind, invoke
from flexmb.formulations.road import ROADS, without_inertia
from flexmb.formulations.tree.arrays import Links, Moving, Nodes, Places, Seen
from flexmb.formulations.tree.inertial import Share, plan_of
from flexmb.formulations.tree.reading import seen_for
from flexmb.formulations.tree.tree import Tree
from flexmb.formulations.tree.turns import parallel_axes
from flexmb.kernels.references import by_reference
from flexmb.model.ways import BALL, FREE, SLIDE
from flexmb.solvers.joint_motion.bearing import Bearing, bearing_of, no_bearing
from flexmb.solvers.joint_motion.followers import Followers, followers_of, no_followers
from flexmb.solvers.joint_motion.joint_friction import Rubbing, no_plan, no_rubbing, rubbing_of
from flexmb.solvers.joint_motion.joint_state import stand_on
from flexmb.system.kernel_calls import JACOBIAN, RESIDUAL
from flexmb.system.plan import COUNT, KERNEL_AT, NV, ROW_AT, ROWS, VELOCITY_ROWS, Plan, counted_in
from flexmb.system.system import System

#: sine of the angle between the first and the last axis, below which Euler angles are not used
NEAREST = 1e-3
#: how far joints are opened, in units of the model, to see which rows repeat one another there too
OPENED = 0.05


@by_reference
class JointMotion(NamedTuple):
    """A tree with n links, its road, and room.

    `links` and `nodes` are those of the tree; `road` the place of the bound road, which reads x, u, `tau`, `wrench` and
    fills ud; `others` the plan of the components that are neither bodies nor joints of the tree, which put forces on it
    if `forced` is 1, as friction does, too; `rows` that of the groups with `further` rows (e,), those that no joint of
    the tree has, of which `rank` are independent of one another where the mechanism is closed. If `closed` is 1, there
    are such rows, or others for which ends of steps are closed as the system's; if `meets` is 1 they are put onto these
    in joint coordinates (:mod:`flexmb.solvers.joint_motion.onto_rows`). `pivots` (1,): how many those have of the
    factors `solved` of `matrix`.

    x, u, ud are those of the state at hand, x_present, u_present and `present` those of the step that the run has come
    to. Where the links are and how they move: `moving`, which the road reads too; what coordinates of the system say of
    them: `seen`; other `motions` (n, 6). `side` (n,) has entries where joints turn by Euler
    angles (:func:`flexmb.formulations.tree.turns.note_sides`). `instances` (i, 2) are the groups and instances of
    joints by their links, those of link k from first_instance[k] on; `numbers` (n, 12) the speeds of the system that
    link k and its joint bring, `width` (n,) how many; `holder` and `local` (total,) say the same the other way round.
    Loose coordinates among the `followers` stand behind those of the joints, and what the road reads and fills,
    `road_x` to `road_base`, are the parts before them. If `grouped` is 1 some links share their mass, and what acts in
    them asks for the `time` (1,); `stabilise` (2,) says how fast the road closes gaps of loops, if it does
    (:class:`flexmb.formulations.pieces.room.Room`); `unit` is the least multiplier by which responses are found;
    `of_links` (n, 6) are accelerations that the road leaves.
    """

    links: Links
    nodes: Nodes
    road: int
    others: Plan
    rows: Plan
    forced: int
    closed: int
    meets: int
    further: np.ndarray
    row_scale: np.ndarray
    rank: int
    instances: np.ndarray
    first_instance: np.ndarray
    numbers: np.ndarray
    width: np.ndarray
    holder: np.ndarray
    local: np.ndarray
    x: np.ndarray
    u: np.ndarray
    ud: np.ndarray
    tau: np.ndarray
    wrench: np.ndarray
    present: np.ndarray
    x_present: np.ndarray
    u_present: np.ndarray
    still: np.ndarray
    move: np.ndarray
    free: np.ndarray
    base: np.ndarray
    followers: Followers
    road_x: np.ndarray
    road_u: np.ndarray
    road_tau: np.ndarray
    road_ud: np.ndarray
    road_base: np.ndarray
    time: np.ndarray
    stabilise: np.ndarray
    grouped: int
    unit: float
    moving: Moving
    seen: Seen
    motions: np.ndarray
    side: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    r: np.ndarray
    zero: np.ndarray
    weights: np.ndarray
    lam: np.ndarray
    g: np.ndarray
    gd: np.ndarray
    gamma: np.ndarray
    along: np.ndarray
    mu: np.ndarray
    x_rows: np.ndarray
    order: np.ndarray
    pivots: np.ndarray
    matrix: np.ndarray
    solved: np.ndarray
    response: np.ndarray
    G: np.ndarray
    held: np.ndarray
    mu_rows: np.ndarray
    entries: np.ndarray
    entries_at: np.ndarray
    of_links: np.ndarray
    bearing: Bearing
    rubbing: Rubbing


def _nothing() -> JointMotion:
    """What stands in its place where coordinates are the system's own."""
    whole, none, table = np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros((0, 0))
    wholes = np.zeros((0, 0), dtype=np.int64)
    nodes = Nodes(wholes, wholes, table, table, none, whole, none, whole, 0)
    places = Places(
        whole, none, whole, whole, whole, whole, whole, whole, whole, whole, whole, whole, none, whole, nodes, none,
        none, none, none, none, table, table, table,
    )  # fmt: skip
    links = Links(
        whole, whole, whole, none, table, table, none, whole, whole, none, table, table, none, 0, 0, whole, 0, whole,
        places,
    )  # fmt: skip
    plan = no_plan()
    moving = Moving(whole, table, table, none, table, table, table, table, table, table, table, table)
    tables = {"wrench", "motions", "G", "of_links"}
    tables |= {"matrix", "solved", "response"}
    given: dict[str, Any] = {
        "links": links, "nodes": nodes, "road": 0, "others": plan, "rows": plan, "forced": 0, "closed": 0, "meets": 0,
        "grouped": 0, "unit": 1.0, "rank": 0, "bearing": no_bearing(), "rubbing": no_rubbing(),
        "followers": no_followers(), "moving": moving, "seen": Seen(table, table, table, table),
        "instances": wholes, "numbers": wholes,
    }  # fmt: skip
    integers = {"further", "first_instance", "width", "holder", "local", "order", "pivots", "entries_at"}
    for name in JointMotion._fields:
        if name not in given:
            given[name] = table if name in tables else whole if name in integers else none
    return JointMotion(**given)


#: where coordinates are those of the system
NOTHING = _nothing()


def joint_motion(system: System, road: str, euler_angles: str | None = None) -> JointMotion:
    """For a run of a system by a road, with quaternions or Euler angles of a sequence where joints turn about a point;
    a FormulationError for what is not to be had in joint coordinates."""
    where = f"simulate model {system.model.name!r}, formulation {road!r}"
    tree = Tree.of(system, euler_angles=euler_angles)
    followers = followers_of(system, tree, where)
    kind, links = ROADS[road], tree.arrays._replace(gravity=tree.arrays.gravity.copy())
    others = plan_of(system.plan, [share for share in tree.graph.shares if not share.massive], rows=False)
    # friction asks for the forces of all joints, of those that close loops as multipliers
    rubs = system.plan.friction > 0
    held = 0 if rubs else _held_by_road(system, tree, kind, followers)
    closes = kind.takes_loops and not rubs and held is not None
    road_tree = tree if closes else replace(tree, graph=replace(tree.graph, chords=[]))
    rows, further = rows_beyond(system, tree, closes, followers.followed, followers.loose_rows)
    n, e, m, loose = len(links.parent), len(further), system.m, len(followers.loose)
    nv = tree.nv + loose
    room = kind.room_for(road_tree)
    bound = Bound(kind, links, room, kind.halves if e else None)
    grouped = len(tree.graph.groups) > 0
    total, vectors = system.plan.total, ("u_present", "u", "ud", "tau", "present", "still", "move", "free", "base")
    rows_left = e > 0 or loose > 0 or system.left_out > 0 or len(tree.chords) > 0
    links = links._replace(nq=tree.nq + loose, nv=nv, inner=links.inner + loose)
    nodes = tree.nodes._replace(inner=np.append(tree.nodes.inner, followers.loose))
    x, of_speeds = np.append(tree.zero, np.zeros(loose)), {name: np.zeros(nv) for name in vectors}
    of_road = {f"road_{name}": of_speeds[name][: tree.nv] for name in ("u", "tau", "ud", "base")}
    motion = JointMotion(
        links=links, nodes=nodes, road=bound.place, others=others, rows=rows,
        forced=int(rubs or bool(np.any(others.groups[:, KERNEL_AT + RESIDUAL]))), closed=int(rows_left),
        meets=int(e > 0 and loose == 0 and system.left_out == 0 and not rubs and not (closes and tree.chords)),
        further=further, row_scale=system.row_scale, rank=tree.nv - system.n + m - (held or 0),
        **_held(system, tree, followers.followed),
        followers=followers, grouped=int(grouped), time=room.groups.time if grouped else np.zeros(1),
        stabilise=room.stabilise if closes else np.zeros(2),
        unit=float(system.mass_scale),
        x=x, x_present=x.copy(), **of_speeds, road_x=x[: tree.nq], **of_road, wrench=np.zeros((n, 6)),
        moving=room.moving, seen=seen_for(links), motions=np.zeros((n, 6)), side=np.zeros(n if euler_angles else 0),
        q=system.initial.copy(), **{name: np.zeros(total) for name in ("v", "a", "r", "zero")}, weights=np.zeros(4),
        **{name: np.zeros(m) for name in ("lam", "g", "gd", "gamma", "along")}, mu=np.zeros(e), x_rows=np.zeros(e),
        order=np.zeros(2 * e, dtype=np.int64), pivots=np.zeros(1, dtype=np.int64),
        matrix=np.zeros((e, e)), solved=np.zeros((e, e)), response=np.zeros((e, nv)),
        of_links=room.accelerations,
        bearing=bearing_of(rows, further, tree, followers, kind.halves, room) if e else no_bearing(),
        rubbing=rubbing_of(system, tree, followers) if rubs else no_rubbing(),
    )  # fmt: skip
    weakref.finalize(motion.motions, _keep, bound)  # the road's own memory lives as long as this does
    stand_on(motion, system.initial, system.initial_speeds)
    status = invoke(motion.road, motion.road_x, motion.road_u, motion.road_tau, motion.wrench, motion.road_ud)
    if status > 0 and not (euler_angles and parallel_axes(tree.arrays, motion.road_x, NEAREST) >= 0):
        raise without_inertia(tree, status, where, motion.road_x)
    return motion


def _keep(bound: Bound) -> None:
    """To be remembered until now was enough."""


def _held_by_road(system: System, tree: Tree, kind: RoadKind, followers: Followers) -> int | None:
    """How many motions of the tree a road takes away by closing its loops; None where it is not to close them.

    A road counts the rows that are independent of one another in the state that it is asked for. In stages and trials
    joints are open by a little, and rows that repeat one another where they are closed, as those of a plate on three
    parallel cranks, do not do so there: the road would find a mechanism that cannot move.
    """
    if not kind.takes_loops or not tree.chords:
        return 0
    room, links = kind.room_for(tree), tree.arrays
    bound = Bound(kind, links, room)
    x, _ = tree.start()
    moved = OPENED * np.random.default_rng(0).uniform(-1.0, 1.0, len(x))
    for turn, at in zip(links.kind, links.at_q):
        moved[at : at + (1 if turn == SLIDE else 3 if turn == FREE else 0)] *= system.length_scale
    x += moved
    for turn, at in zip(links.kind, links.at_q):
        if turn in (BALL, FREE):
            four = x[at + (3 if turn == FREE else 0) :][:4]
            four /= np.linalg.norm(four)
    u, tau, ud = np.zeros((3, tree.nv))
    invoke(bound.place, x, u, tau, np.zeros((len(links.parent), 6)), ud)
    held = int(room.rank[room.schedule.loop > 0].sum())
    _, others = rows_beyond(system, tree, True, followers.followed, followers.loose_rows)
    return held if held + len(others) <= tree.nv - system.n + system.m else None


def sizes(motion: JointMotion, length: float) -> tuple[np.ndarray, np.ndarray]:
    """The sizes by which joint coordinates and speeds are measured, where the mechanism has a `length` [m]."""
    x, u = np.ones(motion.links.nq), np.ones(motion.links.nv)
    for kind, i, k in zip(motion.links.kind, motion.links.at_q, motion.links.at_v):
        count = 1 if kind == SLIDE else 3 if kind == FREE else 0
        x[i : i + count] = u[k : k + count] = length
    return x, u


def rows_beyond(
    system: System, tree: Tree, takes_loops: bool, followed: np.ndarray, loose: Sequence[int] | np.ndarray = ()
) -> tuple[Plan, np.ndarray]:
    """The plan of the rows that no joint of the tree has, nor one that a road knows which `takes_loops`, nor those of
    coordinates that follow joints; and their numbers (e,), without those of `loose` coordinates."""
    names = {*tree.joints, *(tree.chords if takes_loops else ())}
    follow = set(followed.tolist())
    known = {*follow, *tree.rows_of_places(), *np.asarray(loose, dtype=np.int64).tolist()}
    numbers = [k for k, row in enumerate(system.rows) if row.owner not in names and k not in known]
    within = {(place.share.group, place.share.place) for place in tree.graph.places}
    shares = [
        share
        for share in tree.graph.shares
        if share.constrains and share.owner.name not in names and (share.group, share.place) not in within
        if not follow.issuperset(_rows_of(system.plan, share))
    ]
    return plan_of(system.plan, shares)._replace(friction=0), np.array(numbers, dtype=np.int64)


def _rows_of(plan: Plan, share: Share) -> list[int]:
    """The numbers of the rows of an instance, −1 of those that are left out."""
    width = plan.groups[share.group, ROWS]
    first = int(plan.groups[share.group, ROW_AT] + share.place * width)
    found: list[int] = plan.rows[first : first + int(width)].tolist()
    return found


def _held(system: System, tree: Tree, followed: np.ndarray) -> dict[str, np.ndarray]:
    """What multipliers of the joints are found with."""
    n, plan = len(tree.arrays.parent), system.plan
    numbers, width = np.full((n, 12), -1, dtype=np.int64), np.zeros(n, dtype=np.int64)
    holder, local = np.full((2, plan.total), -1, dtype=np.int64)
    instances: list[tuple[int, int]] = []
    first = [0]

    def rows_of(name: str) -> list[tuple[int, int]]:
        own = system.assembly.instances_by_owner[name]
        held = [i for i in own if not i.off and plan.groups[i.group, KERNEL_AT + JACOBIAN]]
        return [counted_in(plan.groups, i.group, i.place) for i in held]

    shares = {place.link: place.share for place in tree.graph.places}
    within = {k: [counted_in(plan.groups, share.group, share.place)] for k, share in shares.items()}
    sizes = plan.groups[:, COUNT] * plan.groups[:, ROWS] * plan.groups[:, NV]
    sizes *= np.where(plan.groups[:, VELOCITY_ROWS] > 0, 2, 1)
    for k, joint in enumerate(tree.graph.joints):
        own = tree.nodes.own[tree.arrays.first[k] : tree.arrays.first[k + 1]]
        mine = [*tree.nodes.numbers_v[k], *own[own >= 0]]
        numbers[k, : len(mine)], width[k] = mine, len(mine)
        holder[mine], local[mine] = k, np.arange(len(mine))
        if joint.component is not None:
            instances += rows_of(joint.name)
        instances += within.get(k, [])
        first.append(len(instances))
    for row in followed.tolist():
        instances += [
            (group, place)
            for group, place in rows_of(system.rows[row].owner)
            if row
            in plan.rows[plan.groups[group, ROW_AT] + place * plan.groups[group, ROWS] :][: plan.groups[group, ROWS]]
        ]
        first.append(len(instances))
    return {
        "instances": np.array(instances, dtype=np.int64).reshape(-1, 2), "first_instance": np.array(first),
        "numbers": numbers, "width": width, "holder": holder, "local": local, "G": np.zeros((12, 12)),
        "held": np.zeros(12), "mu_rows": np.zeros(12),
        "entries": np.zeros(int(sizes.sum())), "entries_at": np.cumsum(sizes) - sizes,
    }  # fmt: skip
