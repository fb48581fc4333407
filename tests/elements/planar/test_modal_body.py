"""Reduced bodies in the plane against the same ones in space, and what is refused."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import flexmb as fm
from flexmb.bodies import ReducedBody
from flexmb.errors import ModelError, NamingError
from flexmb.testing import Recorder, random_state
from tests.models.modal_bodies import flat_blob


def test_it_is_a_body_of_space_that_stays_in_a_plane() -> None:
    flat = flat_blob()
    given = flat.reduced
    first = np.pad(given.first, ((0, 0), (0, 1)))
    products = np.pad(given.products, ((0, 0), (0, 0), (0, 1), (0, 1)))
    solid = ReducedBody(given.mass, first, products, given.stiffness, given.slaves, damping=given.damping)
    m = fm.SpatialModel("m")
    body = m.add_modal_body("blob", solid)
    gravity = np.array([0.3, -9.81])
    plane, space = Recorder.of(flat, gravity), Recorder.of(body, np.append(gravity, 0.0))
    s = random_state(plane, 4)
    angle = s.q[2]
    q = np.concatenate([s.q[:2], [0, 0, 0, np.sin(angle / 2)], s.q[3:], [np.cos(angle / 2)]])
    v, a = (np.concatenate([x[:2], [0, 0, 0], x[2:]]) for x in (s.v, s.a))
    keep = [0, 1, 5, 6, 7, 8]
    wanted = space.residual(0.0, q, v, a)
    assert np.allclose(plane.residual(0.0, s.q, s.v, s.a), wanted[keep], rtol=0.0, atol=1e-12 * np.max(np.abs(wanted)))
    assert plane.energy(0.0, s.q, s.v)[0] == pytest.approx(space.energy(0.0, q, v)[0], rel=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"slaves": 0}, "so its field is linear"),
        ({"field": "cubic"}, "field is 'cubic'"),
        ({"geometric_stiffness": True}, "a quadratic field has it already"),
        ({"damping": 0.1}, "damping must be ModalDamping(ratio)"),
        ({"amplitudes": (1.0, 2.0)}, "amplitudes must be 3 numbers"),
    ],
)
def test_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=re.escape(message)):
        flat_blob(**options)


def test_names() -> None:
    body = flat_blob()
    with pytest.raises(NamingError, match="interface"):
        body.at("c")
    with pytest.raises(ModelError, match=re.escape("give blob.at('a')")):
        body.model.revolute(body.model.ground, body)
    with pytest.raises(ModelError, match="its reduced body has 2 dimensions"):
        fm.SpatialModel("m").add_modal_body("blob", body.reduced)
