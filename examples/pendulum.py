"""A soft pendulum, released level: the first mechanism to build."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import flexmb as fm


def build() -> fm.PlanarModel:
    """A rod of 1 m of soft plastic, hinged at its start, with a steel bob at its end."""
    plastic = fm.Material(density=1100.0, youngs_modulus=5e7, name="soft plastic")
    arm = fm.PlanarModel("pendulum", gravity=(0.0, -9.81))
    rod = arm.add_beam("rod", (0, 0), (1, 0), material=plastic, section=fm.Circle(diameter=0.02), modes=2, elements=2)
    arm.revolute(arm.ground, rod.start, name="hinge")
    arm.add_point_mass("bob", rod.end, 0.05)
    return arm


def run(out: Path) -> list[Path]:
    """Swing for two seconds; write a picture of the first swing, a history, a film and the result."""
    solution = fm.simulate(build(), 2.0)
    print(solution)
    force, _ = solution.reaction("hinge")
    print(f"largest force in the hinge: {np.max(np.hypot(*force.T)):.2f} N")
    drawing = out / "pendulum.png"
    solution.draw(times=np.linspace(0.0, 0.72, 13), trails="rod.end", path=drawing)
    history = out / "pendulum-history.png"
    solution.plot("rod.end.x", "rod.end.y", path=history)
    film = out / "pendulum.gif"
    solution.animate(film, fps=25)
    return [drawing, history, film, solution.save(out / "pendulum.h5")]
