"""Roads: lines on the planes on which wheels and balls roll, one road for all that roll near to each other."""

from __future__ import annotations

from typing import cast

import numpy as np

from flexmb.joints.spatial.lines import PARALLEL
from flexmb.model.appearance import RoadPlace
from flexmb.model.spatial_frames import across
from flexmb.results.recorded import Recorded
from flexmb.results.tracks.spatial_track import Track

#: how many lines of a road are drawn on each side of what rolls on it
PATCH = 3
#: what rolls farther apart than so many distances of the lines has a road of its own
FAR = 60


def spacing_of(radius: float) -> float:
    """A round distance of the lines on a road, about half the radius of what rolls there [m].

    >>> [spacing_of(r) for r in (0.3, 0.35, 0.003, 20.0)]
    [0.2, 0.2, 0.002, 10.0]
    """
    power = 10.0 ** np.floor(np.log10(0.5 * radius))
    return float(f"{power * next(x for x in (1.0, 2.0, 5.0, 10.0) if x * power > 0.499 * radius):.6g}")


def roads(solution: Recorded, ghosts: Recorded | None = None) -> dict[str, list[np.ndarray]]:
    """The lines (k, 2, 3) [m] of each road, by the name of the first component that rolls there: they lie still on the
    plane, at round places, and the rectangle that is drawn goes along, so that one sees things roll. It reaches below
    `ghosts`, the same motion at other times, if these are near. A solution from a file has none."""
    found = {}
    for name, group in _groups(solution).items():
        low, high = _reach(solution, group)
        if ghosts is not None:
            past_low, past_high = _reach(ghosts, group)
            wide_low, wide_high = np.minimum(low, past_low.min(axis=0)), np.maximum(high, past_high.max(axis=0))
            if np.max(wide_high - wide_low) <= FAR:
                low, high = wide_low, wide_high
        found[name] = _lines(solution, group, low - PATCH, high + PATCH)
    return found


def still_roads(solution: Recorded) -> dict[str, list[np.ndarray]]:
    """The lines (2, 3) [m] of roads in a picture of many times, by the same names: one road below all of them, on each
    plane that does not move. A long road has fewer lines."""
    found = {}
    for name, group in _groups(solution).items():
        on = solution.is_on(name)
        if not solution.layout.is_fixed(group[0].a) or not on.any():
            continue
        low, high = _reach(solution, group)
        low, high = low[on].min(axis=0) - PATCH, high[on].max(axis=0) + PATCH
        step = next(x * 10**n for n in range(100) for x in (1, 2, 5) if np.max(high - low) <= FAR * x * 10**n)
        low, high = np.floor(low / step), np.ceil(high / step)
        found[name] = [line[0] for line in _lines(solution, group, low[None], high[None], step)]
    return found


def _groups(solution: Recorded) -> dict[str, list[RoadPlace]]:
    """What rolls on each road, by the name of the first."""
    groups: dict[str, list[RoadPlace]] = {}
    for name, component in (solution.model.components if solution.model is not None else {}).items():
        if (road := component.road()) is None:
            continue
        for first, group in groups.items():
            at_once = np.array_equal(solution.is_on(first), solution.is_on(name))
            if at_once and _in_one_plane(solution, group[0], road) and _are_near(solution, [*group, road]):
                group.append(road)
                break
        else:
            groups[name] = [road]
    return groups


def _in_one_plane(solution: Recorded, first: RoadPlace, second: RoadPlace) -> bool:
    """Whether two roads lie on one body in one plane."""
    layout, both = solution.layout, (first, second)
    carriers = [None if layout.is_fixed(road.a) else layout.node_of(road.a) for road in both]
    (place, normal), (place_2, normal_2) = (
        (track.position[0], track.orientation[0].apply(road.normal))
        for road, track in ((road, _track(solution, road.a)) for road in both)
    )
    flush = abs((place_2 - place) @ normal) <= 1e-6 * second.radius
    return carriers[0] == carriers[1] and flush and float(np.linalg.norm(normal_2 - normal)) < PARALLEL


def _are_near(solution: Recorded, group: list[RoadPlace]) -> bool:
    """Whether all that would roll on one road is near to each other at all times."""
    low, high = _reach(solution, group)
    return bool(np.max(high - low) <= FAR)


def _reach(solution: Recorded, group: list[RoadPlace]) -> tuple[np.ndarray, np.ndarray]:
    """The corners (k, 2) of what rolls on a road, in numbers of lines along its two directions."""
    a, directions = _track(solution, group[0].a), _directions(group)
    places = [a.orientation.inv().apply(_track(solution, road.b).position - a.position) for road in group]
    seen = np.array(places) @ directions.T / _spacing(group)
    return np.round(seen.min(axis=0)), np.round(seen.max(axis=0))


def _lines(
    solution: Recorded, group: list[RoadPlace], low: np.ndarray, high: np.ndarray, step: int = 1
) -> list[np.ndarray]:
    """The lines (k, 2, 3) [m] between corners (k, 2), in numbers of lines `step` spacings apart; as many at all times:
    where there are too many, the last ones lie in one place."""
    a, directions = _track(solution, group[0].a), _directions(group)
    places, axes = a.position[: len(low), None], a.orientation.as_matrix()[: len(low)]
    lines = []
    for k in (0, 1):
        for number in range(int(np.max(high[:, k] - low[:, k])) + 1):
            ends = np.stack([low, high], axis=1)
            ends[:, :, k] = np.minimum(low[:, k] + number, high[:, k])[:, None]
            lines.append(places + step * _spacing(group) * ends @ directions @ np.transpose(axes, (0, 2, 1)))
    return lines


def _track(solution: Recorded, frame: str) -> Track:
    return cast(Track, solution.track(frame))


def _directions(group: list[RoadPlace]) -> np.ndarray:
    """The directions (2, 3) of the lines of a road, in the axes of its frame a."""
    return np.array(across(np.array(group[0].normal)))


def _spacing(group: list[RoadPlace]) -> float:
    return spacing_of(max(road.radius for road in group))
