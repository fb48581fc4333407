"""One mechanism by every classical formulation that takes it: accelerations and hinge forces against the engine.

The mechanisms are random trees and loops with hinges of every kind, wheels of constant speed and with angles of their
own, springs, driven hinges and blades, in states of chance that obey what holds them
(:mod:`flexmb.validation.random_mechanisms.driven`). The engine knows all bodies in absolute coordinates and solves
[M Gᵀ; G 0] [a; λ] = [F − f; γ] by least squares; its multipliers give the forces of hinges.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

import flexmb as fm
from flexmb.algebra.factors import dense
from flexmb.formulations.papers import CLASSICAL
from flexmb.validation.agreement import apart, reactions, solved
from flexmb.validation.random_mechanisms.driven import random_driven, random_driven_state
from flexmb.validation.registry import Check, case

#: number of mechanisms
COUNT = 200
SOURCE = "absolute coordinates, least squares"
BECAUSE = "rounding, in states whose mass matrix may be condition 1e4"
#: what of a force [n; f] at the hinge point a formulation recovers
FORCES = {"hinge forces": slice(0, 6), "hinge torques": slice(0, 3), "hinge forces of translation": slice(3, 6)}


class Engine(NamedTuple):
    """Accelerations (n,) and multipliers (m,) of the engine; which coordinates joint coordinates know (k,); whether
    all rows are independent, so that multipliers are unique."""

    a: np.ndarray
    multipliers: np.ndarray
    known: np.ndarray
    unique: bool


def engine(tree: fm.Tree, x: np.ndarray, u: np.ndarray, tau: np.ndarray) -> Engine:
    """The engine in a state of a tree whose further components may count angles of their own."""
    system, state = tree.system, tree.state(x, u)
    q, v = state.q.copy(), state.v.copy()
    nodes = {*tree.nodes.numbers_v.ravel().tolist(), *tree.nodes.own.tolist(), *tree.nodes.inner.tolist()}
    counted = [k for k in range(system.n) if k not in nodes]
    if counted:  # they follow from the rows that count, by Newton's method
        for _ in range(20):
            G = dense(system.jacobian(0.0, q))[:, counted]
            q[counted] -= np.linalg.lstsq(G, system.constraint(0.0, q, v)[0], rcond=None)[0]
        v[counted] = 0.0
        v[counted] = -np.linalg.lstsq(G, system.constraint(0.0, q, v)[1], rcond=None)[0]
    a, lam = solved(tree, x, q, v, tau)
    G = dense(system.jacobian(0.0, q))
    few = len(G) <= system.n
    unique = len(G) == 0 or (few and bool(np.linalg.svd(G, compute_uv=False)[-1] > 1e-6))
    return Engine(a, lam, np.array(sorted(nodes & set(range(system.n)))), unique)


def errors(count: int = COUNT) -> dict[str, tuple[int, float, int, float]]:
    """For each formulation: how many of the mechanisms it takes and the largest error of accelerations; in how many
    hinge forces are compared, and their largest error."""
    found = {name: (0, 0.0, 0, 0.0) for name in CLASSICAL}
    for seed in range(count):
        tree = fm.Tree.of(random_driven(seed))
        x, u = random_driven_state(seed, tree)
        tau = np.random.default_rng(seed).normal(size=tree.nv)
        driven, still = engine(tree, x, u, tau), engine(tree, x, u, 0.0 * tau)
        held = np.array([not joint.endswith(".base") for joint in tree.joints])
        known = reactions(tree, x, still.multipliers)[held]
        for name in fm.formulations_of(tree).taken:
            if name not in CLASSICAL:
                continue
            formulation: Any = fm.formulation(tree, name)
            takes, off, compared, off_forces = found[name]
            vdot = formulation(x, u, tau)
            at = driven.known
            off = max(off, apart(tree.state(x, u, vdot).a[at], driven.a[at]))
            vdot = formulation(x, u)
            off = max(off, apart(tree.state(x, u, vdot).a[at], still.a[at]))
            for what, part in FORCES.items():
                if what in formulation.yields and still.unique:
                    off_forces = max(off_forces, apart(formulation.yields[what][held], known[:, part]))
                    compared += 1
            found[name] = takes + 1, off, compared, off_forces
    return found


@case("one-number", draw=lambda: random_driven(2))
def compute() -> Iterator[Check]:
    """random trees and loops with wheels, drives, springs and blades by ten formulations of 1965 to 1980, against the
    engine: accelerations, hinge forces"""
    for name, (takes, off, compared, off_forces) in errors().items():
        label = f"{name}, {takes} of {COUNT} mechanisms: accelerations, relative error"
        yield Check(label, off, 0.0, 1e-9, SOURCE, BECAUSE)
        if compared:
            label = f"{name}, {compared} mechanisms: hinge forces, relative error"
            yield Check(label, off_forces, 0.0, 1e-9, "multipliers of the engine", BECAUSE)
