"""Hybrid modelling: blocks of links whose equations of motion are derived as formulas and compiled, joined by assembly
with numbers: Takahashi (2012), chapter 4.

Blocks are grown from the ground, link by link in the order of the tree, until they have as many links as they may. A
whole tree may be one block. Links with bodies in floating frames belong to blocks with all that stands within these;
other beams and what hangs on places within them are pieces of assembly as they are.

Without a size a tree of up to eight rigid links is one block, which is always the cheapest; of other trees the cheapest
of some cuts is taken. An operation of a kernel takes 0.2 ns, one of assembly, in loops over small matrices, 1.3 ns:
measured on chains of 7 to 30 links in the plane and in space, on a processor of 3 GHz; only their ratio matters.
"""

from __future__ import annotations

import numpy as np

from flexmb.errors import SizeWarning, warn
from flexmb.formulations.arguments import BUDGET
from flexmb.formulations.binding import FormulationKind
from flexmb.formulations.blocks.block import DerivedBlock, derived_block
from flexmb.formulations.blocks.expressions import TooLarge
from flexmb.formulations.blocks.flexible import RIGID, Flexible, flexible_of
from flexmb.formulations.blocks.reading import SymbolicBlock
from flexmb.formulations.pieces import ada
from flexmb.formulations.pieces.orders import GROUND, Closing, Schedule, from_the_leaves, schedule
from flexmb.formulations.pieces.room import Room, closings, pieces_of, room_of
from flexmb.formulations.pieces.symbolic import Cut, answer_whole, coordinates_of
from flexmb.formulations.tree.moving import move
from flexmb.formulations.tree.tree import Tree
from flexmb.kernels.compilation import called

#: sizes of blocks of which the cheapest is taken; larger ones lose digits, as the mass matrix of a long chain does
SIZES = (4, 6, 8)
#: and if these are beyond the budget, or links are flexible, whose formulas grow with the amplitudes that they carry
SMALLER = (4, 2, 1)
#: relative times of an operation in a kernel and in assembly
IN_KERNEL, IN_ASSEMBLY = 0.2, 1.3


def grown(tree: Tree, size: int, flexible: Flexible = RIGID) -> list[list[int]]:
    """Sets of at most `size` links that carry each other, each led by the link that carries all of it. Links within a
    flexible one are parts of it, and not counted."""
    links, found = tree.arrays, list[list[int]]()
    of, count = np.full(len(tree.links), -1), list[int]()
    for k in range(len(tree.links)):
        parent = int(links.parent[k])
        if k in flexible.within:
            of[k] = of[flexible.within[k].on]
        elif (links.group[k] != -1 and k not in flexible.bodies) or links.place_of[k] >= 0:
            continue
        elif parent >= 0 and of[parent] >= 0 and count[of[parent]] < size:
            of[k] = of[parent]
            count[of[k]] += 1
        else:
            of[k] = len(found)
            found.append([])
            count.append(1)
        found[of[k]].append(k)
    # a single rigid link between two joints is one piece anyway
    alone = [own for own in found if len(own) == 1 and own[0] not in flexible.bodies]
    return [own for own in found if own not in alone or tree.graph.joints[own[0]].a == GROUND]


def derived(tree: Tree, size: int | None, budget: int) -> Cut:
    """The blocks of at most `size` links of a tree, or of those of the cheapest cut; one that would take more
    statements than `budget` is left to numbers, with a warning. Of cuts without a size those that leave the fewest
    links to numbers are compared."""
    flexible = flexible_of(tree)
    count = len(tree.links) - len(flexible.within)
    sizes = [size] if size else [count] if count <= SIZES[-1] else list(SIZES)
    cuts = [_cut(tree, one, budget, flexible) for one in sizes]
    if not size and (flexible.bodies or all(too_large for _, too_large in cuts)):
        cuts += [_cut(tree, one, budget, flexible) for one in SMALLER if one < sizes[0]]
    if len(cuts) > 1:
        cuts.sort(key=lambda cut: (sum(map(len, cut[1])), _cost(tree, cut[0])))
    blocks, too_large = cuts[0]
    for own in too_large:
        names = ", ".join(repr(tree.links[k]) for k in own)
        warn(
            f"formulation 'hybrid' of {tree.model.where}: the equations of the block {names} need more than {budget} "
            "statements, and its links are left to numbers; give smaller blocks, or a larger budget",
            SizeWarning,
        )
    return blocks


