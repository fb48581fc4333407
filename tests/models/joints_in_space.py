"""Two bodies, askew to each other and to the ground, with one joint between them: every kind of joint of space."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from flexmb.spatial import SpatialModel

#: axes of the frame on a, and those of the joint in the axes of that frame
LEAN = Rotation.from_rotvec([1.3, -0.4, 2.1])
AXIS = np.array([0.3, -0.7, 0.5])

#: verb, options, ways to move
KINDS = {
    "weld": ("weld", {}, 0),
    "revolute": ("revolute", {"axis": AXIS}, 1),
    "prismatic": ("prismatic", {"axis": AXIS}, 1),
    "cylindrical": ("cylindrical", {"axis": AXIS}, 2),
    "universal": ("universal", {"axis": AXIS}, 2),
    "gimbal": ("universal", {"axis": AXIS, "angle": 1.2}, 2),
    "spherical": ("spherical", {}, 3),
    "planar_joint": ("planar_joint", {"axis": AXIS}, 3),
    "parallel_axes": ("parallel_axes", {"axis": AXIS}, 4),
    "point_on_line": ("point_on_line", {"axis": AXIS}, 4),
    "point_in_plane": ("point_in_plane", {"axis": AXIS}, 5),
    "distance": ("distance", {}, 5),
    "lock of a place": ("lock", {"coordinate": "position", "axis": AXIS}, 5),
    "lock of an angle": ("lock", {"coordinate": "angle", "axis": AXIS}, 5),
}


def rotation(frame):
    """From the axes of a frame to those of the ground, at the start."""
    return frame.orientation


def jointed(kind, seed=0, grounded=False, gravity=(1.0, -2.0, -9.0), **more):
    """A model with a body 'b' on a joint 'joint', on a body 'a' or on the ground; the frames it joins; anywhere."""
    rng = np.random.default_rng(seed)
    verb, options, _ = KINDS[kind]
    m = SpatialModel(kind, gravity=gravity)
    if grounded:
        a = m.add_frame("pedestal", rng.normal(size=3), Rotation.random(random_state=seed), fixed=True)
    else:
        inertia = [[2.0, 0.3, -0.2], [0.3, 1.5, 0.1], [-0.2, 0.1, 1.1]]
        body = m.add_body(
            "a",
            mass=2.0,
            inertia=inertia,
            position=rng.normal(size=3),
            orientation=Rotation.random(random_state=seed),
        )
        a = body.attach("at", rng.normal(size=3), LEAN)
    # where the origin of b may be at the start
    axis = AXIS / np.linalg.norm(AXIS)
    across = np.cross(axis, [0.0, 0.0, 1.0])
    off = {
        "prismatic": axis,
        "cylindrical": axis,
        "point_on_line": axis,
        "planar_joint": across,
        "point_in_plane": across,
    }
    anywhere = {"parallel_axes", "distance", "lock of a place", "lock of an angle"}
    d = np.array([0.4, 0.2, -0.9]) if kind in anywhere else 0.7 * off.get(kind, np.zeros(3))
    place = a.position + rotation(a).apply(d)
    turn = Rotation.random(random_state=seed + 50)
    arm = rng.normal(size=3)
    body = m.add_body("b", mass=1.5, inertia=(0.3, 0.4, 0.5), position=place - turn.apply(arm), orientation=turn)
    b = body.attach("bt", arm, LEAN.inv())
    options = {**options, **more}
    if verb == "universal":
        square = np.cross(AXIS, [1.0, 0.0, 0.0])
        angle = options.get("angle", 0.5 * np.pi)
        w = Rotation.from_rotvec(angle * square / np.linalg.norm(square)).apply(axis)
        options["axis_b"] = rotation(b).inv().apply(rotation(a).apply(w))
    return m, getattr(m, verb)(a, b, name="joint", **options), a, b
