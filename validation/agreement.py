"""One mechanism by every formulation: accelerations and joint forces of random trees, against each other and the
engine.

The engine knows all bodies in absolute coordinates: [M Gᵀ; G 0] [a; λ] = [F − f; γ], with drives τ of the joints as
forces F for which Jᵀ F = τ, where v = J u. Formulations know joint coordinates only. States are random and far from the
start.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.formulations.kinds import FORMULATIONS
from flexmb.formulations.tree.reading import see_links, seen_for
from flexmb.validation.random_mechanisms.trees import join, random_planar_tree, random_state, random_tree
from flexmb.validation.random_mechanisms.trees_with_beams import (
    bent_state,
    planar_beams,
    planar_places,
    spatial_beams,
    spatial_places,
)
from flexmb.validation.registry import Check, case

#: trees of each kind, and links of a tree
TREES, LINKS = 12, (1, 2, 4, 9)
#: joints that close loops; each leaves its tree some freedom
CLOSING = ("spherical", "universal", "cylindrical", "revolute")
SOURCE = "absolute coordinates, least squares"
BECAUSE = "rounding, in states whose mass matrix may be condition 1e4"


def absolute(tree: fm.Tree, x: np.ndarray, u: np.ndarray, tau: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """a (n,) and λ (m,) of the engine's equations in a state of a tree, by least squares: rows may repeat others."""
    state = tree.state(x, u)
    return solved(tree, x, state.q, state.v, tau)


