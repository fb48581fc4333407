"""Chains of 10 to 10 000 bricks in spherical joints in space, released level, against Exudyn.

The two codes run in turn, on one thread, and their shortest processor times are compared: of the motion alone, that of
Exudyn's solver against `simulate` without what it takes to set up, and of the whole `simulate` against the solver. For
each length the peer has the fastest of its settings, kinds of nodes and tolerances of Newton's method, whose end is
within 1e-4 m of ours.
"""

from __future__ import annotations

import time

import numpy as np

import flexmb as fm
from flexmb.validation.performance import peer_chains

BRICK = (0.1, 0.02, 0.03)
DENSITY = 1000.0
GRAVITY = (0.0, -0.6 * 9.81, -0.8 * 9.81)
T_END, STEP = 0.5, 1e-3
#: how often the two codes run for each length; the longest chain shows how our times grow
REPEATS, LONGEST = {10: 10, 100: 5, 1000: 3}, 10_000
#: ends of the chain in both codes are at most so far apart [m]
AGREEMENT = 1e-4
#: a kind of nodes and a tolerance of the peer
Setting = tuple[str, float]


def build(count: int) -> fm.SpatialModel:
    """So many bricks along x, each in a spherical joint at the end of the one before; the first at the origin."""
    length, width, height = BRICK
    mass = DENSITY * length * width * height
    squares = np.array([width**2 + height**2, length**2 + height**2, length**2 + width**2])
    model = fm.SpatialModel("chain of bricks", gravity=GRAVITY)
    end: fm.spatial.Frame = model.ground
    for k in range(count):
        center = ((k + 0.5) * length, 0.0, 0.0)
        brick = model.add_body(f"brick {k}", mass=mass, inertia=mass / 12.0 * squares, position=center)
        model.spherical(end, brick.attach("left", (-0.5 * length, 0.0, 0.0)))
        end = brick.attach("right", (0.5 * length, 0.0, 0.0))
    return model


def own(model: fm.SpatialModel, t_end: float = T_END) -> tuple[np.ndarray, float]:
    """The far end (3,) [m] of a chain and the processor time [s] of `simulate`."""
    begun = time.process_time()
    solution = fm.simulate(model, t_end, step=STEP, progress=False, second_run=False)
    seconds = time.process_time() - begun
    return solution[list(model.frames)[-1]].position[-1], seconds


def peer(count: int, node: str, tolerance: float) -> tuple[np.ndarray, float]:
    """The same of Exudyn's solver, with nodes of a kind and a tolerance."""
    steps = round(T_END / STEP)
    return peer_chains.chain(count, BRICK, DENSITY, GRAVITY, T_END, steps, node=node, tolerance=tolerance)


def measured(count: int, repeats: int) -> tuple[float, float, dict[Setting, float], dict[Setting, float]]:
    """Shortest times [s] of setting up, of the whole `simulate`, and of the peer with each of its settings; and how far
    its ends are from ours [m]."""
    model = build(count)
    tip, _ = own(model)
    setting_up, whole = [], []
    theirs: dict[Setting, list[float]] = {setting: [] for setting in peer_chains.SETTINGS}
    apart = {}
    for _ in range(repeats):  # the two codes in turn
        setting_up.append(own(model, STEP)[1])
        whole.append(own(model)[1])
        for setting, times in theirs.items():
            place, seconds = peer(count, *setting)
            apart[setting] = float(np.max(np.abs(place - tip)))
            times.append(seconds)
    return min(setting_up), min(whole), {setting: min(times) for setting, times in theirs.items()}, apart


def _row(count: int, repeats: int) -> str:
    """What is printed of one length."""
    setting_up, whole, theirs, apart = measured(count, repeats)
    near = {setting: seconds for setting, seconds in theirs.items() if apart[setting] < AGREEMENT}
    if not near:
        return f"{count:5d} bricks: no setting of Exudyn comes within {AGREEMENT:g} m of the end"
    setting = min(near, key=lambda one: near[one])
    (node, tolerance), seconds, motion = setting, near[setting], whole - setting_up
    return (
        f"{count:5d} bricks: motion {_each(motion, count)}, Exudyn {_each(seconds, count)} ({node}, {tolerance:g}), "
        f"{seconds / motion:.2f} times as fast; with set-up ({1e3 * setting_up:.1f} ms) {seconds / whole:.2f} times as "
        f"fast; ends apart {apart[setting]:.1e} m"
    )


def _each(seconds: float, count: int) -> str:
    return f"{1e6 * seconds / count / (T_END / STEP):.2f} µs a brick and step"


def main() -> None:
    """Print times for each brick and step, ratios, and times of setting up."""
    for count, repeats in REPEATS.items():
        print(_row(count, repeats), flush=True)
    model = build(LONGEST)
    setting_up, whole = own(model, STEP)[1], own(model)[1]
    print(f"{LONGEST:5d} bricks: motion {_each(whole - setting_up, LONGEST)}, set-up {1e3 * setting_up:.0f} ms")


if __name__ == "__main__":
    main()
