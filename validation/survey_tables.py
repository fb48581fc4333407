"""Worked examples that Ohkami et al. (1985) print: matrices of graphs, a planar arm by Kane's method, and whether loops
of rigid bodies have unique reactions.

The closed four-bar of rigid bodies with four hinges has dependent rows, so that its multipliers are not unique, and the
matrix b m⁻¹ bᵀ of DISCOS is singular; with a ball joint and a universal joint in place of two hinges it has none. So it
is not true that a loop needs a flexible body, as the survey (section 2.7) wonders.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.validation.registry import Check, case

#: numbers of the two-link arm: lengths [m], masses [kg], central inertias [kg m²], torques [Nm], angles and speeds
LENGTHS, MASSES, INERTIAS, TORQUES = (0.8, 0.6), (2.0, 1.5), (0.11, 0.05), (0.7, -0.3)
ANGLES, SPEEDS = (0.4, 1.1), (0.9, -1.7)


def arm() -> fm.PlanarModel:
    """The two links of Kane and Levinson in a horizontal plane."""
    m = fm.PlanarModel("two links")
    first = m.add_body("first", mass=MASSES[0], inertia=INERTIAS[0], position=(0.5 * LENGTHS[0], 0))
    second = m.add_body("second", mass=MASSES[1], inertia=INERTIAS[1], position=(LENGTHS[0] + 0.5 * LENGTHS[1], 0))
    m.revolute(m.ground, first.attach("shoulder", (-0.5 * LENGTHS[0], 0)), name="shoulder")
    end = first.attach("end", (0.5 * LENGTHS[0], 0))
    m.revolute(end, second.attach("elbow", (-0.5 * LENGTHS[1], 0)), name="elbow")
    return m


def four_bar(ball: bool) -> fm.SpatialModel:
    """A crank, a coupler and a rocker in a plane of space, on four hinges, or with a ball joint and a universal joint
    at the ends of the coupler."""
    m = fm.SpatialModel("four-bar", gravity=(0, -9.81, 0))
    corners = np.array([[0.0, 0, 0], [0.2, 0.5, 0], [1.1, 0.8, 0], [1.0, 0.0, 0]])
    ends = [m.ground.attach("low", corners[0])]
    for k, name in enumerate(("crank", "coupler", "rocker")):
        middle = 0.5 * (corners[k] + corners[k + 1])
        body = m.add_body(name, mass=1.0 + k, inertia=(0.1, 0.1, 0.15), position=middle)
        ends += [body.attach("near", corners[k] - middle), body.attach("far", corners[k + 1] - middle)]
    ends.append(m.ground.attach("side", corners[3]))
    kinds = ("revolute", "spherical", "universal", "revolute") if ball else ("revolute",) * 4
    for k, kind in enumerate(kinds):
        axes = {} if kind == "spherical" else {"axis": "z"} if kind == "revolute" else {"axis": "z", "axis_b": "x"}
        getattr(m, kind)(ends[2 * k], ends[2 * k + 1], name=f"corner{k}", **axes)
    return m


def matrices() -> Iterator[Check]:
    """Graphs as the survey prints them."""
    yes, source = "whole numbers", "section 2.2.2.3"
    graph = fm.Topology([-1, 0, 1])
    printed = {
        "S": (graph.incidence, [[1, 0], [-1, 1], [0, -1]]),
        "S̄": (graph.leaving, [[1, 0], [0, 1], [0, 0]]),
        "T": (graph.path_to_reference, [[0, -1, -1], [0, 0, -1]]),
        "T S": (graph.path_to_reference @ graph.incidence, np.eye(2)),
    }
    for name, (found, known) in printed.items():
        yield Check(f"three bodies: {name}, largest difference", _apart(found, known), 0.0, 0.0, source, yes)
    masses = np.array([3.0, 5.0, 7.0])
    found = graph.augmented_masses(masses)
    known = [[12.0, 7.0], [-3.0, 7.0], [-3.0, -8.0]]
    yield Check("three bodies: m* [kg], largest difference", _apart(found, known), 0.0, 1e-14, source, "rounding")
    whole = masses + np.sum(graph.incidence * found, axis=1)
    off = _apart(whole, np.full(3, masses.sum()))
    yield Check("three bodies: mᵢ + Σ S m* − m [kg]", off, 0.0, 1e-14, "an identity", "rounding")
    ho = fm.Topology([-1, 0, 0, 0, 0, 2, 2])
    known = np.eye(7)
    known[0], known[2, [5, 6]] = 1, 1
    yield Check("seven bodies: ε, largest difference", _apart(ho.paths, known), 0.0, 0.0, "table 2.6.2", yes)
    off = _apart(ho.levels, [0, 1, 1, 1, 1, 2, 2])
    yield Check("seven bodies: levels, largest difference", off, 0.0, 0.0, "table 2.6.2", yes)
    jerkovsky = fm.Topology([-1, 0, 1, 0, 0])
    known = [[1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [1, 1, 1, 0, 0], [1, 0, 0, 1, 0], [1, 0, 0, 0, 1]]
    yield Check("five bodies: π, largest difference", _apart(jerkovsky.inward, known), 0.0, 0.0, "table 2.8.2", yes)
    sets = [jerkovsky.outboard(k) for k in range(5)] == [[0, 1, 2, 3, 4], [1, 2], [2], [3], [4]]
    yield Check("five bodies: outward sets right", float(sets), 1.0, 0.0, "table 2.8.3", yes)


def _apart(found: object, known: object) -> float:
    return float(np.max(np.abs(np.asarray(found, dtype=float) - np.asarray(known, dtype=float))))


def of_arm() -> Iterator[Check]:
    """Generalized forces of the arm for u₁ = θ̇₁, u₂ = θ̇₁ + θ̇₂, whose rows are combinations of those of the hinges."""
    (l1, l2), (m1, m2), (i1, i2) = LENGTHS, MASSES, INERTIAS
    (th1, th2), (w1, w2) = ANGLES, SPEEDS
    model, (tau1, tau2) = arm(), TORQUES
    kane: Any = fm.formulation(model, "kane")

    (e1, e2) = kane([th1, th2], [w1, w2], [tau1, tau2])
    both, c, s = w1 + w2, 0.5 * m2 * l1 * l2 * np.cos(th2), 0.5 * m2 * l1 * l2 * np.sin(th2)
    first = -(i1 + 0.25 * m1 * l1**2 + m2 * l1**2) * e1 + s * both**2 - c * (e1 + e2)
    second = -(i2 + 0.25 * m2 * l2**2) * (e1 + e2) - c * e1 - s * w1**2
    # the hinges' own speeds θ̇₁, θ̇₂ have the forces F*₁ + F*₂ and F*₂
    found = kane.yields["inertia forces"]
    for k, (got, known) in enumerate(((found[0] - found[1], first), (found[1], second))):
        yield Check(f"two links: F*{k + 1} [Nm]", float(got), float(known), 1e-13, "(2.10.18)", "rounding")
    found = kane.yields["active forces"]
    for k, (got, known) in enumerate(((found[0] - found[1], tau1 - tau2), (found[1], tau2))):
        yield Check(f"two links: F{k + 1} [Nm]", float(got), known, 1e-14, "(2.10.17)", "rounding")


def of_loops() -> Iterator[Check]:
    """The ranks of rows of rigid four-bars."""
    for ball, rows, rank in ((False, 20, 17), (True, 17, 17)):
        model = four_bar(ball)
        discos: Any = fm.formulation(model, "discos")
        tree = discos.tree
        vdot = discos(*tree.start())
        what = "with a ball and a universal joint" if ball else "with four hinges"
        because = "whole numbers"
        yield Check(
            f"rigid four-bar {what}: rows", len(discos.yields["multipliers"]), rows, 0, "4 · 5, 5 + 3 + 4 + 5", because
        )
        yield Check(
            f"rigid four-bar {what}: independent ones", float(discos.yields["rank"][0]), rank, 0, "3 · 6 − 1", because
        )
        known = fm.Loops(tree).accelerations(*tree.start())
        off = float(np.max(np.abs(vdot - known)))
        yield Check(
            f"rigid four-bar {what}: accelerations off by [rad/s²]", off, 0.0, 1e-10, "Lagrange's equations", "rounding"
        )


@case("survey-tables", draw=lambda: four_bar(True))
def compute() -> Iterator[Check]:
    """matrices of graphs, a planar arm by Kane's method, ranks of rigid loops, as the survey prints them or asks"""
    yield from matrices()
    yield from of_arm()
    yield from of_loops()
