"""Jerkovsky's two forms of the same equations: one motion with velocities as its state, and with momenta.

A floating tree with turning and sliding hinges in a uniform field, without which its momentum stays what it was. The
momentum form never differentiates an inertia, and the momentum of the whole is part of its state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from scipy.integrate import solve_ivp

import flexmb as fm
from flexmb.formulations.classical import jerkovsky
from flexmb.formulations.classical.motion_reader import Reader
from flexmb.formulations.tree.coordinates import rates_of
from flexmb.validation.random_mechanisms.trees import join, random_inertia, random_state
from flexmb.validation.registry import Check, case

#: the end of the motion [s]
T_END = 1.0


def build(gravity: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> fm.SpatialModel:
    """Four bodies: a floating base with a cylindrical joint, a hinge behind it, and a slider on the other side."""
    rng, m = np.random.default_rng(7), fm.SpatialModel("floating tree", gravity=gravity)
    bodies = [
        m.add_body(f"b{k}", mass=0.6 + 0.3 * k, inertia=random_inertia(rng), position=rng.normal(size=3))
        for k in range(4)
    ]
    for k, (carrier, kind) in enumerate(((0, "cylindrical"), (1, "revolute"), (0, "prismatic"))):
        join(m, rng, bodies[carrier].frame, bodies[k + 1], kind, f"j{k}", backwards=False)
    return m


def motions(model: fm.SpatialModel) -> tuple[fm.Tree, np.ndarray, np.ndarray, np.ndarray]:
    """The tree; joint coordinates at the end by the velocity form and by the momentum form; hinge momenta Ĝ_f (2, nv)
    at the start and at the end of the latter."""
    tree = fm.Tree.of(model)
    read, none, still = Reader(tree), np.zeros((len(tree.links), 6)), np.zeros(tree.nv)
    x, u = random_state(np.random.default_rng(3), tree)
    x[:3] = 0.0
    joints, dx = tree.arrays.joints, np.zeros(tree.nq)

    def rates(x: np.ndarray, u: np.ndarray) -> np.ndarray:
        rates_of(joints, x, u, dx)
        return dx.copy()

    def of_velocities(t: float, y: np.ndarray) -> np.ndarray:
        motion = read(y[: tree.nq], y[tree.nq :], still, none)
        return np.concatenate([rates(y[: tree.nq], y[tree.nq :]), jerkovsky.solve(motion).ud])

    def of_momenta(t: float, y: np.ndarray) -> np.ndarray:
        at_rest = read(y[: tree.nq], still, still, none)
        u = jerkovsky.speeds(at_rest, y[tree.nq :])
        yields = jerkovsky.momenta_of(read(y[: tree.nq], u, still, none))
        return np.concatenate([rates(y[: tree.nq], u), yields.rates])

    start = jerkovsky.momenta_of(read(x, u, still, none)).along_hinges
    first, second = (
        _at_end(function, np.concatenate([x, y])) for function, y in ((of_velocities, u), (of_momenta, start))
    )
    return tree, first[: tree.nq], second[: tree.nq], np.array([start, second[tree.nq :]])


def _at_end(rate: Callable[[float, np.ndarray], np.ndarray], y: np.ndarray) -> np.ndarray:
    return np.asarray(solve_ivp(rate, (0.0, T_END), y, "DOP853", rtol=1e-13, atol=1e-13).y[:, -1])


@case("momentum-form", draw=build)
def compute() -> Iterator[Check]:
    """a floating tree with hinges and sliders, by velocities and by momenta: one trajectory, momentum to round-off"""
    because = "both have the tolerance 1e-13 a step"
    for gravity, label in (((0.0, 0.0, 0.0), "without gravity"), ((1.0, -2.0, -9.81), "with gravity")):
        tree, first, second, momenta = motions(build(gravity))
        off = float(np.max(np.abs(first - second)))
        yield Check(f"{label}: coordinates after {T_END:g} s apart by", off, 0.0, 1e-11, "the velocity form", because)
        mass = sum(0.6 + 0.3 * k for k in range(4))
        gain = mass * T_END * np.array(gravity)
        axes = [tree.names.index(f"b0.base.{axis}") for axis in "xyz"]
        off = float(np.max(np.abs(momenta[1, axes] - momenta[0, axes] - gain)))
        yield Check(f"{label}: momentum off by [kg m/s]", off, 0.0, 1e-13, "P(0) + m g t", "rounding")
