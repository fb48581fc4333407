"""Random trees and loops in space with wheels, driven hinges, springs and blades, and states of them that obey all
rows."""

from __future__ import annotations

from typing import Any

import numpy as np

import flexmb as fm
from flexmb.formulations.flexible.discos import consistent_start
from flexmb.validation.random_mechanisms.trees import KINDS, join, random_planar_tree, random_state, random_tree

#: hinges that only turn
TURNING = ("revolute", "universal", "spherical", "weld")


def random_driven(seed: int) -> fm.SpatialModel | fm.PlanarModel:
    """One of these mechanisms: every fourth has turning hinges alone, every tenth lies in the plane."""
    rng = np.random.default_rng(7000 + seed)
    count, floating = int(rng.integers(1, 8)), bool(rng.random() < 0.5)
    if seed % 10 == 9:
        return random_planar_tree(rng, max(count, 4), floating=floating, loops=seed % 20 // 10)
    kinds = TURNING if seed % 4 == 0 else KINDS
    m = random_tree(rng, count, kinds, floating=floating)
    bodies: list[Any] = [m.components[f"b{k}"] for k in range(count)]

    def on() -> fm.spatial.Frame:
        return bodies[int(rng.integers(count))].frame

    if seed % 3 == 1:
        m.add_wheel("flywheel", on(), inertia=0.05, axis=rng.normal(size=3), speed=40.0)
    if seed % 5 == 2:
        m.add_wheel(
            "wheel", on(), inertia=0.04, axis=rng.normal(size=3), mass=0.2, transverse=0.03, torque=0.3, friction=0.1
        )
    if seed % 7 == 3:
        m.spring_damper(m.ground, on(), stiffness=20.0, damping=0.5)
    hinges: list[Any] = [m.components[f"j{k}"] for k in range(count) if f"j{k}" in m.components]
    turning = [hinge for hinge in hinges if type(hinge).__name__ in ("Revolute", "Cylindrical")]
    if seed % 6 == 5 and turning:
        m.drive_joint(turning[0], fm.Polynomial([0.3, -0.8, 0.5]), coordinate="angle", name="drive")
    if seed % 11 == 4 and floating:
        m.knife_edge(m.ground, bodies[0].attach("blade", rng.normal(size=3)), heading="x", name="blade")
    if seed % 8 in (2, 6) and count >= 4:
        join(m, rng, bodies[-2].frame, bodies[-1], "spherical" if seed % 8 == 2 else "universal", "closing")
    return m


def random_driven_state(seed: int, tree: fm.Tree) -> tuple[np.ndarray, np.ndarray]:
    """Joint coordinates and speeds of such a mechanism that obey its loops, drives and blades; near the start of the
    model where it has any, far from it where it has none."""
    rng = np.random.default_rng(seed)
    moved = fm.Loops(tree).moved if not tree.chords and not tree.graph.others else None
    if moved is not None:
        return random_state(rng, tree)
    x, speeds = tree.start()[0], rng.normal(size=tree.nv)
    return consistent_start(tree, x, speeds)
