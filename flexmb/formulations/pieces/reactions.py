"""Forces of the joints of a tree some of whose links are in blocks: joints inside a block are not closed, so that
assembly does not find their forces; the Newton-Euler equations do, from the accelerations."""

from __future__ import annotations

from flexmb.formulations.groups import gather
from flexmb.formulations.newton_euler import joint_forces, weigh_link
from flexmb.formulations.spatial_algebra import force_at, multiple, put_six, six_in, sum_of
from flexmb.kernels.compilation import called
from flexmb.kernels.vectors import minus, plus, vector_in


@called(None)
def put_forces(links, room, wrench, forces):
    """Forces (n, 6) on the links at their origins from the joints that carry them, behind a solution for external
    forces `wrench` (n, 6); those of joints that close loops are known."""
    moving, images, n = room.moving, room.images, links.parent.shape[0]
    for k in range(n):
        put_six(room.wrench, k, six_in(wrench, k))
        if room.blocks.of[k] >= 0:
            weigh_link(links, moving, k)
    if room.blocks.x.shape[0] > 0:
        gather(links, room.groups, moving, room.blocks.x, room.blocks.u)
    for c in range(images.of.shape[0]):
        a, b, force = images.links.parent[n + c], images.of[c], six_in(room.loop_forces, c)
        at = vector_in(moving.at[n + c], 0)
        if a >= 0:
            back = multiple(-1.0, force_at(force, minus(at, vector_in(moving.at[a], 0))))
            put_six(room.wrench, a, sum_of(six_in(room.wrench, a), back))
        if b >= 0:
            arm = minus(plus(at, vector_in(images.gap[c], 3)), vector_in(moving.at[b], 0))
            put_six(room.wrench, b, sum_of(six_in(room.wrench, b), force_at(force, arm)))
    joint_forces(links, moving, room.groups, room.accelerations, room.wrench, forces)
