"""Linearization of a mechanism: A, B, C, D.

The equations of small motions in minimal coordinates are those of :mod:`flexmb.analyses.linear.small_motions`.
About a steady motion coefficients are constant in axes that go along with it, see
:mod:`flexmb.analyses.linear.steady_motion`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, overload

import numpy as np

from flexmb.analyses.linear.bases import Basis, basis_in_axes, basis_of_coordinates, basis_of_modes
from flexmb.analyses.linear.inputs import Inputs, chosen_inputs
from flexmb.analyses.linear.joint_states import by_joints
from flexmb.analyses.linear.linear_model import LinearModel
from flexmb.analyses.linear.outputs import Outputs, chosen_outputs
from flexmb.analyses.linear.sampled_loop import close_loop
from flexmb.analyses.linear.small_motions import SmallMotions
from flexmb.analyses.linear.steady_motion import check_constant, states_along, steady_motions, without_cyclic
from flexmb.analyses.linear.time_varying import TimeVaryingModel, along_run
from flexmb.analyses.statics.rotation import spin_of_orbit
from flexmb.analyses.vibration.steady_readings import slow
from flexmb.errors import BalanceWarning, FlexmbError, LinearModelError, ModelError, warn
from flexmb.kernels.blocks import STATE
from flexmb.machine.interruption import interruptible
from flexmb.machine.threads import one_thread, threads_for
from flexmb.model import checks
from flexmb.model.hints import answers_calls
from flexmb.results.state import State
from flexmb.solvers.binding.initial_state import analyzed_state, state_of
from flexmb.system.refusals import refuse_searches, refuse_sticking
from flexmb.system.shear import warn_of_short_beams
from flexmb.system.system import System

#: a mechanism at rest is out of balance if it accelerates by more than this, in units of its length, and rad, per s²
NOTICEABLE = 1e-4


@overload
def linearize(
    model: Any,
    inputs: Sequence[Any] | Any = (),
    outputs: Sequence[Any] | Any = (),
    *,
    coordinates: Sequence[str] | None = None,
    modes: int | None = None,
    controllers: str = "refuse",
    steady: bool | None = None,
    along: Literal[False] = False,
) -> LinearModel: ...


@overload
def linearize(
    model: Any,
    inputs: Sequence[Any] | Any = (),
    outputs: Sequence[Any] | Any = (),
    *,
    coordinates: Sequence[str] | None = None,
    along: Literal[True],
) -> TimeVaryingModel: ...


@answers_calls
@interruptible
@one_thread
def linearize(
    model: Any,
    inputs: Sequence[Any] | Any = (),
    outputs: Sequence[Any] | Any = (),
    *,
    coordinates: Sequence[str] | None = None,
    modes: int | None = None,
    controllers: str = "refuse",
    steady: bool | None = None,
    along: bool = False,
) -> Any:
    """The linear model  ẋ = A x + B u,  y = C x + D u  of small motions about a state, in minimal coordinates.

    Arguments: `model`: a model (in its initial state), a state, a solution (its last time) or an equilibrium; `inputs`
    by name, see :mod:`flexmb.analyses.linear.inputs`; `outputs`: any quantity that a solution knows, e.g. 'rod.end.ay',
    'rod@0.5.bending_moment', 'hinge.fx', or a sensor of controllers; both may be left out where only A and its poles
    are wanted; `coordinates`: names of the independent ones (chosen when not given; in space the states are then
    coordinates of joints such as 'steering.angle', as far as these determine the motion, see
    :mod:`flexmb.analyses.linear.joint_states`); `modes`: take that many of the lowest modes instead of coordinates, for
    large models; `controllers`: "refuse" a model that has some, leave their commands "held", or give the loop "closed",
    a model in discrete time with the controllers' period (linear laws only), see
    :mod:`flexmb.analyses.linear.sampled_loop`;
    `steady`: with True the state is one of a steady motion (a vehicle rolls ahead, a rotor spins), and the coefficients
    are constant: it is checked that the motion goes on in the same way, changes are measured in axes that go along with
    it, and positions that matter to nothing (where the vehicle is, the turns of its wheels) are no states, see
    :mod:`flexmb.analyses.linear.steady_motion`. With False the coefficients are those of the instant, in axes that
    turn with the bodies. When it is not given they are so too, with a warning if that is not the same;
    `along`: with True the model is a solution, and the result a :class:`flexmb.control.TimeVaryingModel` of small
    motions along all of it; its states are the coordinates named, or
    chosen, of the bodies, or directions that are carried along with the motion where no coordinates determine it
    throughout.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("cart")
    >>> cart = m.add_body("cart", mass=2.0, inertia=1.0)
    >>> rail = m.prismatic(m.ground, cart.frame)
    >>> spring = m.bushing(m.ground, cart.frame, stiffness=(8.0, 0, 0), damping=(0.4, 0, 0))
    >>> linear = fm.linearize(m, "cart.fx", ["cart.x", "cart.ax"])
    >>> linear.A.round(9).tolist(), linear.B.ravel().round(9).tolist(), linear.D.ravel().round(9).tolist()
    ([[0.0, 1.0], [-4.0, -0.2]], [0.0, 0.5], [0.0, 0.5])
    >>> linear.states
    ['cart.x', 'cart.x rate']
    >>> fm.linearize(m).poles.round(3).tolist()
    [(-0.1-1.997j), (-0.1+1.997j)]
    """
    if coordinates is not None and (isinstance(coordinates, str) or not isinstance(coordinates, Sequence)):
        raise ModelError(
            f"linear model: coordinates is {checks.quoted(coordinates)}; give a list of names, ['rod.angle'], or none"
        )
    closed = isinstance(controllers, str) and controllers == "closed"
    if checks.flag(along, "along", "linear model"):
        if modes is not None or steady is not None or closed:
            raise ModelError(
                "linear model: along a run there are no modes, steady motions and closed loops of sampled controllers; "
                "leave out modes, steady and controllers"
            )
        return along_run(model, inputs, outputs, coordinates)
    if closed:
        return _closed(model, inputs, outputs, coordinates, modes, steady)
    advice = ", controllers='closed' gives the sampled loop"
    state = analyzed_state(model, "linear model", controllers, advice)
    where = f"linear model of model {state.model.name!r}"
    refuse_sticking(state.system, where)
    refuse_searches(state.system, where)
    _warn_if_out_of_balance(state, where)
    forcing = chosen_inputs(state, inputs, where)
    measured = chosen_outputs(state.system, outputs, where)
    steady = steady if steady is None else checks.flag(steady, "steady", where)
    with threads_for(state.system.n if modes is None else 0):
        if modes is not None:
            if coordinates is not None:
                raise ModelError(f"{where}: give coordinates or modes, not both")
            if steady:
                raise ModelError(f"{where}: modes are those of rest; leave them out, or steady=True")
            basis = basis_of_modes(state, checks.count(modes, "modes", where, least=1))
            return SmallMotions.about(state, forcing, measured).in_basis(basis, where)
        warn_of_short_beams(state.system, where)
        basis = basis_of_coordinates(state, coordinates, where)
        if steady:
            model, whole, lost = _about_steady_motion(state, forcing, measured, basis, where)
        else:
            if steady is None:
                _warn_if_steady(state, where)
            model = whole = SmallMotions.about(state, forcing, measured).in_basis(basis, where)
            lost = np.zeros((len(model), 0))
        made = model if coordinates is not None else by_joints(model, whole, lost)
        return _without_integrals(made, state.system)


def _without_integrals(model: LinearModel, system: System) -> LinearModel:
    """The model without the positions whose speeds are states of first order, which matter to nothing."""
    integrals = {system.names[k] for k in np.flatnonzero(system.assembly.free.mask(STATE)).tolist()}
    keep = np.array([name not in integrals for name in model.states], dtype=bool)
    if keep.all():
        return model
    assert model.positions is not None and model.speeds is not None
    return replace(
        model, A=model.A[keep][:, keep], B=model.B[keep], C=model.C[:, keep],
        states=[name for name, kept in zip(model.states, keep) if kept],
        positions=model.positions[:, keep], speeds=model.speeds[:, keep],
    )  # fmt: skip


def _about_steady_motion(
    state: State, forcing: Inputs, measured: Outputs, basis: Basis, where: str
) -> tuple[LinearModel, LinearModel, np.ndarray]:
    """The linear model of constant coefficients, by the first reading of the motion that has some; the same with its
    cyclic positions too, and the directions (k, c) of these."""
    readings = steady_motions(state, where)
    system, first = state.system, basis.of_positions or basis
    assert first.numbers is not None and basis.numbers is not None
    prescribed = [1.0] * len(forcing.driven)
    size = np.concatenate([system.scale[first.numbers], prescribed, system.scale[basis.numbers], prescribed])
    about = SmallMotions.about(state, forcing, measured)
    for motion in readings:
        rate = motion.rate_of_axes()
        model = about.in_basis(basis, where, rate)
        try:
            for h, later in states_along(motion, state, where):
                T = motion.turned_axes_dense(h).T
                there = basis_in_axes(later, basis, T)
                moved = SmallMotions.about(later, forcing.at(later), measured).in_basis(there, where, rate, T)
                check_constant(model, moved, h, size, system.length_scale, slow(state), where)
        except LinearModelError:
            if motion is readings[-1]:
                raise
            continue
        positions = len(first.numbers) + len(prescribed)
        small, lost = without_cyclic(model, positions, size, motion.turn)
        return small, model, lost
    raise AssertionError  # there is at least one reading


def _warn_if_steady(state: State, where: str) -> None:
    """Warn of coefficients of an instant where those of a steady motion are meant, which differ."""
    gravity = state.system.model.gravity
    turning = any(state.v[i : i + 3].any() for i in state.system.orientations[:, 0].tolist())
    try:
        readings = steady_motions(state, where) if turning else []
    except FlexmbError:
        readings = []
    if gravity.is_central and not readings:
        warn(
            f"{where}: the coefficients are those of one instant, at t = {state.t:g} s: gravity turns along its orbit, "
            f"once each {gravity.period:g} s, so that poles say nothing of what is as slow; give steady=False to leave "
            f"out this warning, or what turns with the orbit: fm.equilibrium(model, {spin_of_orbit(gravity)})",
            BalanceWarning,
        )
        return
    if not readings:
        return
    if all(motion.rate_of_axes().any() for motion in readings):
        warn(
            f"{where}: the state is one of a steady motion, and the coefficients are those of one instant, in axes "
            "that turn with the bodies, so that poles say nothing of stability; steady=True gives constant ones (False "
            "leaves out this warning)",
            BalanceWarning,
        )


def _closed(
    about: Any, inputs: Any, outputs: Any, coordinates: Sequence[str] | None, modes: int | None, steady: bool | None
) -> LinearModel:
    """The linear model of the loop that the controllers close."""
    state = state_of(about, "linear model")
    where = f"linear model of model {state.model.name!r}"
    loops = list(state.model.controllers.values())
    if not loops:
        raise ModelError(f"{where}: it has no controllers that could close a loop; leave out controllers='closed'")
    asked = chosen_inputs(state, inputs, where).asked
    measured = list(outputs) if isinstance(outputs, list | tuple) else [outputs]
    chosen_outputs(state.system, measured, where)
    plant = plant_of_loops(state, loops, asked, measured, coordinates=coordinates, modes=modes, steady=steady)
    return close_loop(plant, loops, asked, len(measured))


def plant_of_loops(
    state: State, loops: Sequence[Any], asked: Sequence[str], measured: Sequence[Any], **options: Any
) -> LinearModel:
    """The open mechanism for :func:`flexmb.analyses.linear.sampled_loop.close_loop`: inputs are those `asked` for and
    all commands of controllers, outputs those `measured` and all their sensors."""
    commands = [name for c in loops for name in c.commands if name not in asked]
    sensors = [sensor for c in loops for sensor in c.sensors]
    # A sensor that several controllers read is computed once.
    names = Outputs(state.system, [*measured, *sensors]).names
    once = list(dict.fromkeys(names))
    chosen = [dict(zip(names, [*measured, *sensors]))[name] for name in once]
    plant = linearize(state, [*asked, *commands], chosen, controllers="held", **options)
    order = [once.index(name) for name in names]
    units = [plant.output_units[k] for k in order]
    at = plant.operating_outputs[order]
    return replace(plant, C=plant.C[order], D=plant.D[order], outputs=names, output_units=units, operating_outputs=at)


def _warn_if_out_of_balance(state: State, where: str) -> None:
    """Warn of a mechanism that stands still but accelerates: it is not at an operating point."""
    away = float(np.max(np.abs(state.a) / state.system.scale, initial=0.0))
    of_states = state.system.assembly.free.mask(STATE)
    if not state.v[~of_states].any() and away > NOTICEABLE:
        instead = "the end of a run that comes to rest" if of_states.any() else "fm.equilibrium(model)"
        warn(
            f"{where}: the state is not an equilibrium: it stands still and accelerates (by up to {away:.2g} rad/s², "
            f"or of the mechanism's length in s²); give {instead} in its place",
            BalanceWarning,
        )
