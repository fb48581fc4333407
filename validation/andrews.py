"""Andrews' squeezing mechanism, whose solution is published to fourteen digits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.validation.references import andrews as reference
from flexmb.validation.registry import Check, case


def build() -> fm.PlanarModel:
    """The seven bodies K1 to K7, assembled at the published angles."""
    model = fm.PlanarModel("Andrews' squeezer")
    angles = reference.of_bodies(reference.START)
    grounded = {"O": reference.O, "A": reference.A, "B": reference.B}
    frames = {name: model.ground.attach(name, place) for name, place in grounded.items()}
    angle_of = dict(zip(reference.LINKS, angles))
    for name in ("K1", "K2", "K3", "K5", "K7", "K4", "K6"):  # each body follows the one that it is fastened to
        link, angle = reference.LINKS[name], angle_of[name]
        c, s = np.cos(angle), np.sin(angle)
        turn = np.array([[c, -s], [s, c]])
        first = next(iter(link.points))
        center = frames[first].position + turn @ np.array(link.center)
        body = model.add_body(name, mass=link.mass, inertia=link.inertia, position=tuple(center), angle=angle)
        for point, place in link.points.items():
            end = body.attach(point, tuple(np.subtract(place, link.center)))
            if point in frames:
                model.revolute(frames[point], end, name=f"{point} of {name}")
            else:
                frames[point] = end
    model.spring_damper(
        model.ground.attach("C", reference.C), frames["D"], stiffness=reference.STIFFNESS,
        free_length=reference.FREE_LENGTH, name="spring",
    )  # fmt: skip
    model.point_torque(model.frame("K1"), reference.TORQUE, name="motor")
    return model


def angles(solution: fm.Solution) -> np.ndarray:
    """β, Θ, γ, Φ, δ, Ω, ε (k, 7) [rad]."""
    return reference.of_mechanism(np.array([solution[name].angle for name in reference.LINKS])).T


PUBLISHED = "the published solution: two methods agree to 1e-10 and are 1.1e-9 from it"
#: Options of a method, the largest error of an angle [rad] with them, and its cause. That of the published solution is
#: most of the first four, so that "dop853" is asked for a tenth of it.
METHODS: dict[str, tuple[dict[str, Any], float, str]] = {
    "projection": ({"tolerance": 1e-11, "absolute_tolerance": 1e-13}, 2e-9, PUBLISHED),
    "rkf45": ({"step": 1e-5}, 2e-9, PUBLISHED),
    "radau": ({"tolerance": 1e-9}, 2e-9, PUBLISHED),
    "dop853": ({"tolerance": 1e-10}, 2e-9, PUBLISHED),
    "independent": ({"tolerance": 1e-9, "absolute_tolerance": 1e-11}, 2e-5, "tolerance 1e-9 a step, 15 000 steps"),
    "rosenbrock": ({"tolerance": 1e-6}, 1e-6, "the tolerance"),
    "generalized_alpha": ({"step": 2e-6}, 6e-6, "second order at 2 µs"),
}


@case("andrews", draw=build)
def compute() -> Iterator[Check]:
    """Andrews' squeezing mechanism over 0.03 s, against the solution of the test set for initial value problems"""
    source = "Mazzia and Magherini (2008); Hairer and Wanner (1991)"
    for method, (options, allowed, why) in METHODS.items():
        run = fm.simulate(build(), reference.T_END, method, progress=False, **options)
        off = float(np.max(np.abs(angles(run)[-1] - reference.END)))
        yield Check(f"{method}: largest error of an angle after 0.03 s [rad]", off, 0.0, allowed, source, why)
    second = reference.of_mechanism(np.array([run[name].angular_acceleration[0] for name in reference.LINKS]))
    size = np.max(np.abs(reference.START_ACCELERATION))
    off = float(np.max(np.abs(second - reference.START_ACCELERATION)) / size)
    yield Check("angular accelerations at the start, relative [–]", off, 0.0, 1e-13, source, "round-off")
