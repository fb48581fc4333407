"""Random mechanisms in space: trees with joints of every kind, also closed to loops, and their states."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import flexmb as fm

#: joints in space that are motions one behind the other
KINDS = ("revolute", "prismatic", "cylindrical", "universal", "spherical", "screw", "planar_joint", "weld")


def random_inertia(rng: np.random.Generator) -> np.ndarray:
    """A tensor of inertia (3, 3) that a body may have."""
    a, b = np.sort(rng.uniform(0.05, 0.3, 2))
    R = Rotation.random(random_state=rng.integers(1 << 31)).as_matrix()
    return np.asarray(R @ np.diag([a, b, rng.uniform(b - a, b + a) * 0.9 + 0.1 * b]) @ R.T)


def random_tree(
    rng: np.random.Generator,
    count: int,
    kinds: tuple[str, ...] = KINDS,
    *,
    floating: bool = False,
    backwards: bool = True,
) -> fm.SpatialModel:
    """A tree of bodies in space, each carried by an earlier one or by the ground; with `floating` the first is free."""
    m = fm.SpatialModel("tree", gravity=rng.normal(size=3) * 5.0)
    bodies: list[Any] = []
    for k in range(count):
        body = m.add_body(
            f"b{k}", mass=rng.uniform(0.5, 2.0), inertia=random_inertia(rng), position=rng.normal(size=3),
            orientation=Rotation.random(random_state=rng.integers(1 << 31)),
        )  # fmt: skip
        bodies.append(body)
        if k == 0 and floating:
            continue
        carrier = int(rng.integers(-1 if not floating else 0, k)) if k else -1
        join(
            m, rng, m.ground if carrier < 0 else bodies[carrier].frame, body, str(rng.choice(kinds)), f"j{k}", backwards
        )
    return m


def join(
    m: fm.SpatialModel, rng: np.random.Generator, a: Any, body: Any, kind: str, name: str, backwards: bool = True
) -> Any:
    """A joint of a kind between a frame and a body, at a random place with random axes, in either order."""
    b = body.frame
    point = 0.5 * (a.position + b.position) + 0.2 * rng.normal(size=3)
    axes = Rotation.random(random_state=rng.integers(1 << 31))
    ends = [
        f.attach(f"{name}.{end}", f.orientation.inv().apply(point - f.position), f.orientation.inv() * axes)
        for f, end in ((a, "a"), (b, "b"))
    ]
    if backwards and rng.random() < 0.5:
        ends.reverse()
    if kind in ("spherical", "weld"):
        return getattr(m, kind)(*ends, name=name)
    if kind == "universal":
        return m.universal(*ends, axis="x", axis_b="y", name=name)
    axis = rng.normal(size=3)
    if kind == "screw":
        return m.screw(ends[0], ends[1], 0.3, axis=axis, name=name)
    return getattr(m, kind)(*ends, axis=axis, name=name)


#: joints of the plane that are motions one behind the other
PLANAR_KINDS = ("revolute", "prismatic", "pin_in_slot", "weld")


def random_planar_tree(
    rng: np.random.Generator, count: int, *, floating: bool = False, loops: int = 0
) -> fm.PlanarModel:
    """A tree of bodies in the plane, each carried by an earlier one or by the ground; with `floating` the first is
    free. So many hinges close `loops`."""
    m = fm.PlanarModel("planar tree", gravity=rng.normal(size=2) * 5.0)
    bodies: list[Any] = []

    def ends(a: Any, b: Any, name: str) -> list[Any]:
        point = 0.5 * (a.position + b.position) + 0.3 * rng.normal(size=2)
        found = []
        for frame, end in ((a, "a"), (b, "b")):
            c, s = np.cos(frame.angle), np.sin(frame.angle)
            off = np.array([[c, s], [-s, c]]) @ (point - frame.position)
            found.append(frame.attach(f"{name}.{end}", off, 0.0 - frame.angle))
        return found if rng.random() < 0.5 else found[::-1]

    for k in range(count):
        body = m.add_body(
            f"b{k}", mass=rng.uniform(0.5, 2.0), inertia=rng.uniform(0.05, 0.3), position=2.0 * rng.normal(size=2),
            angle=rng.uniform(-3.0, 3.0),
        )  # fmt: skip
        bodies.append(body)
        if k == 0 and floating:
            continue
        carrier = int(rng.integers(-1 if not floating else 0, k)) if k else -1
        kind = str(rng.choice(PLANAR_KINDS))
        a, b = ends(m.ground if carrier < 0 else bodies[carrier].frame, body.frame, f"j{k}")
        more = {"axis": rng.uniform(-1.5, 1.5)} if kind in ("prismatic", "pin_in_slot") else {}
        getattr(m, kind)(a, b, name=f"j{k}", **more)
    for k in range(loops):
        m.revolute(*ends(bodies[-1 - k].frame, bodies[k].frame, f"closing{k}"), name=f"closing{k}")
    return m


def random_state(rng: np.random.Generator, tree: fm.Tree) -> tuple[np.ndarray, np.ndarray]:
    """Joint coordinates and speeds of a tree, far from its start."""
    x = rng.uniform(-1.2, 1.2, tree.nq)
    for k in np.flatnonzero([name.endswith(".e0") for name in tree.coordinate_names]):
        x[k : k + 4] = Rotation.random(random_state=rng.integers(1 << 31)).as_quat()
    return x, rng.normal(size=tree.nv)
