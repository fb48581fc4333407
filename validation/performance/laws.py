"""What a sample of the laws costs that know their models: processor time from joint coordinates to torques."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import flexmb as fm
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


def main() -> None:
    """Print a line for each number of joints."""
    for count in JOINTS:
        found = {name: microseconds(sample) for name, sample in laws(count).items()}
        print(f"{count:2d} joints:  " + "  ".join(f"{name} {each:.0f} µs" for name, each in found.items()), flush=True)


if __name__ == "__main__":
    main()
