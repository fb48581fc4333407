"""The two squares of Skyenginlab (n.d.) at rest."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import flexmb as fm
from flexmb.examples.two_squares import build
from flexmb.validation.references import two_squares as reference
from flexmb.validation.registry import Check, case


def at_rest() -> fm.Equilibrium:
    """The two squares at rest: plates of 2 m and 5 kg, hinged to the ground and to each other, and a spring."""
    return fm.equilibrium(build())


@case("hanging-squares", draw=at_rest)
def compute() -> Iterator[Check]:
    """static equilibrium of the two squares, Skyenginlab (n.d.), eq. (18)"""
    rest = fm.equilibrium(build())
    exact = reference.equilibrium()
    source = "moments of both squares by minimal coordinates (validation/references)"
    yield Check("angle of the first square [rad]", rest["first.angle"], exact["theta1"], 1e-12, source, "round-off")
    yield Check("angle of the second square [rad]", rest["second.angle"], exact["theta2"], 1e-12, source, "round-off")
    yield Check("place of the second square, x [m]", rest["second.x"], exact["x2"], 1e-12, source, "round-off")
    yield Check("place of the second square, y [m]", rest["second.y"], exact["y2"], 1e-12, source, "round-off")
    yield Check("is stable", float(rest.stable is True), 1.0, 0.0, "second variation", "yes or no")
    # the damper of the example would take too long to bring the squares to rest
    model = build()
    spring = model.components["spring"]
    assert isinstance(spring, fm.planar.SpringDamper)
    spring.damping = 5.0
    end = fm.simulate(model, 1000.0, "dop853", tolerance=1e-8, progress=False)
    apart = float(np.hypot(*(end["second"].position[-1] - [rest["second.x"], rest["second.y"]])))
    what = "where the damped motion comes to rest: distance [m]"
    yield Check(what, apart, 0.0, 1e-8, "simulation, 1000 s", "the tolerance, and what it still swings by")
