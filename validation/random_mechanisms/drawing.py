"""Random mechanisms out of the registries: links of every kind on joints of every kind, with two additions, each a verb
of the model or one of :mod:`flexmb.validation.random_mechanisms.additions`.

All is drawn in the axes of the mechanism and in numbers of about 1, and built in a
:class:`~flexmb.validation.random_mechanisms.world.World`; a seed and a number give the same mechanism in any world.
"""

from __future__ import annotations

import inspect
from copy import deepcopy
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.model.spatial_frames import unit_axis
from flexmb.planar.verbs import PlanarVerbs
from flexmb.spatial.verbs import SpatialVerbs
from flexmb.validation.random_mechanisms.additions import ADDITIONS, FEEDBACK
from flexmb.validation.random_mechanisms.arguments import GAPS, arguments, coordinates_of
from flexmb.validation.random_mechanisms.building import Builder, Link
from flexmb.validation.random_mechanisms.links import links
from flexmb.validation.random_mechanisms.making import Maker, Mechanism
from flexmb.validation.random_mechanisms.world import World

#: joints that hold a body so that it cannot fall for ever; the others get a soft bushing
HOLDING = ("revolute", "weld", "spherical", "universal")
#: verbs of joints between bodies that other joints hold
BESIDE = ("gear", "belt", "rack_and_pinion", "coupling", "drive_joint", "distance")


def verbs(dimension: int) -> dict[str, type[fm.Component]]:
    """The verbs of models in the plane or in space with the classes of what they make."""
    room, own = (fm.planar, PlanarVerbs) if dimension == 2 else (fm.spatial, SpatialVerbs)
    names = [name for name, what in vars(own).items() if callable(what) and not name.startswith("_")]
    return {name: getattr(room, inspect.signature(getattr(own, name)).return_annotation) for name in names}


def carrying(dimension: int, tree: bool = False) -> list[str]:
    """Verbs of joints and drives that may carry a link; of those that say by what motions, for a `tree`."""
    found = {name: made for name, made in verbs(dimension).items() if made.kind == "joint" and name not in BESIDE}
    return [name for name, made in found.items() if not tree or made.ways is not fm.Component.ways]


def additions(dimension: int) -> list[str]:
    """What is added to links and their joints: verbs, and more than those."""
    more = [name for name, (dimensions, _) in ADDITIONS.items() if dimension in dimensions]
    return [*(name for name in verbs(dimension) if name not in carrying(dimension)), *more]


