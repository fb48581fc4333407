"""A tree of links and joints as compiled roads read it: flat arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.kernels.references import by_reference


@by_reference
class Nodes(NamedTuple):
    """Where the nodes of the links are in the system: the numbers of their coordinates in q (n, 7), (n, 3) in the
    plane, and of their speeds in v (n, 6), (n, 3); the axes of a node, as unit quaternions (n, 4), and its place (n, 3)
    in the axes of its link. In the plane the angle of a node is the sum of the turns, each times its `sense` (s,), plus
    `angle` (n,). Motions whose coordinate is one of the system too have its number in `own` (s,), else −1; there it is
    greater by `more` (s,). `inner` (k,) are the numbers of inner coordinates of groups, in q and in v."""

    numbers_q: np.ndarray
    numbers_v: np.ndarray
    axes: np.ndarray
    place: np.ndarray
    sense: np.ndarray
    angle: np.ndarray
    own: np.ndarray
    more: np.ndarray
    inner: np.ndarray
    dimension: int


@by_reference
class Places(NamedTuple):
    """C links that move as places within beams do (:mod:`flexmb.formulations.tree.places`), those of one group behind
    one another: of group g from begin[g] on. Place c stands in an element with the row of parameters p[p_at[c] :], of
    the weld that holds it, and the coordinates numbers_q[q_at[c] :] and speeds numbers_v[v_at[c] :] of the system.

    Its motion follows from that of some columns, from first[c] to first[c + 1]: motions along axis `axis` of the nodes
    of links `link` (0 to 5, those of a six-vector in the axes of the ground), which belong to the speeds of the element
    from `speed` on; or, where `link` is −1, of the inner coordinates of number `axis`. Their numbers among those of the
    group are `row`. Each node gives part[c] of its motion out of the plane. Place c is that of link own[c].

    `nodes` are those of the tree; q, v, a have room for all coordinates of the system, `work` for kernels. In the
    position that was asked for last `angle` (C,) [rad] and `turn` (C, 4) are those of the places, `at` (C, 7) their
    poses, `motion` (C, 6) and `rates` (C, 6) are [ω; v] and [α; a]."""

    begin: np.ndarray
    p: np.ndarray
    p_at: np.ndarray
    numbers_q: np.ndarray
    q_at: np.ndarray
    numbers_v: np.ndarray
    v_at: np.ndarray
    first: np.ndarray
    link: np.ndarray
    axis: np.ndarray
    row: np.ndarray
    speed: np.ndarray
    part: np.ndarray
    own: np.ndarray
    nodes: Nodes
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    work: np.ndarray
    angle: np.ndarray
    turn: np.ndarray
    at: np.ndarray
    motion: np.ndarray
    rates: np.ndarray


@by_reference
class Links(NamedTuple):
    """n links and the s motions of their joints, as compiled roads read them.

    `parent` (n,) is the link that carries link k, −1 the ground, parent[k] < k. The motions of its joint are those from
    first[k] to first[k + 1], from the parent outwards: their `kind` (s,) (:mod:`flexmb.model.ways`), `pitch` (s,)
    [m/rad]; their axes, as unit quaternions `axes` (s, 4) and as matrices `rotation` (s, 9), and origins `place` (s, 3)
    at zero, in what comes before them: for the first one the axes of the parent, those of the ground if there is none.
    Their numbers begin at `at_q` (s,) among the joint coordinates and at `at_v` (s,) among the joint speeds:

        turn, slide, screw   1 and 1
        ball                 4, the unit quaternion of b against a, and 3, ω against a in the axes of b
        free                 7, the place in the axes of a and the quaternion; 6, the rate of the place, ω in those of b

    The axes and the origin of a link are those behind the last motion of its joint. In these axes and about this origin
    are `mass` (n,), `moment` (n, 3) = m c and `inertia` (n, 6): xx, yy, zz, xy, xz, yz. `gravity` is (3,).

    Links that share their mass with others form groups (:mod:`flexmb.formulations.groups`), and have none here. `group`
    (n,) is −1 for other links, the number g of the group for its head, −2 − g for those beside it. Behind all joint
    coordinates and speeds stand as many `inner` ones of groups: amplitudes of modes and angles of rotors.

    `place_of` (n,) is the number of a link among `places`, −1 if it is none of them.
    """

    parent: np.ndarray
    first: np.ndarray
    kind: np.ndarray
    pitch: np.ndarray
    axes: np.ndarray
    rotation: np.ndarray
    place: np.ndarray
    at_q: np.ndarray
    at_v: np.ndarray
    mass: np.ndarray
    moment: np.ndarray
    inertia: np.ndarray
    gravity: np.ndarray
    nq: int
    nv: int
    group: np.ndarray
    inner: int
    place_of: np.ndarray
    places: Places