def _cut(tree: Tree, size: int, budget: int, flexible: Flexible) -> tuple[Cut, list[list[int]]]:
    """The blocks of at most `size` links, and those that are too large."""
    blocks: list[DerivedBlock] = []
    too_large: list[list[int]] = []
    for own in grown(tree, size, flexible):
        within = set(own)
        floating = tree.graph.joints[own[0]].a != GROUND
        ends = {h for joint in tree.graph.chords for h in (joint.a, joint.b)}
        ends |= {joint.a for k, joint in enumerate(tree.graph.joints) if k not in within}
        handles = sorted((ends & within) | ({own[0]} if floating else set()))
        try:
            blocks.append(derived_block(tree.arrays, own, handles, floating, budget, flexible))
        except TooLarge:
            too_large.append(own)
    return Cut(blocks, flexible), too_large


def _cost(tree: Tree, cut: Cut) -> float:
    """What a call of a formulation takes with some blocks, beside what all of them take."""
    s = _schedule(tree, cut)
    total = IN_KERNEL * sum(block.programs.operations for block in cut.blocks)
    for step in range(len(s.loop)):
        first, last = s.joint[s.joint_first[step]], s.joint[s.joint_first[step + 1] - 1]
        rows = int(s.row_first[last] + s.rows[last] - s.row_first[first])
        width = int(s.kept_at[step + 1] - s.kept_at[step]) // max(rows, 1)
        result = len(s.entry_first) - 1 - len(s.loop) + step
        kept = 6 * int(s.entry_first[result + 1] - s.entry_first[result])
        total += IN_ASSEMBLY * (rows * width * (6 + rows) + 0.5 * kept * kept * rows)
    return total


def _schedule(tree: Tree, cut: Cut) -> Schedule:
    """The joints between blocks and other pieces, closed from the leaves to the root."""
    leader = [*range(len(tree.links)), GROUND]
    for block in cut.blocks:
        for k in block.links:
            leader[k] = block.links[0]
    every = (*tree.graph.joints, *tree.graph.chords)
    within = {k for block in cut.blocks for k in block.links if k in cut.flexible.within}
    contracted = [
        Closing(leader[j.b if k in within else j.a], leader[j.b], 0, k >= len(tree.links)) for k, j in enumerate(every)
    ]
    grounded = [block.handles[0] for block in cut.blocks if block.handles and not block.structure.floating]
    order = from_the_leaves(contracted)
    return schedule(pieces_of(tree, cut), closings(tree, cut), order, grounded=grounded)


def room_with(tree: Tree, cut: Cut) -> Room:
    """Workspace for a tree with some blocks."""
    return room_of(tree, _schedule(tree, cut), cut)


def room_for(tree: Tree, size: int | None = None, budget: int = BUDGET) -> Room:
    """Workspace for a tree, cut into blocks of at most `size` links at the least cost."""
    return room_with(tree, derived(tree, size, budget))


def symbolic_block(tree: Tree, block: DerivedBlock, cut: Cut) -> SymbolicBlock:
    """A block of a tree with its names."""
    names = [tree.coordinate_names[at] for at in coordinates_of(tree, block, cut.flexible)]
    numbers = {"parameters": block.parameters, "gravity": tree.arrays.gravity, "coordinates": names}
    links = [tree.links[k] for k in block.links]
    inner = [tree.joints[k] for k in block.inner if k not in cut.flexible.within]
    return SymbolicBlock(links, inner, block.structure, numbers, block.programs.operations)


@called(int)
def solve(links, room, x, u, tau, wrench, ud):
    """Fill u̇ (nv,) for joint coordinates x, speeds u, drives τ (nv,) and wrenches (n, 6) on the links. Returns 0, or
    the number from 1 of a link that can move without inertia."""
    move(links, room.moving, x, u)
    return answer(links, room, x, u, tau, wrench, ud)


@called(int)
def answer(links, room, x, u, tau, wrench, ud):
    """As :func:`solve`, of links that `room.moving` has moved already."""
    if room.blocks.whole != 0:
        return answer_whole(links, room, x, u, tau, wrench, ud)
    return ada.answer(links, room, x, u, tau, wrench, ud)


#: hybrid modelling, as an entry of the table of formulations
FORMULATION: FormulationKind = FormulationKind(solve, answer, room_for, takes_loops=True, keeps_masses=True)
