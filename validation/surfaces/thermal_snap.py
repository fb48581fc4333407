"""A free hull whose boom the sun heats of a sudden: how far it turns in the end, and how far it swings."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.linalg import eigh

import flexmb as fm
from flexmb.validation.registry import Check, case

#: hull: mass [kg], inertia [kg m²]; its boom: root, length [m], mass by length [kg/m], EI [N m²]
MASS, INERTIA, ROOT, LENGTH, RHO_A, EI = 500.0, 300.0, 0.8, 15.0, 0.3, 500.0
#: the curvature [1/m] for which numbers are given; runs have a part of it, in which squares are small
CURVATURE, PART = 1e-3, 0.1
#: wall, radius [m], specific heat, expansion, temperature [K] of the boom
WALL, RADIUS, HEAT, EXPANDS, WARM = 1e-5, 1e-2, 500.0, 1e-5, 300.0
#: time constants of the heat [s] and how long is looked for the largest turn [s]
DELAYS, END = (1.0, 10.0, 60.0), 40.0


def build(tau: float = 1.0, damping: float = 0.0, part: float = PART) -> fm.SpatialModel:
    """The craft, of which heat bends the boom with a time constant τ about y."""
    m = fm.SpatialModel("snapping boom")
    hull = m.add_body("hull", mass=MASS, inertia=(INERTIA, INERTIA, INERTIA))
    root = hull.attach("root", (ROOT, 0, 0))
    given = fm.spatial.BeamProperties(EA=1e7, EIy=EI, EIz=EI, GJ=EI, rhoA=RHO_A, thermal_expansion=EXPANDS)
    slow = fm.StiffnessProportional(damping) if damping else None
    boom = m.add_beam("boom", root, (ROOT + LENGTH, 0, 0), properties=given, modes=6, damping=slow)
    capacity = RHO_A / (2.0 * np.pi * RADIUS) * HEAT
    taken = 2.0 * part * CURVATURE * RADIUS / EXPANDS / tau  # of T_p at rest
    radiated = taken / (np.pi * WARM**4)
    led = 1.0 / tau - 4.0 * radiated * WARM**3
    finish = fm.spatial.SurfaceFinish(emissivity=radiated * capacity / 5.670374419e-8)
    m.solar_heat(
        boom, finish=finish, sun=(0, 0, 1), flux=taken * capacity, wall=WALL, specific_heat=HEAT,
        conductivity=led * capacity / WALL * RADIUS**2, diameter=2.0 * RADIUS + WALL, name="heat",
    )  # fmt: skip
    return m


def at_rest() -> tuple[float, float]:
    """Turn about y and way along z of the hull, when its boom has the curvature and all momenta are zero."""
    S = [RHO_A * ((ROOT + LENGTH) ** (j + 1) - ROOT ** (j + 1)) / (j + 1) for j in (1, 2)]
    M = [[MASS + RHO_A * LENGTH, S[0]], [S[0], INERTIA + S[1]]]
    bent = RHO_A * CURVATURE * np.array([LENGTH**3 / 6.0, ROOT * LENGTH**3 / 6.0 + LENGTH**4 / 8.0])
    way, turn = np.linalg.solve(M, -bent)
    return float(turn), float(way)


def swing(tau: float, times: np.ndarray, terms: int = 10) -> np.ndarray:
    """The turn at times, by modes of Ritz's method, of a boom whose curvature grows as 1 − e^(−t/τ).

    >>> times = np.linspace(0.0, 400.0, 40001)
    >>> [round(float(np.abs(swing(tau, times)).max() / abs(at_rest()[0])), 5) for tau in DELAYS]
    [1.75924, 1.10952, 1.01682]
    """
    g, w = np.polynomial.legendre.leggauss(40)
    x, w = 0.5 * LENGTH * (g + 1.0), 0.5 * LENGTH * w
    powers = np.arange(terms)[:, None]
    shapes = (x / LENGTH) ** (powers + 2)
    bends = (powers + 2) * (powers + 1) * (x / LENGTH) ** powers / LENGTH**2
    moves = np.vstack([np.ones_like(x), ROOT + x, shapes])
    M, K, f = (moves * (RHO_A * w)) @ moves.T, np.zeros((terms + 2, terms + 2)), np.zeros(terms + 2)
    M[0, 0] += MASS
    M[1, 1] += INERTIA
    K[2:, 2:], f[2:] = EI * (bends * w) @ bends.T, EI * bends @ w * CURVATURE
    values, vectors = eigh(K, M)
    turn = np.zeros_like(times)
    for k in range(2, 8):
        o, z = np.sqrt(values[k]), 1.0 / (1.0 + values[k] * tau**2)
        still = 1.0 - np.exp(-times / tau) * (o * tau) ** 2 * z - z * (np.cos(o * times) + o * tau * np.sin(o * times))
        turn += vectors[1, k] * (vectors[:, k] @ f) / values[k] * still
    return turn


def turn_of(run: fm.Solution) -> np.ndarray:
    """The turn of the hull such that its nose goes along z, for the whole curvature."""
    return np.asarray(-run["hull"].orientation.as_rotvec()[:, 1] / PART)


@case("thermal-snap", draw=build)
def compute() -> Iterator[Check]:
    """thermal snap: the sun heats the boom of a free hull of a sudden, which turns by the boom's momentum and swings

    Runs have a tenth of the curvature, times ten in the table: what is of second order in it is left out by theory.
    """
    turn, way = at_rest()
    run = fm.simulate(build(damping=0.4), 120.0, "radau", tolerance=1e-10, progress=False)
    source = "zero momenta"
    # the boom bends from the sun, so that the hull's nose goes along z
    yield Check("turn in the end [rad]", abs(turn_of(run)[-1]), abs(turn), 1e-8, source, "squares of the curvature")
    shift = abs(float(run["hull.z"][-1])) / PART
    yield Check("way in the end [m]", shift, abs(way), 1e-8, source, "the same")
    times = np.linspace(0.0, END, 4001)
    for tau in DELAYS:
        own = fm.simulate(build(tau), END, "radau", tolerance=1e-8, times=times, progress=False)
        largest, want = (float(np.abs(x).max() / abs(turn)) for x in (turn_of(own), swing(tau, times)))
        label = f"largest turn by that at rest, τ = {tau:g} s"
        yield Check(label, largest, want, 5e-5, "modes of Ritz's method", "modes that the boom has not")
