"""What sensors cost: twelve of an arm of six links, read once, against one solution for its accelerations."""

from __future__ import annotations

from typing import Any

import numpy as np

import flexmb as fm
from flexmb.formulations import aba
from flexmb.kernels.compilation import compiled
from flexmb.system.readings import read_all, sensor_table
from flexmb.validation.performance.arm import arm
from flexmb.validation.performance.articulated import again_aba, shortest

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


if __name__ == "__main__":
    main()
