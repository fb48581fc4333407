"""Mechanisms with loops for tests of formulations, what the engine makes of them, and speeds that keep them closed."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.validation.random_mechanisms.trees_with_beams import SOFT
from tests.models.trees import join, random_inertia


def _end(body: Any, place: np.ndarray, name: str) -> Any:
    """A frame on a body at a place of the ground."""
    return body.frame.attach(name, body.frame.orientation.inv().apply(place - body.frame.position))


def four_bar(angle: float) -> fm.SpatialModel:
    """A parallelogram of bars of 1 m and 1 kg in space, all hinges about y; the cranks are `angle` [rad] from upright:
    case B3 and B4 of Takahashi (2012)."""
    m = fm.SpatialModel("four-bar", gravity=(0, 0, -9.81))
    up = np.array([np.sin(angle), 0.0, np.cos(angle)])
    across = np.array([1.0, 0.0, 0.0])
    P = [0.0 * across, up, across + up, across]
    thin = (1 / 12, 1 / 12, 0.01)
    bars = [m.add_body(f"bar{k}", mass=1.0, inertia=thin, position=0.5 * (P[k] + P[k + 1])) for k in range(3)]
    m.revolute(m.ground, _end(bars[0], P[0], "left.foot"), axis="y", name="A")
    m.revolute(_end(bars[0], P[1], "left.head"), _end(bars[1], P[1], "top.left"), axis="y", name="B")
    m.revolute(_end(bars[1], P[2], "top.right"), _end(bars[2], P[2], "right.head"), axis="y", name="C")
    m.revolute(m.ground.attach("foot", P[3]), _end(bars[2], P[3], "right.foot"), axis="y", name="D")
    return m


def crank_and_rocker(rng: np.random.Generator) -> fm.SpatialModel:
    """Two cranks with a rod between that spins about itself, and a body on a universal joint on the rod."""
    m = fm.SpatialModel("crank and rocker", gravity=(1, 2, -9.81))
    P = [np.array(p) for p in ((0.0, 0.0, 0.0), (0.3, 0.2, 0.5), (1.2, 0.5, 0.7), (1.0, 0.3, 0.1))]
    bodies = [
        m.add_body(
            name, mass=rng.uniform(0.5, 2.0), inertia=random_inertia(rng), position=0.5 * (P[k] + P[k + 1]),
            orientation=Rotation.random(random_state=k),
        )
        for k, name in enumerate(("crank", "rod", "rocker"))
    ]  # fmt: skip
    m.revolute(m.ground, _end(bodies[0], P[0], "crank.foot"), axis=(1, 1, 0), name="A")
    m.spherical(_end(bodies[0], P[1], "crank.head"), _end(bodies[1], P[1], "rod.start"), name="B")
    m.spherical(_end(bodies[1], P[2], "rod.end"), _end(bodies[2], P[2], "rocker.head"), name="C")
    m.revolute(m.ground.attach("foot", P[3]), _end(bodies[2], P[3], "rocker.foot"), axis=(1, 2, 3), name="D")
    extra = m.add_body("extra", mass=1.0, inertia=random_inertia(rng), position=(1, 1, 1))
    join(m, rng, bodies[1].frame, extra, "universal", "U")
    return m


def clamped_beam(joint: str) -> fm.SpatialModel:
    """A beam of two elements between two walls; to the one at its end by a joint of a kind."""
    m = fm.SpatialModel("clamped beam", gravity=(0, 0, -9.81))
    given: dict[str, Any] = {"material": SOFT, "section": fm.Rectangle(0.02, 0.03)}
    rod = m.add_beam("rod", (0, 0, 0), (1, 0, 0), elements=2, **given)
    m.weld(m.ground, rod.start, name="left")
    more = {"axis": "y"} if joint == "revolute" else {}
    getattr(m, joint)(rod.end, m.ground.attach("wall", (1, 0, 0)), name="right", **more)
    return m


def four_bar_with_a_beam() -> fm.PlanarModel:
    """A parallelogram of the plane whose upper rod is a beam."""
    m = fm.PlanarModel("four-bar with a beam", gravity=(0, -9.81))
    crank = m.add_body("crank", mass=1.0, inertia=0.1, position=(0, 0.25))
    rocker = m.add_body("rocker", mass=1.0, inertia=0.1, position=(1, 0.25))
    rod = m.add_beam("rod", (0, 0.5), (1, 0.5), material=SOFT, section=fm.Rectangle(0.02, 0.03))
    m.revolute(m.ground, crank.attach("crank.foot", (0, -0.25)), name="A")
    m.revolute(crank.attach("crank.head", (0, 0.25)), rod.start, name="B")
    m.revolute(rod.end, rocker.attach("rocker.head", (0, 0.25)), name="C")
    m.revolute(m.ground.attach("foot", (1, 0)), rocker.attach("rocker.foot", (0, -0.25)), name="D")
    return m


def dense(A: Any) -> np.ndarray:
    """A matrix as an array, were it sparse or not."""
    return np.asarray(A if isinstance(A, np.ndarray) else A.toarray())


def closed_speeds(tree: fm.Tree, x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Random joint speeds that keep all loops closed."""
    rows = []
    for k in range(tree.nv):
        state = tree.state(x, np.eye(tree.nv)[k])
        rows.append(dense(tree.system.jacobian(0.0, state.q)) @ state.v)
    N = scipy.linalg.null_space(np.array(rows).T, rcond=1e-10)
    return np.asarray(N @ rng.normal(size=N.shape[1]))


def engine_accelerations(tree: fm.Tree, x: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Accelerations of the system in its own coordinates, by least squares of all its equations."""
    system, state = tree.system, tree.state(x, u)
    M, G = dense(system.mass_matrix(0.0, state.q)), dense(system.jacobian(0.0, state.q))
    gamma = system.constraint(0.0, state.q, state.v)[2]
    h = system.residual(0.0, state.q, state.v, np.zeros_like(state.v))
    A = np.block([[M, G.T], [G, np.zeros((len(G), len(G)))]])
    solution = np.linalg.lstsq(A, np.concatenate([-h, gamma]), rcond=1e-11)[0]
    return np.asarray(solution[: len(M)])


def rod_on_a_string() -> fm.SpatialModel:
    """A rod on a ball joint, whose tip is held by a rod of no mass: two of the three turns of the joint are left."""
    m = fm.SpatialModel("rod", gravity=(0.1, 0.2, -9.81))
    rod = m.add_body("rod", mass=1.0, inertia=(0.1, 0.12, 0.03), position=(0, 0.3, 0.4))
    m.spherical(m.ground, rod.attach("foot", (0, -0.3, -0.4)), name="ball")
    m.distance(m.ground.attach("hook", (1.0, 0, 0)), rod.attach("tip", (0, 0.3, 0.4)), name="string")
    m.point_torque(rod.frame, (0.3, 0.8, 0.1), name="twist")
    return m


def rods_between_balls() -> fm.SpatialModel:
    """A crank, a rocker, and a rod between two ball joints, which is twisted and turns about itself too."""
    m = crank_and_rocker(np.random.default_rng(0))
    m.point_torque(m.component("rod").frame, (0.3, 0.8, 0.1), name="twist")
    return m
