"""Friction by the joint's own force in hinges, guides and slots of the plane, as a smooth law.

A hinge presses on its shaft, of radius r, with the size of its force; a pin with the force across its slot; a guide
presses on the two ends of its bearing of length L, each with half of the force across and with what carries the moment
M about the middle, which is the origin of frame b:

    hinge  N = |λ|        slot  N = |λ|        guide  N = |N₁| + |N₂|,    N₁,₂ = λ/2 ± M/L

With the row G of the joint's own coordinate and its rate u = G v, friction is

    F = Gᵀ T,    T = f(u) N + d u,    ∂F/∂λ = Gᵀ f ∂N/∂λ
    ∂F/∂v = Gᵀ T′ G,    ∂F/∂q = T ∂Gᵀ/∂q + Gᵀ T′ (∂Gᵀ/∂q v)ᵀ

where f is the coefficient of friction, for a hinge times r and at the speed r u, and d what is viscous.
"""

from __future__ import annotations

import math

import numpy as np

from flexmb.joints.coordinates import COUPLING
from flexmb.joints.friction import (
    COULOMB,
    EXCESS,
    SMOOTHING,
    STRIBECK,
    VISCOUS,
    JointFriction,
    checked_friction,
    dry_friction,
)
from flexmb.joints.planar.drive_position import add_travel
from flexmb.joints.planar.joint import Joint
from flexmb.joints.sticking import FREE, GUIDE, HINGE, SLOT, STATE, STICKING, arm_of, pressing
from flexmb.kernels.blocks import free
from flexmb.kernels.compilation import compiled, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.geometry import frame_arm, turned
from flexmb.model.components import Assembler
from flexmb.model.frames import rotation
from flexmb.model.pairs import pair_coordinates, pair_offsets


@compiled
def _law(law, lam, speed):
    """T, T′, f and ∂N/∂λ of a law at a speed of the joint."""
    arm = arm_of(law)
    u = arm * speed
    N, by_first, by_second = pressing(law, lam)
    f, slope = dry_friction(u, law[COULOMB], law[EXCESS], law[STRIBECK], law[SMOOTHING])
    return (
        arm * (f * N + law[VISCOUS] * u), arm * arm * (slope * N + law[VISCOUS]), arm * f, by_first, by_second,
    )  # fmt: skip


