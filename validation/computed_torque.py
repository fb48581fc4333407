"""Joints of an arm follow wanted motions by inverse dynamics: decay of errors, a wrong mass, a link that bends.

The arm has point masses at elbow and hand, so that all of its dynamics is known in closed form.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import flexmb as fm
from flexmb.validation.references import two_point_masses as reference
from flexmb.validation.registry import Check, Errors, case

START, OMEGA, AWAY = np.array([0.4, 0.9]), 10.0, np.array([0.3, -0.2])
#: the mass in the hand that the controller does not know [kg]
UNKNOWN = 0.15
#: inertia of a point mass, which has none, as a part of what counts [kg m²]
POINT = 1e-9


def arm(unknown: float = 0.0, *, motors: bool = True) -> fm.PlanarModel:
    """The arm with its weight, with a motor in each joint."""
    model = fm.PlanarModel("arm with point masses", gravity=(0, -reference.GRAVITY))
    at, place, turned = model.ground, np.zeros(2), 0.0
    masses = (reference.MASSES[0], reference.MASSES[1] + unknown)
    for name, length, mass, angle in zip(("upper", "fore"), reference.LENGTHS, masses, START.tolist()):
        turned += angle
        place = place + length * np.array([np.cos(turned), np.sin(turned)])
        link = model.add_body(name, mass=mass, inertia=POINT, position=tuple(place), angle=turned)
        joint = model.revolute(at, link.attach("start", (-length, 0)), name=f"joint of {name}")
        if motors:
            model.joint_force(joint, 0.0, name=f"motor of {name}")
        at = link.frame
    return model


def angles(run: fm.Solution) -> np.ndarray:
    """Both joint angles (k, 2)."""
    return np.column_stack([run["upper.angle"], run["fore.angle"] - run["upper.angle"]])


def _swings() -> list[fm.TimeFunction]:
    """Wanted motions that begin at rest, away from where the arm stands."""
    given = zip((START + AWAY).tolist(), (0.3, 0.4), (3.0, 4.0))
    return [x + size * (fm.Harmonic(1.0, rate, phase=0.5 * np.pi) - 1.0) for x, size, rate in given]


def _stray(period: float) -> float:
    """The largest difference [rad] between the error of a run and the closed form."""
    plant = arm()
    law = fm.control.ComputedTorque(arm(), _swings(), fm.control.Gains.of(OMEGA))
    law.control(plant, period=period)
    run = fm.simulate(plant, 1.0, tolerance=1e-9, progress=False)
    wanted = np.column_stack([f(run.t) for f in law.wanted])
    exact = AWAY * reference.critical_decay(run.t, OMEGA)[:, None]
    return float(np.abs(wanted - angles(run) - exact).max())


def _torques() -> float:
    """The largest difference between torques and those of the closed form, as a part of these."""
    law = fm.control.ComputedTorque(arm(), _swings(), fm.control.Gains(50.0, 8.0))
    rng, worst = np.random.default_rng(1), 0.0
    for _ in range(20):
        q, v, t = rng.normal(size=2), rng.normal(size=2), rng.uniform(0.0, 2.0)
        f = [np.array([getattr(f, what)(t) for f in law.wanted]) for what in ("__call__", "rate", "second_rate")]
        wanted = f[2] + 8.0 * (f[1] - v) + 50.0 * (f[0] - q)
        (l1, l2), m2 = reference.LENGTHS, reference.MASSES[1]
        swing = m2 * l1 * l2 * np.sin(q[1]) * np.array([-v[1] * (2.0 * v[0] + v[1]), v[0] ** 2])
        exact = reference.mass_matrix(q) @ wanted + swing + reference.weight(q)
        worst = max(worst, float(np.abs(law.drives(q, v, t) - exact).max() / np.abs(exact).max()))
    return worst


# -- a link that bends -------------------------------------------------------------------------------------------------

#: decay of errors [rad/s], which held torques still allow with so small rotors
SLOW = 8.0
LENGTH, EI, RHO_A, BEYOND, HOUSING, LOAD = 0.8, 60.0, 0.5, 0.3, 0.3, 0.4


def bending_arm(bending: float | None) -> fm.PlanarModel:
    """A hub with the rotor of its motor, a horizontal link of stiffness EI [N m²], rigid without one, and a forearm
    with a motor, whose housing is on the end of the link. Without their inertia torques could not be held for long."""
    model = fm.PlanarModel("arm with a link that bends", gravity=(0, -reference.GRAVITY))
    hub = model.add_body("hub", mass=0.5, inertia=0.1)
    shoulder = model.revolute(model.ground, hub.frame, name="shoulder")
    if bending is None:
        mass = RHO_A * LENGTH
        rod = model.add_body("link", mass=mass, inertia=mass * LENGTH**2 / 12.0, position=(0.5 * LENGTH, 0))
        model.weld(hub.attach("middle", (0.5 * LENGTH, 0)), rod.frame)
        end = rod.attach("end", (0.5 * LENGTH, 0))
    else:
        section = fm.planar.BeamProperties(EA=1e6, EI=bending, rhoA=RHO_A)
        damping = fm.ModalDamping(0.05)
        end = model.add_beam("link", hub.frame, (LENGTH, 0), properties=section, modes=3, damping=damping).end
    housing = model.add_body("housing", mass=HOUSING, inertia=0.02, position=(LENGTH, 0))
    model.weld(end, housing.frame)
    fore = model.add_body("fore", mass=LOAD, inertia=0.01, position=(LENGTH + BEYOND, 0))
    elbow = model.revolute(housing.frame, fore.attach("start", (-BEYOND, 0)), name="elbow")
    for joint in (shoulder, elbow):
        model.joint_force(joint, 0.0, name=f"motor of {joint.name}")
    return model


def _sag(bending: float) -> tuple[float, float]:
    """How far the forearm's mass hangs below its wanted place [m] at rest, and the largest angle of a joint [rad]."""
    plant = bending_arm(bending)
    law = fm.control.ComputedTorque(bending_arm(None), [0.0, 0.0], fm.control.Gains.of(SLOW))
    law.control(plant, period=1e-3)
    run = fm.simulate(plant, 2.0, tolerance=1e-7, progress=False)
    elbow = run["fore.angle"][-1] - run["housing.angle"][-1]
    return -float(run["fore.y"][-1]), float(max(abs(run["hub.angle"][-1]), abs(elbow)))


