"""Hybrid modelling, Takahashi (2012), chapter 4: blocks of links by formulas, joined by assembly with numbers.

The chains are those of the timings of the thesis, tables 4.2 and 4.3: one to seven rods in the plane, one to twelve
floating in space; the seven rods of §4.4.1 are cut into four and three, the six of §4.4.2 into three and three, as
there. The thesis shows energy and momentum in diagrams; here they have numbers. Flexible links are not in the thesis.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

import flexmb as fm
from flexmb.formulations.tree.coordinates import rates_of
from flexmb.validation.agreement import absolute, apart, loops, reactions, trees
from flexmb.validation.articulated import chain, floating_rods
from flexmb.validation.performance.hybrid import LOOPS, PLANAR, SPATIAL, flexible_arm, floating_chain, ring
from flexmb.validation.random_mechanisms.trees import random_state
from flexmb.validation.references import floating_chain as floating
from flexmb.validation.references import planar_chain
from flexmb.validation.registry import Check, case

#: largest blocks: numbers alone but for links on the ground, several cuts, and the whole
BLOCKS = (1, 2, 3, 4, 6, 12)
DIGITS = "rounding times the condition of mass matrices, up to 1e6"


def of_formulas() -> Iterator[Check]:
    """The formulas of a block of four links, and of one of flexible links, against the recursions with numbers."""
    of = ("4 floating links", floating_chain(4), random_state), ("2 flexible links", flexible_arm(2), bent)
    for name, model, state in of:
        rng, off, tree = np.random.default_rng(4), np.zeros(3), fm.Tree.of(model)
        hybrid: Any = fm.formulation(tree, fm.Hybrid(block=4))
        block, dynamics = hybrid.blocks[0], fm.TreeDynamics(tree)
        place = [tree.coordinate_names.index(coordinate) for coordinate in block.coordinates.values()]
        # without quaternions speeds stand where coordinates stand; with the only one, of the base, in their own order
        order = place if tree.nq == tree.nv else list(range(tree.nv))
        for _ in range(5):
            q, v = state(rng, tree)
            vdot = rng.normal(size=tree.nv)
            values = ("q", q[place]), ("u", v[order]), ("ud", vdot[order])
            named = {letter + str(k + 1): float(x) for letter, xs in values for k, x in enumerate(xs)}
            M, h, tau = dynamics.mass_matrix(q), dynamics.bias(q, v), dynamics.drives(q, v, vdot)
            pairs = (
                (block.mass_matrix.at(**named), M[np.ix_(order, order)]),
                (block.bias.at(**named), h[order]),
                (block.equations.at(**named), tau[order]),
            )
            off = np.maximum(off, [apart(found, known) for found, known in pairs])
        for what, error in zip(("mass matrix", "bias", "drives"), off):
            source = "composite bodies and recursive Newton-Euler with numbers"
            yield Check(f"formulas of {name}: {what}, relative error", float(error), 0.0, 1e-13, source, "rounding")


def flexible_tree() -> fm.PlanarModel:
    """A hub with two floating beams askew on it: a mass at the end of one; on the other a body in the middle, and a
    third beam that goes on from its end."""
    m, given = fm.PlanarModel("flexible tree", gravity=(0.3, -9.81)), fm.planar.BeamProperties(
        EA=1e6, EI=50.0, rhoA=0.6
    )  # fmt: skip
    hub = m.add_body("hub", mass=0.3, inertia=0.01, position=(0, 0), angle=0.4)
    m.revolute(m.ground, hub.attach("middle", (0.1, 0)), name="hinge")
    a, b = (hub.attach(f"root {x}", (x, 0.2)) for x in (0.1, -0.1))
    long = m.add_beam("long", a, (1, 0.5), properties=given, theory="floating", modes=2)
    short = m.add_beam("short", b, (-1, 0.5), properties=given, theory="floating", modes=1)
    m.add_point_mass("weight", short.end, 0.7)
    m.add_beam("further", long.end, (1, 1.5), properties=given, theory="floating", modes=1)
    side = m.add_body("side", mass=1.0, inertia=0.1, position=(0.5, 0.1))
    m.revolute(long.at(0.4), side.attach("on", (0.1, 0)), name="side hinge")
    return m


def bent(rng: np.random.Generator, tree: fm.Tree) -> tuple[np.ndarray, np.ndarray]:
    """A state near the start of a tree, with small amplitudes."""
    q = fm.Loops(tree).moved(tree.start()[0], 0.2 * rng.normal(size=tree.nv))
    return q, rng.normal(size=tree.nv)


def of_flexible_links() -> Iterator[Check]:
    """Trees of flexible links in all cuts against the engine, and a rod with one mode against its textbook matrix."""
    for model in (flexible_tree(), flexible_arm(2)):
        rng, tree, off = np.random.default_rng(6), fm.Tree.of(model), 0.0
        for block in (1, 2, 8):
            formulation = fm.formulation(tree, fm.Hybrid(block=block))
            for _ in range(3):
                x, u = bent(rng, tree)
                tau = rng.normal(size=tree.nv)
                off = max(off, apart(tree.state(x, u, formulation(x, u, tau)).a, absolute(tree, x, u, tau)[0]))
        source = "absolute coordinates, least squares"
        yield Check(f"{model.name} in all cuts: accelerations, relative error", off, 0.0, 1e-10, source, DIGITS)
    m, given = fm.PlanarModel("rod"), fm.planar.BeamProperties(EA=1e6, EI=10.0, rhoA=0.6)
    rod = m.add_beam("rod", (0, 0), (2, 0), properties=given, theory="floating", modes=1)
    m.revolute(m.ground, rod.start, name="hinge")
    hybrid: Any = fm.formulation(m, "hybrid")
    M, mass, amplitude = hybrid.blocks[0].mass_matrix.at(q2=0.1), 1.2, 0.1
    H = 2.0 * mass * 2.0 / 1.8751040687119611**2  # the first root of cos λ cosh λ = −1
    known = np.array([[mass * 2.0**2 / 3.0 + mass * amplitude**2, H], [H, mass]])
    off = float(np.max(np.abs(M - known)))
    source = "integrals of the mode, ∫x φ dx = 2 L²/λ²"
    yield Check("a rod with one mode: mass matrix [kg m²]", off, 0.0, 1e-14, source, "rounding")


def in_the_plane() -> Iterator[Check]:
    """T1: accelerations of one to seven rods in all cuts against Lagrange's equations in closed form."""
    rng, source = np.random.default_rng(1), "Lagrange's equations in closed form"
    for count in PLANAR:
        off, known = 0.0, planar_chain.PlanarChain((1.0,) * count, np.zeros(count))
        tree = fm.Tree.of(chain(known.lengths, known.start))
        for block in BLOCKS:
            formulation = fm.formulation(tree, fm.Hybrid(block=block))
            for _ in range(5):
                theta, rate = rng.uniform(-3.0, 3.0, count), rng.normal(size=count)
                turned = tree.start()[0] - theta  # θ counts clockwise, from straight up
                off = max(off, apart(-formulation(turned, -rate), known.acceleration(theta, rate)))
        yield Check(f"T1, {count} rods in all cuts: θ̈, relative error", off, 0.0, 1e-11, source, DIGITS)


