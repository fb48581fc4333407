"""Balls that fly and hit each other in a box, 10 to 10 000 of them: milliseconds a step, microseconds for each ball.

Any two may touch, and a search finds those that are near (`model.contact_among`); each touches the walls beside it by a
contact of its own. Up to MOST_BY_PAIRS of them the same motion is also computed with a contact for each pair of
neighbors. Ours alone: no other code is measured, since laws of contact differ.

    python -m flexmb.validation.performance.contacts --quick
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from itertools import product

import numpy as np

import flexmb as fm
from flexmb.results.statistics import Statistics

RADIUS, PITCH = 0.02, 0.046
#: balls along, across and above each other; those of a quick look
BOXES = ((5, 2, 1), (5, 5, 4), (10, 10, 3), (10, 10, 10), (15, 20, 10), (25, 20, 20))
QUICK = ((2, 2, 1), (3, 3, 3))
T_END = 0.02
METHODS = ("generalized_alpha", "dop853")
MOST_BY_PAIRS = 1000
BALL = fm.Sphere(radius=RADIUS)
LAW = {"stiffness": 1e5, "restitution": 0.6, "impact_speed": 0.5}
NORMALS = ((1, 0, 0), (0, 1, 0), (0, 0, 1))


def build(box: Sequence[int], searched: bool = True) -> fm.SpatialModel:
    """The balls in a box, a little out of line, each with a speed of its own; the same in each call. Those that may
    touch are found by a search, or are neighbors."""
    draw = np.random.default_rng(1)
    model = fm.SpatialModel("balls in a box", gravity=(0.0, 0.0, -9.81))
    frames: dict[tuple[int, ...], fm.spatial.Frame] = {}
    for place in product(*map(range, box)):
        middle = PITCH * (np.array(place) + 0.5) + 0.1 * RADIUS * draw.uniform(-1.0, 1.0, 3)
        ball = model.add_body(f"ball {place}", shape=BALL, density=2500, position=middle)
        ball.frame.move(draw.uniform(-0.3, 0.3, 3))
        frames[place] = ball.frame
    for place, frame in frames.items():
        for k, normal in enumerate(NORMALS):
            for sign, beside, at in ((1, 0, 0.0), (-1, box[k] - 1, PITCH * box[k])):
                if place[k] == beside and not (k == 2 and sign < 0):  # it is open above
                    wall = fm.HalfSpace(sign * np.array(normal), at * np.array(normal))
                    model.contact(model.ground, frame, wall, BALL, **LAW)  # type: ignore[arg-type]
    if searched:
        model.contact_among(list(frames.values()), BALL, **LAW)  # type: ignore[arg-type]
        return model
    moves = [move for move in product((-1, 0, 1), repeat=3) if move > (0, 0, 0)]
    for place, frame in frames.items():
        for move in moves:
            other = tuple(i + d for i, d in zip(place, move))
            if other in frames:
                model.contact(frame, frames[other], BALL, BALL, **LAW)  # type: ignore[arg-type]
    return model


def measured(box: Sequence[int], method: str, searched: bool) -> tuple[Statistics, float]:
    """What a run took, and the seconds of all of it with the making of the model."""
    begun = time.process_time()
    done = fm.simulate(build(box, searched), T_END, method=method, progress=False).statistics
    return done, time.process_time() - begun


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line for each number of balls and each method."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])  # type: ignore[union-attr]
    parser.add_argument("--quick", action="store_true", help="few balls, in seconds")
    boxes = QUICK if parser.parse_args(arguments).quick else BOXES
    print("method               balls  steps  again   in all   ms a step   us a ball and step   by pairs: ms a step")
    for method in METHODS:
        for searched in (True, False):
            measured((2, 2, 1), method, searched)  # compiles
        for box in boxes:
            balls = int(np.prod(box))
            done, seconds = measured(box, method, True)
            each = 1e3 * done.seconds / done.steps
            line = f"{method:20s} {balls:5d}  {done.steps:5d}  {done.rejected:5d} {seconds:6.1f} s {each:9.2f}"
            line += f" {1e3 * each / balls:15.1f}"
            if balls <= MOST_BY_PAIRS:
                pairs, _ = measured(box, method, False)
                slower = 1e3 * pairs.seconds / pairs.steps
                line += f" {slower:20.2f}, {slower / each:.1f} times"
            print(line, flush=True)


if __name__ == "__main__":
    main()
