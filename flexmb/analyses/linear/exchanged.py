"""Linear models for scipy and python-control, and from the latter."""

from __future__ import annotations

from typing import Any, Self

import scipy.signal

from flexmb.errors import MissingExtraError, ModelError
from flexmb.model import checks
from flexmb.model.hints import AnswersCalls


class Exchanged(metaclass=AnswersCalls):
    """What a :class:`~flexmb.analyses.linear.linear_model.LinearModel` is to other programs."""

    def to_scipy(self: Any) -> Any:
        """The model as a `scipy.signal.StateSpace`.

        >>> import flexmb as fm
        >>> fm.LinearModel([[-2.0]], [[2.0]], [[1.0]], [[0.0]]).to_scipy().A.tolist()
        [[-2.0]]
        """
        if self.period is None:
            return scipy.signal.StateSpace(self.A, self.B, self.C, self.D)
        return scipy.signal.StateSpace(self.A, self.B, self.C, self.D, dt=self.period)

    def to_control(self: Any) -> Any:
        """The model as a state space of python-control, with its names.

        >>> import flexmb as fm
        >>> fm.LinearModel([[-2.0]], [[2.0]], [[1.0]], [[0.0]]).to_control().poles().real.tolist()
        [-2.0]
        """
        control = _control()
        self.needs("linear model to control", "inputs", "outputs")
        # python-control reserves dots in names
        names = {x: [name.replace(".", "_") for name in getattr(self, x)] for x in ("states", "inputs", "outputs")}
        return control.ss(self.A, self.B, self.C, self.D, 0 if self.period is None else self.period, **names)

    @classmethod
    def from_control(cls, system: Any) -> Self:
        """A state space (or transfer function) of python-control as a linear model.

        >>> import control
        >>> import flexmb as fm
        >>> fm.LinearModel.from_control(control.tf([2.0], [1.0, 2.0])).poles.real.tolist()
        [-2.0]
        """
        control = _control()
        if not isinstance(system, control.StateSpace | control.TransferFunction):
            raise ModelError(
                f"linear model: {checks.quoted(system)} is no StateSpace or TransferFunction of python-control"
            )
        s = control.ss(system)
        labels = {"states": s.state_labels, "inputs": s.input_labels, "outputs": s.output_labels}
        make: Any = cls
        made: Self = make(s.A, s.B, s.C, s.D, **labels, period=None if not s.dt else float(s.dt))
        return made


def _control() -> Any:
    try:
        import control
    except ImportError as why:
        raise MissingExtraError(
            "state spaces of python-control need the package control; install it: pip install 'flexmb[control]'"
        ) from why
    return control
