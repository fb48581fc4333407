"""From what a name means to the compiled quantity, in plane and space alike."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from flexmb.kernels.blocks import INTEGRAL, Numbers
from flexmb.kernels.widths import SIDES
from flexmb.model.appearance import PairPlace
from flexmb.model.frames import Frame
from flexmb.model.model import Model
from flexmb.quantities import formulas, spatial_formulas
from flexmb.quantities.of_contacts import of_contact, of_stop, of_tire
from flexmb.quantities.of_frames import of_frame, of_planar_frame, of_stress
from flexmb.quantities.of_joints import OWN_AXES, JointFrames
from flexmb.quantities.of_system import ENERGY_SUMS, of_energy, of_point, of_section, of_whole
from flexmb.quantities.places import InLayout, InSystem, Places, one_coordinate
from flexmb.quantities.quantity import Quantity
from flexmb.quantities.standing import of_margin
from flexmb.results import meaning as meanings
from flexmb.results.layout import Layout
from flexmb.results.meaning import PRESSING, RATE, Meaning, meaning


def quantity_of(layout: Layout, known: Meaning | None, at: tuple[Places, Mapping[str, Any]] | None = None) -> Any:
    """The quantity that a name means (:class:`~flexmb.quantities.quantity.Quantity`); None if there is none of its
    kind. `at`: where its coordinates are, and the frames that are asked for these, by name; those of the layout, when
    not given."""
    if known is None:
        return None
    places, frames = (InLayout(layout), {}) if at is None else at
    of, what, spot = known.of, known.what, known.spot
    match known.kind:
        case meanings.COORDINATE | meanings.COORDINATE_RATE:
            return _coordinate(layout, layout.coordinates.index(of), float(known.kind == meanings.COORDINATE))
        case meanings.MOTION:
            return joint_frames(layout, of, frames).quantity(what, places)
        case meanings.STRESS if spot.s is not None:
            mesh = layout.bodies[of].mesh
            assert mesh is not None
            return of_stress(mesh, spot.s, what, places, f"body {of!r}")
        case meanings.LINE:
            return joint_frames(layout, of, frames).line(what, places)
        case meanings.TOUCH if layout.pairs[of].contact is not None:
            return of_contact(joint_frames(layout, of, frames), what, places)
        case meanings.TOUCH if layout.pairs[of].tire is not None:
            return of_tire(joint_frames(layout, of, frames), what, places)
        case meanings.TOUCH:
            return of_stop(joint_frames(layout, of, frames), what, places)
        case meanings.FORCE if what not in PRESSING and of in layout.pairs:
            return joint_frames(layout, of, frames).reaction(what, places)
        case meanings.ENERGY if what in ENERGY_SUMS:
            return of_energy(what)
        case meanings.SECTION if what in SIDES[layout.dimension].section:
            return of_section(layout.dimension, spot.beam, spot.s, {what: 1.0})
        case meanings.WHOLE if what == "margin":
            contacts = [joint_frames(layout, name, frames) for name in layout.ground_contacts()]
            return of_margin(contacts, layout.gravity, places) if contacts and any(layout.gravity) else None
        case meanings.WHOLE if any(layout.gravity) or not what.startswith("zmp"):
            return of_whole(layout.gravity, what)
        case meanings.PLACE if spot.to:
            if not (spot.frame and spot.to in (layout.spatial or layout.frames)):
                return None
            pair = PairPlace(spot.to, spot.frame, joint=OWN_AXES[layout.dimension])
            return frames_of(layout, of, pair, frames).seen(what, places)
        case meanings.PLACE if not spot.frame:
            return of_point(layout.dimension, spot.beam, spot.s, what) if spot.beam in layout.beams else None
        case meanings.PLACE:
            blocks, place = places.blocks(frames.get(spot.frame, spot.frame)), layout.spatial.get(spot.frame)
            if place is None:
                return of_planar_frame(blocks, layout.frames[spot.frame].offset, what)
            return of_frame(blocks, place.offset, place.axes, what)
    return None


def joint_frames(layout: Layout, name: str, frames: Mapping[str, Any]) -> JointFrames:
    """A component between two frames by its name."""
    return frames_of(layout, name, layout.pairs[name], frames)


def frames_of(layout: Layout, name: str, pair: PairPlace, frames: Mapping[str, Any]) -> JointFrames:
    """What stands between two frames, as quantities need it."""
    a, b = (frames.get(end, end) for end in (pair.a, pair.b))
    if layout.dimension == 2:
        return JointFrames(name, pair, a, b, layout.frames[pair.a].offset, layout.frames[pair.b].offset)
    on_a, on_b = layout.spatial[pair.a], layout.spatial[pair.b]
    return JointFrames(name, pair, a, b, on_a.offset, on_b.offset, on_a.axes, on_b.axes)


def joint_between(name: str, pair: PairPlace, a: Frame, b: Frame) -> JointFrames:
    """A component between two frames of a model."""
    on = [tuple(frame.axes.tolist()) if frame.model.dimension == 3 else () for frame in (a, b)]  # type: ignore[attr-defined]
    return JointFrames(name, pair, a, b, tuple(a.numbers), tuple(b.numbers), *on)


def _coordinate(layout: Layout, number: int, value: float) -> Quantity:
    """A coordinate by its number in q, or its rate if `value` is 0: of a number of an orientation that of ½ q ∘ ω."""
    for first, scalar in layout.orientations.tolist():
        if number == scalar or first <= number < first + 3:
            turn = np.arange(first, first + 3)
            blocks = [Numbers(np.array([scalar, *turn]), turn)]
            formula = spatial_formulas.euler_parameter if value else spatial_formulas.euler_parameter_rate
            return Quantity(formula, blocks, (0.0 if number == scalar else 1.0 + number - first,))
    return Quantity(formulas.coordinate, [one_coordinate(number)], (value, 1.0 - value))


def quantity_in(model: Model, name: str, places: Places) -> Quantity | None:
    """The quantity that a name means in a model, also one that is being assembled, in which coordinates are known by
    name alone, and forces are not; None for other names."""
    layout = layout_of(model, places)
    found = quantity_of(layout, meaning(layout, name), (places, model.frames))
    if found is not None:
        return found
    for of, rate in ((name, 0.0), (name.removesuffix(RATE), 1.0), (f"{name}{INTEGRAL}", 1.0)):
        with suppress(ValueError):
            return Quantity(formulas.coordinate, [places.coordinate(of)], (1.0 - rate, rate))
    return None


def layout_of(model: Model, places: Places) -> Layout:
    """The layout of a model where these places are."""
    match places:
        case InLayout():
            return places.layout
        case InSystem():
            return Layout.of(places.system)
    return Layout.of_names(model)
