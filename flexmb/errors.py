"""Errors and warnings, one type for each kind of failure. A message says what, where (by name) and what to do."""

from __future__ import annotations

import sys
import warnings
from typing import Any


class FlexmbError(Exception):
    """Any failure that flexmb itself reports."""


class ModelError(FlexmbError, ValueError):
    """A description that cannot be a mechanism: a bad number, a negative length, a section without area."""


class NamingError(ModelError, KeyError):
    """A name that nothing has, or that two things would have."""

    def __str__(self) -> str:  # KeyError would print the repr
        return str(self.args[0])


class UnknownAttributeError(NamingError, AttributeError):
    """An attribute that a track, a solution or a model has not; the text says which one is meant."""


class UnknownArgumentError(NamingError, TypeError):
    """An argument that a material, a section or a shape does not take; the text says which one is meant."""


class SizeError(FlexmbError, MemoryError):
    """A model or a run that does not fit into the memory of this machine."""


class KernelError(ModelError):
    """A compiled component that breaks the contract (:mod:`flexmb.kernels.contract`) or gives NaN, or a function of
    Python that raised an exception. `solution` has the results of a run until then; None if there are none."""

    solution: Any = None


class RedundancyError(FlexmbError):
    """Constraints that depend on one another, or that contradict one another."""


class InitialConditionError(FlexmbError):
    """Initial positions or speeds that cannot be made to meet the constraints."""


class SolverError(FlexmbError):
    """A run that cannot start or continue as asked."""


class SwitchingError(SolverError):
    """Components that cannot be switched on or off in a run as asked: a joint that would have to jump into place.
    `solution` has the results of the run until then."""

    solution: Any = None


class EquilibriumError(SolverError):
    """A mechanism without an equilibrium or with more than one, or whose equilibrium was not found."""


class FormulationError(FlexmbError):
    """A mechanism that a formulation in joint coordinates cannot take."""


class LinearModelError(FlexmbError):
    """A linear model that cannot do what is asked of it."""


class ControlError(FlexmbError):
    """A controller or a filter that cannot be designed for the given plant."""


class StudyError(FlexmbError):
    """A study that was stopped because all its runs failed. `study` has the runs until then."""

    study: Any = None


class ResultFileError(FlexmbError):
    """A result file that is cut short, damaged, of another kind or from a newer version."""


class MissingExtraError(FlexmbError, ImportError):
    """An optional package is needed for this and not installed."""


class DisplayError(FlexmbError):
    """A window without a screen to show it, or a picture without a program to draw it."""


class InitialConditionWarning(UserWarning):
    """Initial values were moved to meet the constraints; the text says by how much."""


class RedundancyWarning(UserWarning):
    """Constraint rows that repeat others were left out; the text names them, and the joints whose forces are then not
    unique."""


class UnstableLoopWarning(UserWarning):
    """A feedback that does not make the linear plant stable; the text tells the worst pole."""


class BalanceWarning(UserWarning):
    """Small motions about a state that is not in balance."""


class DivergenceWarning(UserWarning):
    """A run stopped before its end; the solution has the results until then."""


class AccuracyWarning(UserWarning):
    """A result that is probably less accurate than was asked; the text says why, and what to do."""


class PictureWarning(UserWarning):
    """A picture that will show less than was described; the text says what is missing. Results are not changed."""


class StudyWarning(UserWarning):
    """The first run of a study that failed, or a file whose runs an earlier version of the function made."""


class SizeWarning(UserWarning):
    """A model or a run that will fill much of the memory of this machine."""


def warn(text: str, kind: type[Warning]) -> None:
    """Warn, and show the line outside of flexmb that called into it, however many functions lie between."""
    depth, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "flexmb":
        depth, frame = depth + 1, frame.f_back
    warnings.warn(text, kind, stacklevel=depth)
