"""The masses of a robot: of each body that its links make, refused or repaired where no body can have them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from flexmb.errors import AccuracyWarning, ModelError, warn
from flexmb.io.urdf_file import NOWHERE_ELSE, JointData, LinkData, RobotFile
from flexmb.io.urdf_start import Start
from flexmb.model.geometry.inertia import check_tensor, nearest_possible, steiner, turned
from flexmb.model.orientations import scalar_first
from flexmb.model.spatial_frames import unit_axis

#: what messages say besides
_WAY_OUT = "; improper_inertia='repair' takes the nearest inertia that a body can have"


class Masses:
    """The masses of the bodies of a robot file. They are checked when it is made: inertias that no body has, and joints
    that move nothing, are refused, or inertias are repaired. `fixed_base`: nothing moves the root link. Links that are
    `flexible` are bodies alone, and what is fixed to them makes others."""

    def __init__(
        self, given: RobotFile, begin: Start, fixed_base: bool, repair: bool, where: str, flexible: Collection[str] = ()
    ) -> None:
        self.file, self.begin, self.repair, self.where = given, begin, repair, where
        self.flexible = flexible
        self.above = {joint.child: joint for joint in given.joints.values()}
        #: the links that move as one body, by the first of each
        self.held = self._held_together()
        still = self.file.root if fixed_base and self.file.root not in flexible else None
        self.moving = {first: self._checked(first) for first in self.held if first != still}
        self._check_joints()
        if not fixed_base and not any(self.file.links[x].mass > 0.0 for x in self.held[self.file.root]):
            raise ModelError(
                f"{self.where}: its root link {self.file.root!r} has no mass, and nothing fixed to it has one, so it "
                "cannot move freely; give it an inertial element"
            )

    def of(self, first: str) -> tuple[float, np.ndarray, np.ndarray]:
        """Mass [kg], mass center (3,) [m] and tensor of inertia (3, 3) [kg m²] about it of the links that move with
        one, in its axes."""
        return self.moving[first]

    def _check_joints(self) -> None:
        """Refuse joints that move nothing."""
        for joint in self.file.joints.values():
            if joint.type == "fixed" or any(self.file.links[x].mass > 0.0 for x in self._beyond(joint.child)):
                continue
            raise ModelError(
                f"{self.where}: {joint.where} moves link {joint.child!r}, which has no mass, and nothing that has one "
                "hangs on it; give the link an inertial element, or make the joint fixed"
            )
        for joint in self.file.joints.values():
            if joint.type in ("revolute", "continuous") and not self._inertia_about(joint) > 0.0:
                raise ModelError(
                    f"{self.where}: {joint.where} turns point masses on its own axis, which have no inertia about it; "
                    f"give link {joint.child!r} an inertia"
                )

    def _checked(self, first: str) -> tuple[float, np.ndarray, np.ndarray]:
        """What :meth:`of` gives. The inertia of links that move as one body is refused if no body has it, and the link
        that spoils it is named. One that is impossible by itself, while the whole is not, as that of a sensor on a
        trunk may be, is warned of. Where inertias are repaired, that of each link is, and then the whole if need be:
        masses on a line have none about it."""
        wrong = {}
        for name in self.held[first]:
            link = self.file.links[name]
            why = self._why_not(link)
            if why is not None and self.repair:
                self.file.links[name] = replace(link, inertia=self._repaired(link.inertia, link.mass, link.where))
            elif why is not None:
                wrong[name] = why
        mass, center, J = self._whole(first)
        if wrong and mass == 0.0:
            raise ModelError(next(iter(wrong.values())))
        if np.any(J):
            try:
                check_tensor(J, f"{self.where}: link {first!r}", thin=not self.repair)
            except ModelError as error:
                if not self.repair:
                    raise ModelError(next(iter(wrong.values()), f"{error}{_WAY_OUT}")) from None
                J = self._repaired(J, mass, f"link {first!r} and what is fixed to it")
        for name, why in wrong.items():
            warn(
                f"{why}; it is fixed to other links, and makes a body that can be with them, which is taken; "
                f"correct the inertia of {name!r}",
                AccuracyWarning,
            )
        return mass, center, J

    def _why_not(self, link: LinkData) -> str | None:
        """Why no body has the inertia of a link; None if one has."""
        if not np.any(link.inertia):
            return None
        if link.mass == 0.0:
            return f"{self.where}: {link.where} has an inertia, and its mass is 0{_WAY_OUT}, which is none"
        try:
            check_tensor(link.inertia, f"{self.where}: {link.where}", thin=not self.repair)
        except ModelError as error:
            return f"{error}{_WAY_OUT}"
        return None

    def _repaired(self, J: np.ndarray, mass: float, what: str) -> np.ndarray:
        """The nearest inertia that a body of some mass can have, with a warning."""
        near = nearest_possible(J, f"{self.where}: {what}") if mass > 0.0 else np.zeros((3, 3))
        before, after = (np.array2string(np.linalg.eigvalsh(x), precision=4, separator=", ") for x in (J, near))
        warn(
            f"{self.where}: no body of its mass has the inertia of {what}, with principal inertias {before} kg m²; "
            f"the nearest that one can have is taken, with {after} kg m², {np.linalg.norm(near - J):.3g} kg m² from "
            "it; correct the file",
            AccuracyWarning,
        )
        return near

    def _whole(self, first: str) -> tuple[float, np.ndarray, np.ndarray]:
        """Mass, mass center (3,) and tensor of inertia (3, 3) about it of the links that move with one, in its axes."""
        places = {first: NOWHERE_ELSE}
        parts = []
        for name in self.held[first]:
            if name != first:
                joint = self.above[name]
                places[name] = places[joint.parent].then(joint.origin)
            link = self.file.links[name]
            parts.append((link.mass, places[name].then(link.center), link.inertia))
        mass = sum(m for m, _, _ in parts)
        if mass == 0.0:
            return 0.0, np.zeros(3), np.zeros((3, 3))
        center = sum((m * at.position for m, at, _ in parts), np.zeros(3)) / mass
        J = np.zeros((3, 3))
        for m, at, own in parts:
            J += turned(own, scalar_first(at.rotation)) + steiner(m, at.position - center)
        return mass, center, J

    def _beyond(self, link: str) -> list[str]:
        """A link and all that hangs on it."""
        return [link, *(x for joint in self.file.children(link) for x in self._beyond(joint.child))]

    def _held_together(self) -> dict[str, list[str]]:
        """The links that move as one body, by the first of each."""
        first = {self.file.root: self.file.root}
        groups: dict[str, list[str]] = {self.file.root: [self.file.root]}
        for joint in self.file.joints.values():
            alone = joint.type != "fixed" or joint.child in self.flexible or joint.parent in self.flexible
            first[joint.child] = joint.child if alone else first[joint.parent]
            groups.setdefault(first[joint.child], []).append(joint.child)
        return groups

    def _inertia_about(self, joint: JointData) -> float:
        """The inertia [kg m²] about the axis of a joint of all that hangs on it, in the position that it starts in."""
        axis, total = unit_axis(joint.axis, self.where), 0.0
        ahead = [(joint.child, NOWHERE_ELSE)]
        while ahead:
            name, place = ahead.pop()
            link, at = self.file.links[name], place.then(self.file.links[name].center)
            J = turned(link.inertia, scalar_first(at.rotation)) + steiner(link.mass, at.position)
            total += float(axis @ J @ axis)
            ahead += [(j.child, place.then(j.origin).then(self.begin.moved(j))) for j in self.file.children(name)]
        return total
