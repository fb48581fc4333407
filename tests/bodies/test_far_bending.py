"""Reduced bodies that bend far: the error of each field against exact beams, and from where on it is doubted."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import flexmb as fm
from flexmb import bodies
from flexmb.bodies.far_bending import far_bending, work_on_second_order
from flexmb.errors import AccuracyWarning

LENGTH, EI, RHO_A = 1.0, 10.0, 0.5
PLANAR = fm.planar.BeamProperties(EA=1e6, EI=EI, rhoA=RHO_A, rhoI=RHO_A * 1e-5)
SPATIAL = fm.spatial.BeamProperties(EA=1e6, EIy=EI, EIz=2.0 * EI, GJ=EI, rhoA=RHO_A, rhoIy=5e-6, rhoIz=5e-6)


def strip(d: int, **how) -> bodies.ReducedBody:
    ends = {"foot": np.zeros(d), "tip": LENGTH * np.eye(d)[0]}
    member = bodies.Member(("foot", "tip"), properties=PLANAR if d == 2 else SPATIAL, elements=16)
    how = bodies.Reduction(progress=False, **how)
    return bodies.from_frame(ends, [member], interfaces={"foot": "foot", "tip": "tip"}, modes=8, reduction=how)


def bent(d: int, push: float = 0.0, pull: float = 0.0, weight: float = 0.0, reduced=None, **field):
    """Where the tip of a clamped strip rests under forces by EI/L² across and along it, and weights; and the doubts."""
    across = np.eye(d)[-1]
    Model, given = (fm.PlanarModel, PLANAR) if d == 2 else (fm.SpatialModel, SPATIAL)
    model = Model("strip", gravity=-weight * EI / RHO_A * across)
    if reduced is None:
        beam = model.add_beam("rod", np.zeros(d), LENGTH * np.eye(d)[0], properties=given, theory="exact", elements=24)
        foot, tip = beam.start, beam.end
    else:
        body = model.add_modal_body("rod", reduced, **field)
        foot, tip = body.at("foot"), body.at("tip")
    model.weld(model.ground, foot)
    model.point_force(tip, EI * (push * across + pull * np.eye(d)[0]))
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        rest = fm.equilibrium(model, stable=False)
    said = [str(x.message) for x in found if issubclass(x.category, AccuracyWarning)]
    return rest["rod.end" if reduced is None else "rod.tip"].position, [x for x in said if "bends too far" in x]


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize(
    ("field", "quiet", "doubted"),
    [
        ("linear", {"push": 0.6}, {"push": 1.0}),  # off by 0.4 and 1.2 % of the length
        ("linear", {"pull": 5.0, "push": 0.2}, {"pull": 5.0, "push": 1.0}),  # 0.3 and 1.3 %: tension
        ("linear", {"weight": 1.5}, {"weight": 3.0}),  # 0.3 and 1.9 %
        ("quadratic", {"push": 1.0}, {"push": 2.5}),  # 0.2 and 0.9 %
        ("quadratic", {"pull": 5.0, "push": 2.0}, {"pull": -1.0, "push": 1.5}),  # 0.03 and 0.9 %
        ("quadratic", {"weight": 3.0}, {"weight": 6.0}),  # 0.5 and 1.8 %
    ],
)
def test_a_field_is_doubted_from_one_percent_of_the_length_on(d, field, quiet, doubted):
    reduced = strip(d)
    place, texts = bent(d, reduced=reduced, field=field, **quiet)
    assert np.linalg.norm(place - bent(d, **quiet)[0]) < 0.006
    assert not texts
    place, texts = bent(d, reduced=reduced, field=field, **doubted)
    assert 0.006 < np.linalg.norm(place - bent(d, **doubted)[0]) < 0.025
    assert len(texts) == 1


def test_unit_loads_have_the_range_of_a_quadratic_field():
    reduced = strip(2, field="unit-loads")
    for push, count in ((1.0, 0), (2.5, 1)):
        place, texts = bent(2, reduced=reduced, field="linear", geometric_stiffness=True, push=push)
        assert np.linalg.norm(place - bent(2, push=push)[0]) < 0.01
        assert len(texts) == count


def test_a_frame_at_the_root_is_told_from_the_mean_frame():
    reduced = strip(2, reference="foot")
    (text,) = bent(2, reduced=reduced, push=1.0)[1]  # off by 3.3 % of the length; the mean frame by 0.2 %
    assert "take the mean frame" in text


def test_work_of_tension_on_the_second_order():
    """A cantilever bent by a force P at its tip, w' = P (x − x²/2)/EI: N ∫w'² dx / EI ∫w''² dx = 0.4 N/EI."""
    reduced = strip(2, reference="foot")
    tip = reduced.interfaces["tip"].translation
    eta = np.linalg.solve(np.diag(reduced.stiffness), tip.T @ (EI * np.array([5.0, 1.0])))
    # slave shapes stand in place of all of the second order
    assert work_on_second_order(reduced, eta[None])[0] == pytest.approx(2.0, rel=0.03)
    turn, off = far_bending(reduced, 2.0 * eta[None], second_order=True)
    assert turn[0] == pytest.approx(4.0 / 3.0, rel=0.01)  # 2 u₁/L
    assert off[0] == pytest.approx(0.5 * turn[0] ** 2 * 2.0 / 3.0, rel=0.01)


def test_runs_and_quasi_static_motions_say_from_when_on():
    model = fm.PlanarModel("strip")
    body = model.add_modal_body("rod", strip(2), field="linear", damping=fm.ModalDamping(0.5))
    model.weld(model.ground, body.at("foot"))
    model.point_force(body.at("tip"), (0.0, 20.0), factor=fm.Polynomial([0.0, 1.0]))
    for analysis in (lambda: fm.simulate(model, 1.0, step=0.01), lambda: fm.quasi_static(model, 1.0, steps=10)):
        with pytest.warns(AccuracyWarning, match=r"a linear field in its modes: .*take field='quadratic', from t = "):
            analysis()
