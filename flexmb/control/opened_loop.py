"""A loop cut at one place, while all others stay closed: what goes round between the two ends of the cut.

With a plant y = P u and a controller u = −K y the loop is cut at one input i. What is fed in there, r, comes back as
−(K y)_i, so that L = (K y)_i/r is the loop that negative feedback closes; at an output i it is L = (P u)_i/r with r in
place of y_i in the controller. In a model with sampled controllers the cut is at a command, between the law that
decides it and the delay, see :mod:`flexmb.analyses.linear.sampled_loop`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.linalg

from flexmb.analyses.linear.linear_model import LinearModel
from flexmb.analyses.linear.linearize import plant_of_loops
from flexmb.analyses.linear.sampled_loop import close_loop
from flexmb.errors import ControlError
from flexmb.machine.interruption import interruptible
from flexmb.machine.threads import one_thread
from flexmb.model import checks, given_names
from flexmb.model.hints import answers_calls
from flexmb.solvers.binding.initial_state import state_of


@answers_calls
@interruptible
@one_thread
def loop_at(plant: Any, place: Any, controller: Any = None) -> LinearModel:
    """The loop with one input and one output that is left when a closed loop is cut at one place, for
    :func:`flexmb.control.stability_margins`.

    Arguments: `plant`: a linear model, with a `controller` K of u = −K y, a gain (inputs, outputs) as
    :meth:`flexmb.LinearModel.closed` takes it or a linear model from the plant's outputs to its inputs; or a model, a
    state, a solution or an equilibrium with sampled controllers of linear laws, without a `controller`; `place`: the
    name of an input or an output of the linear model, or of a command of a sampled controller.

    >>> from flexmb import LinearModel
    >>> mass = LinearModel([[0, 1.0], [0, 0]], [[0], [1.0]], np.eye(2), np.zeros((2, 1)), inputs=["motor"])
    >>> loop = loop_at(mass, "motor", [[4.0, 2.0]])  # (2 s + 4)/s²
    >>> loop.response([1.0 / np.pi]).values.ravel().round(9).tolist()
    [(-1-1j)]
    """
    where = "loop"
    name = place if isinstance(place, str) else getattr(place, "name", None)
    if not isinstance(name, str):
        raise ControlError(
            f"{where}: {checks.quoted(place)} is no place for a cut; give the name of an input or a command"
        )
    if not isinstance(plant, LinearModel):
        if controller is not None:
            raise ControlError(
                f"{where}: a model has its own controllers; leave out controller, or give a linear model"
            )
        return _sampled(plant, name)
    if controller is None:
        raise ControlError(f"{where}: give the controller too, a gain (inputs, outputs) or a linear model")
    known = [*plant.inputs, *plant.outputs]
    given_names.known(name, known, "input or output", where)
    if known.count(name) > 1:
        raise ControlError(f"{where}: {name!r} is the name of an input and of an output; rename one of them")
    K = _controller(plant, controller, where)
    first, second = (plant, K) if name in plant.inputs else (K, plant)
    return _cut(
        first, second, known.index(name) % len(plant.inputs) if first is plant else plant.outputs.index(name), name
    )


def _controller(plant: LinearModel, given: Any, where: str) -> LinearModel:
    """K as a linear model from the outputs of the plant to its inputs."""
    o, i = plant.D.shape
    if isinstance(given, LinearModel):
        if given.period != plant.period:
            raise ControlError(
                f"{where}: plant and controller go by other clocks, {_clock(plant)} and {_clock(given)}; take "
                "discrete(period) of the one in continuous time"
            )
        K = given
    else:
        gain = checks.matrix(given, "controller", where)
        K = LinearModel(np.zeros((0, 0)), np.zeros((0, gain.shape[1])), np.zeros((len(gain), 0)), gain)
    if K.D.shape != (i, o):
        raise ControlError(f"{where}: the controller has the shape {K.D.shape}; it must be {(i, o)} (inputs, outputs)")
    return K


def _clock(model: LinearModel) -> str:
    return "continuous time" if model.period is None else f"steps of {model.period:g} s"


def _cut(first: LinearModel, second: LinearModel, k: int, name: str) -> LinearModel:
    """The loop from number k of the inputs of `first` through both models: the second reads the outputs of the first,
    and −(its outputs) are the other inputs of the first."""
    # e goes into the first: e_k = r, and e_j = −z_j for the others; z comes out of the second, and z_k is L r
    others = np.eye(len(first.inputs))
    others[k, k] = 0.0
    r = np.eye(len(first.inputs))[:, [k]]
    A = scipy.linalg.block_diag(first.A, second.A)
    n = len(first.A)
    Cz = np.hstack([second.D @ first.C, second.C])
    Dz = second.D @ first.D
    through = np.eye(len(others)) + Dz @ others
    if np.linalg.cond(through) > 1e12:
        raise ControlError("loop: outputs that answer at once to the inputs make it singular; let them pass a filter")
    z_x, z_r = np.linalg.solve(through, Cz), np.linalg.solve(through, Dz @ r)
    e_x, e_r = -others @ z_x, r - others @ z_r
    A[n:, :n] += second.B @ first.C
    into = np.vstack([first.B, second.B @ first.D])
    return LinearModel(
        A + into @ e_x, into @ e_r, z_x[[k]], z_r[[k]], inputs=[name], outputs=[f"{name} returned"], period=first.period
    )


def _sampled(about: Any, name: str) -> LinearModel:
    """The loop of a mechanism and its sampled controllers, cut at a command."""
    state = state_of(about, "loop")
    where = f"loop of model {state.model.name!r}"
    loops = list(state.model.controllers.values())
    commands = [command for c in loops for command in c.commands]
    if not loops:
        raise ControlError(
            f"{where}: it has no controllers, so there is no loop to be cut; add one, or give a linear model"
        )
    given_names.known(name, commands, "command", where)
    open_loop = close_loop(plant_of_loops(state, loops, [], []), loops, [], 0, cut=name)
    return replace(open_loop, C=-open_loop.C, D=-open_loop.D, outputs=[f"{name} returned"])
