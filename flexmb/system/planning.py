"""From an assembly to the flat plan: groups of instances of one kernel family, the tables by which they find their
coordinates, parameters and rows, and the places of their entries in the matrix."""

from __future__ import annotations

import numpy as np

from flexmb.kernels.contract import checked_addresses
from flexmb.system.assembly import Assembly
from flexmb.system.instances import InstanceSeries
from flexmb.system.kernel_checks import check_reach
from flexmb.system.numbering import in_a_row
from flexmb.system.plan import COUNT, GMAP_AT, N_COLUMNS, UNKNOWN, Compressed, Plan, compress, fill_maps, take_out
from flexmb.system.searching import fill_search_maps, groups_of, near_for, with_places

#: Up to this many unknowns the matrix is kept dense. Beyond, dense factors take longer than sparse ones (41 unknowns of
#: a linkage 5.6 and 1.4 µs, 24 of two flexible links 2.0 and 1.2 µs), whose order of elimination is found in 0.7 ms.
DENSE_LIMIT = 20


def plan_of(
    assembly: Assembly,
    kept_rows: np.ndarray | None = None,
    dense_limit: int = DENSE_LIMIT,
    before: Plan | None = None,
) -> tuple[Plan, Compressed | None]:
    """The flat plan, and for a large system the pattern of its matrix.

    `kept_rows`: indices of the constraint rows to be included (all when not given). `before`: an earlier plan of the
    same components and rows; its lists of near pairs are kept, and the matrix gets entries for them.
    """
    n = len(assembly.free)
    total = n + len(assembly.fixed)
    kept = assembly.rows if kept_rows is None else [assembly.rows[k] for k in kept_rows]
    m = len(kept)
    size = n + m
    dense = size <= dense_limit

    families = _by_family(assembly)
    group_rows, parameters, index, rows, at = _tables(assembly, families, _new_numbers(assembly, kept_rows))
    searches = [search for search in assembly.searches if search.owner.name not in assembly.off]
    bodies = [assembly.bodies_of(search.owner.name) for search in searches]
    near = near_for(searches, bodies, assembly.model.dimension) if before is None else with_places(before.near)
    pairs = groups_of(searches, near, before, at["index"], at["map"])
    group_rows += pairs.rows
    index += pairs.numbers
    at["map"] += sum(len(speeds) * speeds.shape[1] ** 2 for speeds in pairs.speeds)
    groups = np.array(group_rows, dtype=np.int64).reshape(-1, N_COLUMNS)

    turns = np.full(total, -1, dtype=np.int64)
    if assembly.free.scalars:
        turns[assembly.free.orientations[:, 0]] = np.arange(len(assembly.free.orientations))
    index.append(turns)
    numbers, row_numbers = in_a_row(index, np.int64), in_a_row(rows, np.int64)
    velocity = [k for k, row in enumerate(kept) if row.level == "velocity"]
    maps = np.empty(at["map"] + at["gmap"] + len(velocity), dtype=np.int64)
    kmap, gmap = maps[: at["map"]], maps[at["map"] : len(maps) - len(velocity)]
    if velocity:
        maps[-len(velocity) :] = (n + np.array(velocity)) * (size + 1)
    fill_maps(groups, numbers, row_numbers, n, size, dense, kmap, gmap)
    fill_search_maps(groups, pairs, n, size, dense, kmap)
    for g, members in enumerate(families):
        if members[0].kernels.pattern is not None:
            members[0].leave_out_zeros(groups[g, COUNT], groups[g, GMAP_AT], gmap)
    if assembly.off:
        away = [(series.group, series.place, len(series)) for series in assembly.instance_series if series.off]
        groups = take_out(groups, away, kmap, gmap)
    pattern, nnz = None, size * size
    if not dense:
        columns = np.empty(size + 1, dtype=np.int64)
        inner = np.empty(len(maps), dtype=np.int64)
        nnz = compress(maps, size, columns, inner, np.empty((4, len(maps)), dtype=np.int64))
        pattern = Compressed(columns, inner[:nnz].copy())
    at_speed = np.array([-1] * m, dtype=np.int64)
    if velocity:
        at_speed[velocity] = maps[-len(velocity) :]
    plan = Plan(
        groups,
        in_a_row(parameters, float),
        numbers,
        row_numbers,
        at_speed,
        kmap,
        gmap,
        assembly.free.orientations,
        n,
        total,
        assembly.free.sizes[0],
        len(assembly.initial),
        m,
        size,
        int(dense),
        nnz,
        sum(members[0].kernels.friction is not None for members in families),
        near,
    )
    return plan, pattern


def _by_family(assembly: Assembly) -> list[list[InstanceSeries]]:
    """The series of instances with the same kernels and the same numbers of arguments; one that reads other components
    is alone."""
    found: dict[tuple[int, ...], list[InstanceSeries]] = {}
    for series in assembly.instance_series:
        q, v = series.coordinates
        sizes = (series.parameters.shape[1], q.shape[1], v.shape[1], series.rows.shape[1], series.velocity_rows)
        alone = id(series) if series.finds else 0
        found.setdefault((id(series.kernels), alone, *sizes), []).append(series)
    return list(found.values())


def _new_numbers(assembly: Assembly, kept_rows: np.ndarray | None) -> np.ndarray | None:
    """The new index of each row, −1 for one that is off, also as the last entry; None if every row keeps its index."""
    if kept_rows is None:
        return None
    numbers = np.full(len(assembly.rows) + 1, -1, dtype=np.int64)
    numbers[kept_rows] = np.arange(len(kept_rows))
    return numbers


def _tables(
    assembly: Assembly, families: list[list[InstanceSeries]], row_number: np.ndarray | None
) -> tuple[list[int], list[np.ndarray], list[np.ndarray], list[np.ndarray], dict[str, int]]:
    """The numbers of the groups' rows; parameters, indices and constraint rows of all instances, a part after the
    other; and how far each table reaches. The series learn where they stand."""
    table: list[int] = []
    p, index, rows = [], [], []
    at = {"p": 0, "index": 0, "rows": 0, "map": 0, "gmap": 0}
    for g, members in enumerate(families):
        count = 0
        for series in members:
            series.group, series.place = g, count
            count += len(series)
        first = members[0]
        np_, mi = first.parameters.shape[1], first.rows.shape[1]
        nq, nv = first.coordinates.q.shape[1], first.coordinates.v.shape[1]
        v_at = q_at = at["index"]
        index += [s.coordinates.v for s in members]
        at["index"] += count * nv
        if any(s.coordinates.q is not s.coordinates.v for s in members):
            q_at = at["index"]
            index += [s.coordinates.q for s in members]
            at["index"] += count * nq
        places = [at["p"], q_at, v_at, at["rows"], at["map"], at["gmap"]]
        addresses = checked_addresses(first.kernels, first.owner.where)
        check_reach(first, assembly.initial, assembly.initial_speeds, assembly.model.dimension)
        entries = first.filled()
        velocity_rows = first.velocity_rows
        filled = [velocity_rows, len(entries), at["index"], 0, UNKNOWN if first.finds else 0]
        table += [count, np_, nq, nv, mi, *places, *filled, *addresses]
        index.append(entries)
        at["index"] += len(entries)
        p += [s.parameters for s in members]
        rows += [s.rows if row_number is None else row_number[s.rows] for s in members]
        at["p"] += count * np_
        at["rows"] += count * mi
        at["map"] += count * len(entries)
        at["gmap"] += 2 * count * mi * nv
    return table, p, index, rows, at
