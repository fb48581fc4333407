"""What a sample of the laws costs that know their models: processor time from joint coordinates to torques; and what a
compiled loop costs under a law that estimates its state, beside one that is told it."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.validation.flexible_arms import lqg
from flexmb.validation.performance.arm import arm

#: numbers of joints, calls of a measurement, and measurements, of which the shortest counts
JOINTS, CALLS, ROUNDS = (4, 10), 300, 7


def driven(count: int, motors: bool = True) -> tuple[fm.SpatialModel, Any]:
    """An arm of so many hinges with motors, and its last link."""
    m = arm(count)
    for k in range(count if motors else 0):
        hinge: Any = m.components[f"hinge {k}"]
        m.joint_force(hinge, 0.0, name=f"motor {k}")
    return m, list(m.frames.values())[-1]


def laws(count: int) -> dict[str, Callable[[], Any]]:
    """A sample of each law, for an arm of so many hinges."""
    chain = driven(count)[0]
    wanted = {f"hinge {k}.angle": 0.3 * fm.SmoothStep(1.0, 2.0) for k in range(count)}
    torque = fm.control.ComputedTorque(chain, wanted, fm.control.Gains.of(10.0))
    loop, end = driven(count, motors=False)
    loop.spherical(loop.add_frame("hold", tuple(end.position), fixed=True), end, name="closing")
    closed = fm.control.VirtualLoop(driven(count)[0], loop)
    springs = [fm.control.VirtualSpring(f"motor {k}", 2.0, 0.2) for k in range(count)]
    imitated = fm.control.VirtualSprings(driven(count)[0], springs)
    rng = np.random.default_rng(0)
    q, v = torque.tree.start()[0] + 0.1 * rng.normal(size=count), 0.1 * rng.normal(size=count)
    readings = np.column_stack([q, v]).ravel()
    found: dict[str, Callable[[], Any]] = {
        "computed torque": lambda: torque.drives(q, v, 0.3),
        "virtual loop": lambda: closed.drives(q, v, 0.3),
        "virtual springs": lambda: imitated.torques(readings),
    }
    if count > 6:
        space = fm.control.ReactionNullSpace(driven(count)[0])
        found["reaction null space"] = lambda: space.accelerations(q, v)
    return found


def microseconds(sample: Callable[[], Any]) -> float:
    """The processor time of a sample [µs]."""
    sample()
    shortest = np.inf
    for _ in range(ROUNDS):
        begun = time.process_time()
        for _ in range(CALLS):
            sample()
        shortest = min(shortest, (time.process_time() - begun) / CALLS)
    return 1e6 * float(shortest)


def loops(seconds: float = 5.0, period: float = 1e-3) -> dict[str, float]:
    """Processor times [s] of a flexible arm in compiled loops at 1 kHz: under LQR, whose sensors read all states, and
    under LQG, whose two sensors are the motor's angle and a strain gauge."""
    whole = lqg.arm()
    plant = fm.linearize(whole, ["motor"], lqg.sensors(whole)).modal(6)
    weights = plant.C.T @ np.diag([1.0, 1e8]) @ plant.C
    best = fm.control.lqg(plant, weights, 100.0, 1e-2, [4e-6, 4e-14], period)
    states = fm.linearize(lqg.arm(), ["motor"], ["hub.angle"])
    gain = fm.control.lqr(states, np.ones(len(states)), 100.0).K

    def run(name: str) -> float:
        model = lqg.arm()
        own = lqg.sensors(model) if name == "LQG" else [fm.control.NamedQuantity(model, x) for x in states.states]
        law = best.law if name == "LQG" else -gain
        model.add_controller("law", period=period, sensors=own, commands="motor", law=law)
        loop = fm.Simulator(model, step=period, second_run=False)
        begun = time.process_time()
        loop.run(seconds, progress=False)
        return time.process_time() - begun

    return {name: min(run(name) for _ in range(ROUNDS)) for name in ("LQR", "LQG")}


def main() -> None:
    """Print a line for each number of joints, and one for the loops."""
    for count in JOINTS:
        found = {name: microseconds(sample) for name, sample in laws(count).items()}
        print(f"{count:2d} joints:  " + "  ".join(f"{name} {each:.0f} µs" for name, each in found.items()), flush=True)
    warnings.simplefilter("ignore")
    found = loops()
    print(f"5 s at 1 kHz: LQR {found['LQR']:.3f} s, LQG {found['LQG'] / found['LQR']:.2f} of it")


if __name__ == "__main__":
    main()
