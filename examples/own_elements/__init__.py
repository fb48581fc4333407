"""Elements of your own: a rope, a rolling joint, a wall and a force in plain Python, together in one mechanism.

Each of the files next to this one stands alone: copy it into your own project. README.md shows step by step how such a
file is written.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

import flexmb as fm

from .rolling import Rolling
from .rope import Rope
from .wall import Wall

__all__ = ["Rolling", "Rope", "Wall", "build", "run", "wind"]

RADIUS, MASS = 0.25, 4.0
POST, WALL_AT = (0.0, 1.9), 0.1
ROPE_LENGTH, ROPE_MASS = 2.2, 0.44


def wind(t, position, velocity):
    """A wind along x that comes and goes; its force goes with the square of its speed relative to the wheel."""
    faster = 1.5 * math.sin(2.0 * t) - velocity[0]
    return 0.15 * faster * abs(faster), 0.0, 0.0


def build(start: float = 0.5, speed: float = 2.0, *, compiled: bool = False) -> fm.PlanarModel:
    """A wheel rolls on the ground between a wall and the end of a rope that hangs from a post.

    `start`: position of the hub [m]; `speed` of the wheel [m/s]; `compiled`: whether Numba compiles the wind.
    """
    model = fm.PlanarModel("own elements", gravity=(0.0, -9.81))
    wheel = model.add_body("wheel", mass=MASS, inertia=0.5 * MASS * RADIUS**2, position=(start, RADIUS))
    wheel.move((speed, 0.0), -speed / RADIUS)
    post = model.ground.attach("post", POST)
    model.add(Rolling(model.ground, wheel.frame, radius=RADIUS, name="track"))
    model.add(Rope(post, wheel.frame, ROPE_LENGTH, EA=2e3, rhoA=ROPE_MASS / ROPE_LENGTH, segments=12, name="rope"))
    model.add(Wall(wheel.frame, RADIUS, (WALL_AT, 0.0), (1.0, 0.0), stiffness=2e5, damping=0.2, name="wall"))
    model.python_force(wheel.frame, wind, compiled=compiled, name="wind")
    return model


def run(out: Path) -> list[Path]:
    """Simulate four seconds; write a picture of the first one, and the result."""
    from matplotlib.figure import Figure
    from matplotlib.patches import Circle

    model = build()
    solution = fm.simulate(model, 4.0)
    print(solution)
    rope = model.component("rope")
    assert isinstance(rope, Rope)
    pull = rope.tension(solution)[:, -1]
    hub = solution["wheel"]
    print(f"largest pull of the rope on the wheel: {pull.max():.0f} N")

    figure = Figure(figsize=(10.0, 5.0), layout="constrained")
    panels = figure.subplot_mosaic([["scene", "where"], ["scene", "energy"]], width_ratios=(1.1, 1.0))
    scene, where, energy = (panels[name] for name in ("scene", "where", "energy"))
    dark, blue, orange, gray = "#0b3c5d", "#8da0cb", "#d95f02", "#667085"
    taut = float(solution.t[int(np.argmax(pull))])
    back = float(solution.t[int(np.argmin(hub.x))])
    shown = ((0.0, blue, "start"), (taut, orange, f"the rope jerks, {taut:.2f} s"), (back, dark, f"wall, {back:.2f} s"))
    for t, color, label in shown:
        now = solution.at(t)
        x, y = now["wheel"].position[0]
        angle = now["wheel"].angle[0]
        line = rope.line(now)[0]
        scene.plot(*line.T, "-", color=color, linewidth=1.6, label=label)
        scene.plot(*line[1:-1].T, ".", color=color, markersize=4)
        scene.add_patch(Circle((x, y), RADIUS, fill=False, edgecolor=color, linewidth=2.0))
        scene.plot([x, x + RADIUS * math.cos(angle)], [y, y + RADIUS * math.sin(angle)], color=color, linewidth=1.2)
    scene.axhline(0.0, color=gray, linewidth=1.0)
    scene.fill_between([WALL_AT - 0.12, WALL_AT], 0.0, 0.6, color="#d0d5dd", linewidth=0, zorder=0)
    scene.plot([0.0, 0.0], [0.6, POST[1]], color=gray, linewidth=3.0)
    scene.set(aspect="equal", xlim=(-0.2, 2.0), ylim=(-0.12, 2.1), xlabel="x [m]", ylabel="y [m]")
    scene.legend(frameon=False, loc="upper right")
    where.plot(solution.t, hub.x, color=dark)
    where.axhline(WALL_AT + RADIUS, color=gray, linewidth=0.8, linestyle="--")
    where.text(0.05, WALL_AT + RADIUS - 0.03, "wheel touches the wall", color=gray, fontsize=9, va="top")
    where.set(ylabel="hub, x [m]", xlim=(0.0, 4.0), ylim=(0.15, None))
    ledger = solution.energy
    energy.plot(solution.t, ledger.kinetic, color=blue, label="kinetic")
    energy.plot(solution.t, ledger.dissipated, color=orange, label="taken by the wall")
    energy.plot(solution.t, ledger.input, color=dark, label="given by the wind")
    energy.set(ylabel="energy [J]", xlabel="time [s]", xlim=(0.0, 4.0))
    energy.legend(frameon=False, loc="upper right", fontsize=9)
    for ax in (scene, where, energy):
        ax.spines[["top", "right"]].set_visible(False)
    picture = out / "own-elements.png"
    figure.savefig(picture, dpi=140)
    return [picture, solution.save(out / "own-elements.h5")]
