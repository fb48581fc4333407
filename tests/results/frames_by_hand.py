"""A mechanism in the plane and one in space with frames of every kind, and their motion by hand: from the coordinates
of the nodes, r = r_n + R u, ṙ = ṙ_n + ω × R u, r̈ = r̈_n + α × R u + ω × (ω × R u)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

import flexmb as fm

STEEL = fm.Material(7850, 205e9)
TILT = Rotation.from_rotvec([0.3, -0.2, 0.5])
CENTER, BESIDE, TIP = np.array([0.1, 0.3, -0.2]), np.array([-0.2, 0.1, 0.15]), np.array([0.4, -0.1, 0.2])
ASKEW = Rotation.from_rotvec([0.0, 0.6, -0.4])
POST = np.array([0.5, -0.3, 0.8])


class Fastened(NamedTuple):
    """A frame on a node: the name of the frame whose coordinates are those of the node (none if it is fixed), its
    offset there, and its axes (in the plane its angle)."""

    node: str
    offset: Any
    axes: Any


#: frames of the mechanism in space: a body with its mass center beside its frame; that mass center; a frame fastened
#: to the body, with a point mass and a wheel on it; a body whose shape lies beside its frame; a node of a beam; a frame
#: that is fastened to it; a frame on the ground; a frame with coordinates of its own
SPACE = {
    "b": Fastened("b.center", -CENTER, Rotation.identity()),
    "b.center": Fastened("b.center", np.zeros(3), Rotation.identity()),
    "tip": Fastened("b.center", TIP - CENTER, ASKEW),
    "p": Fastened("b.center", TIP - CENTER, ASKEW),
    "w": Fastened("b.center", TIP - CENTER, ASKEW),
    "s": Fastened("s.center", -BESIDE, Rotation.identity()),
    "rod.end": Fastened("rod.end", np.zeros(3), Rotation.identity()),
    "hook": Fastened("rod.end", np.array([0.0, 0.1, 0.2]), ASKEW),
    "post": Fastened("", POST, ASKEW),
    "loose": Fastened("loose", np.zeros(3), Rotation.identity()),
}
#: the same in the plane
PLANE = {
    "b": Fastened("b", np.zeros(2), 0.0),
    "tip": Fastened("b", np.array([0.4, -0.1]), 0.7),
    "p": Fastened("b", np.array([0.4, -0.1]), 0.7),
    "s": Fastened("b", np.array([0.4, -0.1]), 0.7),
    "rod.end": Fastened("rod.end", np.zeros(2), 0.0),
    "hook": Fastened("rod.end", np.array([0.0, 0.1]), -0.4),
    "post": Fastened("", POST[:2], 0.3),
    "loose": Fastened("loose", np.zeros(2), 0.0),
}
QUANTITIES = {
    2: ("x", "y", "angle", "vx", "vy", "angular_velocity", "ax", "ay", "angular_acceleration"),
    3: ("x", "y", "z", "e0", "e2", "rotation_y", "vx", "vy", "vz", "wx", "wz", "ax", "ay", "az", "alpha_z", "speed"),
}


def in_space(push: float = 1.0) -> fm.SpatialModel:
    """Frames of every kind on bushings and on a beam; `push` is the size of a force."""
    m = fm.SpatialModel("frames", gravity=(0.5, 0.0, -9.81))
    b = m.add_body("b", mass=2.0, inertia=(0.1, 0.2, 0.25), center=CENTER, position=(0.2, 0.1, 0.3), orientation=TILT)
    tip = b.frame.attach("tip", TIP, ASKEW)
    m.add_point_mass("p", tip, 0.3)
    m.add_wheel("w", tip, inertia=0.01, mass=0.1, transverse=0.006)
    s = m.add_body("s", shape=fm.Box((0.2, 0.3, 0.1), position=BESIDE), density=500.0, position=(1.0, 0.5, 0.0))
    rod = m.add_beam("rod", m.ground, (1.0, 0.0, 0.0), material=STEEL, section=fm.Circle(diameter=0.02), elements=2)
    hook = rod.end.attach("hook", (0.0, 0.1, 0.2), ASKEW)
    m.ground.attach("post", POST, ASKEW)
    loose = m.add_frame("loose", (0.0, 1.0, 0.0))
    m.add_body("on loose", mass=0.5, inertia=(0.01, 0.02, 0.02), frame=loose)
    stiff = (200.0, 300.0, 400.0, 30.0, 40.0, 50.0)
    for k, end in enumerate((b.frame, s.frame, hook, loose)):
        place = m.ground.attach(f"base{k}", end.position, end.orientation)
        m.bushing(place, end, stiffness=stiff, damping=np.multiply(0.02, stiff), name=f"bushing{k}")
    m.point_force(tip, (3.0, 4.0, 5.0), factor=push, name="push")
    m.point_force(rod.at(0.3), (0.0, 20.0, 10.0), factor=push, name="push rod")
    b.frame.move((0.3, 0.1, -0.2), (1.0 + push, -0.5, 0.7))
    return m


def in_plane(push: float = 1.0) -> fm.PlanarModel:
    """Frames of every kind on bushings and on a beam; `push` is the size of a force."""
    m = fm.PlanarModel("frames", gravity=(0.5, -9.81))
    b = m.add_body("b", mass=2.0, inertia=0.2, center=(0.1, 0.3), position=(0.2, 0.1), angle=0.4)
    tip = b.frame.attach("tip", (0.4, -0.1), 0.7)
    m.add_point_mass("p", tip, 0.3)
    m.add_body("s", mass=0.4, inertia=0.01, center=(0.1, 0.05), frame=tip)
    rod = m.add_beam("rod", m.ground, (1.0, 0.0), material=STEEL, section=fm.Circle(diameter=0.02), elements=2)
    hook = rod.end.attach("hook", (0.0, 0.1), -0.4)
    m.ground.attach("post", POST[:2], 0.3)
    loose = m.add_frame("loose", (0.0, 1.0))
    m.add_body("on loose", mass=0.5, inertia=0.02, frame=loose)
    stiff = (200.0, 300.0, 40.0)
    for k, end in enumerate((b.frame, hook, loose)):
        place = m.ground.attach(f"base{k}", end.position, end.angle)
        m.bushing(place, end, stiffness=stiff, damping=np.multiply(0.02, stiff), name=f"bushing{k}")
    m.point_force(tip, (3.0, 4.0), factor=push, name="push")
    m.point_force(rod.at(0.3), (0.0, 20.0), factor=push, name="push rod")
    b.frame.move((0.3, 0.1), 1.0 + push)
    return m


#: of the plane and of space: the builder, and its frames
MECHANISMS = {"plane": (in_plane, PLANE), "space": (in_space, SPACE)}


def by_hand(system: fm.System, spot: Fastened, q: Any, v: Any = None, a: Any = None) -> dict[str, float]:
    """Every quantity of a frame at one state (nq,), (n,), (n,); speeds and accelerations are zero when not given."""
    v, a = (np.zeros(system.n) if x is None else x for x in (v, a))
    return (_in_plane if system.model.dimension == 2 else _in_space)(system, spot, q, v, a)


def _numbers(system: fm.System, node: str, names: str) -> list[list[int]]:
    known = (system.coordinate_names, system.names)
    return [[which.index(f"{node}.{x}") for x in names.split() if f"{node}.{x}" in which] for which in known]


def _in_plane(system: fm.System, spot: Fastened, q: Any, v: Any, a: Any) -> dict[str, float]:
    x = np.zeros((3, 3))
    if spot.node:
        numbers = _numbers(system, spot.node, "x y angle")[0]
        x = np.array([q[numbers], v[numbers], a[numbers]])
    c, s = np.cos(x[0, 2]), np.sin(x[0, 2])
    arm = np.array([[c, -s], [s, c]]) @ spot.offset
    across, omega, alpha = np.array([-arm[1], arm[0]]), x[1, 2], x[2, 2]
    place, speed = x[0, :2] + arm, x[1, :2] + omega * across
    change = x[2, :2] + alpha * across - omega**2 * arm
    values = (*place, x[0, 2] + spot.axes, *speed, omega, *change, alpha)
    return dict(zip(QUANTITIES[2], map(float, values)))


def _in_space(system: fm.System, spot: Fastened, q: Any, v: Any, a: Any) -> dict[str, float]:
    place, speed, change, omega, alpha, turn = *np.zeros((5, 3)), Rotation.identity()
    if spot.node:
        at, (moving, turning) = (
            _numbers(system, spot.node, "x y z")[0],
            (_numbers(system, spot.node, names)[1] for names in ("x y z", "wx wy wz")),
        )
        four = [system.coordinate_names.index(f"{spot.node}.{e}") for e in ("e0", "e1", "e2", "e3")]
        turn = Rotation.from_quat(q[four], scalar_first=True)
        place, speed, change = q[at], v[moving], a[moving]
        omega, alpha = turn.apply(v[turning]), turn.apply(a[turning])
    arm = turn.apply(spot.offset)
    place, speed = place + arm, speed + np.cross(omega, arm)
    change = change + np.cross(alpha, arm) + np.cross(omega, np.cross(omega, arm))
    own = turn * spot.axes
    e = own.as_quat(scalar_first=True, canonical=True)
    values = {"e0": e[0], "e1": e[1], "e2": e[2], "e3": e[3], "speed": np.linalg.norm(speed)}
    vectors = {"": place, "rotation_": own.as_rotvec(), "v": speed, "w": omega, "a": change, "alpha_": alpha}
    for stem, vector in vectors.items():
        values |= {f"{stem}{axis}": x for axis, x in zip("xyz", vector)}
    return {name: float(x) for name, x in values.items()}
