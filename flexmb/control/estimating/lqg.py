"""The linear quadratic regulator with what Kalman's filter estimates."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from flexmb.algebra.eigenvalues import solve_lyapunov
from flexmb.analyses.linear.linear_model import LinearModel
from flexmb.control.estimating.kalman import Observer, disturbance_observer, kalman
from flexmb.control.estimating.observer_law import ObserverLaw
from flexmb.control.regulator import Regulator, lqr
from flexmb.model.hints import AnswersCalls, answers_calls


@dataclass(frozen=True, eq=False)
class LQG(metaclass=AnswersCalls):
    """A regulator with its observer: `law` for `add_controller`; `regulator`, `observer`; `poles` of the sampled closed
    loop, those of both (Kalman's separation); `controller`: K of u = −K y as a linear model in steps, for
    :func:`flexmb.control.loop_at`; `covariance`, `output_covariance`, `command_covariance`: those at the instants
    under the noise for which it was designed, of the states, of the outputs without the noise of their sensors, and of
    the commands.

    >>> import flexmb as fm
    >>> mass = fm.LinearModel([[0, 1.0], [0, 0]], [[0], [1.0]], [[1.0, 0]], [[0.0]], inputs=["motor"])
    >>> best = fm.control.lqg(mass, Q=[1.0, 0.0], R=1e-2, process=1.0, measurement=1e-6, period=0.01)
    >>> loop = fm.control.loop_at(best.observer.plant, "motor", best.controller)
    >>> print(fm.control.stability_margins(loop))
    gain ×28.06 (29 dB), phase 61.48°, delay 0.2259 s
    """

    law: ObserverLaw
    regulator: Regulator
    observer: Observer
    poles: np.ndarray

    @cached_property
    def controller(self) -> LinearModel:
        """The law between its limits as a linear model from the plant's outputs to its inputs, u = −K y."""
        linear, plant = self.law.linear, self.observer.plant
        count = len(plant.outputs)
        return LinearModel(
            linear.A, linear.B[:, :count], -linear.C, -linear.D[:, :count],
            inputs=plant.outputs, outputs=plant.inputs, period=plant.period,
        )  # fmt: skip

    @cached_property
    def _joint(self) -> tuple[np.ndarray, np.ndarray]:
        """The covariance of (x, the law's memory), and the map from it and the noise of readings to the commands."""
        seen, law = self.observer, self.law.linear
        plant, d = seen.plant, len(seen.disturbances)
        n, k = len(plant) - d, len(law.A)
        A, B, C = plant.A[:n, :n], plant.B[:n], plant.C[:, :n]
        count, inputs = plant.D.shape
        # the commands before an instant, which its readings feel, are the last numbers of the memory
        before = np.zeros((inputs, k))
        if plant.D.any():
            before[:, -inputs:] = np.eye(inputs)
        into, gain = law.B[:, :count], law.D[:, :count]
        reading = np.hstack([C, plant.D @ before])
        u = np.hstack([np.zeros((inputs, n)), law.C]) + gain @ reading
        whole = np.vstack(
            [np.hstack([A, np.zeros((n, k))]) + B @ u, np.hstack([np.zeros((k, n)), law.A]) + into @ reading]
        )
        noisy = np.vstack([B @ gain, into])
        W = noisy @ seen.measurement @ noisy.T
        W[:n, :n] += seen.process[:n, :n]
        return solve_lyapunov(whole, W, discrete=True), np.hstack([u, gain])

    @property
    def covariance(self) -> np.ndarray:
        """E x xᵀ (k, k) of the plant's states at the instants, disturbances left aside."""
        n = len(self.observer.plant) - len(self.observer.disturbances)
        return self._joint[0][:n, :n]

    @property
    def output_covariance(self) -> np.ndarray:
        """E y yᵀ (outputs, outputs) just after the instants, without the noise of sensors."""
        plant = self.observer.plant
        V, n = self._with_noise, len(self.covariance)
        T = np.hstack([plant.C[:, :n], np.zeros((len(plant.C), len(V) - n))]) + plant.D @ self._joint[1]
        return np.asarray(T @ V @ T.T)

    @property
    def command_covariance(self) -> np.ndarray:
        """E u uᵀ (inputs, inputs)."""
        u = self._joint[1]
        return np.asarray(u @ self._with_noise @ u.T)

    @property
    def _with_noise(self) -> np.ndarray:
        """The covariance of (x, memory, noise of the readings)."""
        V = self._joint[0]
        noise = self.observer.measurement
        return np.block([[V, np.zeros((len(V), len(noise)))], [np.zeros((len(noise), len(V))), noise]])

    def __repr__(self) -> str:
        return f"LQG({self.law!r}, slowest pole {np.abs(self.poles).max(initial=0.0):.6g})"


@answers_calls
def lqg(
    plant: LinearModel,
    Q: Any,
    R: Any,
    process: Any,
    measurement: Any,
    period: Any = None,
    *,
    disturbance: Any = None,
    at: Any = None,
    limits: Any = None,
    follow: bool = False,
    commands: Any = None,
    predictive: bool = False,
) -> LQG:
    """The feedback u = −K x̂ of what Kalman's filter estimates, which makes the mean of xᵀ Q x + uᵀ R u the least for a
    plant with white noise that is read at instants, Franklin, Powell and Workman (1998). The regulator is that of the
    plant in steps, :func:`flexmb.control.lqr`, the observer that of :func:`flexmb.control.kalman`. The poles of the
    loop are those of both; its margins follow from neither, :func:`flexmb.control.loop_at` has them.

    Arguments: `plant` in continuous time, about its operating point, or in steps; `Q`, `R`: weights; `process`,
    `measurement`, `period`, `predictive` as in :func:`kalman`; `disturbance`, `at` as in
    :func:`disturbance_observer`, when constant loads are to leave no error; `limits`, `follow`, `commands` of the law,
    as in :meth:`Observer.law`.

    >>> import flexmb as fm
    >>> mass = fm.LinearModel([[0, 1.0], [0, 0]], [[0], [1.0]], [[1.0, 0]], [[0.0]])
    >>> best = lqg(mass, Q=[1.0, 0.0], R=1e-2, process=1.0, measurement=1e-6, period=0.01, limits=(-1.0, 1.0))
    >>> best.law, bool(np.abs(best.poles).max() < 1.0)
    (ObserverLaw(1 readings, 1 commands, 2 states), True)
    """
    if disturbance is None:
        seen = kalman(plant, process, measurement, period, predictive=predictive)
    else:
        seen = disturbance_observer(plant, process, measurement, disturbance, period, at=at, predictive=predictive)
    sampled = plant if plant.period is not None else plant.discrete(period)
    regulator = lqr(sampled, Q, R)
    law = seen.law(regulator, limits=limits, follow=follow, commands=commands)
    poles = np.concatenate([regulator.poles, seen.poles])
    return LQG(law, regulator, seen, poles[np.lexsort((poles.imag, np.abs(poles).round(10)))])
