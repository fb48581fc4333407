"""Random trees and loops of bodies with modes and rigid ones, for the formulations of flexible bodies."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.validation.random_mechanisms.trees import KINDS, join, random_inertia


def random_reduced(
    rng: np.random.Generator, modes: int = 2, slaves: int = 0, planes: int = 3, shift: float = 0.3
) -> fm.bodies.ReducedBody:
    """A body of some particles with shapes of chance, and two interfaces. With `planes` 1 all its modes move along one
    direction, as those of a beam that bends in a plane do."""
    nodes, weights = rng.normal(size=(7, 3)), rng.uniform(0.1, 0.3, 7)
    shapes = shift * rng.normal(size=(modes + slaves, 7, 3))
    if planes == 1:
        shapes[..., 1:] = 0.0
    F = np.concatenate([nodes[None], shapes])
    T = 0.3 * rng.normal(size=(slaves, modes, modes))

    def interface() -> fm.bodies.Interface:
        second = 0.3 * rng.normal(size=(6, modes, modes)) * (slaves > 0)
        second = second + second.transpose(0, 2, 1)
        rows = shift * rng.normal(size=(6, modes))
        if planes == 1:  # moved along x, turned about z
            rows[[1, 2, 3, 4]] = 0.0
        axes = Rotation.random(random_state=rng.integers(1 << 31)).as_matrix()
        return fm.bodies.Interface(rng.normal(size=3), axes, rows[:3], rows[3:], second[:3], second[3:])

    return fm.bodies.ReducedBody(
        float(weights.sum()), np.einsum("FNi,N->Fi", F, weights), np.einsum("FNi,N,GNj->FGij", F, weights, F),
        rng.uniform(20.0, 60.0, modes), T + T.transpose(0, 2, 1), {"a": interface(), "b": interface()},
        damping=np.full(modes, 0.02),
    )  # fmt: skip


def random_flexible(
    seed: int,
    kinds: tuple[str, ...] = KINDS,
    *,
    count: int = 4,
    floating: bool = True,
    terminal: bool = False,
    on_rigid: bool = False,
    slaves: int | None = None,
    planes: int = 3,
    loop: bool = False,
    wheel: bool = False,
) -> fm.SpatialModel:
    """A tree of bodies, each of which stands on an earlier one; every other one is flexible, and those that carry
    others may be. `terminal`: flexible bodies carry none; `on_rigid`: hinges stand on their frames alone; `slaves` of
    their fields, two in every other tree when not given; `loop`: one more hinge closes a loop; `wheel`: the first body
    carries one. Springs and forces act."""
    rng = np.random.default_rng(9000 + seed)
    m = fm.SpatialModel("flexible tree", gravity=rng.normal(size=3) * 5.0)
    second = 2 * (seed % 2) if slaves is None else slaves
    bodies: list[Any] = []
    for k in range(count):
        flexible = k == count - 1 or (not terminal and rng.random() < 0.6)
        place = {"position": rng.normal(size=3), "orientation": Rotation.random(random_state=rng.integers(1 << 31))}
        if flexible:
            reduced = random_reduced(rng, int(rng.integers(1, 4)), second, planes)
            body: Any = m.add_modal_body(f"b{k}", reduced, **place, field="quadratic" if second else "linear")
        else:
            body = m.add_body(f"b{k}", mass=rng.uniform(0.5, 2.0), inertia=random_inertia(rng), **place)
        if k or not floating:
            carriers = [b for b in bodies if not (terminal and hasattr(b, "at"))]
            on = carriers[int(rng.integers(len(carriers)))] if k else None
            if on is None:
                at: Any = m.ground
            else:
                at = on.at("ab"[k % 2]) if hasattr(on, "at") and not on_rigid else on.frame
            join(m, rng, at, body, str(rng.choice(kinds)), f"j{k}", backwards=False)
        bodies.append(body)
    last = bodies[-1]
    if loop:
        join(m, rng, last.at("b"), bodies[0], "spherical", "closing", backwards=False)
    if wheel:
        m.add_wheel("wheel", bodies[0].frame, inertia=0.04, axis=rng.normal(size=3), torque=0.3, speed=20.0)
    m.spring_damper(m.ground, last.at("a") if seed % 3 else last.frame, stiffness=20.0, damping=0.5)
    m.point_force(last.at("b"), rng.normal(size=3))
    return m


def random_flexible_state(seed: int, tree: fm.Tree, size: float = 0.3) -> tuple[np.ndarray, np.ndarray]:
    """Joint coordinates and speeds: hinges far from their start, modes of an amplitude of `size`; near the start, with
    the loops closed, where there are any."""
    rng = np.random.default_rng(seed)
    if tree.chords:
        closing = fm.Loops(tree)
        away = closing.moved(tree.start()[0], size * rng.normal(size=tree.nv) / 3.0)
        return closing.closed(away, rng.normal(size=tree.nv))
    rng = np.random.default_rng(seed)
    x, inner = rng.uniform(-1.2, 1.2, tree.nq), len(tree.nodes.inner)
    for k in np.flatnonzero([name.endswith(".e0") for name in tree.coordinate_names]):
        x[k : k + 4] = Rotation.random(random_state=rng.integers(1 << 31)).as_quat()
    u = rng.normal(size=tree.nv)
    if inner:
        x[-inner:] *= size / 1.2
        u[-inner:] *= size / 0.3
    return x, u
