"""Members whose numbers are written into a bound run, against single runs of models with these numbers, to the bit: all
numbers that components hold, by every method; and what is bound anew instead."""

from __future__ import annotations

from itertools import cycle

import numpy as np
import pytest

import flexmb as fm
from flexmb.batches.lane_runs import LaneRuns
from flexmb.batches.varied import touched_by
from flexmb.errors import FlexmbError, ModelError
from flexmb.parameters.constants import ConstantsOf, MoreThanConstantsError
from flexmb.parameters.names import changed, parameter, parameters_of
from flexmb.validation.performance.arm import arm
from flexmb.validation.performance.one_run import flexible_arm
from tests.batches.swings import controlled, pendulum, quiet, whip
from tests.models import components, components_in_space
from tests.models.four_bars import four_bar

FIXED = {"step": 5e-4, "second_run": False}
METHODS = [
    ("dop853", {"tolerance": 1e-4, "formulation": "aba"}),
    ("radau", {}),
    ("generalized_alpha", FIXED),
    ("rkf45", {**FIXED, "formulation": "lagrange"}),
    ("rosenbrock", {**FIXED, "formulation": "aba"}),
    ("generalized_alpha", {**FIXED, "formulation": "aba"}),
    ("euler", FIXED),
    ("newmark", FIXED),
]
IDS = [f"{method} {options.get('formulation', '')}" for method, options in METHODS]
OUTPUTS = ["energy.kinetic", "energy.strain", "energy.potential"]
CATALOG = {
    f"{kind}: {name}": make
    for kind, catalog in (("plane", components.catalog()), ("space", components_in_space.catalog()))
    for name, make in catalog.items()
}


def noting(found):
    """A function in place of :meth:`LaneRuns.run`, which notes members whose constants were written."""
    run = LaneRuns.run

    def noted(self, q, v, sampling, constants=None):
        solution = run(self, q, v, sampling, constants)
        if constants is not None and solution is not None:
            found.append(constants)
        return solution

    return noted


@pytest.fixture
def written(monkeypatch):
    """The members that lanes have served whose constants were written."""
    found: list[object] = []
    monkeypatch.setattr(LaneRuns, "run", noting(found))
    return found


def in_its_model(make):
    """A component and its model; None if it stands in none."""
    component = make()
    parts = [component, *component.parts()]
    model = next((frame.model for part in parts for frame in part.frames()), None)
    held = model is not None and all(part is model.components.get(part.name) for part in parts)
    return (component, model) if held else None


def another(value):
    """Another value of a parameter; None of one that counts, or is a function."""
    now = np.asarray(value)
    if now.dtype == object or isinstance(value, int):
        return None
    other = now * 1.013 + 0.001 * (now == 0.0)
    return other if now.ndim else float(other)


def constants_of(model, names):
    """The other values of those parameters that are constants, by name."""
    found, system = {}, quiet(fm.System, model)
    for name in names:
        of = parameter(model, name, "here")
        other = another(of.value(model))
        if other is None:
            continue
        try:
            touched = touched_by(model, system, of, quiet(fm.System, changed(model, {name: other}, "here")))
            ConstantsOf(system, touched)
        except (MoreThanConstantsError, FlexmbError):
            continue
        found[name] = other
    return found


def outputs_of(model, method):
    """Motion, and energies, which a run by dop853 reads again inside of its steps."""
    moving = [name for name, frame in model.frames.items() if not frame.node.fixed]
    motion = [f"{name}.{what}" for name in moving[-3:] for what in ("x", "vy")]
    return motion + (OUTPUTS if method != "dop853" else [])


