"""Fixed steps of explicit methods in joint coordinates of a tree, without what nobody in an environment reads.

The loop of a run saves every step, and for that computes the coordinates of the system, and estimates the error of the
step. In an environment nobody reads what lies between two instants of control, so these steps compute it at the last
one alone. Where commands change, the loop finds joint coordinates anew from those of the system; these steps go on from
the joint coordinates that they have, so that both agree to rounding. All else is computed by the functions of the loop.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flexmb.algebra.precision import LARGEST
from flexmb.formulations.tree.coordinates import rates_of
from flexmb.kernels.compilation import called, inlined
from flexmb.solvers.coordinates.coordinates import JOINTS, read
from flexmb.solvers.coordinates.joints.joint_state import recall, remember, take_unseen
from flexmb.solvers.march.clock import AT_COMMAND
from flexmb.solvers.march.march_loop import next_stop
from flexmb.solvers.methods.explicit.euler import EULER
from flexmb.solvers.methods.explicit.explicit_loop import find_anew
from flexmb.solvers.methods.explicit.explicit_step import accelerate_stage, close, keep, unforced
from flexmb.solvers.methods.explicit.runge_kutta import RKF45
from flexmb.solvers.methods.explicit.step_control import next_step
from flexmb.solvers.statuses import DONE, NOT_FINITE, OK


def quick_march(loop: Any, march: Any) -> Any:
    """The quick steps that do what the `march` of a loop does, but for what lies between: fixed steps in joint
    coordinates of a tree without closed loops, of which nobody reads joint forces, without sampled controllers. None
    for any other loop."""
    quick = next((quick for method, quick in _QUICK if march is method.in_lanes.march), None)
    if quick is None:
        return None
    coordinates, options = loop.coordinates, loop.options
    free = coordinates.kind == JOINTS and coordinates.joints.rows.closed == 0
    nothing = (loop.sampling.controllers, loop.crossings.side, loop.kinks)  # at which steps would end
    quiet = not options.forces and not any(len(x) for x in nothing)
    return quick if free and quiet and options.step > 0.0 and not len(loop.left_out.weights) else None


def without_memory(loop: Any) -> bool:
    """Whether a step depends on positions and speeds alone, and not on what the steps before it left in the loop, as
    the first guess of Newton's method for friction does."""
    return not len(loop.coordinates.joints.rubbing.rows)


@inlined
def _stand(loop):
    """Take the joint coordinates and speeds of the stage, and fill what forces read of the system."""
    coordinates, plan, stage = loop.coordinates, loop.plan, loop.stage
    if unforced(loop):
        take_unseen(coordinates.joints, stage.x, stage.u, stage.q, stage.v)
    else:
        read(coordinates, plan.orientations, plan.n, stage.x, stage.u, stage.q, stage.v)


@called(int)
def _commanded(loop, t):
    """Compute joint accelerations where the last step has ended, under forces that have changed; returns a status."""
    j = loop.coordinates.joints
    recall(j, loop.stage.x, loop.stage.u)
    _stand(loop)
    status = accelerate_stage(loop, t)
    remember(j)
    return status


@called(int)
def _by_new_speeds(loop, h):
    """A step of the semi-implicit Euler method from where the joints stand: u₁ = u + h u̇, and x₁ = x + h ẋ by the new
    speeds. Returns OK or NOT_FINITE."""
    j, stage = loop.coordinates.joints, loop.stage
    for i in range(j.links.joints.nv):
        stage.u[i] = j.u[i] + h * j.ud[i]
        if not abs(stage.u[i]) < LARGEST:
            return NOT_FINITE
    rates_of(j.links.joints, j.x, stage.u, stage.x0)
    for i in range(j.links.joints.nq):
        stage.x[i] = j.x[i] + h * stage.x0[i]
        if not abs(stage.x[i]) < LARGEST:
            return NOT_FINITE
    _stand(loop)
    return OK


def _quick(attempt: Callable[..., Any], own: int, name: str) -> Any:
    """Quick steps, as `name` of this module, of a method that attempts steps so; with `own`, where there are no
    singular positions, by :func:`_by_new_speeds`."""

    def quick(lane, t):  # type: ignore[no-untyped-def]
        """Go on from the present state, at which forces have changed, to the end of the loop's span; the time is not
        used. Returns DONE, or why a step failed."""
        loop = lane.loop
        state, options = loop.state, loop.options
        end, simple = options.t_end, own == 1 and loop.coordinates.joints.last.side.shape[0] == 0
        status = _commanded(loop, state.time) if state.anew == AT_COMMAND else find_anew(loop, state.time)
        state.anew, state.unsaved = 0, 0
        while status == OK and state.time < end:
            now, stop = state.time, next_stop(loop)
            h = next_step(loop, stop)
            status = _by_new_speeds(loop, h) if simple else attempt(loop, now, h)
            if status != OK:
                return status
            if stop < end:
                status = accelerate_stage(loop, stop)
                if not simple:
                    remember(loop.coordinates.joints)
            else:
                status = close(loop, stop, h, False, False)
                if status == OK:
                    keep(loop)
            state.time = stop
            if stop >= options.t_start + (state.grid + 1.0) * options.step - options.together:
                state.grid += 1.0
        return DONE if status == OK else status

    quick.__qualname__ = name
    return called(int)(quick)


by_euler, by_runge_kutta = _quick(EULER.attempt, 1, "by_euler"), _quick(RKF45.attempt, 0, "by_runge_kutta")
#: methods of fixed steps, and their quick steps; methods of a tableau share theirs
_QUICK = ((EULER, by_euler), (RKF45, by_runge_kutta))
