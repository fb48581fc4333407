"""Derivatives of the results of a run, and of an equilibrium, with respect to named parameters.

The computed run itself is differentiated: runs with Radau IIA by :mod:`flexmb.analyses.sensitivity.radau`, those with
fixed steps of generalized-α by :mod:`flexmb.analyses.sensitivity.fixed_steps`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from flexmb.analyses.linear.outputs import Outputs
from flexmb.analyses.sensitivity.asked import chosen_method, refuse_states, wanted
from flexmb.analyses.sensitivity.derivatives import Sensitivity
from flexmb.analyses.sensitivity.fixed_steps import ORDER, end_and_integrals, fixed_run, fixed_stretch
from flexmb.analyses.sensitivity.over_time import along_times, ends_and_integrals
from flexmb.analyses.sensitivity.parameters import Parametrized, equations
from flexmb.analyses.sensitivity.propagation import explicit_derivative, factorized
from flexmb.analyses.sensitivity.radau.changes_run import ORDER as RADAU
from flexmb.analyses.sensitivity.radau.changes_run import radau_motion
from flexmb.analyses.sensitivity.redundancy import refuse_contradicting, refuse_not_unique
from flexmb.analyses.statics.equilibrium import equilibrium
from flexmb.errors import ModelError
from flexmb.machine.interruption import interruptible
from flexmb.machine.threads import one_thread
from flexmb.model import checks, given_times
from flexmb.model.hints import answers_calls
from flexmb.model.model import Model
from flexmb.solvers.rows.redundancy import REDUNDANT
from flexmb.system.refusals import refuse_velocity_rows


@answers_calls
@interruptible
@one_thread
def sensitivity(
    model: Callable[..., Model] | Model,
    parameters: Mapping[str, float] | Sequence[str],
    t_end: float,
    method: str | None = None,
    *,
    outputs: Sequence[Any] | Any = (),
    times: Any = None,
    final: Sequence[Any] | Any = (),
    integrals: Mapping[str, tuple[Any, int]] | Sequence[Any] | Any = (),
    derivatives: str = "direct",
    t_start: float = 0.0,
    initial: Any = None,
    typical: Mapping[str, float] | None = None,
    redundant: str = "remove",
    **options: Any,
) -> Sensitivity:
    """Derivatives of outputs over time, at the end of a run, and of integrals over it, by parameters of a model.

    Arguments: `model`: a function, of which `build(**parameters)` returns a model, with `parameters`, names and nominal
    values; or a model with the names of its own numbers, such as "tip.mass" or "rod.section.diameter" (a list, or with
    other values); `t_end`, `t_start` [s]; `outputs`: those wanted at the `times` [s], e.g. 'rod.end.y', 'hinge.fx',
    'rod@0.5.bending_moment', or a function of the model that returns a sensor, such as one of your own
    (:class:`flexmb.control.OwnSensor`); or else `final`: outputs whose value at the end is wanted, and `integrals`:
    outputs to integrate over time, or a mapping from a name of your own to an output and the power 1 or 2 to which it
    is raised.

    `method` and its `options` are those of the run, as in :func:`flexmb.simulate`:

    - "radau", with steps that follow the error of the motion and of its derivatives
      (:mod:`flexmb.analyses.sensitivity.radau`): `tolerance=1e-06`, `max_step` [s], `newton_tolerance`,
      `max_iterations=12`. A derivative counts as much as a change of the motion by a tenth of what is `typical` of its
      parameter (by name; when not given its own size, or 1 if it is zero);
    - "generalized_alpha", with a fixed `step` [s], and `spectral_radius=0.8`
      (:mod:`flexmb.analyses.sensitivity.fixed_steps`).

    When not given it is "radau", or "generalized_alpha" if only that has the options, or covers the model: friction by
    a joint's own force; `result.method` says which.

    `derivatives`: "direct", forwards in time, or by generalized-α "adjoint", backwards, for many parameters and few
    quantities at the end. `initial="equilibrium"`: the run begins where the mechanism rests, which parameters move too
    (by "radau"). `redundant` as in :func:`flexmb.simulate`: where constraint rows that repeat others are left out,
    forces that the motion does not determine have no derivatives and are refused, and so is a parameter whose change
    makes such rows contradict one another. Where others of these rows take part on the way, derivatives at the end go
    on with them (:mod:`flexmb.analyses.sensitivity.pieces`).

    Controllers with linear laws are a part of the run: their gains, references and sensors may depend on parameters.
    With fixed steps, periods and delays must be whole numbers of them. Sensors have no resolution; noise stays the
    same, and commands at their limits are held, see :mod:`flexmb.analyses.sensitivity.sampled`. By "radau", events that
    switch components move with the parameters, see :mod:`flexmb.analyses.sensitivity.radau.switched_changes`.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("oscillator")
    >>> body = m.add_body("body", mass=1.0, inertia=1.0)
    >>> rail = m.prismatic(m.ground, body.frame)
    >>> spring = m.bushing(m.ground, body.frame, stiffness=(4.0, 0, 0), name="spring")
    >>> _ = body.move((1.0, 0.0))
    >>> found = fm.sensitivity(m, ["body.mass"], 1.0, outputs="body.x", times=[0.5, 1.0])
    >>> exact = 0.25 * (np.sin(2 * found.t) - 2 * found.t * np.cos(2 * found.t))  # d/dm of sin(ωt)/ω
    >>> bool(np.max(np.abs(found["body.x", "body.mass"] - exact)) < 1e-6), found.method
    (True, 'radau')
    """
    whole = Parametrized(model, parameters)
    span = given_times.span(t_start, t_end, whole.where)
    checks.choice(redundant, REDUNDANT, "redundant", whole.where)
    built = whole.system.model
    refuse_states(whole.system, whole.where)
    asked = wanted(outputs, times, final, integrals, span, built, whole.where)
    over_time = asked.times is not None
    method, given = chosen_method(method, derivatives, options, whole.system, initial, over_time, whole.where)
    if method == "radau":
        run, stretches = radau_motion(whole, span, given, initial, typical or {}, redundant)
        measured, order = Outputs(whole.system, asked.outputs), RADAU
        for stretch in stretches:
            refuse_not_unique(Outputs(stretch.system, asked.outputs), run, whole.where)
    else:
        given = {name: value for name, value in given.items() if name in options} | {"redundant": redundant}
        fixed = fixed_run(whole, asked.outputs, span[1], span[0], given)
        measured, order = fixed.parts[-1][-1], ORDER
        stretches = [fixed_stretch(fixed)] if over_time else []
    if asked.times is not None:
        values, matrix = along_times(stretches, asked.outputs, asked.times, order, whole.where)
        known = asked.names, list(measured.units), whole.parameters
        return Sensitivity(*known, values, matrix, asked.times, method)
    if method == "radau":
        values, matrix = ends_and_integrals(stretches, asked.quantities, order, whole.where)
    else:
        values, matrix = end_and_integrals(fixed, asked.quantities, derivatives)
    labels, units = zip(*((one.label, one.unit(unit)) for one, unit in zip(asked.quantities, measured.units)))
    return Sensitivity(list(labels), list(units), whole.parameters, values, matrix, method=method)


@answers_calls
@interruptible
@one_thread
def static_sensitivity(
    model: Callable[..., Model] | Model,
    parameters: Mapping[str, float] | Sequence[str],
    outputs: Sequence[Any] | Any,
    *,
    controllers: str = "refuse",
    redundant: str = "remove",
) -> Sensitivity:
    """Derivatives of outputs at the equilibrium of a mechanism:  [K Gᵀ; G 0] (δq, δλ) = −∂(f + Gᵀλ, g)/∂θ.

    Arguments: `model` and `parameters` as in :func:`sensitivity`; `outputs` by name, or functions of the model that
    return a sensor;
    `controllers`: "refuse" a model that has some, or leave their commands "held" at zero; `redundant` as in
    :func:`sensitivity`.

    >>> import flexmb as fm
    >>> def build(stiffness):
    ...     m = fm.PlanarModel("scale", gravity=(0, -10))
    ...     pan = m.add_body("pan", mass=2.0, inertia=1.0)
    ...     spring = m.bushing(m.ground, pan.frame, stiffness=(1.0, stiffness, 1.0))
    ...     return m
    >>> found = static_sensitivity(build, {"stiffness": 100.0}, "pan.y")  # y = −m g/k
    >>> round(found["pan.y", "stiffness"], 12)
    0.002
    """
    whole = Parametrized(model, parameters)
    refuse_velocity_rows(whole.system, whole.where)
    state = equilibrium(whole.system.model, controllers=controllers, redundant=redundant).state
    whole.use_rows(state.system.kept)
    system, n = whole.system, whole.system.n
    measured = Outputs(system, outputs)
    if not measured.names:
        raise ModelError(f"{whole.where}: name at least one output, outputs='rod.end.y'")
    refuse_not_unique(measured, state.solution, whole.where)
    A = system.matrix(state.t, state.q, state.v, state.a, state.lam, (0.0, 0.0, 1.0))
    factors = factorized(A, whole.where, "the equations of rest are")
    rows = (np.array([state.t]), *(x[None, :] for x in (state.q, state.v, state.a, state.lam)))
    by = measured.derivatives(state)
    matrix = np.zeros((len(measured.names), len(whole.parameters)))
    for k, name in enumerate(whole.parameters):
        neighbors = whole.neighbors(name)
        refuse_contradicting(neighbors, name, rows[0], rows[1], whole.where)
        right = neighbors.derivative(lambda system: equations(system, *rows))[0]
        moved = -factors.solve(right[: n + system.m])
        matrix[:, k] = by.q @ moved[:n] + by.lam @ moved[n:] + explicit_derivative(measured, neighbors, rows)[0]
    return Sensitivity(list(measured.names), list(measured.units), whole.parameters, by.y, matrix)
