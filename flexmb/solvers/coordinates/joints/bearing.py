"""The links and joint speeds on which the further constraint rows of a run in joint coordinates act, and the links
between these and the ground.

A row G a = γ has few nonzero entries, at the coordinates of one joint or drive. Its forces −Gᵀ μ are wrenches on the
links of its frames and forces along the joints that own one of its coordinates, and G a depends on the accelerations of
these links and joints alone. In joint speeds, v = B u, the row is one of C = G B: minus the forces along the joints
that a unit multiplier causes on the path to the ground.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from flexmb.formulations.binding import Halves
from flexmb.formulations.carried import hand_back, hand_in
from flexmb.formulations.spatial_algebra import NOTHING, force_at, power, put_six, six_in, sum_of
from flexmb.formulations.tree.graph import GROUND
from flexmb.formulations.tree.nodes import node_on, put_rates, put_wrench
from flexmb.formulations.tree.reading import speeds_of
from flexmb.formulations.tree.tree import Tree
from flexmb.kernels.compilation import called, compiled
from flexmb.kernels.references import by_reference
from flexmb.kernels.vectors import vector_in
from flexmb.model.ways import SPEEDS
from flexmb.solvers.coordinates.joints.followers import Followers
from flexmb.system.kernel_calls import JACOBIAN
from flexmb.system.plan import COUNT, IV_AT, KERNEL_AT, NV, ROW_AT, ROWS, VELOCITY_ROWS, Plan

#: In place of a link: the speed of a loose coordinate moves none.
NO_LINK = -1


@by_reference
class HalvedRows(NamedTuple):
    """Vectors Y = Rᵀ Cᵀ of the rows, if the formulation has :class:`~flexmb.formulations.binding.Halves` (`any` is 1,
    else 0). The entries of row i begin at y[y_first[i]]. `columns` (c,) are the indices, in a full vector, of the
    entries that some row has; `whole` is a full vector as scratch. Entry columns[c] of the full vector occurs in the
    rows row[p], as y[at[p]], from p = first[c] on."""

    any: int
    y_first: np.ndarray
    y: np.ndarray
    whole: np.ndarray
    columns: np.ndarray
    first: np.ndarray
    row: np.ndarray
    at: np.ndarray


@by_reference
class Bearing(NamedTuple):
    """Layout of e rows. `entries`: G of all instances of their plan; the part of group g begins at entries_at[g]. Row i
    begins at at[i], has width[i] entries, and the indices of its coordinates begin at numbers_at[i] in `numbers` of the
    plan.

    Row i acts on the links from link[link_first[i]] on; `borne` are the links on which any row acts. It also acts on
    single coordinates of the system, entries p from part_first[i] on: coordinate number[p] has the rate Σ part[p]
    u[speed[p]]. The links from path[path_first[i]] on are all links on which it acts and all that carry these, from the
    tips to the ground.
    """

    entries: np.ndarray
    entries_at: np.ndarray
    at: np.ndarray
    numbers_at: np.ndarray
    width: np.ndarray
    link_first: np.ndarray
    link: np.ndarray
    borne: np.ndarray
    part_first: np.ndarray
    number: np.ndarray
    speed: np.ndarray
    part: np.ndarray
    path_first: np.ndarray
    path: np.ndarray
    halved: HalvedRows


@cache
def no_bearing() -> Bearing:
    """An empty Bearing: there are no further rows."""
    none, whole = np.zeros(0), np.zeros(0, dtype=np.int64)
    given: dict[str, Any] = dict.fromkeys(Bearing._fields, whole) | dict.fromkeys(("entries", "part"), none)
    return Bearing(**given | {"halved": HalvedRows(0, whole, none, none, whole, whole, whole, whole)})


def bearing_of(
    plan: Plan, further: np.ndarray, tree: Tree, followers: Followers, halves: Halves | None, room: Any
) -> Bearing:
    """The Bearing of the `further` rows (e,), whose instances are in `plan`; `halves` of the formulation with the
    workspace `room`, if it has some."""
    link_of, parts_of = _whose(tree, followers)
    wide = plan.groups[:, ROWS] * plan.groups[:, NV] * np.where(plan.groups[:, VELOCITY_ROWS] > 0, 2, 1)
    entries_at = np.cumsum(plan.groups[:, COUNT] * wide) - plan.groups[:, COUNT] * wide
    places = {}
    for g, group in enumerate(plan.groups):
        m, nv = int(group[ROWS]), int(group[NV])
        held = m and group[KERNEL_AT + JACOBIAN]  # without a Jacobian it is friction, which reads the rows of others
        for i in range(group[COUNT] if held else 0):
            for k, row in enumerate(plan.rows[group[ROW_AT] + i * m :][:m].tolist()):
                places[row] = entries_at[g] + i * wide[g] + k * nv, group[IV_AT] + i * nv, nv
    at, numbers_at, width = np.array([places[row] for row in further.tolist()], dtype=np.int64).reshape(-1, 3).T.copy()
    links, parts, paths = [], [], []
    for first, count in zip(numbers_at, width):
        numbers = dict.fromkeys(plan.numbers[first : first + count].tolist())
        links.append(sorted({link_of[number] for number in numbers if number in link_of}))
        parts.append([(number, *part) for number in numbers for part in parts_of.get(number, [])])
        paths.append(_path(tree, {*links[-1], *(link for *_, link in parts[-1])} - {NO_LINK}))
    links_of_tree = tree.arrays
    ys = [halves.numbers_of(links_of_tree, room, path) for path in paths] if halves else []
    having: dict[int, list[tuple[int, int]]] = {}
    for at_y, (row, column) in enumerate((row, column) for row, own in enumerate(ys) for column in own):
        having.setdefault(column, []).append((row, at_y))
    columns = sorted(having)
    return Bearing(
        entries=np.zeros(int((plan.groups[:, COUNT] * wide).sum())), entries_at=entries_at, at=at,
        numbers_at=numbers_at, width=width, link_first=_ends(links), link=_joined(links),
        borne=np.unique(_joined(links)), part_first=_ends(parts),
        number=_joined([[part[0] for part in own] for own in parts]),
        speed=_joined([[part[1] for part in own] for own in parts]),
        part=_joined([[part[2] for part in own] for own in parts]).astype(float),
        path_first=_ends(paths), path=_joined(paths),
        halved=HalvedRows(
            int(halves is not None), _ends(ys), np.zeros(sum(map(len, ys))),
            np.zeros(halves.how_many(links_of_tree, room) if halves else 0), np.array(columns, dtype=np.int64),
            _ends([having[column] for column in columns]),
            _joined([[row for row, _ in having[column]] for column in columns]),
            _joined([[place for _, place in having[column]] for column in columns]),
        ),
    )  # fmt: skip


def _ends(rows: list[Any]) -> np.ndarray:
    return np.cumsum([0, *map(len, rows)]).astype(np.int64)


def _joined(rows: list[list[Any]]) -> np.ndarray:
    numbers = [x for row in rows for x in row]
    return np.array(numbers) if numbers else np.zeros(0, dtype=np.int64)


def _whose(tree: Tree, followers: Followers) -> tuple[dict[int, int], dict[int, list[tuple[int, float, int]]]]:
    """The link of each coordinate of a node, by index; and for each single coordinate the joint speeds of which its
    rate consists, each with its factor and the link that this speed moves."""
    arrays, joints, nodes = tree.arrays, tree.arrays.joints, tree.nodes
    link_of = {int(number): k for k, own in enumerate(nodes.numbers_v) for number in own}
    of_speed, of_motion = np.zeros(tree.nv, dtype=np.int64), np.zeros(len(joints.kind), dtype=np.int64)
    for k in range(len(arrays.parent)):
        for s in range(joints.first[k], joints.first[k + 1]):
            of_motion[s] = joints.at_v[s]
            of_speed[joints.at_v[s] :][: SPEEDS[int(joints.kind[s])]] = k
    inner = tree.nv - joints.inner
    heads = [group.links[0] for group in tree.graph.groups for _ in group.inner]
    of_speed[inner:] = heads
    found = {int(own): [(int(at), 1.0, int(of_speed[at]))] for own, at in zip(nodes.own, of_motion) if own >= 0}
    found |= {int(number): [(inner + i, 1.0, heads[i])] for i, number in enumerate(nodes.inner)}
    for k, number in enumerate(followers.follower.tolist()):
        own = slice(followers.begins[k], followers.begins[k + 1])
        pairs = zip(followers.of_speed[own].tolist(), followers.follows[own].tolist())
        found[number] = [(speed, part, int(of_speed[speed])) for speed, part in pairs]
    found |= {int(number): [(tree.nv + i, 1.0, NO_LINK)] for i, number in enumerate(followers.loose)}
    return link_of, found


def _path(tree: Tree, links: Iterable[int]) -> list[int]:
    """The given links and all links that carry them, the outermost first."""
    arrays, groups = tree.arrays, tree.graph.groups
    found, left = set[int](), list(links)
    while left:
        k = left.pop()
        if k in found:
            continue
        found.add(k)
        if arrays.parent[k] != GROUND:
            left.append(int(arrays.parent[k]))
        if arrays.group[k] < -1:
            left.append(groups[-2 - arrays.group[k]].links[0])
        if arrays.place_of[k] >= 0:
            left += groups[tree.graph.places[arrays.place_of[k]].group].links
    return sorted(found, reverse=True)


# -- compiled --------------------------------------------------------------------------------------------------------


@called(None)
def put_row(j, plan, b, i, size):
    """Enter the forces −size · Gᵀ of row i: wrenches on links and forces along joints. `acting.r` must be zero, and is
    zero again afterwards."""
    numbers, r = plan.numbers, j.acting.r
    for c in range(b.width[i]):
        r[numbers[b.numbers_at[i] + c]] += size * b.entries[b.at[i] + c]
    for p in range(b.link_first[i], b.link_first[i + 1]):
        put_wrench(j.nodes, j.moving.at, b.link[p], r, j.acting.wrench)
    for p in range(b.part_first[i], b.part_first[i + 1]):
        j.acting.tau[b.speed[p]] -= b.part[p] * r[b.number[p]]
    for c in range(b.width[i]):
        r[numbers[b.numbers_at[i] + c]] = 0.0


@called(None)
def take_row(j, b, i):
    """Set the forces that :func:`put_row` entered to zero."""
    for p in range(b.link_first[i], b.link_first[i + 1]):
        for c in range(6):
            j.acting.wrench[b.link[p], c] = 0.0
    for p in range(b.part_first[i], b.part_first[i + 1]):
        j.acting.tau[b.speed[p]] = 0.0


@called(None)
def start_rows(j):
    """Set all forces to zero."""
    j.acting.r[:] = 0.0
    j.acting.tau[:] = 0.0
    j.acting.wrench[:] = 0.0


@compiled
def row_times(plan, b, i, a):
    """G a of row i, for accelerations a (total,) of the system."""
    total = 0.0
    for c in range(b.width[i]):
        total += b.entries[b.at[i] + c] * a[plan.numbers[b.numbers_at[i] + c]]
    return total


@called(None)
def put_in_speeds(j, plan, b, numbers, C):
    """Fill C = G B (e, nv) of the rows with these indices in the system, in units of their scales; `b.entries` must
    hold the G of their plan."""
    links, inner = j.links, j.links.joints.nv - j.links.joints.inner
    start_rows(j)
    C[:] = 0.0
    for i in range(numbers.shape[0]):
        put_row(j, plan, b, i, -1.0 / j.rows.scale[numbers[i]])
        for p in range(b.path_first[i], b.path_first[i + 1]):
            k = b.path[p]
            force, first, parent = six_in(j.acting.wrench, k), links.joints.at_v[links.joints.first[k]], links.parent[k]
            for s in range(first, first + speeds_of(links.joints, k)):
                C[i, s] = j.acting.tau[s] + power(six_in(j.moving.columns, s), force)
                j.acting.tau[s] = 0.0
            if parent >= 0:
                carried = force_at(force, vector_in(j.moving.arm[k], 0))
                put_six(j.acting.wrench, parent, sum_of(six_in(j.acting.wrench, parent), carried))
            elif links.place_of[k] >= 0:
                hand_back(links.places.columns, j.moving, links.place_of[k], force, j.acting.wrench)
                hand_in(links.places.columns, j.moving, links.place_of[k], force, j.acting.tau, inner)
            put_six(j.acting.wrench, k, NOTHING)
        for s in range(inner, links.joints.nv):
            C[i, s] = j.acting.tau[s]
            j.acting.tau[s] = 0.0


@called(None)
def put_where_borne(j, a):
    """Write the accelerations of the coordinates of further rows into a (total,), from the accelerations of the links
    and u̇."""
    b = j.rows.bearing
    for p in range(b.borne.shape[0]):
        k = b.borne[p]
        d, axes = node_on(j.nodes, j.moving.at, k)
        put_rates(j.nodes, k, d, axes, vector_in(j.moving.motion[k], 0), six_in(j.formulation.accelerations, k), a)
    for i in range(b.width.shape[0]):
        for p in range(b.part_first[i], b.part_first[i + 1]):
            a[b.number[p]] = 0.0
        for p in range(b.part_first[i], b.part_first[i + 1]):
            a[b.number[p]] += b.part[p] * j.ud[b.speed[p]]
