"""A study: how the thickness and the length of a soft pendulum decide how far it bends."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import flexmb as fm


def build(diameter: float = 0.02, length: float = 1.0) -> fm.PlanarModel:
    """A rod of soft plastic, hinged at its start and released level, with a steel bob at its end."""
    plastic = fm.Material(density=1100.0, youngs_modulus=5e7, name="soft plastic")
    arm = fm.PlanarModel("pendulum", gravity=(0.0, -9.81))
    section = fm.Circle(diameter=diameter)
    rod = arm.add_beam("rod", (0, 0), (length, 0), material=plastic, section=section, modes=2, elements=2)
    arm.revolute(arm.ground, rod.start, name="hinge")
    arm.add_point_mass("bob", rod.end, 0.05)
    return arm


def swing(diameter: float, length: float) -> dict[str, float]:
    """The first swing: the largest angle [°] between the ends of the rod, and the largest force [N] in the hinge."""
    solution = fm.simulate(build(diameter, length), 1.0, progress=False)
    bend = solution["rod.end"].angle - solution["rod.start"].angle
    force, _ = solution.reaction("hinge")
    return {"bend": float(np.rad2deg(np.abs(bend).max())), "hinge force": float(np.hypot(*force.T).max())}


def run(out: Path) -> list[Path]:
    """Run every combination of 12 diameters and 4 lengths; runs that the file holds are not repeated."""
    file = out / "pendulum-study.study"
    runs = fm.grid(diameter=np.linspace(0.014, 0.036, 12), length=[0.7, 0.8, 0.9, 1.0])
    swings = fm.study(swing, runs, file=file)
    print(swings)
    picture = out / "pendulum-study.png"
    labels = {"diameter": "diameter [m]", "length": "length [m]", "bend": "largest angle between the ends [°]"}
    swings.plot("diameter", "bend", path=picture, labels=labels)
    softest = max(swings.ok, key=lambda row: row["bend"])
    solution = fm.simulate(build(softest["diameter"], softest["length"]), 1.0)
    drawing = out / "pendulum-study-softest.png"
    solution.draw(times=np.linspace(0.0, 0.8, 13), trails="rod.end", path=drawing)
    return [picture, file, drawing, solution.save(out / "pendulum-study-softest.h5")]
