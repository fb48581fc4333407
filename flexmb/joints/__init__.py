"""Constraints between frames, one joint a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flexmb.joints.base import Joint
from flexmb.joints.revolute import Revolute

if TYPE_CHECKING:
    from flexmb.model.frames import Frame
    from flexmb.model.planar import PlanarModel

__all__ = ["Joining", "Joint", "Revolute"]


class Joining:
    """The joints as methods of a model; the first frame is the one that the second is measured against."""

    def revolute(self: PlanarModel, a: Frame, b: Frame, *, name: str | None = None) -> Revolute:  # type: ignore[misc]
        """Two frames share a point, see :class:`Revolute`."""
        return self.add(Revolute(self.auto_name(name, "revolute"), a, b))
