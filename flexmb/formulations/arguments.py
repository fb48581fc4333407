"""Arguments of formulations, checked: orders of joints, and forces on links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from flexmb.errors import FormulationError, ModelError
from flexmb.formulations.tree.tree import Tree
from flexmb.model import checks, given_names

#: statements of a derivation, beyond which a block of links is left to numbers, when not given
BUDGET = 30_000


def steps_of(tree: Tree, order: Sequence[str | Sequence[str]]) -> list[list[int]]:
    """An order of joints, given by names, as lists of their indices; the joints that close loops are numbered after
    those of the tree."""
    where, names = f"order of the joints of {tree.model.where}", [*tree.joints, *tree.chords]
    steps = [checks.several(step, "a step", where) for step in checks.several(order, "order", where)]
    given = [name for step in steps for name in step]
    for name in given:
        given_names.known(name, names, "joint", where)
    wrong = [name for name in names if given.count(name) != 1]
    if wrong:
        count = given.count(wrong[0])
        raise FormulationError(f"{where}: it has to have each joint once, and has {wrong[0]!r} {count} times")
    return [[names.index(name) for name in step] for step in steps if step]


def forces_on(tree: Tree, wrench: Any, where: str) -> np.ndarray:
    """External forces on the links of a tree (n, 6), checked."""
    shape = len(tree.arrays.parent), 6
    wanted = f"numbers of shape {shape}, [n; f] on each link"
    found = checks.numbers(wrench, "wrench", where, wanted)
    if found.shape != shape:
        raise ModelError(f"{where}: wrench must be {wanted}, not of shape {found.shape}")
    return found
