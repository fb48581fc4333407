"""What can be asked of a solution by name, and the places of one instant: tables for reports in notebooks."""

from __future__ import annotations

from flexmb.kernels.blocks import INTEGRAL
from flexmb.machine import reports
from flexmb.quantities.of_system import TURNING, VECTORS
from flexmb.results.beams.along import along_units
from flexmb.results.names import joint_coordinates
from flexmb.results.recorded import Recorded

#: what a place has, in the plane and in space
_OF_PLACES = {
    2: "x, y [m], angle [rad], vx, vy [m/s], omega [rad/s] …",
    3: "x, y, z [m], vx, vy, vz [m/s], wx, wy, wz [rad/s] …",
}
#: what a joint has, in the plane and in space
_OF_JOINTS = {2: "fx, fy [N], moment [Nm]", 3: "fx, fy, fz [N], mx, my, mz [Nm]"}
#: how many names of a kind are listed, and how many quantities of beams
MOST_NAMES, MOST_QUANTITIES = 6, 5


def contents(solution: Recorded) -> str:
    """A table of the names in a solution by their kind, and of what can be asked of each: "rod.end" has "rod.end.x"."""
    layout = solution.layout
    beams = reports.some((f"{quantity} [{unit}]" for quantity, unit in along_units(layout).items()), MOST_QUANTITIES)
    integrals = {f"{name}{INTEGRAL}" for name in layout.states}
    coordinates = [(k, name) for k, name in enumerate(layout.coordinates) if name not in integrals]
    places_have, joints_have = _OF_PLACES[layout.dimension], _OF_JOINTS[layout.dimension]
    kinds: list[tuple[str, list[str], str]] = [
        ("bodies", list(layout.bodies), places_have),
        ("beams", list(layout.beams), beams),
        (
            "joints",
            [name for name in layout.joints() if layout.has_reaction(name) and layout.rows_of(name)],
            joints_have,
        ),
        ("forces between frames", [name for name in layout.reacting if not layout.rows_of(name)], joints_have),
        ("frames", [*layout.frames, *layout.spatial], places_have),
        ("coordinates", [f"{name} [{layout.units(k)[0]}]" for k, name in coordinates], ""),
        ("states", layout.states, ""),
        ("coordinates of joints", joint_coordinates(layout), ""),
        ("controllers", list(solution.control), ""),
        ("the whole", ["whole"], ", ".join(f"{what} [{unit}]" for what, unit in (VECTORS | TURNING).items())),
    ]
    rows = [(kind, len(names), reports.some(names, MOST_NAMES), what) for kind, names, what in kinds if names]
    return reports.table(["kind", "count", "names", "quantities"], rows)


def places(solution: Recorded) -> str:
    """A table of where frames are at the first instant of a solution."""
    layout = solution.layout
    names = [*layout.frames, *layout.spatial]
    if layout.dimension == 2:
        head = ["frame", "x [m]", "y [m]", "angle [rad]"]
    else:
        head = ["frame", "x [m]", "y [m]", "z [m]", *(f"rotation vector {axis} [rad]" for axis in "xyz")]

    def row(name: str) -> list[object]:
        track = solution.track(name)
        turned = track.angle[:1] if layout.dimension == 2 else track.orientation[0].as_rotvec()  # type: ignore[attr-defined]
        return [name, *track.position[0].tolist(), *turned.tolist()]

    return reports.table(head, map(row, names), len(names))