def solved(
    tree: fm.Tree, x: np.ndarray, q: np.ndarray, v: np.ndarray, tau: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """a (n,) and λ (m,) at coordinates q and speeds v of the system, which has the joint coordinates x."""
    system, n = tree.system, tree.system.n
    M, G = _dense(system.mass_matrix(0.0, q)), _dense(system.jacobian(0.0, q))
    f = system.residual(0.0, q, v, np.zeros(n))
    if np.any(tau):
        J = velocities(tree, x)
        f = f - J @ np.linalg.solve(J.T @ J, tau)
    gamma = system.constraint(0.0, q, v)[2]
    A = np.block([[M, G.T], [G, np.zeros((len(G), len(G)))]])
    # in units in which all coordinates have the same inertia; once more for what is left
    unit = np.concatenate([1.0 / np.sqrt(np.diag(M) + 1e-9 * np.max(np.diag(M))), np.ones(len(G))])
    A, right, solution = A * unit * unit[:, None], np.concatenate([-f, gamma]) * unit, np.zeros(len(A))
    for _ in range(2):
        solution += np.linalg.lstsq(A, right - A @ solution, rcond=1e-13)[0]
    return unit[:n] * solution[:n], solution[n:]


def velocities(tree: fm.Tree, x: np.ndarray) -> np.ndarray:
    """J (n, nv): the velocities of the system for each joint speed."""
    return np.array([tree.state(x, unit).v for unit in np.eye(tree.nv)]).reshape(tree.nv, tree.system.n).T


def _dense(A: Any) -> np.ndarray:
    return np.asarray(A if isinstance(A, np.ndarray) else A.toarray())


def reactions(tree: fm.Tree, x: np.ndarray, lam: np.ndarray) -> np.ndarray:
    """[n; f] (links, 6) on each link at its origin, in the axes of the ground, from the joint that carries it, by λ."""
    system, state = tree.system, tree.state(x)
    G = _dense(system.jacobian(0.0, state.q))
    owners = np.array([row.owner for row in system.rows])
    found = np.zeros((len(tree.links), 6))
    for k, joint in enumerate(tree.joints):
        own = owners == joint
        force = -G[own].T @ lam[own]
        numbers = tree.nodes.numbers_v[k]
        if system.model.dimension == 2:
            found[k] = _planar_reaction(tree, k, state, force[numbers])
            continue
        turn, back = state[tree.links[k]].orientation, tree.nodes
        # the node is at `place` in the axes of the link, which are turned against those of the node by `axes`
        e = back.axes[k]
        link = turn * _rotation(e).inv()
        f = force[numbers[:3]]
        found[k, :3] = turn.apply(force[numbers[3:]]) + np.cross(link.apply(back.place[k]), f)
        found[k, 3:] = f
    return found


def _planar_reaction(tree: fm.Tree, k: int, state: fm.State, force: np.ndarray) -> np.ndarray:
    """[n; f] at the origin of a link of the plane, of (f_x, f_y, n) at its node."""
    nodes = tree.nodes
    seen = seen_for(tree.arrays)
    see_links(nodes, tree.system.full_q(state.q), *np.zeros((2, tree.system.plan.total)), seen)
    f = np.array([force[0], force[1], 0.0])
    arm = _rotation(seen.at[k, 3:]).apply(nodes.place[k])
    return np.concatenate([np.array([0.0, 0.0, force[2]]) + np.cross(arm, f), f])


def _rotation(four: np.ndarray) -> Any:
    from scipy.spatial.transform import Rotation

    return Rotation.from_quat(four[[1, 2, 3, 0]])


def apart(found: np.ndarray, known: np.ndarray) -> float:
    """The largest difference, as a part of the largest number."""
    return float(np.max(np.abs(found - known), initial=0.0) / max(1.0, float(np.max(np.abs(known), initial=0.0))))


def trees(floating: bool, dimension: int = 3) -> Iterator[tuple[fm.Tree, np.random.Generator]]:
    """Random trees with branches."""
    for seed in range(TREES):
        rng = np.random.default_rng(100 * floating + seed)
        grow: Any = random_tree if dimension == 3 else random_planar_tree
        yield fm.Tree.of(grow(rng, LINKS[seed % len(LINKS)], floating=floating)), rng


def loops(seed: int) -> tuple[fm.Tree, np.random.Generator]:
    """A random tree with one loop, or two; every fourth in the plane."""
    rng = np.random.default_rng(1000 + seed)
    if seed % 4 == 3:
        return fm.Tree.of(random_planar_tree(rng, 7, floating=seed % 3 == 2, loops=1 + seed % 8 // 7)), rng
    model = random_tree(rng, 7, ("spherical", "cylindrical", "universal"), floating=seed % 3 == 2)
    for k, (a, b) in enumerate((("b5", "b6"), ("b2", "b4"))[: 1 + seed % 2]):
        join(model, rng, model.frame(a), model.components[b], CLOSING[(seed + k) % len(CLOSING)], f"closing{k}")
    return fm.Tree.of(model), rng


def of_trees(name: str, floating: bool, dimension: int = 3) -> tuple[float, float]:
    """The largest errors of accelerations and of joint forces of a formulation."""
    off = [0.0, 0.0]
    for tree, rng in trees(floating, dimension):
        formulation = fm.formulation(tree, name)
        x, u = random_state(rng, tree)
        for tau in (np.zeros(tree.nv), 5.0 * rng.normal(size=tree.nv)):
            a, lam = absolute(tree, x, u, tau)
            found = formulation(x, u, tau)
            state = tree.state(x, u, found)
            off[0] = max(off[0], apart(state.a, a))
            if not np.any(tau):
                known = reactions(tree, x, lam)
                held = np.array([not joint.endswith(".base") for joint in tree.joints])
                off[1] = max(off[1], apart(formulation.forces[held], known[held]))
    return off[0], off[1]


def of_loops(name: str) -> tuple[float, float]:
    """The largest errors of accelerations and of joint forces of a formulation that closes loops; "" for Lagrange's
    equations with the rows of the loops."""
    off = [0.0, 0.0]
    for seed in range(TREES):
        tree, rng = loops(seed)
        closing = fm.Loops(tree)
        away = closing.moved(tree.start()[0], 0.2 * rng.normal(size=tree.nv))
        x, u = closing.closed(away, rng.normal(size=tree.nv))
        a, lam = absolute(tree, x, u, np.zeros(tree.nv))
        formulation = fm.formulation(tree, name) if name else None
        state = tree.state(x, u, formulation(x, u) if formulation else closing.accelerations(x, u))
        off[0] = max(off[0], apart(state.a, a))
        if formulation and closing.rank == len(closing.rows):  # else forces are not unique
            off[1] = max(off[1], apart(formulation.forces, reactions(tree, x, lam)))
    return off[0], off[1]


def of_beams(name: str) -> float:
    """The largest error of accelerations of a formulation, of trees with beams, joints at places within them, and
    rotors."""
    rng, off = np.random.default_rng(5), 0.0
    for model in (
        planar_beams(),
        planar_beams(3, floating=True),
        spatial_beams(rng),
        spatial_beams(rng, floating=True),
        planar_places(2, branch=True),
        planar_places(theory="floating"),
        spatial_places(rng, 2, branch=True),
        spatial_places(rng, floating=True),
    ):
        tree = fm.Tree.of(model)
        x, u = bent_state(rng, tree)
        tau = rng.normal(size=tree.nv)
        found = fm.formulation(tree, name)(x, u, tau)
        off = max(off, apart(tree.state(x, u, found).a, absolute(tree, x, u, tau)[0]))
    return off


def of_orders(name: str) -> float:
    """The largest difference of accelerations, of trees and loops whose joints are closed in an order of chance."""
    kind, off = FORMULATIONS[name], 0.0
    for tree, rng in (*trees(floating=True), *(loops(seed) for seed in range(TREES))):
        closing = fm.Loops(tree)
        x, u = closing.closed(tree.start()[0], rng.normal(size=tree.nv))
        known = fm.formulation(tree, name)(x, u)
        joints = rng.permutation(len(tree.joints) + len(tree.chords)).tolist()
        for order in ([[joint] for joint in joints], [joints[::2], joints[1::2]], [joints]):
            found, room = np.zeros(tree.nv), kind.room_for(tree, [step for step in order if step])
            kind.solve(tree.arrays, room, x, u, np.zeros(tree.nv), np.zeros((len(tree.links), 6)), found)
            off = max(off, apart(found, known))
    return off


def runs() -> Iterator[Check]:
    """The same run in absolute coordinates and by each formulation."""
    for seed, floating in ((0, False), (1, True)):
        model = random_tree(np.random.default_rng(50 + seed), 5, floating=floating)
        precisely: dict[str, Any] = {"times": np.linspace(0.0, 0.5, 11), "tolerance": 1e-10, "progress": False}
        known = fm.simulate(model, 0.5, "dop853", **precisely)
        for name in FORMULATIONS:
            run = fm.simulate(model, 0.5, "dop853", formulation=name, **precisely)
            where = "floating" if floating else "on the ground"
            for what in ("q", "v", "a", "multipliers"):
                off = apart(getattr(run, what), getattr(known, what))
                label = f"{name}, {where}: {what} over 0.5 s, relative error"
                yield Check(label, off, 0.0, 1e-7, "absolute coordinates", "both have the tolerance 1e-10")


@case("agreement", draw=lambda: random_tree(np.random.default_rng(3), 9))
def compute() -> Iterator[Check]:
    """random trees by every formulation, with branches and floating bases, against the engine: accelerations, joint
    forces"""
    for name in FORMULATIONS:
        for dimension, floating in ((3, False), (3, True), (2, False), (2, True)):
            where = "floating" if floating else "on the ground"
            label = f"{name}, {where}{', in the plane' if dimension == 2 else ''}"
            accelerations, forces = of_trees(name, floating, dimension)
            yield Check(f"{label}: accelerations, relative error", accelerations, 0.0, 1e-10, SOURCE, BECAUSE)
            yield Check(f"{label}: joint forces, relative error", forces, 0.0, 1e-10, SOURCE, BECAUSE)
        label = f"{name}, beams and rotors: accelerations, relative error"
        yield Check(label, of_beams(name), 0.0, 1e-10, SOURCE, BECAUSE)
    for name in ("", *(name for name, kind in FORMULATIONS.items() if kind.takes_loops)):
        accelerations, forces = of_loops(name)
        label = f"{name or 'Lagrange'}, with loops"
        yield Check(f"{label}: accelerations, relative error", accelerations, 0.0, 1e-10, SOURCE, BECAUSE)
        if name:
            yield Check(f"{label}: joint forces, relative error", forces, 0.0, 1e-10, SOURCE, BECAUSE)
    for name in ("ada", "dca"):
        what = f"{name}: joints closed in an order of chance, relative difference of accelerations"
        yield Check(what, of_orders(name), 0.0, 1e-10, "the order of the formulation itself", BECAUSE)
    yield from runs()
