"""The methods by which tests of motion run, and those that have integrators to choose from, with them."""

from __future__ import annotations

from typing import Any

#: all methods of a run
METHODS = ("generalized_alpha", "radau", "independent", "baumgarte", "projection", "dop853", "rkf45", "rosenbrock")


#: the same with options, where there is more than one integrator
METHODS_WITH_OPTIONS: list[tuple[str, dict[str, Any]]] = [
    ("generalized_alpha", {}), ("radau", {}), ("independent", {}), ("independent", {"integrator": "radau"}),
    ("dop853", {}), ("rkf45", {}), ("rosenbrock", {}), ("projection", {}), ("baumgarte", {}),
]  # fmt: skip
