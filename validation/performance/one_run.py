"""The price of one run: `simulate`, and runs and steps of a bound model, against the compiled loop within them.

Processor times of one thread, the least of many; the ways are tried in turn, so that other programs on the machine
disturb all of them alike, each several times in a row, as runs of a bound model follow one another: the first of these
finds the caches of the processor full of what the other way used.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple
from unittest import mock

import numpy as np

import flexmb as fm
from flexmb.examples import robots, two_link_arm
from flexmb.examples.two_link_arm import control
from flexmb.solvers.march.driver import Driver
from flexmb.validation.performance.arm import arm
from flexmb.validation.performance.peer_articulated import available, mujoco_arm
from flexmb.validation.performance.work_precision.pieces import timed_parts

#: how often each way is tried, and how often in a row
REPEATS, IN_A_ROW = 20, 3


#: what `simulate` does beside the steps of an explicit method in joint coordinates, by module and function
PARTS = {
    ("binding.bound", "System"): "assembly",
    ("one_run", "_start"): "start",
    ("methods.explicit.explicit_run", "coordinates_of"): "joint coordinates",
    ("one_run", "doubts"): "checks",
}


class Work(NamedTuple):
    """A model, the end of its run [s], the method and its options."""

    model: fm.PlanarModel | fm.SpatialModel
    t_end: float
    method: str
    options: dict[str, Any]


class Price(NamedTuple):
    """Times [s] of a run by `simulate`, of one of a bound model, and of the compiled `loop` in it, with the numbers of
    its steps and of the `segments` in which it stops and goes on."""

    simulate: float
    bound: float
    loop: float
    steps: int
    segments: int


def double_pendulum() -> fm.PlanarModel:
    """Two bars of 1 kg and 1 m, released level."""
    m = fm.PlanarModel("double pendulum", gravity=(0.0, -9.81))
    last = m.ground
    for k in range(2):
        bar = m.add_body(f"bar {k}", mass=1.0, inertia=1.0 / 12.0, position=(0.5 + k, 0.0))
        m.revolute(last, bar.attach("start", (-0.5, 0.0)), name=f"hinge {k}")
        last = bar.attach("end", (0.5, 0.0))
    return m


def flexible_arm() -> fm.PlanarModel:
    """The arm with two flexible links, under output feedback at 1 kHz."""
    built = two_link_arm.build()
    ends = [fm.control.Accelerometer(built.model.frame(name), 1.5707963267948966) for name in ("elbow", "tip")]
    sensors = [*control.joints(built), *ends, *control.references(control.SMALL)]
    law = two_link_arm.design().output_feedback(control.errors())
    built.model.add_controller("feedback", period=1e-3, sensors=sensors, commands=list(built.motors), law=law)
    return built.model


def latched(count: int = 20) -> fm.PlanarModel:
    """A double pendulum whose elbow is locked and let go again, `count` times in a second."""
    m = double_pendulum()
    latch = m.lock(m.frame("bar 0"), m.frame("bar 1"), "angle", name="latch")
    m.switch_off(latch)
    for k in range(count):
        action = fm.Switch(on=latch) if k % 2 == 0 else fm.Switch(off=latch)
        m.add_event((k + 0.5) / count, action, name=f"event {k}")
    return m


WORKS: dict[str, Callable[[], Work]] = {
    "arm of seven joints": lambda: Work(arm(7), 1.0, "rkf45", {"step": 1e-3, "formulation": "aba"}),
    "arm, euler": lambda: Work(arm(7), 1.0, "euler", {"step": 1e-3, "formulation": "aba", "second_run": False}),
    "arm, dop853": lambda: Work(arm(7), 1.0, "dop853", {"formulation": "aba"}),
    "double pendulum": lambda: Work(double_pendulum(), 1.0, "radau", {}),
    "flexible arm, controlled": lambda: Work(
        flexible_arm(), 1.0, "generalized_alpha", {"step": 1e-3, "second_run": False}
    ),
    "arm from a URDF file": lambda: Work(
        fm.read_urdf(robots.folder() / "arm.urdf", position=(0.0, 0.0, 0.6)),
        1.0,
        "rkf45",
        {"step": 1e-3, "formulation": "aba", "second_run": False},
    ),
    "latch, 20 stops": lambda: Work(latched(), 1.0, "radau", {}),
}


def price(work: Work, repeats: int = REPEATS) -> Price:
    """The price of a run."""
    model, t_end, method, options = work
    simulator = fm.Simulator(model, method, **options)
    ways: list[Callable[[], fm.Solution]] = [
        lambda: fm.simulate(model, t_end, method, progress=False, **options),
        lambda: simulator.run(t_end, progress=False),
    ]
    least, loop, segments, steps = [float("inf")] * 2, float("inf"), 0, 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(repeats + 1):  # the first one compiles
            for k, way in enumerate(ways):
                for _ in range(IN_A_ROW):
                    with _timed_loops() as spent:
                        begun = time.thread_time()
                        solution = way()
                        least[k] = min(least[k], time.thread_time() - begun)
                    loop, segments = min(loop, sum(spent)), len(spent)
                    steps = solution.statistics.steps
    return Price(least[0], least[1], loop, steps, segments)


def parts_of(work: Work, repeats: int = REPEATS) -> dict[str, float]:
    """Times [s] of the :data:`PARTS` of a run by `simulate`, the least of many, and of the rest beside its steps."""
    model, t_end, method, options = work
    least: dict[str, float] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(repeats + 1):  # the first one compiles
            with timed_parts(PARTS) as parts, _timed_loops() as spent:
                begun = time.thread_time()
                fm.simulate(model, t_end, method, progress=False, **options)
                whole = time.thread_time() - begun
            found = parts | {"rest": whole - sum(parts.values()) - sum(spent)}
            least = {name: min(seconds, least.get(name, seconds)) for name, seconds in found.items()}
    return least


def price_of_a_step(dt: float = 1e-3, steps: int = 200) -> float:
    """The time [s] of a step of `dt` [s] of the arm in a loop of the user's own."""
    simulator = fm.Simulator(arm(7), "rkf45", step=dt, formulation="aba")
    simulator.step(dt)
    begun = time.thread_time()
    for _ in range(steps):
        simulator.step(dt)
    return (time.thread_time() - begun) / steps


