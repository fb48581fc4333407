"""Rows on coordinates alone, in the plane and in space: drives and couplings of angles, rotors, counted angles.

drive      g = s − f(t)            the force on the coordinate is −λ
coupling   g = Σ wₖ sₖ − c         the force on each is −wₖ λ

and the base of what drives, pushes or limits the coordinate of a joint.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from flexmb.errors import ModelError
from flexmb.kernels.compilation import kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.slots import time_function
from flexmb.model import checks
from flexmb.model.components import Component
from flexmb.model.frames import Frame
from flexmb.model.functions.time_function import TimeFunction, as_motion


class OnJoint:
    """The base of what acts on a coordinate of a `joint`, between the frames of that and as long as it is there."""

    joint: Any

    @property
    def a(self) -> Any:
        """Frame a of the joint."""
        return self.joint.a

    @property
    def b(self) -> Any:
        """Frame b of the joint."""
        return self.joint.b

    def frames(self) -> list[Any]:
        """The frames of the joint; none if it is no component, as its check says."""
        return self.joint.frames() if isinstance(self.joint, Component) else []

    def parts(self) -> list[Component]:
        """The joint."""
        return [self.joint] if isinstance(self.joint, Component) else []


def checked_ratio(ratio: float, where: str) -> float:
    """The ratio of a gear, which must not be zero."""
    ratio = checks.number(ratio, "ratio", where)
    if ratio == 0.0:
        raise ModelError(f"{where}: ratio is 0; to hold an angle use lock")
    return ratio


def checked_distance(distance: TimeFunction | float, where: str) -> TimeFunction:
    """A prescribed distance as a function of time, which must start above zero."""
    f = as_motion(distance, "distance", where)
    if not f(0.0) > 0.0:
        raise ModelError(f"{where}: distance is {f(0.0):g} at t = 0; it must be positive at all times")
    return f


def check_carried(wheels: Iterable[Frame], carrier: Frame, where: str) -> None:
    """Refuse wheels that are parts of their carrier."""
    for frame in wheels:
        if frame.node is carrier.node:
            raise ModelError(
                f"{where}: frame {frame.name!r} is part of the carrier {carrier.name!r}; "
                f"the wheels must turn against it"
            )


@kernel
def constraint(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        f, fd, fdd = time_function(p[i], 0, t)
        out[i, 0] = q[iq[i, 0]] - f
        out[i, 1] = v[iv[i, 0]] - fd
        out[i, 2] = fdd


@kernel
def jacobian(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        out[i, 0] = 1.0


@kernel
def coupling_constraint(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    n = iv.shape[1]
    for i in range(p.shape[0]):
        out[i, 0] = -p[i, n]
        for j in range(n):
            out[i, 0] += p[i, j] * q[iq[i, j]]
            out[i, 1] += p[i, j] * v[iv[i, j]]


@kernel
def coupling_jacobian(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        for j in range(iv.shape[1]):
            out[i, j] = p[i, j]


#: One row on one coordinate; parameters: a function of time.
COORDINATE_DRIVE = Kernels("drive of a coordinate", constraint=constraint, jacobian=jacobian)
#: One row on any coordinates; parameters: their weights, and what their weighted sum is to be.
COUPLING = Kernels("coupling of coordinates", constraint=coupling_constraint, jacobian=coupling_jacobian)
