"""Errors and warnings, one type for each kind of failure. A message says what, where (by name) and what to do.

The docstring of each type begins with the cause; a paragraph says what to do, for all messages of that type.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any


class FlexmbError(Exception):
    """Any failure that flexmb itself reports.

    What to do: read the message: it names the thing, says what is wrong with it and what to change. `except
    fm.FlexmbError` catches all of them, such as in a study that goes on with its other runs.
    """


class ModelError(FlexmbError, ValueError):
    """A description that cannot be a mechanism: a bad number, a negative length, a section without area.

    What to do: correct the number or the argument that the message names. Lengths are in m, masses in kg,
    angles in rad; sizes of sections are diameters and full widths.
    """


class NamingError(ModelError, KeyError):
    """A name that nothing has, or that two things would have.

    What to do: take the name that the message proposes, or give the second thing another one.
    `sorted(model.frames)` lists the frames of a model.
    """

    def __str__(self) -> str:  # KeyError would print the repr
        return str(self.args[0])


class UnknownAttributeError(NamingError, AttributeError):
    """An attribute that a track, a solution, a model or a room has not; the text says which one is meant.

    What to do: take the attribute that the message proposes; `dir(…)` lists all of them.
    """


class UnknownArgumentError(NamingError, TypeError):
    """An argument that a function, a method or a class does not take; the text says which one is meant.

    What to do: take the argument that the message proposes; `help(…)` lists all of them with their units.
    """


class MissingArgumentError(ModelError, TypeError):
    """An argument is missing that a function, a method or a class cannot do without.

    What to do: give the argument that the message names; `help(…)` lists all of them with their units.
    """


class SizeError(FlexmbError, MemoryError):
    """A model or a run that does not fit into the memory of this machine.

    What to do: keep fewer times, by `times` or `save_every` of :func:`flexmb.simulate`; take fewer elements or
    fewer points along a beam; or a machine with more memory.
    """


class KernelError(ModelError):
    """A compiled component that breaks the contract (:mod:`flexmb.kernels.contract`) or gives NaN, or a function
    of Python that raised an exception. `solution` has the results of a run until then; None if there are none.

    What to do: correct the component or the function that the message names. :func:`flexmb.testing.conformance`
    checks a component of your own, `NUMBA_DISABLE_JIT=1` runs it as plain Python under a debugger, and the
    results until then show the state in which it failed.
    """

    solution: Any = None


class LibraryError(FlexmbError):
    """A processor for which no machine code can be made here, or a library of kernels that cannot be built.

    What to do: leave the environment variable FLEXMB_PROCESSOR away, so that code is made for the processor at hand;
    build a library in a process of its own, where compiled kernels can be kept.
    """


class WarmUpError(FlexmbError):
    """Kernels cannot be compiled ahead: nothing can be kept, or a process that compiles has ended.

    What to do: let the environment variable NUMBA_CACHE_DIR name a folder that is yours alone and has room, or
    take fewer processes, as the message says.
    """


class RedundancyError(FlexmbError):
    """Constraints that depend on one another, or that contradict one another.

    What to do: remove one of the joints that the message names, or replace it by one that holds less. Rows that
    only repeat others may stay: without `redundant="error"` they are left out. If they repeat each other in the
    initial position only, draw the model in another one.
    """


class InitialConditionError(FlexmbError):
    """Initial positions or speeds that cannot be made to meet the constraints.

    What to do: see whether the joints that the message names join the frames that were meant. Give positions
    that fit, let :func:`flexmb.assemble` find them from a sketch, or allow the move by `gaps="close"`.
    """


class SolverError(FlexmbError):
    """A run that cannot start or continue as asked.

    What to do: change the method or the option that the message names. :func:`flexmb.simulate` lists which
    method takes which option.
    """


class SwitchingError(SolverError):
    """Components that cannot be switched on or off in a run as asked: a joint that would have to jump into place.
    `solution` has the results of the run until then.

    What to do: switch a joint on when its frames have met, at an event that watches their distance; or take a
    weld or a lock, which hold what they find.
    """

    solution: Any = None


class EquilibriumError(SolverError):
    """A mechanism without an equilibrium or with more than one, or whose equilibrium was not found.

    What to do: hold the motion that the message names, by a joint, a lock or a spring; or start nearer, by
    `initial`. Loads that are large from the start are found along a load path, :func:`flexmb.equilibrium_path`.
    """


class FormulationError(FlexmbError):
    """A mechanism that a formulation in joint coordinates cannot take.

    What to do: leave `formulation` out, whose absolute coordinates take every mechanism, or replace the
    component that the message names.
    """


class LinearModelError(FlexmbError):
    """A linear model that cannot do what is asked of it.

    What to do: the message says what the model lacks: a frequency that is a pole is left out or damped, a
    smaller order is asked for, inputs and outputs are named anew in :func:`flexmb.linearize`.
    """


class ControlError(FlexmbError):
    """A controller or a filter that cannot be designed for the given plant, or that an analysis cannot take along.

    What to do: the message names the modes that no input reaches or no output sees: add an actuator or a sensor
    for them, or take them out of the plant. For an analysis without controllers say `controllers="held"`.
    """


class StudyError(FlexmbError):
    """A study that was stopped because all its runs failed. `study` has the runs until then.

    What to do: run the function once by itself with the parameters that the message names, and correct what it
    reports.
    """

    study: Any = None


class ResultFileError(FlexmbError):
    """A file that cannot be read or written: it is not there, or cut short, damaged, of another kind or from a
    newer version.

    What to do: correct the name of the file or of its folder; compute a damaged file again; read a file of a
    newer version with that version of flexmb.
    """


class MissingExtraError(FlexmbError, ImportError):
    """An optional package is needed for this and not installed.

    What to do: install it with the command in the message, such as `pip install 'flexmb[film]'`.
    """


class DisplayError(FlexmbError):
    """A window without a screen to show it, or a picture without a program to draw it.

    What to do: write a page with `view.html(…)`, which any browser turns, or a picture with
    `view.screenshot(…)`. Pictures without a screen need EGL or OSMesa (Debian: libegl1 and libgl1-mesa-dri).
    """


class InitialConditionWarning(UserWarning):
    """Initial values were moved to meet the constraints; the text says by how much.

    What to do: nothing, if the move is as small as rounding of the given numbers. Otherwise give positions and
    speeds that fit, or let :func:`flexmb.assemble` find positions from a sketch.
    """


class RedundancyWarning(UserWarning):
    """Constraint rows that repeat others were left out; the text names them, and the joints whose forces are then
    not unique.

    What to do: nothing, if only the motion matters: it is right. Where joint forces matter, replace a joint by
    one that holds less, or make a part elastic; :meth:`flexmb.Solution.unique_reactions` says of a joint
    whether its force is unique.
    """


class UnstableLoopWarning(UserWarning):
    """A feedback that does not make the linear plant stable; the text tells the worst pole.

    What to do: choose other weights or other outputs; a mode that no output sees needs damping or another
    sensor.
    """


class BalanceWarning(UserWarning):
    """Small motions about a state that is not in balance.

    What to do: compute them about an equilibrium, `fm.modes(fm.equilibrium(model))`, or about a steady rotation.
    """


class DivergenceWarning(UserWarning):
    """A run stopped before its end; the solution has the results until then.

    What to do: look at the results just before the end, where the cause is mostly seen: a mechanism that tears
    or folds, a spring as stiff as steel, a load that grows without bound. `solution.message` says which step
    failed; a smaller `tolerance` or another method helps only where the motion itself is smooth.
    """


class AccuracyWarning(UserWarning):
    """A result that is probably less accurate than was asked; the text says why, and what to do.

    What to do: what the text says: more elements where a beam bends beyond its theory, a smaller tolerance
    where energy does not balance. `solution.doubts` keeps the reasons, and `solution.trustworthy` is False.
    """


class PictureWarning(UserWarning):
    """A picture that will show less than was described; the text says what is missing. Results are not changed.

    What to do: nothing, if the picture may be plain; otherwise bring the file of the shape to where the text
    looks for it, or install the package that reads it.
    """


class StudyWarning(UserWarning):
    """The first run of a study that failed, a file whose runs an earlier version of the function made, or a parameter
    of a batch on which the motion does not depend.

    What to do: `study.failed` holds the runs that failed, with their parameters. After a change of the function
    delete the file, or give another name, so that all runs are made by the same code. Vary another parameter.
    """


class SizeWarning(UserWarning):
    """A model or a run that will fill much of the memory of this machine.

    What to do: keep fewer times, by `times` or `save_every` of :func:`flexmb.simulate`, or leave the machine to
    this run alone.
    """


class CompilerWarning(UserWarning):
    """A version of Numba that flexmb cannot make full use of; the text says what it lacks. Results are right, but
    compiling takes several times as long.

    What to do: install a version of Numba that `pip install flexmb` allows; `flexmb info` says which one is in use.
    """


#: Whether nobody is warned, in this thread: what is computed a second time has said it before.
_silent: ContextVar[bool] = ContextVar("silent", default=False)


@contextmanager
def silent() -> Iterator[None]:
    """Context in which flexmb warns of nothing; other threads go on to warn."""
    token = _silent.set(True)
    try:
        yield
    finally:
        _silent.reset(token)


def warn(text: str, kind: type[Warning]) -> None:
    """Warn, and show the line outside of flexmb that called into it, however many functions lie between."""
    if _silent.get():
        return
    depth, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in ("flexmb", "functools"):
        depth, frame = depth + 1, frame.f_back
    warnings.warn(text, kind, stacklevel=depth)


def __dir__() -> list[str]:
    return [name for name, x in globals().items() if isinstance(x, type) and x.__module__ == __name__]
