"""Kernels made faulty, to see whether the conformance suite finds it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from flexmb import testing
from flexmb.model.components import Component

Make = Callable[[], Component]


def with_fault(make: Make, role: str, change: Callable[..., None]) -> testing.Recorder:
    """The recorder of a component with a change of the results of one kernel."""
    recorder = testing.Recorder.of(make())
    for instance in recorder.instances:
        right = getattr(instance.kernels, role)

        def faulty(*arguments: np.ndarray, right: Callable = right) -> None:
            right(*arguments)
            change(*arguments)

        instance.kernels = replace(instance.kernels, **{role: faulty})
    return recorder


def scale(which: str, *entry: int, by: float = 1.0 + 1e-5) -> Callable[..., None]:
    def change(p, iq, iv, t, q, v, a, lam, w, out, K, work):  # type: ignore[no-untyped-def]
        {"out": out, "K": K}[which][(slice(None), *entry)] *= by

    return change


def add(which: str, *entry: int, amount: float = 1e-3) -> Callable[..., None]:
    def change(p, iq, iv, t, q, v, a, lam, w, out, K, work):  # type: ignore[no-untyped-def]
        {"out": out, "K": K}[which][(slice(None), *entry)] += amount

    return change