def in_space() -> Iterator[Check]:
    """T2: accelerations of one to twelve floating rods in all cuts against the engine, and of six against Kane's
    equations."""
    rng, source = np.random.default_rng(2), "absolute coordinates, least squares"
    for count in SPATIAL:
        tree, off = fm.Tree.of(floating_chain(count)), 0.0
        for block in BLOCKS:
            formulation = fm.formulation(tree, fm.Hybrid(block=block))
            x, u = random_state(rng, tree)
            tau = rng.normal(size=tree.nv)
            off = max(off, apart(tree.state(x, u, formulation(x, u, tau)).a, absolute(tree, x, u, tau)[0]))
        yield Check(
            f"T2, {count} floating rods in all cuts: accelerations, relative error", off, 0.0, 1e-10, source, DIGITS
        )
    tree = fm.Tree.of(floating_rods())
    known = floating.six_rods().acceleration(floating.SIX_START)
    hinge = [tree.names.index(f"joint{k}.angle") for k in range(1, 6)]
    found = fm.formulation(tree, fm.Hybrid(block=3))(*tree.start())
    off = float(np.max(np.abs(found[hinge] - known[6:])))
    yield Check("6 rods of §4.4.2, cut 3 + 3: θ̈ at the start [rad/s²]", off, 0.0, 1e-11, "Kane's equations", DIGITS)


