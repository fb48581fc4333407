"""A flexible arm about its rest: the linear model against the mechanism itself."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import flexmb as fm
from flexmb.validation.references import hinged_beam
from flexmb.validation.registry import Check, Errors, Record, case

LENGTH, EI, RHO_A, HUB, SPRING = 1.0, 1.5, 0.4, 0.05, 30.0
T_END, STEP = 4.0, 1e-4
#: outputs, and the largest difference of their response to 5 mNm from a linear one, of second order in the torque
OUTPUTS = {"hub.angle": 1e-4, "arm.end.ay": 3e-3, "arm@0.1.bending_moment": 1e-3, "hinge.fx": 6e-3}


def chirp(t: float) -> float:
    """A torque whose frequency rises from 0.5 to 6 Hz, fading in and out."""
    return float(np.sin(2.0 * np.pi * (0.5 * t + 5.5 * t**2 / (2.0 * T_END))) * np.sin(np.pi * t / T_END) ** 2)


def build(
    gravity: float = 9.81, torque: float = 0.0, modes: int = 3, damping: float = 5e-4, friction: float = 0.2
) -> fm.PlanarModel:
    """An arm on a hub that a spring holds level, under its own weight, with a torque that follows the chirp."""
    model = fm.PlanarModel("arm", gravity=(0.0, -gravity))
    hub = model.add_body("hub", mass=1.0, inertia=HUB)
    model.revolute(model.ground, hub.frame, name="hinge")
    model.torsion_spring(model.ground, hub.frame, stiffness=SPRING, damping=friction)
    properties = fm.planar.BeamProperties(EA=1e5, EI=EI, rhoA=RHO_A)
    damped = fm.StiffnessProportional(damping) if damping else None
    model.add_beam("arm", hub.frame, (LENGTH, 0.0), properties=properties, modes=modes, damping=damped)
    factor = torque * fm.spline_fit(chirp, 0.0, T_END) if torque else 0.0
    model.point_torque(hub.frame, factor, name="motor")
    return model


def responses(torque: float) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Each output, less its value at rest: of the mechanism, and of its linear model."""
    model = build(torque=torque)
    rest = fm.equilibrium(model)
    run = fm.simulate(model, T_END, initial=rest, step=STEP, spectral_radius=0.9, progress=False)
    linear = fm.linearize(rest, "motor", list(OUTPUTS))
    u = torque * np.array([chirp(t) for t in run.t])
    small = linear.simulate(run.t, u)
    return {
        name: (run.series(name).values - linear.operating_outputs[k], small[name]) for k, name in enumerate(OUTPUTS)
    }


def at_rest() -> fm.Equilibrium:
    """The arm on its hub, which a spring holds, bent by its weight."""
    return fm.equilibrium(build())


@case("linear-response", draw=at_rest)
def compute() -> Iterator[Record]:
    """a small chirp through the linear model and through the mechanism; poles against beam theory"""
    amplitudes = (5e-3, 2e-2)
    by_torque = [responses(torque) for torque in amplitudes]
    for name, second in OUTPUTS.items():
        off = [float(np.max(np.abs(a - b)) / np.max(np.abs(b))) for a, b in (one[name] for one in by_torque)]
        yield Errors(
            f"{name}: linear response, of the largest [–]", "amplitude of the torque [Nm]", amplitudes, off, 1.0
        )
        about = f"{name}: largest difference, of the largest response"
        what = f"{about}, {1e3 * amplitudes[0]:g} mNm"
        yield Check(what, off[0], 0.0, second, "nonlinear simulation", "second order: the next check")
        ratio = off[1] / off[0]
        what = f"{name}: it grows with the amplitude: ratio at four times"
        yield Check(what, ratio, 4.0, 0.02, "they are of second order", "terms of third order")
    # without weight and damping: hinged beam with hub and spring
    model = build(gravity=0.0, modes=8, damping=0.0, friction=0.0)
    linear = fm.linearize(model, "motor", "hub.angle")
    omegas = np.sort(np.abs(linear.poles))[::2][:3]
    exact = hinged_beam.frequencies(3, LENGTH, EI, RHO_A, HUB, SPRING)
    off = [5e-7, 1e-6, 2e-5]
    for k in range(3):
        source = "frequency equation (validation/references)"
        what = f"pole {k + 1} [rad/s]"
        yield Check(what, float(omegas[k]), float(exact[k]), off[k] * exact[k], source, "left by one element, 8 modes")
    # the response has its peaks at the lightly damped modes
    rest = fm.equilibrium(build(damping=1e-5, friction=5e-3))
    modes = fm.complex_modes(rest, 2)
    f = np.linspace(0.5, 6.0, 20001)
    magnitude = fm.linearize(rest, "motor", "arm.end.ay").response(f).magnitude[:, 0, 0]
    peaks = f[1:-1][(magnitude[1:-1] > magnitude[:-2]) & (magnitude[1:-1] > magnitude[2:])]
    for k, peak in enumerate(peaks[:2]):
        size = float(np.abs(modes.eigenvalues[k]) / (2.0 * np.pi))
        what = f"peak {k + 1} of the response [Hz]"
        yield Check(what, float(peak), size, 2.75e-4, "complex modes", "spacing of the grid")
