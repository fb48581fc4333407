r"""Kinematics of an arm at an instant: its nominal motion, and the compatibility of its links.

In the nominal motion the links are rigid. Each has an origin o and axes R, of which R, Ṙ, R̈ and ö are needed, the 3 × 3
form of the sums Σ U_ij θ̇_j and Σ U_ijk θ̇_j θ̇_k + Σ U_ij θ̈_j of Table 2.9.2 of the survey. The coordinates α = B q of a
link, eq. (2.9.15), are the displacements of the frame at which it begins and its own: where S turns vectors of the link
before it into its axes, with e the axis of the joint,

    w = S w_out,    ϑ = (1 − e eᵀ) S ϑ_out + e q_j

so that each joint brings one new coordinate q_j, the turn of the link about the axis, and shares the others: Table
2.9.8. The joint deviates by q_j − eᵀ S ϑ_out from its nominal angle.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from flexmb.formulations.flex_arm.chain import GROUND, ArmJoint, Chain
from flexmb.formulations.flex_arm.links import LinkFrame


class Rates(NamedTuple):
    """A matrix with its first and second rate."""

    value: np.ndarray
    rate: np.ndarray
    second: np.ndarray

    def __matmul__(self, other: Rates) -> Rates:  # type: ignore[override]
        (a, b, c), (x, y, z) = self, other
        return Rates(a @ x, b @ x + a @ y, c @ x + 2.0 * (b @ y) + a @ z)

    def before(self, matrix: np.ndarray) -> Rates:
        """The product with a constant matrix on the right."""
        return Rates(*(x @ matrix for x in self))

    def after(self, matrix: np.ndarray) -> Rates:
        """The product with a constant matrix on the left."""
        return Rates(*(matrix @ x for x in self))

    @property
    def turned(self) -> Rates:
        """The transpose."""
        return Rates(*(x.T for x in self))


def turning(joint: ArmJoint, t: float, frozen: bool) -> Rates:
    """The rotation by the nominal angle of a joint; `frozen` at its value."""
    if joint.motion is None:
        return Rates(np.eye(3), np.zeros((3, 3)), np.zeros((3, 3)))
    angle = joint.sense * joint.motion(t)
    rate, second = (0.0, 0.0) if frozen else (joint.motion.rate(t), joint.motion.second_rate(t))
    k = joint.cross
    R = np.eye(3) + np.sin(angle) * k + (1.0 - np.cos(angle)) * (k @ k)
    return Rates(R, joint.sense * rate * k @ R, joint.sense * second * k @ R + rate**2 * k @ k @ R)


@dataclass
class LinkMotion:
    """A link at an instant: axes R, place and acceleration of its origin, and its B (6 + n, coordinates)."""

    R: Rates
    o: Rates
    B: Rates


@dataclass
class ArmMotion:
    """All links at an instant, and of each joint whose deviation is a coordinate the row of it, with the place of the
    coordinate."""

    links: list[LinkMotion]
    deviations: dict[int, Rates]


class Numbering:
    """Where the coordinates of an arm stand: of each link the column of its joint, −1 without one, and those of its
    own."""

    def __init__(self, chain: Chain) -> None:
        self.joint: list[int] = []
        self.own: list[slice] = []
        names: list[str] = []
        for link, joint in zip(chain.links, chain.joints, strict=True):
            self.joint.append(len(names) if joint.free else -1)
            names += [joint.name] if joint.free else []
            self.own.append(slice(len(names), len(names) + link.n))
            names += link.own
        self.names = names
        self.size = len(names)


def rows_of(chain: Chain, motion: ArmMotion, link: int, frame: LinkFrame) -> Rates:
    """The displacements (6, coordinates) of a frame on a link, in axes of the link."""
    return motion.links[link].B.after(frame.rows @ chain.links[link].A)


def motion_at(chain: Chain, numbers: Numbering, t: float, frozen: bool = False) -> ArmMotion:
    """The nominal motion and the compatibility of all links at time t."""
    zero3, ground = np.zeros(3), Rates(np.eye(3), np.zeros((3, 3)), np.zeros((3, 3)))
    result = ArmMotion([], {})
    for k, (link, joint) in enumerate(zip(chain.links, chain.joints, strict=True)):
        turn = turning(joint, t, frozen).before(joint.turn)
        if joint.parent == GROUND:
            R_p, o_p = ground, Rates(zero3, zero3, zero3)
            out = Rates(*(np.zeros((6, numbers.size)) for _ in range(3)))
        else:
            before = result.links[joint.parent]
            R_p, o_p = before.R, before.o
            out = rows_of(chain, result, joint.parent, joint.on_parent)
        R = R_p @ turn
        a, b = joint.on_parent.position, joint.on_link.position
        o = Rates(*(o_p[i] + R_p[i] @ a - R[i] @ b for i in range(3)))
        S = turn.turned
        shifts = S @ Rates(*(x[:3] for x in out))
        turns = S @ Rates(*(x[3:] for x in out))
        if joint.free:
            e, column = joint.own_axis, numbers.joint[k]
            along = turns.after(e[None])
            turns = Rates(*(x - e[:, None] * y for x, y in zip(turns, along, strict=True)))
            turns.value[:, column] += e
            deviation = Rates(*(-y[0] for y in along))
            deviation.value[column] += 1.0
            result.deviations[k] = deviation
        own = np.zeros((link.n, numbers.size))
        own[:, numbers.own[k]] = np.eye(link.n)
        B = Rates(
            np.vstack([shifts.value, turns.value, own]),
            *(np.vstack([x, y, np.zeros_like(own)]) for x, y in zip(shifts[1:], turns[1:], strict=True)),
        )
        result.links.append(LinkMotion(R, o, B))
    return result
