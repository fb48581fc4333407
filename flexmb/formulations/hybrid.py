"""Hybrid modelling: blocks of links whose equations of motion are derived as expressions and compiled, joined by
assembly with numbers: Takahashi (2012), chapter 4.

Blocks are grown from the ground, link by link in the order of the tree, until they have as many links as they may. A
whole tree may be one block. Beams and what hangs on places within them are pieces of assembly as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from flexmb.errors import SizeWarning, warn
from flexmb.formulations.binding import FormulationKind
from flexmb.formulations.blocks.block import DerivedBlock, derived_block
from flexmb.formulations.blocks.expressions import TooLarge
from flexmb.formulations.pieces import ada
from flexmb.formulations.pieces.orders import GROUND, Closing, from_the_leaves, schedule
from flexmb.formulations.pieces.room import Room, closings, pieces_of, room_of
from flexmb.formulations.pieces.symbolic import Cut
from flexmb.formulations.tree.tree import Tree

#: links of a block where none are asked for
BLOCK = 4
#: statements of a derivation, beyond which a block is left to numbers
BUDGET = 30_000


def grown(tree: Tree, size: int) -> list[list[int]]:
    """Sets of at most `size` links that carry each other, each led by the link that carries all of it."""
    links, found = tree.arrays, list[list[int]]()
    of = np.full(len(tree.links), -1)
    for k in range(len(tree.links)):
        if links.group[k] != -1 or links.place_of[k] >= 0:
            continue
        parent = int(links.parent[k])
        if parent >= 0 and of[parent] >= 0 and len(found[of[parent]]) < size:
            of[k] = of[parent]
            found[of[k]].append(k)
        else:
            of[k] = len(found)
            found.append([k])
    # a single link between two joints is one piece anyway
    return [own for own in found if len(own) > 1 or tree.graph.joints[own[0]].a == GROUND]


def derived(tree: Tree, size: int, budget: int) -> Cut:
    """The blocks of at most `size` links of a tree; one that would take more statements than `budget` is left to
    numbers, with a warning."""
    blocks: list[DerivedBlock] = []
    for own in grown(tree, size):
        within = set(own)
        floating = tree.graph.joints[own[0]].a != GROUND
        ends = [(joint.a, joint.b) for joint in tree.graph.chords]
        ends += [(joint.a, k) for k, joint in enumerate(tree.graph.joints) if k not in within or k == own[0]]
        handles = {h for end in ends for h in end if h in within and (floating or h != own[0] or end[0] != GROUND)}
        try:
            blocks.append(derived_block(tree.arrays, own, sorted(handles), floating, budget))
        except TooLarge:
            names = ", ".join(repr(tree.links[k]) for k in own)
            warn(
                f"formulation 'hybrid' of {tree.model.where}: the equations of the block {names} need more than "
                f"{budget} statements, and its links are left to numbers; give smaller blocks, or a larger budget",
                SizeWarning,
            )
    return Cut(blocks)


def room_with(tree: Tree, cut: Cut) -> Room:
    """Workspace for a tree with some blocks. Its joints are closed from the leaves to the root."""
    joints = closings(tree, cut)
    leader = list(range(len(tree.links)))
    for block in cut.blocks:
        for k in block.links:
            leader[k] = block.links[0]
    contracted = [Closing(*_ends(joint.a, joint.b, leader), 0, k >= len(tree.links))
                  for k, joint in enumerate((*tree.graph.joints, *tree.graph.chords))]  # fmt: skip
    grounded = [block.handles[0] for block in cut.blocks if block.handles and not block.structure.floating]
    return room_of(tree, schedule(pieces_of(tree, cut), joints, from_the_leaves(contracted), grounded=grounded), cut)


def _ends(a: int, b: int, leader: Sequence[int]) -> tuple[int, int]:
    return leader[a] if a != GROUND else a, leader[b] if b != GROUND else b


def room_for(tree: Tree, order: Any = None) -> Room:
    """Workspace for a tree with blocks of the usual size."""
    return room_with(tree, derived(tree, BLOCK, BUDGET))


#: hybrid modelling, as an entry of the table of formulations
FORMULATION: FormulationKind = FormulationKind(ada.solve, ada.answer, room_for, takes_loops=True)
