"""The controllers of a bound model as arrays, which are made once for runs of one span."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flexmb.feedback.controller import Controller, sampling_for
from flexmb.kernels.images import Image
from flexmb.results.signals import ControllerState
from flexmb.system.sampling import Sampling
from flexmb.system.system import System


class KnownSampling:
    """The arrays of the controllers of a model, by their names. They are kept, as they were before the run, if runs
    begin with them again (`keeps`), for those of the last span, unless controllers go on from states of their own."""

    def __init__(self, keeps: bool) -> None:
        self.keeps = keeps
        self._known: tuple[Any, Image] | None = None

    def __call__(
        self,
        system: System,
        controllers: Sequence[Controller],
        t_start: float,
        t_end: float,
        states: Mapping[str, ControllerState],
    ) -> Sampling:
        """The arrays of :func:`~flexmb.feedback.controller.sampling_for` with these arguments."""
        key = system.off, system.kept.tobytes(), t_start, t_end
        known = self._known  # another thread may put another one in its place
        usual = self.keeps and not (states or system.measured or system.assembly.overrides.strengths)
        if usual and known is not None and known[0] == key:
            (copied,) = known[1].copies()
            made: Sampling = copied
            return made
        sampling = sampling_for(system, controllers, t_start, t_end, states)
        if usual:
            self._known = key, Image(sampling)
        return sampling
