"""A two-wheeled trailer drawn along a line: the tractrix, the forces, and shimmy."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.validation.references.trailer import Trailer
from flexmb.validation.registry import Check, case

T_END = 4.0
#: half the distance of the wheels [m]
TRACK = 0.6
#: options of each method; what the angle [rad], the axle's place [m] and the pull [N] may be off by; and why
METHODS: dict[str, tuple[dict[str, Any], tuple[float, float, float], str]] = {
    "generalized_alpha": ({"step": 2e-3}, (4.5e-7, 8e-7, 4e-6), "second order at 2 ms"),
    "independent": (
        {"tolerance": 1e-9, "absolute_tolerance": 1e-11},
        (1e-7, 2e-7, 1e-6),
        "tolerance 1e-9 in each step",
    ),
    "baumgarte": ({"tolerance": 1e-11, "absolute_tolerance": 1e-13}, (1e-12, 1e-12, 1e-10), "tolerance 1e-11"),
    "projection": ({"tolerance": 1e-11, "absolute_tolerance": 1e-13}, (1e-11, 1e-11, 1e-10), "tolerance 1e-11"),
    "rkf45": ({"step": 2e-3}, (1e-13, 1e-12, 1e-11), "fifth order at 2 ms: round-off"),
}
#: an overhung load and a spring in place of the rail [N/m]
SHIMMY, STIFFNESS = Trailer(speed=1.5, length=0.6, start=0.0, mass=2.0, inertia=0.1, behind=0.4), 50.0


def trailer(data: Trailer, wheels: int = 2) -> fm.PlanarModel:
    """The hitch is drawn along x; the wheels stand on both sides of the axle's middle, or one in the middle."""
    model, hitch = _drawn(data, wheels)
    model.lock(model.ground, hitch, "y", name="rail")
    return model


def castor(data: Trailer, stiffness: float) -> fm.PlanarModel:
    """A spring holds the hitch sideways."""
    model, hitch = _drawn(data, 1)
    model.bushing(model.ground, hitch, stiffness=(0.0, stiffness, 0.0), name="spring")
    return model


def _drawn(data: Trailer, wheels: int) -> tuple[fm.PlanarModel, fm.planar.Frame]:
    model = fm.PlanarModel("trailer")
    heading = np.array([np.cos(data.start), np.sin(data.start)])
    body = model.add_body(
        "trailer", mass=data.mass, inertia=data.inertia, center=(data.length - data.behind, 0.0),
        position=-data.length * heading, angle=data.start,
    )  # fmt: skip
    hitch = body.attach("hitch", (data.length, 0.0))
    for name, side in (("left", TRACK), ("right", -TRACK)) if wheels == 2 else (("wheel", 0.0),):
        model.knife_edge(model.ground, body.attach(name, (0.0, side)), name=name)
    model.drive_position(model.ground, hitch, fm.Polynomial([0.0, data.speed]), name="tow")
    return model, hitch


@case("trailer", draw=lambda: trailer(Trailer()))
def compute() -> list[Check]:
    """a two-wheeled trailer drawn along a line: tractrix and pull by every method, linear models, shimmy"""
    data = Trailer()
    tractrix = "tan θ/2 = tan θ₀/2 exp(−Vt/L)"
    checks = []
    for method, (options, allowed, why) in METHODS.items():
        # both wheels forbid the same speed, that of their axle along itself
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", fm.errors.RedundancyWarning)
            motion = fm.simulate(trailer(data), T_END, method, progress=False, **options)
        t = motion.t
        errors = {
            "angle [rad]": motion["trailer.angle"] - data.angle(t),
            "place of the axle [m]": motion["trailer"].position - data.axle(t),
            "pull [N]": motion["tow.fx"] - data.pull(t),
        }
        for (what, error), limit in zip(errors.items(), allowed):
            checks.append(Check(f"{method}: {what}", float(np.max(np.abs(error))), 0.0, limit, tractrix, why))
    for speed in (1.5, -1.5):
        straight = Trailer(speed=speed, start=0.0)
        linear = fm.linearize(trailer(straight, wheels=1), "tow", "trailer.angle")
        rate = float(linear.poles[np.argmax(np.abs(linear.poles))].real)
        word = "drawn" if speed > 0.0 else "pushed"
        own = "differences of fourth order"
        checks.append(Check(f"eigenvalue, {word} [1/s]", rate, -speed / straight.length, 1e-11, "−V/L", own))
    found = fm.linearize(castor(SHIMMY, STIFFNESS), "tow", "trailer.angle").poles
    found = np.sort_complex(found[np.abs(found) > 1e-6])
    exact, cubic = SHIMMY.shimmy(STIFFNESS), "cubic (validation/references)"
    checks.append(Check("eigenvalues of the shimmy: count", float(len(found)), 3.0, 0.0, cubic, "a count"))
    off = float(np.max(np.abs(found - exact))) if len(found) == 3 else np.inf
    checks.append(Check("eigenvalues of the shimmy: error [1/s]", off, 0.0, 1e-11, cubic, own))
    return checks
