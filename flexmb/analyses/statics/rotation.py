"""Steady rotation: every part moves as v = Ω S (q − c), a = Ω² S S (q − c).

S is the turn by +90° of all pairs (x, y) and the unit rate of all angles, c the centre. In axes that turn along, the
stiffness is K + Ω D S + Ω² M S S, as :mod:`flexmb.analyses.vibration.rotating` derives it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from flexmb.system.system import System


@dataclass(frozen=True, eq=False)
class SteadyRotation:
    """A steady rotation of a `system`: `spin` Ω [rad/s] about `centre` (2,) [m]."""

    spin: float
    centre: np.ndarray
    system: System = field(repr=False)

    @cached_property
    def S(self) -> sp.csr_array:
        """The turn of all pairs (x, y) by +90°, (n, n): S q are their speeds for a turn about the origin at unit rate;
        rows of angles are zero."""
        n = self.system.n
        probe = self.system.rigid_motions(np.arange(1.0, n + 1.0))[2]
        pairs = np.flatnonzero((probe != 0.0) & ~self.system.turning)
        columns = np.abs(probe[pairs]).astype(np.int64) - 1
        return sp.csr_array((np.sign(probe[pairs]), (pairs, columns)), shape=(n, n))

    @cached_property
    def offset(self) -> np.ndarray:
        """The centre as coordinates (n,): its x and y for all points, zero for all other coordinates."""
        along_x, along_y, _ = self.system.rigid_motions(np.zeros(self.system.n))
        return along_x * self.centre[0] + along_y * self.centre[1]

    def rates(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Speeds and accelerations (n,) of the rotation through q."""
        arm = q - self.offset
        return self.spin * self.system.rigid_motions(arm)[2], self.spin**2 * (self.S @ (self.S @ arm))

    def stiffness(self, M: Any, D: Any, K: Any) -> Any:
        """The stiffness (n, n) in axes that turn along."""
        return K + self.spin * (D @ self.S) + self.spin**2 * (M @ (self.S @ self.S))

    def turn(self, angle: float) -> sp.csr_array:
        """T (n, n), which turns all pairs by an angle and leaves all else;  T = 1 + sin φ S + (1 − cos φ) S S."""
        S = self.S
        return sp.csr_array(sp.eye_array(S.shape[0]) + np.sin(angle) * S + (1.0 - np.cos(angle)) * (S @ S))
