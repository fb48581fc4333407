"""Drive of one coordinate, in the plane and in space: a rotor, or a counted angle, follows a function of time.

    g = s − f(t)

The force on the coordinate is −λ.
"""

from __future__ import annotations

from flexmb.kernels.compilation import kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.slots import time_function


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


#: One row on one coordinate; parameters: a function of time.
COORDINATE_DRIVE = Kernels("drive of a coordinate", constraint=constraint, jacobian=jacobian)
