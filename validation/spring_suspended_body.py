"""A rigid body on four springs: six frequencies, hanging in no weight, under its weight, and damped."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.validation.references import suspended_body as reference
from flexmb.validation.references.small_motions import exponents
from flexmb.validation.registry import Check, case

#: an engine on its mounts: mass [kg], principal inertias [kg m²], stiffness of a mount along three axes [N/m]
MASS, INERTIA, STIFFNESS = 180.0, np.array([8.0, 14.0, 11.0]), np.array([9e4, 7e4, 2.2e5])
#: half the distances of the mounts, and how far they are below the mass center [m]
CORNER = (0.35, 0.25, 0.15)
GRAVITY = 9.81
#: the drawing is turned and moved, so that no axis is one of the ground
TURN, PLACE = Rotation.from_rotvec([0.6, -1.1, 0.4]), np.array([2.0, -3.0, 1.0])
#: the damping of a mount is this part of its stiffness [s]
DAMPING = 4e-4


def build(gravity: float = 0.0, damping: float = 0.0) -> fm.SpatialModel:
    """The body and its four mounts; weight acts along its third axis."""
    turn = TURN
    model = fm.SpatialModel("engine", gravity=tuple(turn.apply((0.0, 0.0, -gravity))))
    body = model.add_body("engine", mass=MASS, inertia=INERTIA, position=PLACE, orientation=turn)
    b, d, h = CORNER
    rates = (*STIFFNESS, 0.0, 0.0, 0.0)
    for k, (x, y) in enumerate([(b, d), (b, -d), (-b, d), (-b, -d)]):
        seat = model.add_frame(f"seat {k}", PLACE + turn.apply((x, y, -h)), orientation=turn, fixed=True)
        model.bushing(seat, body.attach(f"foot {k}", (x, y, -h)), stiffness=rates, damping=np.multiply(damping, rates))
    return model


@case("spring-suspended-body", draw=build)
def compute() -> Iterator[Check]:
    """a rigid body on four springs: its six frequencies in closed form, with and without weight and damping"""
    source, why = "closed form of two single and two coupled pairs of motions", "round-off"
    names = [f"frequency {k + 1}" for k in range(6)]
    found = fm.modes(build())
    wanted = np.sqrt(reference.squares(MASS, INERTIA, STIFFNESS, CORNER)) / (2.0 * np.pi)
    for name, one, other in zip(names, found.frequencies, wanted):
        yield Check(f"{name} [Hz]", float(one), float(other), 1e-10 * other, source, why)
    rest = fm.equilibrium(build(GRAVITY))
    sunk = float(np.linalg.norm(rest["engine"].position - PLACE))
    depth = MASS * GRAVITY / (4.0 * STIFFNESS[2])
    yield Check("how far its weight lets it sink [m]", sunk, depth, 1e-10 * depth, source, "tolerance of the rest")
    heavy = np.sqrt(reference.squares(MASS, INERTIA, STIFFNESS, CORNER, GRAVITY)) / (2.0 * np.pi)
    for name, one, other in zip(names, fm.modes(rest).frequencies, heavy):
        yield Check(f"{name} under its weight [Hz]", float(one), float(other), 1e-9 * other, source, "the rest, 1e-10")
    # damping in proportion to stiffness: λ² + c ω² λ + ω² = 0
    damped = fm.complex_modes(build(damping=DAMPING))
    omega = 2.0 * np.pi * wanted
    for name, one, other in zip(names, damped.eigenvalues, omega):
        decay = 0.5 * DAMPING * other**2
        yield Check(f"{name}, damped: decay [1/s]", float(-one.real), decay, 1e-9 * decay, source, why)
        value = other * np.sqrt(1.0 - (0.5 * DAMPING * other) ** 2)
        yield Check(f"{name}, damped [rad/s]", float(one.imag), float(value), 1e-10 * value, source, why)
    poles = fm.linearize(build(), "engine.fx", "engine.x").poles
    off = max(float(np.min(np.abs(poles - 1j * w))) / w for w in omega)
    yield Check("poles of the linear model: largest relative difference", off, 0.0, 1e-9, source, why)
    run = fm.simulate(build(), 1.0, initial=_pushed(found), method="radau", tolerance=1e-9, progress=False)
    t = np.linspace(0.0, 1.0, 401)
    place = run.at(t)["engine"].position - PLACE
    along = place @ (found.shape(0)["engine"][:3] / np.linalg.norm(found.shape(0)["engine"][:3]))
    (s,) = exponents(t, along, np.array([1.01j * omega[0]]))
    yield Check(
        "the slowest one, as a run swings [rad/s]", abs(float(s.imag)), float(omega[0]), 1e-6 * omega[0], source,
        "terms of the second order in turns of 1e-4 rad",
    )  # fmt: skip


def _pushed(found: fm.Modes) -> fm.State:
    """A state displaced along the slowest mode, by 1e-4 of lengths and radians."""
    state, shape = found.state, found.shapes[:, 0]
    q = state.system.retract(state.q, 1e-4 * shape / np.max(np.abs(shape)))
    return fm.State(state.system, 0.0, q, np.zeros(6), np.zeros(6), state.lam)