def of_mechanisms() -> Iterator[Check]:
    """Random trees and loops of `agreement` in all cuts, and the loops of the timings."""
    source = "absolute coordinates, least squares"
    for dimension, base in ((3, False), (3, True), (2, False), (2, True)):
        off = [0.0, 0.0]
        for tree, rng in trees(base, dimension):
            x, u = random_state(rng, tree)
            a, lam = absolute(tree, x, u, np.zeros(tree.nv))
            known, held = reactions(tree, x, lam), [not joint.endswith(".base") for joint in tree.joints]
            for block in BLOCKS:
                formulation = fm.formulation(tree, fm.Hybrid(block=block))
                off[0] = max(off[0], apart(tree.state(x, u, formulation(x, u)).a, a))
                off[1] = max(off[1], apart(formulation.forces[held], known[held]))
        where = f"{'floating' if base else 'on the ground'}{', in the plane' if dimension == 2 else ''}"
        yield Check(f"random trees {where}: accelerations, relative error", off[0], 0.0, 1e-10, source, DIGITS)
        yield Check(f"random trees {where}: joint forces, relative error", off[1], 0.0, 1e-10, source, DIGITS)
    closed = [(f"loop of {count} bars", fm.Tree.of(ring(count)), np.random.default_rng(count)) for count in LOOPS]
    random = [("random loops", *loops(seed)) for seed in range(12)]
    for name in dict.fromkeys(name for name, _, _ in (*closed, *random)):
        off = [0.0, 0.0]
        for _, tree, rng in (one for one in (*closed, *random) if one[0] == name):
            closing = fm.Loops(tree)
            away = closing.moved(tree.start()[0], (0.2 if name == "random loops" else 0.03) * rng.normal(size=tree.nv))
            x, u = closing.closed(away, rng.normal(size=tree.nv))
            a, lam = absolute(tree, x, u, np.zeros(tree.nv))
            for block in BLOCKS:
                formulation = fm.formulation(tree, fm.Hybrid(block=block))
                off[0] = max(off[0], apart(tree.state(x, u, formulation(x, u)).a, a))
                if closing.rank == len(closing.rows):  # else forces are not unique
                    off[1] = max(off[1], apart(formulation.forces, reactions(tree, x, lam)))
        yield Check(f"{name}: accelerations, relative error", off[0], 0.0, 1e-10, source, DIGITS)
        yield Check(f"{name}: joint forces, relative error", off[1], 0.0, 1e-10, source, DIGITS)


def motion(tree: fm.Tree, block: int, t_end: float) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates (k, nq) and speeds (k, nv) from the start, by DOP853."""
    formulation, split = fm.formulation(tree, fm.Hybrid(block=block)), tree.nq

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        x, u, dx = y[:split].copy(), y[split:].copy(), np.zeros(split)
        rates_of(tree.arrays.joints, x, u, dx)
        return np.concatenate([dx, formulation(x, u)])

    run = solve_ivp(
        rates, (0.0, t_end), np.concatenate(tree.start()), "DOP853", np.linspace(0.0, t_end, 31), rtol=1e-11, atol=1e-12
    )
    return run.y[:split].T, run.y[split:].T


def over_time() -> Iterator[Check]:
    """§4.4: seven rods in the plane, cut 4 + 3, and six floating ones, cut 3 + 3."""
    seven, because = planar_chain.SEVEN, "a hundred times the tolerance of DOP853"
    tree = fm.Tree.of(chain(seven.lengths, seven.start))
    x, u = motion(tree, 4, 3.0)
    theta = tree.start()[0] + np.asarray(seven.start) - x
    energy = [seven.energy(*state) for state in zip(theta, -u)]
    drift = float(np.ptp(energy))
    yield Check("thesis-B7, 7 rods, cut 4 + 3: energy drifts in 3 s by [J]", drift, 0.0, 1e-8, "conservation", because)
    known, _ = seven.motion(np.linspace(0.0, 1.0, 2))
    off = float(np.max(np.abs(theta[10] - known[-1])))
    source = "Lagrange's equations in closed form, DOP853 at 1e-13"
    yield Check("thesis-B7, 7 rods, cut 4 + 3: θ after 1 s [rad]", off, 0.0, 1e-8, source, because)
    tree = fm.Tree.of(floating_rods())
    x, u = motion(tree, 3, 10.0)
    dynamics = fm.TreeDynamics(tree)
    momentum = np.array([dynamics.momentum(*state) for state in zip(x, u)])
    kinetic = [0.5 * v @ dynamics.mass_matrix(q) @ v for q, v in zip(x, u)]
    off = float(np.max(np.abs(momentum - momentum[0])))
    yield Check("thesis-B6, 6 rods, cut 3 + 3: momentum drifts in 10 s by", off, 0.0, 1e-8, "conservation", because)
    drift = float(np.ptp(kinetic))
    yield Check("thesis-B6, 6 rods, cut 3 + 3: energy drifts in 10 s by [J]", drift, 0.0, 1e-8, "conservation", because)


@case("hybrid-modelling", draw=floating_rods)
def compute() -> Iterator[Check]:
    """blocks of links by formulas, joined by assembly: chains, trees and loops in all cuts; energy and momentum"""
    yield from of_formulas()
    yield from in_the_plane()
    yield from in_space()
    yield from of_mechanisms()
    yield from of_flexible_links()
    yield from over_time()
