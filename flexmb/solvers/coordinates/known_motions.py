"""The joint coordinates of a bound model, which are found once for each choice of constraint rows and components."""

from __future__ import annotations

from flexmb.formulations.kinds import Hybrid
from flexmb.solvers.coordinates.coordinates import Coordinates, joint_coordinates
from flexmb.solvers.coordinates.joints.motion_image import MotionImage, can_be_copied
from flexmb.system.system import System


class KnownMotions:
    """The joint coordinates found so far for a model and the options of its runs. They are kept if runs begin with them
    again (`keeps`): a run of a bound model, or one that goes on behind a stop."""

    def __init__(self, keeps: bool) -> None:
        self.keeps = keeps
        self._images: dict[tuple[frozenset[str], bytes], tuple[Coordinates, MotionImage]] = {}

    def coordinates(self, system: System, formulation: str | Hybrid, rotations: str | None) -> Coordinates:
        """Joint coordinates of a system, as they are when they are bound to it."""
        key = system.off, system.kept.tobytes()
        usual = not system.measured and not system.assembly.overrides.strengths
        if usual and key in self._images:
            coordinates, image = self._images[key]
            return coordinates._replace(joints=image.copy(system))
        coordinates = joint_coordinates(system, formulation, rotations)
        if self.keeps and usual and can_be_copied(coordinates.joints):
            self._images[key] = coordinates, MotionImage(system, coordinates.joints)
        return coordinates
