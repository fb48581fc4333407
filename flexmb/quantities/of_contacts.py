"""Quantities of contacts, tires and stops by their names: gaps, slip and forces."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.forces.contact_force import ON_A, ON_B, is_hard
from flexmb.kernels.rotations import turned
from flexmb.model.appearance import JOINT_COORDINATES, StopPlace
from flexmb.model.ways import about_z
from flexmb.quantities import contact_formulas, hard_contact_formulas, tire_formulas
from flexmb.quantities.of_joints import JointFrames
from flexmb.quantities.places import Places
from flexmb.quantities.quantity import Quantity

#: stands for the limit of a stop that has none
FAR = 1e300
#: what can be asked of a contact, with its unit; forces act on b, fz in space only
CONTACT_UNITS = {
    "gap": "m", "slip_speed": "m/s",
    **dict.fromkeys(("normal_force", "friction_force", "force", "fx", "fy", "fz"), "N"),
}  # fmt: skip


def of_contact(between: JointFrames, what: str, places: Places) -> Quantity:
    """A quantity of a contact by its name, one of :data:`CONTACT_UNITS`, or "x", "y", "z" of where its force acts."""
    contact = between.pair.contact
    assert contact is not None
    rows, e = np.array(contact.rows), np.zeros(3)
    bodies = [(between.a, between.offset_a, between.on_a), (between.b, between.offset_b, between.on_b)]
    if contact.swapped:
        bodies.reverse()
    for at, (_, offset, axes) in zip((ON_A, ON_B), bodies):
        arm, turn = (offset, axes) if axes else ((*offset[:2], 0.0), about_z(offset[2]))
        for row in rows:
            row[at : at + 3] = np.add(arm, turned(turn, tuple(row[at : at + 3])))
            row[at + 3 : at + 6] = turned(turn, tuple(row[at + 3 : at + 6]))
    on_rows = is_hard(contact) and what not in ("gap", "slip_speed")
    if on_rows and what in "xyz":
        raise ModelError(
            f"contact {between.name!r}: where its force acts follows from the forces of its rows, which are known of "
            "a solution alone; ask solution['whole.margin'], or watch its normal force"
        )
    of: Any = hard_contact_formulas if on_rows else contact_formulas
    formula = (hard_contact_formulas.HARD if on_rows else contact_formulas.CONTACT).get(what)
    if formula is None:
        e["xyz".index(what[-1])] = 1.0
        formula = contact_formulas.place if what in "xyz" else of.force_on_b
    head = [float(len(rows)), *e, -1.0 if contact.swapped else 1.0]
    blocks = [block for frame, _, _ in bodies for block in places.blocks(frame)]
    if on_rows:
        return Quantity(formula, blocks, [*head, *rows.ravel()], given=between.force_on_b())
    owner = between.name if CONTACT_UNITS.get(what) == "N" else ""
    return Quantity(formula, blocks, [*head, *rows.ravel()], owner=owner)


def of_tire(between: JointFrames, what: str, places: Places) -> Quantity:
    """A quantity of a tire by its name, one of :data:`flexmb.forces.tire.TIRE_UNITS`, or "x", "y", "z" of where it
    touches."""
    a, b, p = between.a, between.b, between.pair.tire
    assert p is not None
    d = 3 if between.on_a else 2
    if d == 2:
        p, deflections = (*between.offset_a, *between.offset_b, *p), ["aside"]
    else:
        n, u = turned(between.on_a, p[7:10]), turned(between.on_b, p[13:16])
        p, deflections = (p[0], *between.offset_a, *between.offset_b, *n, *p[10:13], *u, *p[16:]), ["ahead", "aside"]
    e = np.eye(3)["xyz".index(what)] if what in "xyz" else np.zeros(3)
    own = [places.coordinate(f"{between.name}.{way}") for way in deflections]
    blocks = [*places.blocks(a), *places.blocks(b), *own]
    return Quantity(tire_formulas.TIRE[d][what], blocks, (*e, *p))


def stop_units(place: StopPlace) -> dict[str, str]:
    """Names and units of what can be asked of a stop."""
    unit, rate = JOINT_COORDINATES.get(place.measure, ("m", "m/s"))[:2]
    return {"value": unit, "rate": rate, "gap": unit, "force": "N" if unit == "m" else "Nm"}


def of_stop(between: JointFrames, what: str, places: Places) -> Quantity:
    """A quantity of a stop by its name, one of :func:`stop_units`."""
    stop = between.pair.stop
    assert stop is not None
    if between.pair.joint is None:
        value, rate = (between.line(of, places) for of in ("length", "length_rate"))
    else:
        value, rate = (between.quantity(of, places) for of in (stop.measure, "rate"))
    if what in ("value", "rate"):
        return value if what == "value" else rate
    if stop.law is None and what == "force":
        if between.pair.joint is not None:
            return between.own_effort(stop.measure, places)
        pulls = between.line("tension", places)
        return replace(pulls, formula=contact_formulas.push_of(pulls.formula))
    limits = np.clip([stop.lower - value.constant, stop.upper - value.constant], -FAR, FAR)  # an open end is infinite
    row = [*limits, *(stop.law or (0.0, 1.0, 0.0)), float(len(value.values)), *value.values, *rate.values]
    formula = contact_formulas.of_stop(value.formula, rate.formula)[what]
    return Quantity(formula, value.coordinates, row, owner=between.name if what == "force" else "")
