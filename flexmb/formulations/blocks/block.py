"""A block of a tree: its links, and the programs that were derived of its structure, once for all blocks like it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from flexmb.formulations.blocks import bending, derivation, expressions, kernels, programs, steps, structure, vectors
from flexmb.formulations.blocks.flexible import RIGID, Flexible
from flexmb.formulations.blocks.kernels import Programs, derive, places_of_state, programs_in
from flexmb.formulations.blocks.programs import NoProgram, Program
from flexmb.formulations.blocks.structure import Structure, structure_of
from flexmb.formulations.tree.arrays import Links
from flexmb.kernels.cache import keep_text, kept_text
from flexmb.kernels.fingerprint import fingerprint_of_modules
from flexmb.model import ways


@dataclass(frozen=True)
class DerivedBlock:
    """The links of a block (indices in the tree), its structure, the numbers of its parameters, and its programs."""

    links: list[int]
    structure: Structure
    parameters: np.ndarray
    programs: Programs

    @property
    def handles(self) -> list[int]:
        """Links (indices in the tree) on which other pieces act."""
        return [self.links[k] for k in self.structure.handles]

    @property
    def inner(self) -> list[int]:
        """Links whose joints belong to the block."""
        return self.links[1:] if self.structure.floating else self.links

    def constants(self) -> np.ndarray:
        """What the first kernel takes for its parameters."""
        return np.array(self.programs.once.values({"parameters": self.parameters}).get("constants", []))


def derived_block(
    links: Links, own: Sequence[int], handles: Sequence[int], floating: bool, budget: int, flexible: Flexible = RIGID
) -> DerivedBlock:
    """The block of the links `own` of a tree; TooLarge if its derivation takes more statements than `budget`."""
    structure, parameters = structure_of(links, own, handles, floating, flexible)
    return DerivedBlock(list(own), structure, parameters, programs_of(structure, budget))


#: programs by the digests of structures, of this process, and the largest budgets that were too small for others
_derived: dict[str, Programs] = {}
_beyond: dict[str, int] = {}


def programs_of(structure: Structure, budget: int) -> Programs:
    """The programs of a structure: those that are kept on disk, or derived anew. A text on disk that is no program, or
    one of another structure, is not used, and is replaced. A budget that was too small is kept too, so that a smaller
    one derives nothing; TooLarge then says so again."""
    name = f"block-{hashlib.sha256((structure.key() + _of_derivation()).encode()).hexdigest()[:32]}"
    if name not in _derived:
        found = _kept(name, structure)
        if found is None:
            if budget <= _too_small(name):
                raise expressions.TooLarge
            try:
                found = derive(structure, budget)
            except expressions.TooLarge:
                _beyond[name] = budget
                keep_text(f"{name}-beyond", str(budget))
                raise
            keep_text(name, found.text())
        _derived[name] = found
    found = _derived[name]
    if found.statements > budget:  # derived for a larger one, now or by another process
        raise expressions.TooLarge
    return found


def _too_small(name: str) -> int:
    """The largest budget of which is known that it is too small for a structure; 0 if there is none."""
    if name not in _beyond:
        text = kept_text(f"{name}-beyond") or ""
        _beyond[name] = int(text) if text.isdecimal() else 0
    return _beyond[name]


def _kept(name: str, structure: Structure) -> Programs | None:
    text = kept_text(name)
    if text is None:
        return None
    try:
        found = programs_in(text)
    except NoProgram:
        return None
    return found if _fit(found, structure) else None


def _fit(found: Programs, structure: Structure) -> bool:
    """Whether programs read and write inside the arrays that a block of the structure has."""
    wide, size = 6 * len(structure.handles), structure.base + structure.speeds
    state, further = places_of_state(structure)[""], found.forth.count("found")
    limits: list[tuple[Program, dict[str, int], dict[str, int]]] = [
        (found.once, {"parameters": len(structure.parameters())}, {"constants": 1 << 20}),
        (found.forth, {"constants": found.once.count("constants"), "given": state},
         {"matrix": wide * wide, "found": 1 << 20}),
        (found.back, {"constants": further, "given": wide}, {"found": size}),
    ]  # fmt: skip
    for program, read, written in limits:
        inside = all(index < read.get(array, 0) for array, index in program.symbols())
        if not inside or not all(index < written.get(array, 0) for array, index, _ in program.results):
            return False
    return further >= wide + 3 * size + (0 if wide else size)


@cache
def _of_derivation() -> str:
    """A digest of the code that derives: what another version has derived has another name."""
    return fingerprint_of_modules(bending, derivation, expressions, kernels, programs, steps, structure, vectors, ways)