def agree(model, t_end, method, options, values, written, outputs=None):
    """Compare members that have one of these values each with single runs."""
    outputs = outputs or outputs_of(model, method)
    own = {name: parameter(model, name, "here").value(model) for name in values}
    vary = {name: [own[name]] * (len(values) + 2) for name in values}
    for k, name in enumerate(values):
        vary[name][k + 1] = values[name]
    runs = quiet(
        fm.batch, model, t_end, method, vary=vary, outputs=outputs, threads=1, progress=False, **options
    )  # fmt: skip
    assert len(written) == len(values) + 2 or not written
    for k, name in enumerate(values):
        single = quiet(
            fm.simulate, changed(model, {name: values[name]}, "here"), t_end, method, times=[t_end], progress=False,
            **options,
        )  # fmt: skip
        assert (runs.status[k + 1], runs.messages[k + 1]) == (single.status, single.message), name
        for output in outputs if single.t[-1] == t_end else ():
            assert runs[output][k + 1].tobytes() == single[output][-1:].tobytes(), (name, output)
    for output in outputs:  # the last one after all others is the first one
        assert runs[output][0].tobytes() == runs[output][-1].tobytes()
    return runs


@pytest.mark.parametrize(("name", "method"), list(zip(CATALOG, cycle(METHODS))), ids=list(CATALOG))
def test_every_number_of_every_component(name, method, written):
    """By one of the methods each, in turn; `python -m tests.batches.test_constants` tries all pairs."""
    pairs_of(name, *method, written)


def pairs_of(name, method, options, written):
    """Compare members of the model of a component with single runs; how many numbers are written, of how many."""
    found = in_its_model(CATALOG[name])
    if found is None:
        return 0, 0
    component, model = found
    try:
        model.check()
        own = [x for x in parameters_of(model) if x == "gravity" or x.startswith(f"{component.name}.")]
        values = constants_of(model, own)
        quiet(fm.simulate, model, 1e-3, method, times=[1e-3], progress=False, **options)
    except FlexmbError:
        return 0, 0
    if values:
        agree(model, 1e-3, method, options, values, written)
    return len(values) if written else 0, len(own)


@pytest.mark.parametrize(("method", "options"), METHODS, ids=IDS)
@pytest.mark.parametrize("build", [pendulum, lambda: arm(2), whip, four_bar], ids=["pendulum", "arm", "whip", "loop"])
def test_methods(build, method, options, written):
    model = build()
    values = constants_of(model, parameters_of(model))
    try:
        agree(model, 0.01, method, options, values, written)
    except FlexmbError as error:
        assert "formulation" in str(error) or "loops" in str(error)
        return
    diverges = build is whip and method == "euler"
    assert len(values) > 1 and (diverges or bool(written) or (build is four_bar and "formulation" in options))


def test_stiffness_of_a_beam_and_gravity_under_control(written):
    model = flexible_arm()
    (name,) = model.controllers
    names = [x for x in parameters_of(model) if not x.startswith(name)]
    values = constants_of(model, names)
    assert {"gravity"} | {x for x in values if x.endswith(("EI", "youngs_modulus"))} != {"gravity"}
    agree(model, 0.02, "generalized_alpha", {"step": 1e-3, "second_run": False}, values, written, ["tip.y"])
    assert written


def test_masses_starts_and_laws_in_threads(written):
    """Together, in any order, with what is read of forces and of stresses."""
    rng, n = np.random.default_rng(3), 5
    masses, rates = rng.uniform(1.0, 3.0, n), rng.normal(size=n)
    laws = [fm.control.LinearLaw(D=[[-x]]) for x in rng.uniform(0.5, 2.0, n)]
    given = {"outputs": ["bob.y", "hinge.fx", "energy.total"], "times": [0.0, 0.05, 0.1], "progress": False, **FIXED}
    orders = {1: np.arange(n), 2: np.arange(n)[::-1], 5: np.array([2, 0, 4, 1, 3])}
    found = []
    for threads, order in orders.items():
        given |= {"vary": {"bob.mass": masses[order], "servo.law": [laws[k] for k in order]}, "threads": threads}
        given["initial"] = {"hinge.rate": rates[order]}
        found.append(quiet(fm.batch, controlled(), 0.1, "generalized_alpha", **given))
    assert len(written) == 3 * n
    for runs, order in zip(found, orders.values()):
        for output in given["outputs"]:
            np.testing.assert_array_equal(runs[output], found[0][output][order])
    for k in range(n):
        single = quiet(found[0].solution, k)
        for output in given["outputs"]:
            np.testing.assert_array_equal(found[0][output][k], single[output])


