"""From what a name means to the compiled quantity: coordinates, frames and joints, in plane and space alike."""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from flexmb.kernels.blocks import INTEGRAL, Numbers
from flexmb.model.appearance import BodyPlace, JointPlace, PairPlace
from flexmb.model.frames import Frame
from flexmb.model.model import Model
from flexmb.model.spatial_frames import Frame as SpatialFrame
from flexmb.quantities import formulas
from flexmb.quantities.of_frames import of_frame, of_planar_frame
from flexmb.quantities.of_joints import JointFrames, joint_units
from flexmb.quantities.places import InLayout, Places, one_coordinate
from flexmb.quantities.quantity import Quantity
from flexmb.results.layout import Layout
from flexmb.results.meaning import COORDINATE, COORDINATE_RATE, MOTION, PLACE, RATE, Meaning


def quantity_of(layout: Layout, known: Meaning | None) -> Quantity | None:
    """The quantity that a name means, as a function of time, coordinates, speeds and accelerations; None if it takes
    more than these, or is none."""
    if known is None:
        return None
    if known.kind in (COORDINATE, COORDINATE_RATE):
        return _coordinate(layout, layout.coordinates.index(known.of), float(known.kind == COORDINATE))
    if known.kind == MOTION:
        joint = joint_frames(layout, known.of)
        return None if joint is None else joint.quantity(known.what, InLayout(layout))
    if known.kind != PLACE or not known.spot.frame:
        return None
    frame = known.spot.frame
    blocks = InLayout(layout).blocks(frame)
    if frame in layout.spatial:
        place = layout.spatial[frame]
        return of_frame(blocks, place.offset, place.axes, known.what)
    return of_planar_frame(blocks, layout.frames[frame].offset, known.what)


def joint_frames(layout: Layout, name: str) -> JointFrames | None:
    """A joint and its frames by its name; None if there is none of that name, or nothing is measured in it."""
    pair = layout.pairs.get(name)
    if pair is None or pair.joint is None or not pair.joint.coordinates:
        return None
    if layout.dimension == 2:
        return JointFrames(pair.joint, pair.a, pair.b, *(layout.frames[frame].offset for frame in (pair.a, pair.b)))
    a, b = (layout.spatial[frame] for frame in (pair.a, pair.b))
    return JointFrames(pair.joint, pair.a, pair.b, a.offset, b.offset, a.axes, b.axes)


def _coordinate(layout: Layout, number: int, value: float) -> Quantity:
    """A coordinate by its number in q, or its rate if `value` is 0: of a number of an orientation that of ½ q ∘ ω."""
    for first, scalar in layout.orientations.tolist():
        if number == scalar or first <= number < first + 3:
            turn = np.arange(first, first + 3)
            blocks = [Numbers(np.array([scalar, *turn]), turn)]
            formula = formulas.euler_parameter if value else formulas.euler_parameter_rate
            return Quantity(formula, blocks, (0.0 if number == scalar else 1.0 + number - first,))
    return Quantity(formulas.coordinate, [one_coordinate(number)], (value, 1.0 - value))


def quantity_in(model: Model, name: str, places: Places) -> Quantity | None:
    """The quantity that a name means in a model, also one that is being assembled: of a frame, a joint or a coordinate;
    None for other names."""
    head, _, what = name.rpartition(".")
    component = model.components.get(head)
    place = None if component is None else component.place()
    frame = model.frames.get(place.frame if isinstance(place, BodyPlace) else head)
    found = None
    if isinstance(frame, SpatialFrame):
        found = of_frame(places.blocks(frame), frame.numbers, frame.axes.tolist(), what)
    elif frame is not None:
        found = of_planar_frame(places.blocks(frame), tuple(frame.numbers), what)
    if found is not None:
        return found
    if isinstance(place, PairPlace) and place.joint is not None and what in joint_units(place.joint):
        a, b = model.frames[place.a], model.frames[place.b]
        return joint_between(place.joint, a, b).quantity(what, places)
    for of, rate in ((name, 0.0), (name.removesuffix(RATE), 1.0), (f"{name}{INTEGRAL}", 1.0)):
        with suppress(ValueError):
            return Quantity(formulas.coordinate, [places.coordinate(of)], (1.0 - rate, rate))
    return None


def joint_between(place: JointPlace, a: Frame, b: Frame) -> JointFrames:
    """A joint between two frames of a model."""
    on = [tuple(frame.axes.tolist()) if isinstance(frame, SpatialFrame) else () for frame in (a, b)]
    return JointFrames(place, a, b, tuple(a.numbers), tuple(b.numbers), *on)
