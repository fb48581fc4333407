"""Check that kernels allocate no memory."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numba.core.runtime import rtsys
from numba.extending import is_jitted

from flexmb.kernels.compilation import kernel
from flexmb.kernels.contract import ALL_ROLES
from flexmb.kernels.hooks.internals import counting_allocations
from flexmb.testing.differences import SEEDS, Part, kernel_weights, random_state, recorders
from flexmb.testing.recorded import RecordedInstance, require
from flexmb.testing.recorder import Recorder


@kernel
def _idle(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    """Do nothing. The allocations of a call to it are those of passing the arrays to any kernel."""


def check_memory(part: Part, seeds: Iterable[int] = SEEDS) -> None:
    """Kernels allocate no memory: a call makes no array. Kernels that are not compiled are not checked.

    >>> import flexmb as fm
    >>> from flexmb import testing
    >>> m = fm.PlanarModel("m")
    >>> body = m.add_body("body", mass=2.0, inertia=0.1, center=(0.2, 0.1))
    >>> part = testing.Recorder.of(body, (0.0, -9.81))
    >>> testing.check_memory(part)
    """
    seed = min(seeds, default=0)
    for recorder in recorders(part):
        for instance in recorder.instances:
            for role in ALL_ROLES:
                if is_jitted(getattr(instance.kernels, role)):
                    _check_memory(recorder, instance, role, seed)


def _check_memory(recorder: Recorder, instance: RecordedInstance, role: str, seed: int) -> None:
    s = instance.at(random_state(recorder, seed))
    n, nv, m = 3, len(instance.columns), instance.multipliers(role)
    iq, iv = instance.numbers(n)
    weights = kernel_weights(instance, role, np.ones(3))

    def made(of: Any) -> int:
        arguments = (
            np.tile(instance.parameters, (n, 1)),
            iq,
            iv,
            float(s.t),
            *(np.tile(x, n) for x in (s.q, s.v, s.a)),
            np.ones((n, m)),
            weights,
            np.zeros((n, instance.width(role))),
            np.zeros((n, nv, nv)),
            np.zeros(max(instance.work, 1)),
        )
        of(*arguments)  # compiles it, which allocates too
        with counting_allocations():
            before = rtsys.get_allocation_stats().alloc
            of(*arguments)
            return int(rtsys.get_allocation_stats().alloc - before)

    extra = made(getattr(instance.kernels, role)) - made(_idle)
    require(
        extra <= 0,  # fewer than those of passing the arrays, if it counts no references
        f"{instance.where(role)} makes {extra} arrays of its own for {n} instances; it must make none: loop in place "
        "of slices that copy, and ask for scratch numbers with assembly.instance(..., work=n)",
    )
