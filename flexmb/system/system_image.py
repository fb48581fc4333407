"""A system as it was bound, from which runs begin with copies of their own, and the systems to which a run returns."""

from __future__ import annotations

import copy

import numpy as np

from flexmb.kernels.images import Image
from flexmb.system.system import System


class SystemImage:
    """A `system` as it is now; a copy shares with it what no run changes.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m", gravity=(0, -10))
    >>> body = m.add_body("body", mass=2.0, inertia=0.1)
    >>> image = SystemImage(fm.System(m))
    >>> one, other = image.copy(), image.copy()
    >>> one.plan.p[:] = 0.0
    >>> other.residual(0.0, other.q0, other.v0, [0, 0, 0]).tolist()
    [0.0, 20.0, 0.0]
    """

    def __init__(self, system: System) -> None:
        self._system = copy.copy(system)  # which a run may give more room
        self._image = Image(system.plan, system.scratch, system.linear)

    def copy(self) -> System:
        """A system with parameters, buffers and factors of its own, as this one was."""
        other = copy.copy(self._system)
        other.lane, (other.plan, other.scratch, other.linear) = self._image.lane()
        other._whole, other._weights, other._zero = None, np.zeros(4), np.zeros(other.plan.total)
        return other


class KnownSystems:
    """The systems with other active components that a run has been in. Where it returns to one, the new system shares
    all but parameters with that."""

    def __init__(self) -> None:
        self._known: dict[frozenset[str], System] = {}

    def with_components(self, before: System, off: frozenset[str]) -> System:
        """The system `before` with the components `off` switched off, and all others on, with all their rows.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("m")
        >>> body = m.add_body("body", mass=2.0, inertia=0.1)
        >>> hook = m.weld(m.ground, body.frame, name="hook")
        >>> whole, known = fm.System(m), KnownSystems()
        >>> loose, again = (known.with_components(whole, frozenset(["hook"])) for _ in range(2))
        >>> again.m, again.scratch is loose.scratch, again.plan.p is loose.plan.p
        (0, True, False)
        """
        known = self._known.get(off)
        if known is not None:
            return known.again(before)
        system = before.with_components(off)
        if not system.assembly.searches:  # these change plans
            self._known[off] = system
        return system
