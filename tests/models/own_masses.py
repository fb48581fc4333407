"""Masses of a user's own, which say how central gravity attracts them, or do not."""

from __future__ import annotations

import numpy as np

import flexmb as fm
from flexmb.elements.spatial.attraction.masses import Lump, MassAttraction
from flexmb.elements.spatial.rigid_body import SPATIAL_RIGID_BODY
from flexmb.kernels.blocks import free
from flexmb.kernels.compilation import kernel
from flexmb.kernels.contract import Kernels


class Lead(fm.Component):
    """A mass of a user's own, which does not say how it is attracted."""

    dimension = 3

    def __init__(self, frame, name):
        self.frame, self.name = frame, name

    def frames(self):
        return [self.frame]

    def nodes(self):
        return [self.frame.node]

    def assemble(self, assembly):
        p = np.array([*assembly.gravity, 2.0, 0.1, 0.1, 0.1, 0.0, 0.0, 0.0])
        assembly.instance(self, SPATIAL_RIGID_BODY, assembly.node(self.frame.node), p)


class Attracted(Lead):
    """The same, which says it."""

    def attraction(self, gravity):
        return MassAttraction(self, gravity)

    def lump(self):
        return Lump(self.frame.node, 2.0, np.zeros(3), 0.1 * np.eye(3))


class Beside(Lead):
    """The same, which says that it is a load."""

    external = True


class Unseen(Lead):
    """The same, which says that it is beside the mechanism."""

    external = only_reads = True


class Bead(fm.Component):
    """A mass on a wire that stands in the ground, on a coordinate of its own alone."""

    dimension = 3
    external = True

    def assemble(self, assembly):
        own = assembly.coordinates(self, [free(["along"], "length")], np.zeros(1))
        assembly.instance(self, BEAD, own, np.array([0.3]))


@kernel
def bead(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        out[i, 0] = p[i, 0] * a[iv[i, 0]]


@kernel
def bead_tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        K[i, 0, 0] += w[0] * p[i, 0]


BEAD = Kernels("bead", residual=bead, tangent=bead_tangent)
