"""How the states inside of steps are read, which explicit methods make again for a file, and the field of gravity."""

from __future__ import annotations

import numpy as np

from flexmb.errors import ModelError
from flexmb.model.gravity.fields import CentralGravity
from flexmb.results.between_steps.nodes import DEGREE, MOST_PANELS, States, StoredSteps
from flexmb.results.solution import Solution
from flexmb.results.store.file_source import FileSource
from flexmb.results.store.hdf5 import Contents
from flexmb.results.store.moving_parts import parts
from flexmb.system.whole import WIDTH


def read_central(contents: Contents) -> CentralGravity:
    """The central gravity of a model in orbit."""
    mu, *motion, radius = contents.numbers("names/central", (8,)).tolist()
    try:
        return CentralGravity(mu, motion[:3], motion[3:], radius or None)
    except ModelError as why:
        raise contents.fail("names/central", f"is no orbit: {why}") from None


def read_inside(contents: Contents, solution: Solution) -> StoredSteps:
    """The steps of a solution whose states inside a file holds; its source gets what beams and joints do there."""
    numbers, source = contents.numbers, solution.source
    assert isinstance(source, FileSource)
    steps = numbers("inside/steps", (None,), "i")
    panels = numbers("inside/panels", (len(steps),), "i")
    inside = np.all((steps >= 0) & (steps < len(solution.t) - 1)) and np.all(np.diff(steps) > 0)
    if not inside or np.any(panels < 1) or np.any(panels > MOST_PANELS):
        raise contents.fail("inside/steps", "name steps that there are not")
    count = int(np.sum(DEGREE * panels))
    given = {"coordinates": solution.q, "speeds": solution.v, "accelerations": solution.a}
    given["multipliers"] = solution.basic_multipliers
    states = States(*(numbers(f"inside/{name}", (count, x.shape[1])) for name, x in given.items()))
    stored = (f"inside/{at}" for group in ("beams", "interior") for at in parts(contents, group))
    for at, (name, (places, motion)) in zip(stored, source.beams.items()):
        source.inside_beams[name] = numbers(f"{at}/motion", (len(places), count, motion.shape[2]))
        if name in source.sections:
            shape = (len(places), count, source.sections[name].shape[2])
            source.inside_sections[name] = numbers(f"{at}/sections", shape)
    for k, (of, (_, values)) in enumerate(source.forces.items()):
        source.inside_forces[of] = numbers(f"inside/forces/{k}/values", (count, values.shape[1]))
    if source.of_whole is not None:
        source.inside_whole = numbers("inside/whole", (count, WIDTH))
    source.inside = StoredSteps(solution.t, steps, panels, states)
    return source.inside
