"""The time that `simulate` takes in Python before the first step of its compiled loop, for two small models.

Only the time of this thread counts, so that other programs on the machine disturb little. It is compared with one
hundred steps of the loop on the same model.
"""

from __future__ import annotations

import time
from typing import Any
from unittest import mock

import flexmb as fm
from flexmb.solvers.methods.generalized_alpha import alpha_run as generalized_alpha

#: number of runs of each model, and of steps of each run
REPEATS, STEPS = 1000, 100


def rigid() -> fm.PlanarModel:
    """A pendulum: one body, one joint."""
    model = fm.PlanarModel("rigid pendulum", gravity=(0, -9.81))
    body = model.add_body("body", mass=1.0, inertia=0.1, center=(1, 0))
    model.revolute(model.ground, body.frame, name="hinge")
    return model


def flexible() -> fm.PlanarModel:
    """A pendulum that bends: one CMS element, one joint."""
    model = fm.PlanarModel("flexible pendulum", gravity=(0, -9.81))
    plastic = fm.Material(density=1100, youngs_modulus=5e7)
    rod = model.add_beam("rod", (0, 0), (1, 0), material=plastic, section=fm.Circle(diameter=0.02), modes=2)
    model.revolute(model.ground, rod.start, name="hinge")
    return model


def setting_up(model: fm.PlanarModel, repeats: int = REPEATS, steps: int = STEPS) -> tuple[float, float]:
    """The shortest times [s] that `simulate` takes before the first call of its loop, and in the loop."""
    advance = generalized_alpha.advance
    before = within = float("inf")
    for _ in range(repeats):
        stamps: list[float] = []

        def measured(*given: Any, stamps: list[float] = stamps) -> Any:
            stamps.append(time.thread_time())
            result = advance(*given)
            stamps.append(time.thread_time())
            return result

        with mock.patch.object(generalized_alpha, "advance", measured):
            begun = time.thread_time()
            fm.simulate(model, 1e-3 * steps, step=1e-3, progress=False, second_run=False)
        before = min(before, stamps[0] - begun)
        within = min(within, sum(stamps[1::2]) - sum(stamps[::2]))
    return before, within


def main() -> None:
    """Print times and their ratios; the rigid pendulum should take less than 0.3 ms."""
    for model in (rigid(), flexible()):
        before, within = setting_up(model)
        print(
            f"{model.name}: {1e3 * before:.3f} ms before the first step, {1e3 * within:.3f} ms for {STEPS} steps, "
            f"ratio {before / within:.2f}"
        )


if __name__ == "__main__":
    main()
