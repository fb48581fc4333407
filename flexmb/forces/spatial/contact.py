"""Contact in space: points, balls, cylinders, half-spaces and hollow balls."""

from __future__ import annotations

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
from flexmb.kernels.rotations import quaternion_at, turned, turned_back
from flexmb.kernels.vectors import IDENTITY, NONE, cross, dot, minus, put, times, vector_at, vector_in
from flexmb.model.components import Assembler, Component
from flexmb.model.pairs import pair_coordinates
from flexmb.model.spatial_frames import Frame, SpatialPair


@dataclass(eq=False)
class Contact(ContactPair, SpatialPair):
    """Shapes on two frames in space push each other apart where they overlap, and rub.

    The law is that of the plane, :class:`~flexmb.forces.planar.contact.Contact`; friction acts against the sliding
    velocity, a vector in the plane of contact. There is no moment about the normal.

    A point or a :class:`flexmb.Sphere` touches a point, a sphere, a :class:`flexmb.HalfSpace`, the wall of a
    :class:`flexmb.Cavity`, or the side, the ends and the edges of a :class:`flexmb.Cylinder`. A cylinder touches a
    half-space by the lowest points of its two edges, each with the stiffness k: it rolls on its side, on an edge, and
    stands on its end (see :mod:`flexmb.forces.contact_geometry` for how). Its side is straight between the edges.

    Arguments: as of the contact in the plane.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("m", gravity=(0, 0, -9.81))
    >>> ball = m.add_body("ball", shape=fm.Sphere(diameter=0.2), density=200, position=(0, 0, 1))
    >>> floor = m.contact(
    ...     m.ground, ball.frame, fm.HalfSpace("z"), fm.Sphere(diameter=0.2),
    ...     stiffness=1e6, restitution=0.8, impact_speed=4.0, friction=0.3, name="floor",
    ... )
    >>> round(floor.law()[2] * 4.0, 3)
    0.373
    """

    def assemble(self, assembly: Assembler) -> None:
        swapped, rows = self.pairs()
        a, b = (self.b, self.a) if swapped else (self.a, self.b)
        add_pairs(assembly, self, a, b, rows)


@dataclass(eq=False)
class ContactAmong(ManyInContact):
    """Balls in space of which any two may touch, found by a search: a step costs a time in proportion to their number,
    where each has few that are near. The force between two is that of :class:`Contact`.

    Arguments: as of contacts in the plane, :class:`~flexmb.forces.planar.contact.ContactAmong`, with a
    :class:`flexmb.Sphere` for each body.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("m")
    >>> ball = fm.Sphere(diameter=0.2)
    >>> balls = [m.add_body(f"ball {k}", shape=ball, density=200, position=(0.19 * k, 0, 0)) for k in range(5)]
    >>> heap = m.contact_among([body.frame for body in balls], ball, stiffness=1e6, name="heap")
    >>> system = fm.System(m)
    >>> float(system.energy(0.0, system.q0, system.v0)[1].round(6))  # four pairs touch: 4 k δ^2.5/2.5
    16.0
    """

    dimension = 3

    def numbers_of_bodies(self) -> np.ndarray:
        own = []
        for frame, ball in zip(self.bodies, self.balls()):
            middle = frame.offset + np.array(turned(tuple(frame.axes.tolist()), tuple(ball.point.tolist())))
            own.append([*middle.tolist(), ball.radius])
        return np.array(own)

    def assemble(self, assembly: Assembler) -> None:
        self.search(assembly, SPATIAL_CONTACT)


def add_pairs(assembly: Assembler, owner: Component, a: Frame, b: Frame, rows: list[list[float]]) -> None:
    """Add pairs of shapes on two frames, with their parameters in the axes of the frames."""
    for row in rows:
        p = np.array(row)
        for frame, at in ((a, ON_A), (b, ON_B)):
            axes = tuple(frame.axes.tolist())
            p[at : at + 3] = frame.offset + np.array(turned(axes, tuple(p[at : at + 3].tolist())))
            p[at + 3 : at + 6] = turned(axes, tuple(p[at + 3 : at + 6].tolist()))
        assembly.instance(owner, SPATIAL_CONTACT, pair_coordinates(assembly, a, b), p, work=WORK)


@compiled
def _gap(row, iq, q, work):
    """See a pair of nodes; the gap."""
    return see(row, work, vector_at(q, iq, 0), quaternion_at(q, iq, 3), vector_at(q, iq, 7), quaternion_at(q, iq, 10))


@compiled
def _touch(row, iq, iv, q, v, work):
    """The force of a pair that was seen."""
    omega_a = turned(quaternion_at(q, iq, 3), vector_at(v, iv, 3))
    omega_b = turned(quaternion_at(q, iq, 10), vector_at(v, iv, 9))
    touch(row, work, vector_at(v, iv, 0), omega_a, vector_at(v, iv, 6), omega_b)


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        if _gap(p[i], iq[i], q, work) >= 0.0:
            continue
        _touch(p[i], iq[i], iv[i], q, v, work)
        moment_a, moment_b = moments(work)
        F = vector_in(work, FORCE)
        put(out[i], 0, F)
        put(out[i], 3, turned_back(quaternion_at(q, iq[i], 3), moment_a))
        put(out[i], 6, times(-1.0, F))
        put(out[i], 9, times(-1.0, turned_back(quaternion_at(q, iq[i], 10), moment_b)))


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        if _gap(p[i], iq[i], q, work) >= 0.0:
            continue
        _touch(p[i], iq[i], iv[i], q, v, work)
        moment_a, moment_b = moments(work)
        turn_a, turn_b = quaternion_at(q, iq[i], 3), quaternion_at(q, iq[i], 10)
        for j in range(12):
            e = vector_in(IDENTITY, 3 * (j % 3))
            move_a, spin_a, move_b, spin_b = NONE, NONE, NONE, NONE
            if j < 3:
                move_a = e
            elif j < 6:
                spin_a = turned(turn_a, e)
            elif j < 9:
                move_b = e
            else:
                spin_b = turned(turn_b, e)
            change(p[i], work, w[2], w[1], move_a, spin_a, move_b, spin_b)
            about_a = minus(vector_in(work, CHANGE_A), times(w[2], cross(spin_a, moment_a)))
            about_b = minus(vector_in(work, CHANGE_B), times(w[2], cross(spin_b, moment_b)))
            about_a, about_b = turned_back(turn_a, about_a), turned_back(turn_b, about_b)
            for k in range(3):
                K[i, k, j] += work[CHANGE + k]
                K[i, 3 + k, j] += about_a[k]
                K[i, 6 + k, j] -= work[CHANGE + k]
                K[i, 9 + k, j] -= about_b[k]


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        if _gap(p[i], iq[i], q, work) < 0.0:
            _touch(p[i], iq[i], iv[i], q, v, work)
            energies(p[i], work, out[i])


@kernel
def switches(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        gap = _gap(p[i], iq[i], q, work)
        out[i, 0] = gap
        out[i, 1] = 1.0
        if gap < 0.0:
            _touch(p[i], iq[i], iv[i], q, v, work)
            out[i, 1] = tearing(gap, dot(vector_in(work, NORMAL), vector_in(work, VELOCITY)), p[i, STIFFNESS + 2])


#: A pair of shapes in space; parameters as in :mod:`flexmb.forces.contact_force`.
SPATIAL_CONTACT = Kernels("contact in space", residual=residual, tangent=tangent, energy=energy, switches=switches)