@case("computed-torque", draw=arm)
def compute() -> Iterator[Check | Errors]:
    """joints follow wanted motions by inverse dynamics: torques, decay of errors, a wrong mass, a link that bends"""
    yield Check("torques in random states, relative", _torques(), 0.0, 1e-7, "closed form", "inertia of points, 1e-9")
    periods = (4e-3, 2e-3, 1e-3)
    strays = [_stray(period) for period in periods]
    source = "ë + 2 ω ė + ω² e = 0"
    yield Check("period 1 ms: error against its closed form [rad]", strays[-1], 0.0, 1e-3, source, "held torques")
    order = float(np.log2(strays[1] / strays[2]))
    yield Check("its order in the period", order, 1.0, 0.05, "torques held", "two periods")
    yield Errors("error against its closed form [rad]", "period [s]", periods, strays, 1.0)

    plant = arm(UNKNOWN)
    fm.control.ComputedTorque(arm(), START.tolist(), fm.control.Gains.of(OMEGA)).control(plant, period=2e-3)
    rest = angles(fm.simulate(plant, 3.0, tolerance=1e-9, progress=False))[-1]
    exact = reference.joints_at_rest(START, UNKNOWN, OMEGA**2)
    for name, found, wanted in zip(("shoulder", "elbow"), rest.tolist(), exact.tolist()):
        yield Check(
            f"a tenth of the hand unknown: {name} at rest [rad]", found, wanted, 1e-6, "closed form", "run's end"
        )

    given = (RHO_A * reference.GRAVITY, (HOUSING + LOAD) * reference.GRAVITY, LOAD * reference.GRAVITY * BEYOND)
    # a link that bends by a part p of its length shortens by p² of it, and its weight turns the joints by g/(ω² L) p²
    for bending in (EI, 10.0 * EI):
        found, off = _sag(bending)
        wanted = reference.sag(*given, LENGTH, bending, BEYOND)
        part, pull = wanted / LENGTH, reference.GRAVITY / (SLOW**2 * LENGTH)
        said, why = f"link of {bending:g} N m² that the controller takes for rigid", "large deflection"
        yield Check(f"{said}: sag at rest, relative", found / wanted, 1.0, pull * part, "a clamped beam", why)
        yield Check(f"{said}: joints at rest [rad]", off, 0.0, pull * part**2, "no weight is missing", why)
