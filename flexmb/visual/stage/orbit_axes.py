"""Hill's axes of a craft in orbit, and the direction of the sun, as arrows at its mass center."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.model import checks
from flexmb.model.orientations import scalar_first
from flexmb.results.orbits.orbit import Orbit, orbit
from flexmb.results.subject import CLOCK, Subject
from flexmb.visual.stage import meshes
from flexmb.visual.stage.meshes import stretched
from flexmb.visual.stage.pieces import InFront, Piece
from flexmb.visual.stage.placing import along

#: length and radius of the arrows as parts of the size of a mechanism
LENGTH, RADIUS = 0.16, 0.0034
#: the light below which the arrow to the sun is left out
DARK = 0.5


def orbit_axes(orbit: Orbit, unit: float) -> list[Piece]:
    """The arrows at the times of an orbit: outwards, along the flight, along the normal, and to the sun, if it is
    known, as long as it shines."""
    local = stretched(np.asarray(meshes.arrow().points), LENGTH * unit, RADIUS * unit)
    places, faces = orbit.center, meshes.arrow().regular_faces
    hills = np.column_stack([places, scalar_first(orbit.axes)])
    pieces: list[Piece] = [
        InFront(orbit.name, f"orbit {letter}", faces, local @ along(axis).T, hills)
        for letter, axis in zip("xyz", np.eye(3))
    ]
    if orbit.sun is not None:
        still = np.column_stack([places, np.tile([1.0, 0.0, 0.0, 0.0], (len(places), 1))])
        lit = None if orbit.gravity.radius is None else orbit.light >= DARK
        pieces.append(InFront(orbit.name, "sun", faces, local @ along(orbit.sun).T, still, on=lit))
    return pieces


def orbit_of(subject: Subject, wanted: Any, where: str) -> Orbit | None:
    """The orbit that a view shows: none, that of all it shows, or one of its own that was given."""
    if not isinstance(wanted, Orbit):
        if not checks.flag(wanted, "orbit", where):
            return None
        shown: Any = subject.solution
        wanted = orbit(shown)
    if subject.caption or subject.clock != CLOCK:
        raise ModelError(f"{where}: its times are not those of an orbit; leave out orbit, or view a run or a state")
    own, given = ((x.original or x) for x in (subject.solution, wanted.solution))
    if own is not given:
        raise ModelError(f"{where}: orbit is the {wanted.where} of another solution; give fm.spatial.orbit of this one")
    return wanted


def arrows_of_orbit(orbit: Orbit) -> str:
    """Colors of the arrows in words, for the corner of a picture."""
    sun = "" if orbit.sun is None else ", sun gold"
    return f"orbit: outwards red, flight green, normal blue{sun}"
