"""Balls that fly and hit each other in a box, 10 to 1000 of them in one layer: steps, steps made again, and seconds.

Each ball touches its neighbours and the walls, so that contacts grow as the balls do. Ours alone: no other code is
measured, since laws of contact and the search for pairs differ.
"""

from __future__ import annotations

import time

import numpy as np

import flexmb as fm

RADIUS, PITCH = 0.02, 0.046
#: balls along and across the box
LAYERS = ((5, 2), (10, 10), (40, 25))
T_END = 0.1
BALL = fm.Sphere(radius=RADIUS)


def build(along: int, across: int) -> fm.SpatialModel:
    """The balls on a floor of the box, a little out of line, each with a speed of its own; the same in each call."""
    draw = np.random.default_rng(1)
    model = fm.SpatialModel("balls in a box", gravity=(0.0, 0.0, -9.81))
    frames: dict[tuple[int, int], fm.SpatialFrame] = {}
    for i in range(along):
        for j in range(across):
            middle = PITCH * np.array([i + 0.5, j + 0.5, 0.5]) + 0.1 * RADIUS * draw.uniform(-1.0, 1.0, 3)
            ball = model.add_body(f"ball {i} {j}", shape=BALL, density=2500, position=middle)
            ball.frame.move(draw.uniform(-0.3, 0.3, 3))
            frames[i, j] = ball.frame
    walls = (
        ((1, 0, 0), (0.0, 0.0, 0.0)),
        ((0, 1, 0), (0.0, 0.0, 0.0)),
        ((-1, 0, 0), (PITCH * along, 0.0, 0.0)),
        ((0, -1, 0), (0.0, PITCH * across, 0.0)),
    )
    for (i, j), frame in frames.items():
        near = [wall for wall, at_it in zip(walls, (i == 0, j == 0, i == along - 1, j == across - 1)) if at_it]
        for normal, place in (((0, 0, 1), (0.0, 0.0, 0.0)), *near):
            _touching(model, model.ground, frame, fm.HalfSpace(normal, place))
        for other in ((i + 1, j), (i, j + 1), (i + 1, j + 1), (i + 1, j - 1)):
            if other in frames:
                _touching(model, frame, frames[other], BALL)
    return model


def _touching(model: fm.SpatialModel, a: fm.SpatialFrame, b: fm.SpatialFrame, shape: fm.Sphere | fm.HalfSpace) -> None:
    """Let the shape on one frame touch the ball on another."""
    model.contact(a, b, shape, BALL, stiffness=1e5, restitution=0.6, impact_speed=0.5)


def main() -> None:
    """Print a line for each number of balls."""
    fm.simulate(build(2, 2), 1e-3, progress=False)  # compiles
    for along, across in LAYERS:
        model = build(along, across)
        begun = time.process_time()
        run = fm.simulate(model, T_END, progress=False)
        seconds = time.process_time() - begun
        done = run.statistics
        print(
            f"{along * across:5d} balls, {len(model.components) - along * across:5d} contacts: {done.steps} steps, "
            f"{done.rejected} made again, {seconds:.1f} s in all, {1e3 * done.seconds / done.steps:.2f} ms a step",
            flush=True,
        )


if __name__ == "__main__":
    main()