@kernel
def hinge_friction(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        u = v[iv[i, 1]] - v[iv[i, 0]]
        T, slope, f, by_x, by_y = _law(p[i], lam[i], u)
        out[i, 0], out[i, 1] = -T, T
        out[i, 2], out[i, 3] = -f * by_x, f * by_x
        out[i, 4], out[i, 5] = -f * by_y, f * by_y
        for j in range(2):
            K[i, j, j] += w[1] * slope
            K[i, j, 1 - j] -= w[1] * slope


@kernel
def guide_friction(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    # work: the row G (6), then ∂u/∂q (6)
    rows = lam.shape[1]
    for i in range(p.shape[0]):
        ex, ey = turned(math.cos(q[iq[i, 2]]), math.sin(q[iq[i, 2]]), p[i, 6], p[i, 7])
        bx, by = frame_arm(p[i], 3, q[iq[i, 5]])
        dx = q[iq[i, 3]] + bx - q[iq[i, 0]]
        dy = q[iq[i, 4]] + by - q[iq[i, 1]]
        arm = ex * bx + ey * by
        far = ex * dx + ey * dy
        work[0], work[1], work[2] = -ex, -ey, ex * dy - ey * dx
        work[3], work[4], work[5] = ex, ey, ey * bx - ex * by
        wa, wb = v[iv[i, 2]], v[iv[i, 5]]
        vx, vy = v[iv[i, 3]] - v[iv[i, 0]], v[iv[i, 4]] - v[iv[i, 1]]
        work[6], work[7], work[8] = ey * wa, -ex * wa, ex * vy - ey * vx - far * wa + arm * wb
        work[9], work[10], work[11] = -ey * wa, ex * wa, arm * (wa - wb)
        u = ex * vx + ey * vy + work[2] * wa + work[5] * wb
        T, slope, f, by_first, by_second = _law(p[i, 8:], lam[i], u)
        for j in range(6):
            out[i, j] = T * work[j]
            out[i, 6 + j] = f * by_first * work[j]
            if rows > 1:
                out[i, 12 + j] = f * by_second * work[j]
            for k in range(6):
                K[i, j, k] += slope * work[j] * (w[1] * work[k] + w[2] * work[6 + k])
        force = w[2] * T
        for j in range(2):  # as in the row along an axis: ∂e/∂θ_a = n
            n = force * (ex if j == 1 else -ey)
            K[i, j, 2] -= n
            K[i, 2, j] -= n
            K[i, 3 + j, 2] += n
            K[i, 2, 3 + j] += n
        K[i, 2, 2] -= force * far
        K[i, 2, 5] += force * arm
        K[i, 5, 2] += force * arm
        K[i, 5, 5] -= force * arm


#: Friction of a hinge, on the angles of its two nodes; parameters: its law.
HINGE_FRICTION = Kernels("friction of a hinge", friction=hinge_friction)
#: Friction of a guide or a slot; parameters: offsets (6), the axis in node a (2), its law.
GUIDE_FRICTION = Kernels("friction of a guide", friction=guide_friction)


def check_hinge_friction(law: JointFriction | None, where: str) -> None:
    """Refuse friction of a hinge without the radius of its shaft."""
    checked_friction(law, where)
    if law is not None:
        law.needs(where, "radius", without="at which it acts")


def check_guide_friction(law: JointFriction | None, where: str, carries_moment: bool) -> None:
    """Refuse friction of a guide without the length of its bearing."""
    checked_friction(law, where)
    if law is not None and carries_moment:
        law.needs(where, "length", without="whose two ends carry the moment")


def add_hinge_friction(joint: Joint, assembly: Assembler, law: JointFriction) -> None:
    """Add the friction of a hinge behind its rows x and y. Where it truly sticks, the hinge owns a coordinate 'turn',
    the angle by which b has turned against a since the start."""
    p = np.array([*law.parameters(), HINGE])
    angles = [assembly.node(frame.node)[1] for frame in (joint.a, joint.b)]
    if law.smoothing > 0.0:
        assembly.instance(joint, HINGE_FRICTION, angles, p, reads=True)
        return
    a, b = joint.a.node, joint.b.node
    rate = b.moving_at(b.position)[1] - a.moving_at(a.position)[1]
    (turn,) = assembly.coordinates(joint, [free(["turn"], "angle")], np.zeros(1), np.array([rate]), given=False)
    weights = np.array([-1.0, 1.0, -1.0, b.angle - a.angle])
    assembly.instance(joint, COUPLING, [*angles, turn], weights, [("turn", "angle")], stays=True)
    assembly.instance(joint, STICKING, turn, np.append(p, [FREE, 1.0]), reads=True, state=STATE)


def add_guide_friction(
    joint: Joint, assembly: Assembler, law: JointFriction, axis: float, carries_moment: bool
) -> None:
    """Add the friction of a guide, whose bearing carries a moment, or of a slot, behind the joint's rows. Where it
    truly sticks, the joint owns a coordinate 'travel', the place of b along the axis."""
    p = np.array([*law.parameters(), GUIDE if carries_moment else SLOT])
    direction = rotation(axis)[:, 0]
    if law.smoothing > 0.0:
        own = rotation(joint.a.offset_angle) @ direction
        p = np.concatenate([pair_offsets(joint.a, joint.b), own, p])
        assembly.instance(joint, GUIDE_FRICTION, pair_coordinates(assembly, joint.a, joint.b), p, work=12, reads=True)
        return
    travel = add_travel(joint, assembly, direction)
    assembly.instance(joint, STICKING, travel, np.append(p, [FREE, 1.0]), reads=True, state=STATE)
