"""What sensors cost: twelve of an arm of six links, read once, against one solution for its accelerations; and what one
quantity of each kind costs in space, against one pass over all kernels with inertia, which `whole.force` takes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.formulations import aba
from flexmb.kernels.compilation import compiled
from flexmb.system.readings import read_all, sensor_table
from flexmb.validation.performance.arm import arm
from flexmb.validation.performance.articulated import again_aba, shortest
from flexmb.validation.random_mechanisms.one_of_each import space

LINKS, REPEATS, ROUNDS = 6, 2000, 100


@compiled
def read_often(plan, scratch, s, t, q, v, a, lam, out, count):  # type: ignore[no-untyped-def]
    for k in range(count):
        read_all(plan, scratch, s, t + 1e-6 * k, q, v, a, lam, out)


def readings() -> Any:
    """The angles of all hinges and their rates, and what reads them so often."""
    model = arm(LINKS)
    hinges = [model.components[f"hinge {k}"] for k in range(LINKS)]
    sensors = [kind(hinge) for hinge in hinges for kind in (fm.control.JointAngle, fm.control.JointRate)]
    system = fm.System(model)
    table = sensor_table([sensor.reading(system) for sensor in sensors])
    full = system.full_q(system.q0), system.full(np.zeros(system.n)), system.full(np.zeros(system.n))
    given = system.plan, system.scratch, table, 0.0, *full, np.zeros(system.m), np.zeros(len(sensors))
    return lambda count: read_often(*given, count)


#: one quantity of each kind, and how many passes over all kernels with inertia it takes
KINDS = {
    "hinge.angle": 0, "arm.tip.ZXZ1": 0, "floor.gap": 0, "floor.normal_force": 0, "coil.tension": 0, "motor.effort": 0,
    "whole.force.x": 1, "whole.momentum.x": 1, "whole.center_of_mass.x": 1, "whole.velocity.x": 1, "whole.zmp.x": 1,
    "whole.margin": 1,
}  # fmt: skip


#: what one watch list may ask of the whole
TOGETHER = [
    *(f"whole.{what}.{x}" for what in ("center_of_mass", "momentum", "angular_momentum") for x in "xyz"),
    "whole.zmp.x", "whole.zmp.y", "whole.margin",
]  # fmt: skip


def one_by_one() -> dict[str, float]:
    """The time [s] of reading each of :data:`KINDS` once, and all of :data:`TOGETHER`."""
    run = fm.simulate(space(), 0.05, step=0.05, progress=False)
    model = run.model
    assert model is not None
    system = fm.System(model)
    full = system.full_q(run.q[-1]), system.full(run.v[-1]), system.full(run.a[-1])
    lam = np.ascontiguousarray(run.multipliers[-1][system.row_numbers])
    ways: dict[str, tuple[Callable[[], object], int]] = {}
    for name, names in {**{name: [name] for name in KINDS}, "together": TOGETHER}.items():
        table = sensor_table([fm.control.NamedQuantity(model, each).reading(system) for each in names])
        given = system.plan, system.scratch, table, 0.05, *full, lam, np.zeros(len(names))
        ways[name] = (partial(read_often, *given, REPEATS), REPEATS)
    return shortest(ways, ROUNDS // 10)


def main() -> None:
    tree = fm.Tree.of(arm(LINKS))
    x, u, tau = np.random.default_rng(0).normal(size=(3, LINKS))
    given = tree.arrays, aba.room_for(tree), x, u, tau, np.zeros((LINKS, 6)), np.zeros(LINKS)
    read = readings()
    found = shortest(
        {
            "twelve sensors": (lambda: read(REPEATS), REPEATS),
            "accelerations": (lambda: again_aba(*given, REPEATS), REPEATS),
        },
        ROUNDS,
    )
    print("  ".join(f"{name}: {1e9 * each:.0f} ns" for name, each in found.items()))
    print(f"ratio: {found['twelve sensors'] / found['accelerations']:.2f}")
    each = one_by_one()
    for name, passes in {**KINDS, "together": 5}.items():
        print(f"{name:<24} {1e6 * each[name]:8.2f} µs  {each[name] / each['whole.force.x']:6.2f}  ({passes} passes)")


if __name__ == "__main__":
    main()
