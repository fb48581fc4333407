"""Reduced bodies that joints to the ground hold alone move as in absolute coordinates."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from tests.models.modal_bodies import blob, flat_blob


def held(*joints: str, space: bool) -> fm.Model:
    """A reduced body on joints to the ground, at its interfaces "a" and "b"."""
    body = (blob if space else flat_blob)(modes=5)
    for joint, at in zip(joints, "ab"):
        end = body.at(at)
        turn = end.orientation if space else end.angle
        getattr(body.model, joint)(body.model.ground.attach(at, np.array(end.position), turn), end, name=joint + at)
    return body.model


HELD = [
    (("spherical", "spherical"), True), (("spherical", "weld"), True), (("weld",), True), (("spherical",), True),
    (("revolute", "revolute"), False), (("revolute", "weld"), False), (("weld",), False), (("revolute",), False),
]  # fmt: skip


@pytest.mark.parametrize("method", ["radau", "independent"])
@pytest.mark.parametrize("formulation", ["ada", "dca", "hybrid"])
@pytest.mark.parametrize(("joints", "space"), HELD)
def test_reduced_bodies_on_joints_to_the_ground(joints, space, formulation, method):
    """The frames of such a body have no masses; their rows and those of the joints have to be known apart, or a run
    sees a singular position where there is none."""
    times = np.linspace(0.0, 0.2, 5)
    absolute = fm.simulate(held(*joints, space=space), 0.2, "radau", tolerance=1e-8, times=times, progress=False)
    run = fm.simulate(
        held(*joints, space=space), 0.2, method, tolerance=1e-8, times=times, formulation=formulation, progress=False
    )
    assert run.trustworthy
    assert np.abs(absolute.q[-1] - absolute.q[0]).max() > 1e-3
    assert run.q == pytest.approx(absolute.q, abs=1e-8)