def price_of_peer(repeats: int = REPEATS) -> float:
    """The time [s] of a second of the arm by MuJoCo's Euler method, all steps in one call; the scheme and its error are
    those of "euler" (:mod:`flexmb.validation.performance.articulated`)."""
    step, start = mujoco_arm(7), (np.linspace(0.5, -0.4, 7), np.zeros(7))
    least = float("inf")
    for _ in range(repeats):
        begun = time.thread_time()
        step(*start, 1e-3, 1000)
        least = min(least, time.thread_time() - begun)
    return least


@contextmanager
def _timed_loops() -> Iterator[list[float]]:
    """The times [s] of the calls of compiled loops within."""
    begin, spent = Driver.__init__, list[float]()

    def measured(self: Driver, run: Any, advance: Callable[..., Any], *given: Any, **named: Any) -> None:
        def call(*arrays: Any) -> Any:
            begun = time.thread_time()
            result = advance(*arrays)
            spent.append(time.thread_time() - begun)
            return result

        begin(self, run, call, *given, **named)

    with mock.patch.object(Driver, "__init__", measured):
        yield spent


def main() -> None:
    """Print the prices in milliseconds."""
    print(f"{'run':26s}{'simulate':>10s}{'bound':>8s}{'loop':>8s}  ms   steps")
    for name, build in WORKS.items():
        p = price(build())
        print(f"{name:26s}{1e3 * p.simulate:10.2f}{1e3 * p.bound:8.2f}{1e3 * p.loop:8.2f}{p.steps:12d}")
        if "URDF" in name:
            parts = ", ".join(f"{part} {1e3 * seconds:.1f}" for part, seconds in parts_of(build()).items())
            print(f"{'':26s}of `simulate`: {parts} ms")
        if "stops" in name:
            print(f"{'':26s}a stop {1e3 * (p.bound - p.loop) / (p.segments - 1):.2f} ms")
        if name == "arm, euler" and available("mujoco"):
            print(f"{'':26s}MuJoCo's Euler {1e3 * price_of_peer():.2f} ms")
    print(f"a step of 1 ms of the arm, in a loop of one's own: {1e3 * price_of_a_step():.2f} ms")


if __name__ == "__main__":
    main()
