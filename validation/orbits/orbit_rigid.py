"""A thin rod in orbit: small and large pitch, roll, and its pitch along an ellipse."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.interpolate import make_interp_spline
from scipy.optimize import brentq

import flexmb as fm
from flexmb.validation.orbits import closed_forms as reference
from flexmb.validation.references.small_motions import librations
from flexmb.validation.registry import Check, case

#: of the earth [m³/s²]; the nearest distance of the orbit [m]
MU, RADIUS = 3.986004418e14, 7.0e6
#: the inertia of the rod about itself over that across: a thin one
THIN = 1e-9
#: principal inertias [kg m²] of a satellite: about the direction of flight, across the orbit, outwards
INERTIA = np.array([100.0, 120.0, 40.0])


def build(angle: float = 0.5, e: float = 0.0, rate: float = 0.0) -> fm.SpatialModel:
    """The rod at the nearest point of an orbit of the eccentricity e, its outer end turned ahead by an angle [rad],
    with θ' = `rate` besides the turn of the orbit."""
    speed = np.sqrt(MU / RADIUS * (1.0 + e))
    model = fm.SpatialModel("rod in orbit", gravity=fm.spatial.CentralGravity(MU, (RADIUS, 0, 0), (0, speed, 0)))
    turn = fm.rotation_vector((0.0, 0.0, angle))
    rod = model.add_body("rod", mass=10.0, inertia=(THIN * 50.0, 50.0, 50.0), orientation=turn)
    rod.move(angular_velocity=(0.0, 0.0, speed / RADIUS * (1.0 + rate)))
    return model


def pitch(model: fm.SpatialModel, t_end: float) -> tuple[np.ndarray, np.ndarray]:
    """Times and the pitch [rad] from the local vertical."""
    run = fm.simulate(model, t_end, "dop853", tolerance=1e-12, progress=False, times=np.linspace(0.0, t_end, 241))
    seen = fm.spatial.orbit(run).attitude("rod").as_rotvec()
    return run.t, seen[:, 2]


@case("orbit-rigid", draw=build)
def compute() -> Iterator[Check]:
    """a thin rod in orbit: pitch by elliptic integrals, small librations, and the periodic pitch on an ellipse"""
    source, why = "closed form, Hughes (1986)", "tolerance 1e-12 a step; rod of 1e-9"
    for degrees in (10.0, 30.0, 60.0):
        model, wanted = build(np.deg2rad(degrees)), reference.pitch_period(np.deg2rad(degrees))
        rate = model.gravity.rate
        t, angle = pitch(model, 0.5 * wanted / rate)
        crossing = brentq(make_interp_spline(t, angle, k=5), 0.2 * t[-1], 0.8 * t[-1], xtol=1e-9)
        name = f"pitch from {degrees:g}°: period times the orbit's rate"
        yield Check(name, 4.0 * rate * crossing, wanted, 1e-8, source, why)
    field = build().gravity
    model = fm.SpatialModel("satellite", gravity=field)
    model.add_body("hull", mass=200.0, inertia=INERTIA[[2, 0, 1]])  # x outwards, y along the flight, z across
    steady = fm.equilibrium(model, spin=field.rate, axis="z")
    found = np.abs(fm.complex_modes(steady, 12).eigenvalues) / field.rate
    for what, one in zip(("pitch", "slow roll and yaw", "fast roll and yaw"), librations(INERTIA)):
        got = float(found[np.argmin(np.abs(found - one))])
        yield Check(f"small {what}, as a multiple of the orbit's rate", got, float(one), 1e-7, source, "rounding")
    for e in (0.01, 0.1):
        first, largest = reference.periodic_pitch(e)
        model = build(0.0, e, first)
        _, angle = pitch(model, model.gravity.period)
        top = float(np.max(make_interp_spline(np.arange(241.0), angle, k=5)(np.linspace(0.0, 240.0, 24001))))
        source, why = "equation of the pitch, by shooting", "tolerance 1e-12 a step; largest of 24001 places"
        yield Check(f"eccentricity {e:g}: largest pitch [rad]", top, largest, 1e-8, source, why)
        yield Check(f"eccentricity {e:g}: pitch after an orbit [rad]", float(angle[-1]), 0.0, 1e-8, source, why)