def test_stresses_are_those_of_the_member(written):
    moduli = [205e9, 70e9, 100e9]
    given = {"outputs": ["rod@0.5.bending_moment", "hinge.fx"], "progress": False, **FIXED}
    runs = quiet(fm.batch, whip(), 0.01, "generalized_alpha", vary={"rod.material.youngs_modulus": moduli}, **given)
    assert len(written) == 3
    for k in range(3):
        single = quiet(runs.solution, k)
        for output in given["outputs"]:
            assert runs[output][k].tobytes() == single[output][-1:].tobytes()


def test_members_that_fail_leave_the_others_as_they_are(written):
    masses = [2.0, -1.0, 0.0, float("nan"), 3.0, 2.0]
    runs = quiet(fm.batch, pendulum(), 0.1, "radau", vary={"bob.mass": masses}, outputs=["bob.y"], progress=False)
    assert runs.status.tolist() == ["finished", "failed", "failed", "failed", "finished", "finished"]
    assert runs["bob.y"][0] == runs["bob.y"][5] and len(written) == 3
    assert runs.messages[3] == "'bob.mass' is NaN"
    runs = quiet(fm.batch, pendulum(), 0.1, "radau", vary={"bob.mass": [-1.0, 2.0]}, progress=False)
    assert runs.status.tolist() == ["failed", "finished"]
    assert runs.messages[0].endswith("mass is -1; it must be positive")


@pytest.mark.parametrize("differ", [{"vary": {"bob.mass": [1.0, 2.0]}}, {"initial": {"hinge.rate": [1.0, 2.0]}}])
def test_a_model_changed_after_the_batch_leaves_its_members(differ):
    model = pendulum()
    runs = quiet(fm.batch, model, 0.1, "radau", outputs=["bob.y"], progress=False, **differ)
    model.components["bob"].inertia = 9.0
    model.gravity = (0, -1.0)
    assert quiet(runs.solution, 1)["bob.y"][-1] == runs["bob.y"][1, -1]


def geared():
    m = pendulum()
    wheel = m.add_body("wheel", mass=1.0, inertia=0.1)
    m.revolute(m.ground, wheel.frame, name="axle")
    m.gear(m.frame("bob"), wheel.frame, ratio=2.0, name="gear")
    return m


@pytest.mark.parametrize(
    ("name", "method", "options"),
    [
        ("gear.ratio", "radau", {}),
        ("link 1.mass", "dop853", {"formulation": "ada", "tolerance": 1e-3}),
        ("link 1.mass", "dop853", {"formulation": "hybrid", "tolerance": 1e-3}),
    ],
)
def test_what_is_bound_anew(name, method, options, written):
    """Rows of constraints, and formulations that work with numbers of their own that follow from masses."""
    model = geared() if name == "gear.ratio" else arm(2)
    agree(model, 0.005, method, options, {name: another(parameter(model, name, "here").value(model))}, written)
    assert not written


def test_more_than_constants():
    """What else a component may change is found when it is assembled again."""
    model = whip()
    system = fm.System(model)
    constants = ConstantsOf(system, ["rod"])
    model.components["rod"].modes = 2
    with pytest.raises(MoreThanConstantsError, match=r"coordinates that begin elsewhere|other instances"):
        constants.put()
    with pytest.raises(MoreThanConstantsError, match="rows of constraints"):
        ConstantsOf(system, ["hinge"])
    model = pendulum()
    constants = ConstantsOf(fm.System(model), ["bob"])
    model.components["bob"].mass = -1.0
    with pytest.raises(ModelError, match="must be positive"):
        constants.put()


def main():
    """Try all pairs of components and methods, and print how many numbers are written and bound anew."""
    for text, method in zip(IDS, METHODS):
        counts, wrong, found, run = np.zeros(2, dtype=int), [], list[object](), LaneRuns.run
        LaneRuns.run = noting(found)  # type: ignore[method-assign]
        for name in CATALOG:
            found.clear()
            try:
                counts += pairs_of(name, *method, found)
            except AssertionError as error:
                wrong.append((name, str(error)[:80]))
        LaneRuns.run = run  # type: ignore[method-assign]
        print(f"{text}: {counts[0]} of {counts[1]} numbers are written; other bits: {wrong or 'none'}", flush=True)


if __name__ == "__main__":
    main()
