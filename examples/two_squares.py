"""Two hinged plates with a spring-damper, by all methods of integration."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import flexmb as fm

#: methods, with the options that make them exact to about 1e-6 over 10 s
METHODS: dict[str, dict[str, Any]] = {
    "generalized_alpha": {"tolerance": 3e-7, "save_every": 20},
    "radau": {"tolerance": 1e-9},
    "dop853": {"tolerance": 1e-9},
    "independent": {"tolerance": 1e-10, "absolute_tolerance": 1e-12},
    "baumgarte": {"tolerance": 1e-10, "absolute_tolerance": 1e-12},
    "projection": {"tolerance": 1e-10, "absolute_tolerance": 1e-12},
    "rkf45": {"step": 1e-3},
}


def build() -> fm.PlanarModel:
    """Square plates of 2 m and 5 kg; a spring of 10 N/m and no free length with a damper of 1 Ns/m.

    The worked example of Skyenginlab (n.d.).
    """
    a, m = 1.0, 5.0
    model = fm.PlanarModel("two squares", gravity=(0.0, -9.81))
    first = model.add_body("first", mass=m, inertia=2 / 3 * m * a**2, position=(a, a))
    second = model.add_body("second", mass=m, inertia=2 / 3 * m * a**2, position=(3 * a, a))
    for plate, others in ((first, ((a, -a), (-a, a))), (second, ((-a, -a), (a, a)))):
        for name, corner in zip(("other corner", "last corner"), others):  # pictures show the hull of a body's frames
            plate.attach(name, corner)
    model.revolute(model.ground, first.attach("corner", (-a, -a)), name="pin")
    model.revolute(first.attach("hinge", (a, a)), second.attach("hinge", (-a, a)), name="hinge")
    anchor = model.ground.attach("anchor", (4 * a, 0.0))
    end = second.attach("end", (a, -a))
    model.spring_damper(anchor, end, stiffness=10.0, damping=1.0, free_length=0.0, name="spring")
    return model


def run(out: Path) -> list[Path]:
    """Simulate ten seconds by each method; write a picture of the motion and the histories."""
    ends = {}
    for method, options in METHODS.items():
        solution = fm.simulate(build(), 10.0, method, **options)
        ends[method] = solution["second"].position[-1]
        print(solution.statistics)
    spread = max(float(np.max(np.abs(end - ends["projection"]))) for end in ends.values())
    print(f"the methods differ by up to {spread:.1e} m after 10 s")
    drawing = out / "two-squares.png"
    solution.draw(times=[0.0, 0.6, 1.2, 1.8], trails="second", path=drawing)
    history = out / "two-squares-history.png"
    solution.plot("first.angle", "second.angle", path=history)
    return [drawing, history, solution.save(out / "two-squares.h5")]
