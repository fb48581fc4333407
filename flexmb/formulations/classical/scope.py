"""What a mechanism has, and which of it a formulation takes: the assumptions of each paper, and the component that
breaks one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from flexmb.errors import FormulationError
from flexmb.formulations.classical.first_order import states_beside
from flexmb.formulations.classical.modal_parts import modal_parts
from flexmb.formulations.tree.graph import GROUND
from flexmb.formulations.tree.moving import move, moving_for
from flexmb.formulations.tree.tree import Tree
from flexmb.kernels.blocks import FREE as INNER
from flexmb.kernels.blocks import STATE
from flexmb.model.ways import FREE, SCREW, SLIDE
from flexmb.system.plan import VELOCITY_ROWS

#: what a mechanism may have that a paper may exclude, and how the papers say that they do
ASSUMPTIONS: dict[str, str] = {
    "loops": "hinges form a tree",
    "flexible": "bodies are rigid",
    "other flexible": "flexible bodies have modes in one frame, in space",
    "inner flexible": "flexible bodies carry no others",
    "flexible hinge points": "hinges stand on what is rigid",
    "plane": "the mechanism moves in space",
    "lost mass": "bodies keep their masses",
    "wheels": "bodies carry no wheels with angles of their own",
    "translations": "hinges turn and do not shift",
    "screws": "each axis of a hinge either turns or shifts",
    "axes apart": "the axes of a hinge meet in one point",
    "part of a base": "the base shifts freely, or not at all",
    "held base": "the mechanism floats freely",
    "drives": "no motion is prescribed",
    "nonholonomic": "constraints are integrable",
    "further rows": "hinges alone hold the bodies",
    "other inertia": "bodies alone have inertia",
    "massless": "each body has mass and moments of inertia",
    "friction": "friction does not depend on what it holds, and no gap closes",
    "other forces": "forces are handed over",
}
#: a rotation axis passes a point if it is less far from it than this [m]
MEETS = 1e-9


class Obstacle(NamedTuple):
    """Something that breaks an assumption: which of :data:`ASSUMPTIONS`, and the name of the component."""

    feature: str
    component: str


#: what no formulation takes
NEVER: frozenset[str] = frozenset({"friction", "other inertia"})
#: what the compiled formulations take of a tree, and those of them that close loops
COMPILED_TREES: frozenset[str] = (
    frozenset(ASSUMPTIONS) - NEVER - {"loops", "drives", "nonholonomic", "further rows", "other forces"}
)
COMPILED_LOOPS: frozenset[str] = COMPILED_TREES | {"loops"}


@dataclass(frozen=True)
class Scope:
    """What a formulation takes of :data:`ASSUMPTIONS`, and the classes ① to ⑤ of the survey that it belongs to: rigid
    trees, trees with flexible bodies at their ends, flexible chains, flexible trees, any loops."""

    takes: frozenset[str]
    classes: str = "①"

    def broken(self, found: list[Obstacle]) -> list[Obstacle]:
        """Features of a mechanism that a formulation of this scope does not take, one of each kind."""
        return list({o.feature: o for o in reversed(found) if o.feature not in self.takes}.values())[::-1]


def scope(*takes: str, classes: str = "①") -> Scope:
    """The scope of a paper that takes these features, and forces of all kinds as loads; one of rigid bodies does not
    ask how others bend, and is of the plane too."""
    bending = () if "flexible" in takes else ("other flexible", "inner flexible", "flexible hinge points", "plane")
    return Scope(frozenset({*takes, *bending, "other forces"}), classes)


def why_not(obstacle: Obstacle) -> str:
    """The component that breaks an assumption, and which."""
    return f"{obstacle.component!r} breaks what it assumes, that {ASSUMPTIONS[obstacle.feature]}"


def refuse_outside(tree: Tree, taken: Scope, where: str) -> None:
    """Refuse a mechanism outside of a scope."""
    broken = taken.broken(obstacles(tree))
    if broken:
        raise FormulationError(f"{where}: {why_not(broken[0])}; leave out what does")


def obstacles(tree: Tree) -> list[Obstacle]:
    """All that a mechanism has of :data:`ASSUMPTIONS`."""
    return [Obstacle(feature, name) for feature, name in _found(tree)]


def _found(tree: Tree) -> Iterator[tuple[str, str]]:
    graph = tree.graph
    yield from (("loops", name) for name in tree.chords)
    yield from _of_groups(tree)
    if tree.system.model.dimension == 2:
        yield "plane", tree.model.name
    if not any(feature in ("other flexible", "lost mass") for feature, _ in _of_groups(tree)):
        yield from _of_hinges(tree)
    inertia = {*tree.nodes.numbers_v.ravel().tolist(), *tree.nodes.inner.tolist()}
    massive = {s.owner.name for s in graph.shares if s.massive and not inertia.issuperset(_moving(tree, s.speeds))}
    friction = {
        s.owner.name for s in tree.system.assembly.instance_series if s.kernels.friction is not None and not s.off
    }
    yield from (("friction", name) for name in sorted(friction))
    for component in graph.others:
        kinds = list(_of_other(tree, component.name, component.is_drive))
        if component.name in massive:
            kinds.append("other inertia")
        yield from ((kind, component.name) for kind in kinds or ["other forces"])


def counted_coordinates(tree: Tree) -> list[int]:
    """Indices in the system of the coordinates that components own beside those of the tree: angles that they count,
    each by a row of its own."""
    known = {*tree.nodes.numbers_v.ravel().tolist(), *tree.nodes.own.tolist(), *tree.nodes.inner.tolist()}
    return [k for k in range(tree.system.n) if k not in known]


def _of_other(tree: Tree, name: str, prescribed: bool) -> Iterator[str]:
    """How the rows of a component beside the hinges hold; those that only count an angle do not."""
    shares = [share for share in tree.graph.shares if share.owner.name == name and share.constrains]
    counts = sum(tree.system.names[k].rpartition(".")[0] == name for k in counted_coordinates(tree))
    if shares and sum(row.owner == name for row in tree.system.rows) > counts:
        groups = tree.system.plan.groups
        if any(groups[share.group, VELOCITY_ROWS] for share in shares):
            yield "nonholonomic"
        elif prescribed:
            yield "drives"
        else:
            yield "further rows"


def _moving(tree: Tree, speeds: np.ndarray) -> list[int]:
    """Indices of coordinates that are not fixed, out of the given ones."""
    return [number for number in speeds.tolist() if 0 <= number < tree.system.n]


def _of_groups(tree: Tree) -> Iterator[tuple[str, str]]:
    """Flexible bodies, tanks, and wheels: rigid bodies whose inner coordinates do not couple with shifts by mass."""
    system, free = tree.system, tree.system.assembly.free
    angles = {
        first + k
        for (kind, size), begins in free.blocks.items() if kind == INNER for first in begins for k in range(size)
        if free.measures[first + k] == "angle"
    }  # fmt: skip
    alone = set(states_beside(tree))
    of_states = set(np.flatnonzero(free.mask(STATE)).tolist()) - alone
    for group in tree.graph.groups:
        states = [system.names[k].rpartition(".")[0] for k in group.inner.tolist() if k in of_states]
        if states:
            yield from (("lost mass", name) for name in dict.fromkeys(states))
            continue
        owners = dict.fromkeys(share.owner.name for share in group.shares)
        parts = modal_parts(tree, group)
        modal = {tree.nodes.inner[k] for part in parts for k in part.amplitudes}
        beside = [number for number in group.inner.tolist() if number not in modal | alone]
        if len(group.links) == 1 and len(group.inner) and angles.issuperset(beside):
            names = [system.names[number].rpartition(".")[0] for number in beside]
            yield from (("wheels", name) for name in dict.fromkeys(names))
            bodies = [part.share.owner.name for part in parts]
            yield from (("flexible", name) for name in bodies)
            carrying = _carrying(tree, group.links[0]) if bodies else []
            if carrying:
                yield "inner flexible", next((name for name in bodies if name in carrying), bodies[0])
        else:
            body = next((share.owner.name for share in group.shares if len(share.speeds) > 6), next(iter(owners)))
            yield "flexible", body
            yield "other flexible", body
    held = {place.link for place in tree.graph.places}
    yield from (("flexible hinge points", name) for name, p in zip(tree.joints, tree.arrays.parent) if p in held)
    heavy = (tree.links[k] for k in sorted(held) if stands_alone(tree, k))
    yield from (("flexible hinge points", name) for name in heavy)


def stands_alone(tree: Tree, k: int) -> bool:
    """Whether a link is a body: one at a place within a flexible body is none if it has no mass."""
    arrays = tree.arrays
    massive = arrays.mass[k] > 0.0 or bool(np.any(arrays.inertia[k])) or arrays.group[k] != -1
    return bool(arrays.place_of[k] < 0 or massive)


def _carrying(tree: Tree, link: int) -> list[str]:
    """Names of what on the link of a group carries bodies: of flexible bodies with a place for one, and of the link."""
    parents, places = set(tree.arrays.parent.tolist()), tree.graph.places
    within = [place for place in places if tree.graph.groups[place.group].links[0] == link]
    own = [place.share.owner.name for place in within if place.link in parents or stands_alone(tree, place.link)]
    return [*own, *([tree.links[link]] if link in parents else [])]


def _of_hinges(tree: Tree) -> Iterator[tuple[str, str]]:
    joints, arrays, parents = tree.arrays.joints, tree.arrays, tree.arrays.parent
    apart = _axes_apart(tree)
    shifts = 3 if tree.system.model.dimension == 3 else 2
    for k, name in enumerate(tree.joints):
        if arrays.place_of[k] >= 0:
            continue
        kinds = joints.kind[joints.first[k] : joints.first[k + 1]].tolist()
        slides = kinds.count(SLIDE) + 3 * kinds.count(FREE)
        base = parents[k] == GROUND
        if SCREW in kinds:
            yield "screws", name
        if slides and not (base and slides == shifts):
            yield ("part of a base" if base else "translations"), name
        if base and slides != shifts:
            yield "held base", name
        if k in apart:
            yield "axes apart", name
    alone = [k for k in np.flatnonzero(arrays.group == -1).tolist() if stands_alone(tree, k)]
    for k in alone:
        if arrays.mass[k] <= 0.0 or np.linalg.det(_about_center(tree, k)) <= 0.0:
            yield "massless", tree.links[k]


def _about_center(tree: Tree, k: int) -> np.ndarray:
    """Inertia (3, 3) of a link about its mass center, as a part of its trace about the origin."""
    six, s, m = tree.arrays.inertia[k], tree.arrays.moment[k], tree.arrays.mass[k]
    J = six[[0, 3, 4, 3, 1, 5, 4, 5, 2]].reshape(3, 3)
    scale = max(float(np.trace(J)), 1e-300)
    c = s / m if m > 0.0 else np.zeros(3)
    I = (J - m * (c @ c * np.eye(3) - np.outer(c, c))) / scale
    return np.where(np.abs(I) < 1e-13, 0.0, I)


def _axes_apart(tree: Tree) -> set[int]:
    """Links whose hinges turn about an axis that misses the hinge point of the link, in two positions of chance."""
    found, rng, joints = set[int](), np.random.default_rng(0), tree.arrays.joints
    moving = moving_for(tree.arrays)
    for _ in range(2):
        x = rng.uniform(-1.0, 1.0, tree.nq)
        move(tree.arrays, moving, x, np.zeros(tree.nv))
        for k in range(len(tree.links)):
            kinds = joints.kind[joints.first[k] : joints.first[k + 1]].tolist()
            own = moving.columns[moving.speeds[k] : moving.speeds[k + 1]]
            turning = np.linalg.norm(own[:, :3], axis=1) > 0.5
            if SCREW not in kinds and np.any(np.abs(own[turning, 3:]) > MEETS):
                found.add(k)
    return found
