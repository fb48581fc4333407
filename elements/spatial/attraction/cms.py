"""The attraction of CMS beams by Gauss points, whose forces are summed in the frame of an element.

The same points with the same forces as :mod:`flexmb.elements.spatial.attraction.points` have, from which derivatives
and energies are. But here the motion of the frame is found once for all of them, and what acts at them goes from the
frame to the nodes once, as :mod:`flexmb.elements.spatial.cms.point` says: four times as fast with 14 points.
"""

from __future__ import annotations

from flexmb.elements.interior import DATA, HEAD, OWN
from flexmb.elements.spatial.attraction.points import (
    COUNT,
    FIELD,
    BeamAttraction,
    acting,
    energy,
    slice_at,
    starts,
    tangent,
)
from flexmb.elements.spatial.attraction.points import SHAPES as DATA_AT
from flexmb.elements.spatial.cms.disks import turning_matrix
from flexmb.elements.spatial.cms.element import FIELD as CMS_FIELD
from flexmb.elements.spatial.cms.element import FRAME
from flexmb.elements.spatial.cms.forces import to_instance
from flexmb.elements.spatial.cms.frame import QUATERNION, TO_GROUND, motion, nine, on_nodes, sizes
from flexmb.elements.spatial.cms.point import bent_turn, loads_at, place_at
from flexmb.elements.spatial.cms.swing import stumpff
from flexmb.kernels.compilation import kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.rotations import product, turned
from flexmb.kernels.vectors import NONE, applied, plus, transposed, vector_at, vector_in
from flexmb.kernels.views import matrix_view, vector_view
from flexmb.model.gravity.falling import origin_of


class CmsAttraction(BeamAttraction):
    """The attraction of a CMS beam in space.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("craft", gravity=fm.spatial.CentralGravity(4.0, (4.0, 0, 0), (0, 1.0, 0)))
    >>> given = fm.spatial.BeamProperties(EA=1e6, EIy=10.0, EIz=20.0, GJ=15.0, rhoA=0.5)
    >>> rod = m.add_beam("rod", (3.0, 0, 0), (5.0, 0, 0), properties=given)
    >>> system = fm.System(m)  # the mass 1 at 8 from the center, but for 1/7 and 1/9 at its ends
    >>> float(system.residual(0.0, system.q0, system.v0, 0.0 * system.v0)[[0, 6]].sum().round(6))
    -0.186508
    """

    @property
    def kernels(self) -> Kernels:
        return ATTRACTED_CMS


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    o, od, before = NONE, NONE, 0
    for i in range(p.shape[0]):
        at, place, width = starts(p, i)
        o, od = origin_of(p, i, at + FIELD, before, t, o, od)
        before = at + FIELD
        own = matrix_view(p, i * p.shape[1] + HEAD, 1, int(p[i, OWN]))
        numbers = matrix_view(iq, i * iq.shape[1], 1, iq.shape[1])
        speeds = matrix_view(iv, i * iv.shape[1], 1, iv.shape[1])
        m, nv, nw, _, nc = sizes(own, 0)
        motion(own, numbers, speeds, 0, q, v, a, work)
        H, c, free = vector_view(work, 0, FRAME), matrix_view(work, FRAME, 3, nc), FRAME + 3 * nc
        X, y = vector_view(work, free, 18), vector_view(work, free + 18, 6 + nc)
        whole, z = vector_view(work, free + 24 + nc, 6 + nc), vector_view(work, free + 30 + 2 * nc, 9)
        E = (H[QUATERNION], H[QUATERNION + 1], H[QUATERNION + 2], H[QUATERNION + 3])
        axes, second = nine(H, TO_GROUND), own[0, CMS_FIELD] == 2.0
        for k in range(6 + nc):
            whole[k] = 0.0
        for _ in range(int(p[i, at + COUNT])):
            data = vector_view(p[i], place + DATA_AT, int(p[i, DATA]))
            place_at(m, nv, nw, second, data, c, X)
            s, bent = vector_in(X, 0), vector_in(X, 9)
            own_turn = bent_turn(bent)
            turn = product(E, own_turn)
            center, S, x = slice_at(p[i], place, turn, plus(vector_at(q, iq[i], 0), applied(axes, s)))
            _, force, moment = acting(p[i], at, place, o, turn, center, S, x)
            moment = turned(own_turn, moment)
            back = transposed(turning_matrix(bent[0], bent[1], stumpff(bent[0] * bent[0] + bent[1] * bent[1])))
            loads_at(m, nv, nw, second, data, c, s, turned(own_turn, force), moment, applied(back, moment), y)
            for k in range(6 + nc):
                whole[k] -= y[k]
            place += width
        on_nodes(H, c, m, nv, nw, whole, z)
        to_instance(H, m, nv, nw, whole, z, out, i)


#: On the coordinates of an element.
ATTRACTED_CMS = Kernels("central gravity on a CMS beam", residual=residual, tangent=tangent, energy=energy)
