"""One mechanism with flexible bodies by every classical formulation that takes it: accelerations and hinge forces
against the engine, and for one that drops terms the order of its error.

The mechanisms are random trees and loops of bodies with modes, on fields of first and of second order, and of rigid
ones, with hinges of every kind on flexible places, wheels, springs and forces
(:mod:`flexmb.validation.random_mechanisms.flexible_bodies`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.formulations.papers import FLEXIBLE
from flexmb.validation.agreement import apart, reactions
from flexmb.validation.one_number import BECAUSE, FORCES, SOURCE, engine
from flexmb.validation.random_mechanisms.flexible_bodies import random_flexible, random_flexible_state
from flexmb.validation.random_mechanisms.trees import KINDS
from flexmb.validation.registry import Check, Errors, Record, case

#: number of mechanisms
COUNT = 100
#: these drop terms by construction
ROUGH = "frisch", "ho"
#: amplitudes of modes, as parts of the largest, for the order of what is dropped
AMPLITUDES = (1.0, 0.5, 0.25, 0.125)


def mechanism(seed: int) -> fm.SpatialModel:
    """One of these: every third has turning hinges alone, every fifth flexible bodies at its ends, every sixth hinges
    on frames of bodies, every seventh a loop, every eighth a wheel."""
    kinds = KINDS if seed % 3 else ("revolute", "universal", "spherical")
    return random_flexible(
        seed, kinds, count=2 + seed % 4, floating=bool(seed % 4), terminal=seed % 5 == 0, on_rigid=seed % 6 in (3, 0),
        loop=seed % 7 == 1, wheel=seed % 8 == 3,
    )  # fmt: skip


def errors(count: int = COUNT) -> dict[str, tuple[int, float, int, float]]:
    """For each formulation: how many of the mechanisms it takes and the largest error of accelerations; in how many
    hinge forces are compared, and their largest error."""
    found = {name: (0, 0.0, 0, 0.0) for name in FLEXIBLE if name not in ROUGH}
    for seed in range(count):
        tree = fm.Tree.of(mechanism(seed))
        x, u = random_flexible_state(seed, tree)
        tau = np.random.default_rng(seed).normal(size=tree.nv)
        driven, still = engine(tree, x, u, tau), engine(tree, x, u, 0.0 * tau)
        held = np.array([not joint.endswith(".base") for joint in tree.joints]) & (tree.arrays.place_of < 0)
        known, bodies = reactions(tree, x, still.multipliers)[held], held[tree.arrays.place_of < 0]
        for name in fm.formulations_of(tree).taken:
            if name not in found:
                continue
            formulation: Any = fm.formulation(tree, name)
            takes, off, compared, off_forces = found[name]
            for tau_of, of in ((tau, driven), (0.0 * tau, still)):
                a = tree.state(x, u, formulation(x, u, tau_of)).a
                off = max(off, apart(a[of.known], of.a[of.known]))
            for what, part in FORCES.items():
                if what in formulation.yields and still.unique:
                    off_forces = max(off_forces, apart(formulation.yields[what][bodies], known[:, part]))
                    compared += 1
            found[name] = takes + 1, off, compared, off_forces
    return found


def without_coupling(seed: int, planes: int, size: float) -> list[float]:
    """Relative errors of Frisch's accelerations, over the amplitude."""
    tree = fm.Tree.of(random_flexible(seed, planes=planes, slaves=0, floating=bool(seed % 2)))
    x, u = random_flexible_state(seed, tree, size)
    tau, modes = np.random.default_rng(seed).normal(size=tree.nv), len(tree.nodes.inner)
    known, found, frisch = fm.formulation(tree, "kane"), [], fm.formulation(tree, "frisch")
    for part in AMPLITUDES:
        y, v = x.copy(), u.copy()
        y[-modes:] *= part
        v[-modes:] *= part
        found.append(apart(frisch(y, v, tau), known(y, v, tau)))
    return found


@case("flexible-one-number", draw=lambda: mechanism(2))
def compute() -> Iterator[Record]:
    """random trees and loops of flexible bodies by seven formulations of 1974 to 1983, against the engine:
    accelerations, hinge forces; and the order of what an eighth leaves out"""
    for name, (takes, off, compared, off_forces) in errors().items():
        label = f"{name}, {takes} of {COUNT} mechanisms: accelerations, relative error"
        yield Check(label, off, 0.0, 1e-9, SOURCE, BECAUSE)
        if compared:
            label = f"{name}, {compared} mechanisms: hinge forces, relative error"
            yield Check(label, off_forces, 0.0, 1e-9, "multipliers of the engine", BECAUSE)
    why = "it is linear in the amplitude; what is left of its second order"
    for seed in range(4):
        errors_left = without_coupling(seed, 3, 1e-3)
        order = float(np.polyfit(np.log(AMPLITUDES), np.log(errors_left), 1)[0])
        yield Check(f"frisch, mechanism {seed}: order of its error in the amplitude", order, 1.0, 0.02, "(★)", why)
        if seed == 0:
            yield Errors("frisch: accelerations, relative error", "amplitude [mm]", AMPLITUDES, errors_left, 1.0)
    flat = max(max(without_coupling(seed, 1, 0.3)) for seed in range(8))
    label = "frisch, bodies that bend in one plane: accelerations, relative error"
    yield Check(label, flat, 0.0, 1e-9, "∫φ × φ dm = 0", BECAUSE)
