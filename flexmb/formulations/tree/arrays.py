"""The tree of links and joints as flat arrays, which the compiled formulations read."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.kernels.references import by_reference


@by_reference
class Nodes(NamedTuple):
    """The node of each of n links: its pose on the link, and the indices of its coordinates in the vectors of the
    system.

    `numbers_q` (n, 7), (n, 3) in the plane, and `numbers_v` (n, 6), (n, 3): indices in q and v. `axes` (n, 4): unit
    quaternion from node axes to link axes. `place` (n, 3) [m]: the node in link axes. In the plane the angle of a node
    is the sum of all joint turns from the ground to it plus `angle` (n,). Where joint motion s has a coordinate in the
    system too, `own` (s,) is its index there, else −1, and its value is the joint coordinate plus `more` (s,). `inner`
    (k,): indices, the same in q and v, of the inner coordinates of groups."""

    numbers_q: np.ndarray
    numbers_v: np.ndarray
    axes: np.ndarray
    place: np.ndarray
    angle: np.ndarray
    own: np.ndarray
    more: np.ndarray
    inner: np.ndarray
    dimension: int


@by_reference
class Beams(NamedTuple):
    """The elements of beams in which C interior points lie, those that carry links. Point c has the parameters
    p[p_at[c] :] of its weld; its element has the coordinates numbers_q[q_at[c] :] and the speeds numbers_v[v_at[c] :]
    (indices in the system). In the plane each node of an element passes on the fraction part[c] of its motion out of
    the plane.

    Of a body that hangs by an interface, frame[c] is the link of its frame, else −1. That link itself is point c with
    backwards[c] = 1, which moves with the head of the group against the point."""

    p: np.ndarray
    p_at: np.ndarray
    numbers_q: np.ndarray
    q_at: np.ndarray
    numbers_v: np.ndarray
    v_at: np.ndarray
    part: np.ndarray
    frame: np.ndarray
    backwards: np.ndarray


@by_reference
class Columns(NamedTuple):
    """The columns of the matrices P of C interior points: those of point c are first[c] to first[c + 1] − 1, and the
    velocity of the point is a sum over them. Column j belongs to component `axis`, 0 to 5, of [ω; v] of link `link`, in
    ground axes; its value is computed from the element's speeds beginning at `speed`. Where `link` is −1 it belongs to
    the inner coordinate number `axis` of all groups. `row` is the index of that component among the unknowns of the
    group."""

    first: np.ndarray
    link: np.ndarray
    axis: np.ndarray
    row: np.ndarray
    speed: np.ndarray


@by_reference
class Places(NamedTuple):
    """C links whose node is welded to an interior point of a beam (:mod:`flexmb.formulations.tree.places`), ordered by
    group: the points of group g begin at begin[g]; own[c] is the link that is welded to point c. `beams`: the elements
    in which the points lie; `columns`: how the points move with the nodes of these.

    `nodes`: the nodes of the tree. q, v, a: buffers for all coordinates of the system; `work`: scratch of the kernels.
    Results of the last evaluation: `angle` (C,) [rad] in the plane, `at` (C, 7) pose, `motion` (C, 6) [ω; v], `rates`
    (C, 6) [α; a].
    """

    begin: np.ndarray
    own: np.ndarray
    beams: Beams
    columns: Columns
    nodes: Nodes
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    work: np.ndarray
    angle: np.ndarray
    at: np.ndarray
    motion: np.ndarray
    rates: np.ndarray


@by_reference
class Joints(NamedTuple):
    """The s motions of the joints of n links, and the layout of joint coordinates x (nq,) and joint speeds u (nv,).

    A joint is a chain of primitive motions, first[k] to first[k + 1] − 1 for the joint that carries link k, from the
    parent outwards. Of each: `kind` (s,) (:mod:`flexmb.model.ways`), and its shift along z by its coordinate, `pitch`
    (s,): 1 of a slide, the pitch [m/rad] of a screw; its axes at zero coordinate, as unit quaternion `axes` (s, 4), and
    its origin `place` (s, 3) [m], both relative to the motion before it, for the first one relative to the parent or
    the ground; in the plane the `sense` (s,) in which it turns, 1 or −1. Its coordinates begin at `at_q` (s,) in x, its
    speeds at `at_v` (s,) in u:

        turn, slide, screw   1 and 1
        ball                 4, the unit quaternion of b against a, and 3, ω against a in the axes of b
        free                 7, position in the axes of a, quaternion; 6, the rate of the position, ω in the axes of b

    The coordinates and speeds of joints are followed by the `inner` ones of groups
    (:mod:`flexmb.formulations.groups`), amplitudes of modes and angles of rotors; `inner` is their number.
    """

    first: np.ndarray
    kind: np.ndarray
    pitch: np.ndarray
    axes: np.ndarray
    place: np.ndarray
    sense: np.ndarray
    at_q: np.ndarray
    at_v: np.ndarray
    nq: int
    nv: int
    inner: int


@by_reference
class Links(NamedTuple):
    """n links and their `joints`, for compiled formulations.

    `parent` (n,): the link that carries link k, −1 for the ground; parent[k] < k. The axes and origin of a link follow
    the last motion of its joint. In these axes and about this origin are given `mass` (n,) [kg], first moment `moment`
    (n, 3) = m c [kg m], `inertia` (n, 6) [kg m²]: xx, yy, zz, xy, xz, yz, and `spin` (n, 3) [kg m²/s], the angular
    momentum that wheels of constant speed have against the link. `gravity` is (3,) [m/s²].

    Links with coupled masses form groups (:mod:`flexmb.formulations.groups`); these arrays have nothing of the masses
    of groups, but of what stands on the interface by which a body hangs, the head of its group.
    `group` (n,) is −1 for a link on its own, g for the head of group g, −2 − g for its other links.

    `place_of` (n,): the index of a link in `places`, −1 if it is not welded to an interior point.
    """

    parent: np.ndarray
    joints: Joints
    mass: np.ndarray
    moment: np.ndarray
    inertia: np.ndarray
    spin: np.ndarray
    gravity: np.ndarray
    group: np.ndarray
    place_of: np.ndarray
    places: Places


@by_reference
class Moving(NamedTuple):
    """Motion of n links with nv speeds, in ground axes, about the origins of the links. `speeds` (n + 1,): the joint of
    link k has the speeds speeds[k] to speeds[k + 1] − 1; poses `at` (n, 7), origin and unit quaternion, and `rotation`
    (n, 9); `angle` (n,), the sum of all turns in the plane; `arm` (n, 3) from the origin of the carrying link [m];
    `motion` (n, 6), [ω; v]; `bias` (n, 6), [α_c; a_c]; `columns` (nv, 6), S; `carried` (…, 6), for links on interior
    points of beams the columns of P (:mod:`flexmb.formulations.tree.places`).

    Masses in ground axes (:mod:`flexmb.formulations.newton_euler`): first moment `moment` (n, 3), m c [kg m]; `inertia`
    (n, 6) [kg m²]; `gyroscopic` (n, 6), the force for zero accelerations.
    """

    speeds: np.ndarray
    at: np.ndarray
    rotation: np.ndarray
    angle: np.ndarray
    arm: np.ndarray
    motion: np.ndarray
    bias: np.ndarray
    columns: np.ndarray
    carried: np.ndarray
    moment: np.ndarray
    inertia: np.ndarray
    gyroscopic: np.ndarray


@by_reference
class Seen(NamedTuple):
    """Motion of n links as it follows from coordinates of the system: poses `at` (n, 7), `motion` (n, 6) and
    accelerations `rates` (n, 6); `S` (12, 6): scratch for the motions of one joint."""

    at: np.ndarray
    motion: np.ndarray
    rates: np.ndarray
    S: np.ndarray
