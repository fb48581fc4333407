"""The joint motion of a system as it was bound, from which each run begins with a copy."""

from __future__ import annotations

import weakref
from typing import Any

from flexmb.formulations.binding import bound_at
from flexmb.kernels.images import Image
from flexmb.solvers.coordinates.joints.joint_motion import JointMotion, keep_alive
from flexmb.system.system import System


class MotionImage:
    """The joint motion of a `system` as it is now, with the formulation that is bound to it."""

    def __init__(self, system: System, motion: JointMotion) -> None:
        self._bound = bound_at(motion.formulation.place)
        self._image = Image(motion, *self._bound.lent, beside=system.plan)

    def copy(self, system: System) -> JointMotion:
        """A copy for a system with the same rows and components, whose parameters and near pairs it reads."""
        lane = system.lane
        if lane is not None and system.plan is lane.tuples[0]:
            copied: JointMotion = lane.further(self._image, self._bind)[0]
            return copied
        made: JointMotion = self._bind(*self._image.copies(system.plan))[0]
        return made

    def _bind(self, motion: JointMotion, links: Any, room: Any) -> tuple[JointMotion, Any, Any]:
        """Bind the formulation to copies of its tree and of its workspace."""
        bound = self._bound.moved_to(links, room)
        weakref.finalize(motion.x, keep_alive, bound)
        return motion._replace(formulation=motion.formulation._replace(place=bound.place)), links, room


def can_be_copied(motion: JointMotion) -> bool:
    """Whether the formulation of a joint motion can work on copies of it."""
    return bound_at(motion.formulation.place).can_move