class Drawing(Builder):
    """A builder that draws links, joints and additions."""

    # -- verbs --------------------------------------------------------------------------------------------------------

    def call(self, verb: str, *given: Any, **named: Any) -> Any:
        """Call a verb with drawn values of the arguments that are not given."""
        self.verb = verb
        self.drawn.add(verb)
        found = arguments(self, verb, len(given)) | named
        return self.make(getattr(self.model, verb), *given, **found)

    # -- links and joints ---------------------------------------------------------------------------------------------

    def tree(self, free: bool, robot: bool, bare: bool = False) -> None:
        """Some links, each on an earlier one or on the ground; the first may be free. Those of a robot are rigid, on
        hinges without friction; bare ones stand on joints alone, without friction or bushings."""
        make, kinds = self.make, links(self.dimension)
        self.feet = 0
        flexible, self.robot, self.bare = 2 * (not robot), robot, bare
        self.left_out = ("friction",) if robot or bare else ()
        for k in range(make.choice(1, 2, 2, 3)):
            before = make.rng.integers(-1 if not free else 0, k) if k else -1
            kind = str(make.choice(*kinds)) if flexible and make.chance(0.6) else "rigid"
            flexible -= kind != "rigid"
            self._link(k, self.links[before] if before >= 0 else None, kind, free and k == 0)

    def _link(self, k: int, before: Link | None, kind: str, free: bool) -> None:
        make = self.make
        carrier, seat = self.base, np.zeros(self.dimension)
        self.feet += before is None
        if before is not None:
            carrier = before.end
            if before.kind.startswith("beam") and make.chance(0.3):
                carrier = before.component.at(0.5)
            seat = self.where(carrier)
        end = seat + make.uniform(0.5, 1.2) * self.direction()
        link = links(self.dimension)[kind](self, f"link{k}", seat, end)
        self.drawn |= {kind, link.kind}
        self.links.append(link)
        if free:
            return
        choices = carrying(self.dimension, self.bare)
        joint = str(make.choice(*(("revolute",) if self.robot else ("revolute", "revolute", "weld", *choices))))
        gap = GAPS.get(joint, 0.0) * np.eye(self.dimension)[-1]
        a, b = self.on(carrier, seat - gap), self.on(link.start, seat)
        self.apart = float(np.linalg.norm(gap)) * self.world.length
        self.coordinate = None
        self.joints.append((joint, self.call(joint, a, b, name=f"joint{k}")))
        if joint not in HOLDING and not self.bare:
            stiffness = self.world.force / self.world.length * make.power(0.5, 2.5)
            turning = (0.0,) * (3 if self.dimension == 3 else 1)
            make(self.model.bushing, self.on(carrier, seat), b, stiffness=(stiffness,) * self.dimension + turning)

    def start_turning(self, free: bool) -> None:
        """Let the whole turn at the start, and shift if it is free, as its joint with the ground allows."""
        make, w, d = self.make, self.world, self.dimension
        spin, speed = make.uniform(-1.5, 1.5) / w.time, self.direction() * w.length / w.time
        axis = self.direction()
        if any(c.is_drive for c in self.model.components.values()):
            return
        if not free:
            first = self.joints[0]
            if self.feet > 1 or first[0] not in ("revolute", "spherical") or make.chance(0.4):
                return
            if d == 3 and first[0] == "revolute":
                axis = np.asarray(unit_axis(first[1].axis, "axis"))
        turning = spin if d == 2 else tuple(w.direction(spin * axis))
        about = tuple(w.place(np.zeros(d)))
        make(self.model.set_rigid_motion, tuple(w.direction(speed * free)), turning, about=about)

    def joint_with_coordinate(self) -> tuple[str, Any, str | None] | None:
        """One of the joints that have an angle or a place, and the name of that; None without one."""
        found = [(kind, joint, name) for kind, joint in self.joints for name in coordinates_of(joint)]
        return found[self.make.rng.integers(len(found))] if found else None

    # -- additions ----------------------------------------------------------------------------------------------------

    def add(self, what: str) -> bool:
        """Add something to the links: a verb, with what its first arguments ask for, or another addition. Returns
        whether the mechanism has what it stands on."""
        if what in ADDITIONS:
            self.drawn.add(what)
            ADDITIONS[what][1](self)
            return True
        given = self._stand(what)
        if given is not None:
            self.call(what, *given)
        return given is not None

    def _stand(self, verb: str) -> tuple[Any, ...] | None:
        """What a verb stands on, by the names of its first arguments."""
        names = list(inspect.signature(getattr(type(self.model), verb)).parameters)[1:]
        last = self.links[-1]
        if names[0] == "joint":
            found = self.joint_with_coordinate()
            if found is None or (self.dimension == 2 and verb == "joint_force" and found[2] != "angle"):
                return None
            self.coordinate = found[2]
            if "other" in names:
                other = self.joint_with_coordinate()
                if other is None or other[1] is found[1]:
                    return None
                self.other = other
            return (found[1],)
        if names[0] == "beam":
            beams = [link.component for link in self.links if link.kind.startswith("beam")]
            return (beams[-1],) if beams else None
        if names[0] == "modal_body":
            bodies = [link.component for link in self.links if getattr(link.component, "reduced", None)]
            return (bodies[-1],) if bodies and self.loads else None
        if names[0] in ("body", "bodies"):
            bodies = [link.component for link in self.links if link.kind == "rigid"]
            if names[0] == "bodies":
                return ([body.frame for body in bodies],) if len(bodies) > 1 else None
            return (bodies[-1],) if bodies else None
        self.frame, self.coordinate = self.make.choice(last.end, last.start), None
        if names[0] == "frame":
            return (self.frame,)
        down = {"contact": 0.3, "tire": 0.28 if self.dimension == 3 else 0.0}
        if "carrier" in names and len(self.links) < 2:
            return None
        if len(self.links) > 1 and verb not in down and ("carrier" in names or self.make.chance(0.5)):
            a, b = (
                self.on(self.links[0].start, self.where(self.links[0].start)),
                self.on(last.end, self.where(last.end)),
            )
        else:
            a = self.post(self.frame, -down[verb] * np.eye(self.dimension)[-1] if verb in down else None)
            b = self.on(self.frame, self.where(self.frame))
        self.apart = float(np.linalg.norm(np.asarray(a.position) - np.asarray(b.position)))
        return a, b


def drawn_mechanism(make: Maker, dimension: int, world: World | None = None, bare: bool = False) -> Mechanism:
    """A mechanism in the plane or in space; in a `world` other than its own if one is given; `bare`: links and joints
    alone."""
    own = World.by_chance(make, dimension)
    free = make.chance(0.15)
    robot = not free and make.chance(0.15)
    builder = Drawing(make, world or own, not free and make.chance(0.8))
    start = deepcopy(make.rng)
    builder.tree(free, robot, bare)
    builder.again = lambda: _tree_again(builder, start, free)
    known = [what for what in additions(dimension) if (not free or what in INNER) and what not in FEEDBACK]
    added = 0
    for what in [*([make.choice(*FEEDBACK)] if robot else []), *make.rng.permutation(known)] * (not bare):
        added += builder.add(str(what))
        if added == 2:
            break
    builder.start_turning(free)
    w = builder.world
    return Mechanism(
        builder.model, w.length, w.time, builder.controlled, free, builder.stiff, world=w, drawn=builder.drawn
    )


#: additions that act within a mechanism, whose momentum they leave as it is
INNER = ("wheel", "rotor", "joint_force", "joint_stop", "coupling", "thermal_load", "contact_among", "none")


def _tree_again(builder: Drawing, rng: np.random.Generator, free: bool) -> Drawing:
    """The links and joints of a mechanism once more, in a model of their own."""
    again = Drawing(Maker(deepcopy(rng)), builder.world, bool(np.any(builder.model.gravity)))
    again.tree(free, builder.robot)
    return again
