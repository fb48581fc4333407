"""Reduced bodies in the plane against the same ones in space, and what is refused."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flexmb as fm
from flexmb.bodies import ReducedBody, UnitLoadStiffness
from flexmb.errors import ModelError, NamingError
from flexmb.testing import Recorder, random_state
from flexmb.validation.references import elastica
from tests.models.blades import EI, LENGTH, blade
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


def clamped(force: float = -1.0, modes: int = 3) -> Any:
    """The blade of the spin-up, clamped, with a force on its tip."""
    m = fm.PlanarModel("blade")
    body = m.add_modal_body("blade", blade(modes))
    m.weld(m.ground, body.at("root"))
    m.point_force(body.at("tip"), (0.0, force), name="push")
    return m


def test_a_clamped_blade_vibrates_as_a_beam_and_bends_as_an_elastica() -> None:
    """Frequencies of a cantilever; the tip of Euler's elastica that bends by 0.15 rad at its end, to 0.1 %."""
    m = clamped(0.0)
    assert 2.0 * np.pi * fm.modes(m, 2).frequencies == pytest.approx([2.91001, 18.237], rel=3e-5)
    rest = fm.equilibrium(clamped(-elastica.force(0.15) * EI / LENGTH**2, 7)).state["blade.tip"].position
    x, y = elastica.tip(0.15)
    assert rest / LENGTH == pytest.approx([x, -y], abs=1e-3 * y)


def test_an_interface_is_known_with_and_without_a_node(tmp_path: Path) -> None:
    m = clamped()
    assert sorted(m.frames) == ["blade", "blade.root", "ground"]
    free = fm.simulate(m, 0.3, step=0.01)
    m.components["blade"].at("tip").enter()
    entered = fm.simulate(m, 0.3, step=0.01)
    assert free["blade.tip"].position == pytest.approx(entered["blade.tip"].position, abs=1e-9)
    read = fm.load(entered.save(tmp_path / "blade.h5"))
    assert np.array_equal(read["blade.tip"].position, entered["blade.tip"].position)


def test_geometric_stiffness_of_unit_loads_is_that_of_the_slaves() -> None:
    """A blade that turns steadily: its frequencies with a linear field, K_geo(ω²) and a quadratic field."""
    full = blade()
    spin = np.einsum("m,mij->ij", [-np.trace(full.products[0, 4 + m]) for m in range(1)], full.slaves)[None]
    given = replace(
        full, first=full.first[:4], products=full.products[:4, :4], slaves=None,
        unit_load_stiffness=UnitLoadStiffness(spin),
    )  # fmt: skip
    found = {}
    for name, body, options in (
        ("quadratic", full, {}),
        ("unit loads", given, {"field": "linear", "geometric_stiffness": True}),
        ("linear", given, {"field": "linear"}),
    ):
        m = fm.PlanarModel("blade")
        own = m.add_modal_body("blade", body, **options)
        recorder = Recorder.of(own)
        q, v = recorder.q.copy(), recorder.v.copy()
        v[2] = 4.0
        found[name] = recorder.tangent(0.0, q, v, np.zeros_like(v), (0.0, 0.0, 1.0, 0.0))[3:, 3:]
    assert np.allclose(found["unit loads"], found["quadratic"], rtol=0.0, atol=1e-10 * np.max(found["quadratic"]))
    assert found["quadratic"][0, 0] > found["linear"][0, 0] + 5.0
