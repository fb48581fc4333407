"""A servo: the current loop of its motor against its transfer function, and all parts of a drive together."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.validation.registry import Check, case

#: resistance [Ω], inductance [H], torque constant [Nm/A], inertia of the rotor [kg m²]; gains of the current [V/A] and
#: of its integral [V/(A s)]
R, L, KT, J = 0.6, 1.5e-3, 0.08, 2e-4
KP, KI = 3.0, 1500.0
FREQUENCIES = (50.0, 400.0, 2000.0)
#: slots of the rotor; parts of the torque that ripples with the current, and without [Nm]
SLOTS, RIPPLE, COGGING = 12, 0.02, 0.004
RATIO, GAP = 50.0, 2e-3
BRISTLES = fm.LuGre(stiffness=40.0, damping=0.05, viscous=1e-4, coulomb=0.01, static=0.015, stribeck_speed=2.0)


def current_rates(t: float, y: Any, x: Any) -> tuple[float, float]:
    """The current [A] and the integral of its error [As]: L i̇ = K_p (r − i) + K_i ∫ − R i − k ω."""
    wanted, rate = y[0], y[1]
    error = wanted - x[0]
    return (KP * error + KI * x[1] - R * x[0] - KT * rate) / L, error


def torque_of_current(t: float, y: Any, x: Any) -> tuple[float]:
    return (KT * x[0],)


def loop(frequency: float, inertia: float) -> fm.PlanarModel:
    """A rotor of a large or a small inertia, whose current is wanted to follow a harmonic."""
    model = fm.PlanarModel("current loop")
    rotor = model.add_body("rotor", mass=1.0, inertia=inertia)
    hinge = model.revolute(model.ground, rotor.frame, name="hinge")
    push = model.joint_force(hinge, 0.0, name="push")
    sensors = [fm.control.Reference(fm.Harmonic(1.0, frequency)), fm.control.RelativeRate(model.ground, rotor.frame)]
    model.add_states(
        "loop", current_rates, sensors=sensors, commands=push, decide=torque_of_current, start=(0.0, 0.0),
        names=("current", "integral"), sizes=(1.0, 1e-3), compiled=True,
    )  # fmt: skip
    return model


def gain(frequency: float, inertia: float) -> complex:
    """i/r at a frequency [rad/s], from the last two periods of a run that has settled."""
    period, settled = 2.0 * np.pi / frequency, 0.25
    end = np.ceil(settled / period) * period + period
    times = np.linspace(end - period, end, 65)
    run = fm.simulate(
        loop(frequency, inertia), float(end), "dop853", tolerance=1e-12, times=[0.0, *times], progress=False
    )
    phase = np.exp(-1j * frequency * times[:-1])
    # the mean speed of a rotor that is free would stay: its part of the current has no mean over a period
    return complex(2j * np.mean(run["loop.current"][1:-1] * phase))


def transfer(frequency: float, inertia: float) -> complex:
    """Transfer function by the equations of motor and controller: (K_p s + K_i)/(L s² + (K_p + R) s + K_i + k²/J)."""
    s = 1j * frequency
    return complex((KP * s + KI) / (L * s * s + (KP + R) * s + KI + KT * KT / inertia))


def servo_torque(t: float, y: Any, x: Any) -> tuple[float]:
    """The torque of the motor: it ripples with the teeth of the stator that the rotor passes."""
    return (KT * x[0] * (1.0 + RIPPLE * math.cos(SLOTS * y[2])) + COGGING * math.sin(SLOTS * y[2]),)


def servo_rates(t: float, y: Any, x: Any) -> tuple[float, float]:
    """The current loop, whose wanted current is that of a position controller of the output."""
    wanted = 200.0 * (0.3 * (1.0 - math.cos(3.0 * t)) - y[3]) - 0.04 * y[1]
    error = min(max(wanted, -12.0), 12.0) - x[0]
    return (KP * error + KI * x[1] - R * x[0] - KT * y[1]) / L, error


def servo() -> fm.PlanarModel:
    """An arm on a servo with everything: current loop, ripple, bristles on the rotor, a reducer with backlash."""
    model = fm.PlanarModel("servo", gravity=(0.0, -9.81))
    arm = model.add_body("arm", mass=2.0, inertia=0.1, position=(0.0, -0.3))
    hinge = model.revolute(model.ground, arm.attach("shaft", (0.0, 0.3)), name="hinge")
    motor = model.motor(
        model.ground, arm.frame, inertia=J, ratio=RATIO, stiffness=4000.0, damping=4.0, backlash=GAP, friction=BRISTLES,
        name="motor",
    )  # fmt: skip
    sensors = [
        fm.control.Reference(0.0), fm.control.MotorRate(motor), fm.control.MotorAngle(motor),
        fm.control.RelativeAngle(*hinge.frames()),
    ]  # fmt: skip
    model.add_states(
        "loop", servo_rates, sensors=sensors, commands=motor, decide=servo_torque, start=(0.0, 0.0),
        names=("current", "integral"), sizes=(1.0, 1e-3), compiled=True,
    )  # fmt: skip
    return model


@case("servo", draw=servo)
def compute() -> Iterator[Check]:
    """current loop of a motor against its transfer function, energy of a servo with all parts of a drive"""
    by = "(K_p s + K_i)/(L s² + (K_p + R) s + K_i + k²/J)"
    for inertia, what in ((1e6, "held rotor"), (J, "free rotor")):
        for frequency in FREQUENCIES:
            got, exact = gain(frequency, inertia), transfer(frequency, inertia)
            for part in ("real", "imag"):
                name = f"{what}, {frequency:g} rad/s: i/i_wanted, {part}"
                numbers = getattr(got, part), getattr(exact, part)
                yield Check(name, *numbers, 1e-8, by, "what is left of the start, and the tolerance of the run")
    run = fm.simulate(servo(), 1.0, "radau", tolerance=1e-8, progress=False)
    left = float(np.abs(run.energy.balance).max() / run.energy.exchanged)
    yield Check(
        "servo: balance of energy, as a part of what is exchanged", left, 0.0, 1e-3, "conservation", "tolerance"
    )
    behind = float(np.abs(run["hinge.angle"] - 0.3 * (1.0 - np.cos(3.0 * run.t))).max())
    yield Check(
        "servo: the arm is behind its wanted angle by at most [rad]", behind, 0.0, 0.1, "design", "no feedforward"
    )
