"""A thin-walled boom in the sun: its temperatures against its ring of 360 cells, and how far it bends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

import flexmb as fm
from flexmb.validation.registry import Check, case

#: the boom, as quoted of Hubble's: radius, wall, length [m]; E, ϱ, c, k, ᾱ; α_s and ε; S [W/m²]
RADIUS, WALL, LENGTH = 1.094e-2, 2.35e-4, 5.91
YOUNG, DENSITY, HEAT, LEADS, EXPANDS = 1.93e11, 7010.0, 502.0, 16.61, 1.629e-5
TAKEN, RADIATED, FLUX = 0.5, 0.13, 1350.0
SIGMA = 5.670374419e-8
#: cells around, and times [s] in its time constants, after it was warm all around
CELLS, TIMES = 360, (0.25, 1.0, 3.0)


def build(expands: float = EXPANDS) -> fm.SpatialModel:
    """The boom on the ground, the sun across it."""
    steel = fm.Material(density=DENSITY, youngs_modulus=YOUNG, poissons_ratio=0.3, thermal_expansion=expands)
    tube = fm.Tube(outer_diameter=2.0 * RADIUS + WALL, inner_diameter=2.0 * RADIUS - WALL)
    m = fm.SpatialModel("boom in the sun")
    slow = fm.StiffnessProportional(0.05)
    boom = m.add_beam("boom", m.ground, (LENGTH, 0, 0), material=steel, section=tube, damping=slow)
    finish = fm.spatial.SurfaceFinish(mirror=1.0 - TAKEN, emissivity=RADIATED)
    wall: dict[str, Any] = {"wall": WALL, "specific_heat": HEAT, "conductivity": LEADS}
    m.solar_heat(boom, finish=finish, sun=(0.0, 0.6, 0.8), flux=FLUX, name="heat", **wall)
    return m


def ring(times: np.ndarray, start: float) -> np.ndarray:
    """Mean and first harmonic (k, 2) [K] of the temperatures of cells around the tube, which all lead, take and
    radiate heat by T⁴, from a temperature that is the same all around."""
    angles = (np.arange(CELLS) + 0.5) * 2.0 * np.pi / CELLS
    light, apart = TAKEN * FLUX * np.maximum(np.cos(angles), 0.0), RADIUS * 2.0 * np.pi / CELLS

    def rates(t: float, T: np.ndarray) -> np.ndarray:
        led = LEADS * (np.roll(T, 1) - 2.0 * T + np.roll(T, -1)) / apart**2
        return np.asarray((led + (light - RADIATED * SIGMA * T**4) / WALL) / (DENSITY * HEAT))

    found = solve_ivp(rates, (0.0, times[-1]), np.full(CELLS, start), "BDF", t_eval=times, rtol=1e-9, atol=1e-9).y
    return np.column_stack([found.mean(axis=0), 2.0 * (np.cos(angles) @ found) / CELLS])


@case("thermal-tube", draw=build)
def compute() -> Iterator[Check]:
    """a boom in the sun: its mean temperature and how much warmer its sunny side is, in closed form and by a ring of
    360 cells, and the tip that bends away"""
    mean = (TAKEN * FLUX / (np.pi * RADIATED * SIGMA)) ** 0.25
    tau = 1.0 / (LEADS / (DENSITY * HEAT * RADIUS**2) + 4.0 * RADIATED * SIGMA * mean**3 / (DENSITY * HEAT * WALL))
    warm = 0.5 * TAKEN * FLUX * tau / (DENSITY * HEAT * WALL)
    still = fm.simulate(build(1e-12), 20.0 * tau, "radau", tolerance=1e-10, progress=False)
    by_name = {what: still[f"heat.{what}"] for what in ("mean", "y", "z")}
    source = "Thornton and Kim (1993)"
    yield Check("mean temperature [K]", by_name["mean"][-1], mean, 1e-6, source, "the run's tolerance")
    yield Check("first harmonic along y [K]", by_name["y"][-1], 0.6 * warm, 1e-6, source, "e⁻²⁰")
    yield Check("first harmonic along z [K]", by_name["z"][-1], 0.8 * warm, 1e-6, source, "e⁻²⁰")
    times = tau * np.array([*TIMES, 20.0])
    cells, own = ring(times, mean), still.at(times)
    for k, part in enumerate((*TIMES, 20.0)):
        got = float(np.hypot(own["heat.y"][k], own["heat.z"][k]))
        label = f"first harmonic after {part:g} τ [K]"
        yield Check(label, got, cells[k, 1], 1e-3 * cells[k, 1], "ring of 360 cells", "T⁴ is linear in T_p there")
    bent = fm.simulate(build(), 400.0, "radau", tolerance=1e-8, progress=False)
    harmonic = float(np.hypot(bent["heat.y"][-1], bent["heat.z"][-1]))
    curvature = EXPANDS * harmonic / RADIUS
    tip = -bent["boom.end"].position[-1] @ (0.0, 0.6, 0.8)
    arc = (1.0 - np.cos(curvature * LENGTH)) / curvature
    yield Check(
        "tip, away from the sun [m]", float(tip), arc, 1e-5 * arc, "arc of the curvature ᾱ T_p/R", "third order"
    )
    straight = 0.5 * EXPANDS * warm / RADIUS * LENGTH**2
    why = "it turns from the sun by half of its slope, cos² of 0.04, and is an arc"
    yield Check("tip [m], by the sun on a straight boom", float(tip), straight, 3e-3 * straight, "½ κ L²", why)
