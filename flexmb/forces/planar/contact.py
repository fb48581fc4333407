"""Contact in the plane: points, disks, half-planes and round holes."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from flexmb.forces.contact import ContactPair
from flexmb.forces.contact_among import ManyInContact
from flexmb.forces.contact_force import (
    CHANGE,
    CHANGE_A,
    CHANGE_B,
    FORCE,
    NORMAL,
    ON_A,
    ON_B,
    STIFFNESS,
    VELOCITY,
    WORK,
    change,
    energies,
    moments,
    see,
    touch,
)
from flexmb.forces.contact_law import tearing
from flexmb.kernels.compilation import compiled, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.vectors import IDENTITY, NONE, dot, vector_in
from flexmb.model.components import Assembler, Component
from flexmb.model.frames import Frame, rotation
from flexmb.model.pairs import PlanarPair, pair_coordinates


@dataclass(eq=False)
class Contact(ContactPair, PlanarPair):
    """Shapes on two frames of the plane push each other apart where they overlap, and rub.

    The normal force is N = k δⁿ max(0, 1 + d δ̇) with the overlap δ by Hunt and Crossley (1975), see
    :mod:`flexmb.forces.contact_law`, which says what d a restitution means; friction is N μ(|v|) against the sliding
    velocity v, smooth at v = 0 as :class:`flexmb.JointFriction` says. Both act midway between the two surfaces.

    A point or a :class:`flexmb.Disk` touches a point, a disk, a :class:`flexmb.HalfPlane` or the wall of a
    :class:`flexmb.Cavity`.

    Arguments: `name`; frames `a`, `b`; `shape_a`, `shape_b` on them, None for a point at the origin of the frame;
    `stiffness` k [N/mⁿ], see :func:`flexmb.hertz`; `exponent` n, 1.5; `damping` d [s/m], or `restitution` with the
    `impact_speed` [m/s] for which it holds; `friction`, a coefficient or a
    :class:`flexmb.JointFriction` (coefficient, static, stribeck_speed, smoothing).

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m", gravity=(0, -9.81))
    >>> ball = m.add_body("ball", mass=1.0, inertia=4e-3, position=(0, 0.5))
    >>> floor = m.contact(m.ground, ball.frame, fm.HalfPlane("y"), fm.Disk(diameter=0.2), stiffness=1e6, name="floor")
    >>> solution = fm.simulate(m, 0.4, progress=False)
    >>> floor = solution["floor"]
    >>> float(floor.gap[0].round(9)), bool(floor.touching[-1]), float(floor.gap.min().round(4))
    (0.4, False, -0.01)
    """

    def assemble(self, assembly: Assembler) -> None:
        swapped, rows = self.pairs()
        a, b = (self.b, self.a) if swapped else (self.a, self.b)
        add_pairs(assembly, self, a, b, rows)


@dataclass(eq=False)
class ContactAmong(ManyInContact):
    """Disks in the plane of which any two may touch, found by a search: a step costs a time in proportion to their
    number, where each has few that are near. The force between two is that of :class:`Contact`.

    The search is by cells as large as the largest disk, so sizes should not differ by more than a few times. Steps that
    follow their error are so short that no disk moves by more than a tenth of the mean radius. An implicit method has
    the net of all that touch in its matrix, whose factors fill where bodies are packed, in space above all; take
    "dop853" for such.

    Arguments: `name`; `bodies`, a list of frames, one of each body; `shapes`, a :class:`flexmb.Disk` for all of them or
    a list of one for each; `stiffness` … `friction` as of a contact; `room` for so many pairs that are near each other
    at one time, 8 for each disk when not given (12 for each ball in space).

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m")
    >>> disks = [m.add_body(f"disk {k}", mass=1.0, inertia=5e-3, position=(0.19 * k, 0)) for k in range(5)]
    >>> heap = m.contact_among([body.frame for body in disks], fm.Disk(diameter=0.2), stiffness=1e6, name="heap")
    >>> system = fm.System(m)
    >>> float(system.energy(0.0, system.q0, system.v0)[1].round(6))  # four pairs touch: 4 k δ^2.5/2.5
    16.0
    """

    def numbers_of_bodies(self) -> np.ndarray:
        own = []
        for frame, disk in zip(self.bodies, self.balls()):
            middle = frame.offset + rotation(frame.offset_angle) @ disk.point[:2]
            own.append([*middle.tolist(), 0.0, disk.radius])
        return np.array(own)

    def assemble(self, assembly: Assembler) -> None:
        self.search(assembly, CONTACT)


def add_pairs(assembly: Assembler, owner: Component, a: Frame, b: Frame, rows: list[list[float]]) -> None:
    """Add pairs of shapes on two frames, with their parameters in the axes of the frames."""
    for row in rows:
        p = np.array(row)
        for frame, at in ((a, ON_A), (b, ON_B)):
            p[at : at + 2] = frame.offset + rotation(frame.offset_angle) @ p[at : at + 2]
            p[at + 3 : at + 5] = rotation(frame.offset_angle) @ p[at + 3 : at + 5]
        assembly.instance(owner, CONTACT, pair_coordinates(assembly, a, b), p, work=WORK)


@compiled
def _gap(row, iq, q, work):
    """See a pair of nodes of the plane; the gap."""
    half_a, half_b = 0.5 * q[iq[2]], 0.5 * q[iq[5]]
    turn_a = (math.cos(half_a), 0.0, 0.0, math.sin(half_a))
    turn_b = (math.cos(half_b), 0.0, 0.0, math.sin(half_b))
    return see(row, work, (q[iq[0]], q[iq[1]], 0.0), turn_a, (q[iq[3]], q[iq[4]], 0.0), turn_b)


@compiled
def _touch(row, iv, v, work):
    """The force of a pair that was seen."""
    speed_a, speed_b = (v[iv[0]], v[iv[1]], 0.0), (v[iv[3]], v[iv[4]], 0.0)
    touch(row, work, speed_a, (0.0, 0.0, v[iv[2]]), speed_b, (0.0, 0.0, v[iv[5]]))


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        if _gap(p[i], iq[i], q, work) >= 0.0:
            continue
        _touch(p[i], iv[i], v, work)
        moment_a, moment_b = moments(work)
        out[i, 0] = work[FORCE]
        out[i, 1] = work[FORCE + 1]
        out[i, 2] = moment_a[2]
        out[i, 3] = -work[FORCE]
        out[i, 4] = -work[FORCE + 1]
        out[i, 5] = -moment_b[2]


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        if _gap(p[i], iq[i], q, work) >= 0.0:
            continue
        _touch(p[i], iv[i], v, work)
        for j in range(6):
            k = 3 * (j % 3)
            move, spin = (IDENTITY[k], IDENTITY[k + 1], 0.0), (0.0, 0.0, IDENTITY[k + 2])
            if j < 3:
                change(p[i], work, w[2], w[1], move, spin, NONE, NONE)
            else:
                change(p[i], work, w[2], w[1], NONE, NONE, move, spin)
            K[i, 0, j] += work[CHANGE]
            K[i, 1, j] += work[CHANGE + 1]
            K[i, 2, j] += work[CHANGE_A + 2]
            K[i, 3, j] -= work[CHANGE]
            K[i, 4, j] -= work[CHANGE + 1]
            K[i, 5, j] -= work[CHANGE_B + 2]


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        if _gap(p[i], iq[i], q, work) < 0.0:
            _touch(p[i], iv[i], v, work)
            energies(p[i], work, out[i])


@kernel
def switches(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        gap = _gap(p[i], iq[i], q, work)
        out[i, 0] = gap
        out[i, 1] = 1.0
        if gap < 0.0:
            _touch(p[i], iv[i], v, work)
            out[i, 1] = tearing(gap, dot(vector_in(work, NORMAL), vector_in(work, VELOCITY)), p[i, STIFFNESS + 2])


#: A pair of shapes in the plane; parameters as in :mod:`flexmb.forces.contact_force`.
CONTACT = Kernels("contact", residual=residual, tangent=tangent, energy=energy, switches=switches)
