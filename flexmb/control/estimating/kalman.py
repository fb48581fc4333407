"""Kalman's filter for a sampled plant, also with disturbances that it estimates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy.linalg

from flexmb.algebra.eigenvalues import in_like_units
from flexmb.analyses.linear.linear_model import LinearModel, check_linear
from flexmb.analyses.linear.reach import unreached_poles
from flexmb.control.estimating.noise import of_process, of_readings, over_period
from flexmb.control.estimating.observer_law import ObserverLaw
from flexmb.control.poles import describe_pole
from flexmb.control.regulator import DECAYS, Regulator, decays
from flexmb.errors import ControlError
from flexmb.machine.threads import threads_by_size
from flexmb.model import checks, given_names
from flexmb.model.hints import AnswersCalls, answers_calls

#: a mode that falls below this part in a period is none that sampling could miss
GONE = 0.5
#: most iterations of doubling: 2⁴⁰ steps
MOST = 40


@dataclass(frozen=True, eq=False)
class Observer(metaclass=AnswersCalls):
    """An observer of a sampled plant, which corrects what it expects by what is read:

        x̂[k] = x̄[k] + L (y[k] − C x̄[k] − D u[k−1]),    x̄[k+1] = Φ x̂[k] + Γ u[k]

    `plant`: Φ, Γ, C and D with a period, whose last states are the `disturbances`, by name of the inputs where they
    act; `L` (k, outputs); `error` (k, k): the covariance of x − x̂; `expected`: that of x − x̄; `poles` (k,) of the
    error; `process` (k, k): the covariance of what moves the plant in a period; `measurement`: that of the readings;
    `predictive`: feedback takes x̄, so that a command needs no reading of its own instant.

    >>> import flexmb as fm
    >>> mass = fm.LinearModel([[0, 1.0], [0, 0]], [[0], [1.0]], [[1.0, 0]], [[0.0]])
    >>> seen = fm.control.kalman(mass, process=1.0, measurement=1e-4, period=0.01)
    >>> seen.L.round(4).tolist(), np.abs(seen.poles).round(4).tolist()
    ([[0.3606], [7.9963]], [0.7996, 0.7996])
    """

    plant: LinearModel = field(repr=False)
    L: np.ndarray
    error: np.ndarray = field(repr=False)
    expected: np.ndarray = field(repr=False)
    poles: np.ndarray
    process: np.ndarray = field(repr=False)
    measurement: np.ndarray = field(repr=False)
    disturbances: list[str] = field(default_factory=list)
    predictive: bool = False

    def gain(self, K: Any) -> np.ndarray:
        """The gain (inputs, k) of all that is estimated: K of the plant's states, and one against each disturbance.

        >>> import flexmb as fm
        >>> mass = fm.LinearModel([[0, 1.0], [0, 0]], [[0], [1.0]], [[1.0, 0]], [[0.0]])
        >>> fm.control.kalman(mass, 1.0, 1e-4, 0.01).gain([[4.0, 2.0]]).tolist()
        [[4.0, 2.0]]
        """
        where = "observer"
        given = checks.matrix(K.K if isinstance(K, Regulator) else K, "K", where)
        inputs, own = len(self.plant.inputs), len(self.plant) - len(self.disturbances)
        if given.shape != (inputs, own):
            raise ControlError(f"{where}: K has the shape {given.shape}; it must be {(inputs, own)} (inputs, states)")
        against = np.zeros((inputs, len(self.disturbances)))
        for j, name in enumerate(self.disturbances):
            against[self.plant.inputs.index(name), j] = 1.0
        return np.hstack([given, against])

    def law(self, K: Any, *, limits: Any = None, follow: bool = False, commands: Any = None) -> ObserverLaw:
        """The law u = −K x̂ for :meth:`flexmb.PlanarModel.add_controller`, with the plant's outputs as sensors and its
        inputs as commands, both in their order, about the plant's operating point.

        Arguments: `K` (inputs, states), or a :class:`Regulator`; `limits` of the commands, one pair (lowest, highest),
        or one for each; the observer knows of them, so that nothing winds up; `follow`: with wanted values, as many
        sensors behind the others, in place of the operating point; `commands` (inputs,) at the operating point, those
        of the trim about which the plant is linear when not given.

        >>> import flexmb as fm
        >>> mass = fm.LinearModel([[0, 1.0], [0, 0]], [[0], [1.0]], [[1.0, 0]], [[0.0]])
        >>> fm.control.kalman(mass, 1.0, 1e-4, 0.01).law([[4.0, 2.0]], limits=(-1.0, 1.0))
        ObserverLaw(1 readings, 1 commands, 2 states)
        """
        plant, G, where = self.plant, self.gain(K), "observer"
        n, (outputs, inputs) = len(plant), plant.D.shape
        at = operating_commands(plant) if commands is None else checks.vector(commands, "commands", where, inputs)
        expected = np.eye(n) - self.L @ plant.C
        A, B = plant.A @ expected, plant.A @ self.L
        C, D = (-G, np.zeros((inputs, outputs))) if self.predictive else (-G @ expected, -G @ self.L)
        E = plant.B
        if plant.D.any():  # readings still feel the commands before, which become states
            A = np.block([[A, -B @ plant.D], [np.zeros((inputs, n + inputs))]])
            B = np.vstack([B, np.zeros((inputs, outputs))])
            C = np.hstack([C, -D @ plant.D])
            E = np.vstack([E, np.eye(inputs)])
        return ObserverLaw(A, B, E, C, D, plant.operating_outputs, at, limits, follow)


@answers_calls
@threads_by_size
def kalman(
    plant: LinearModel, process: Any, measurement: Any, period: Any = None, *, predictive: bool = False
) -> Observer:
    """Kalman's filter in the steady state: the observer with the least error of a plant ẋ = A x + B u + w that is read
    at instants, y = C x + D u + n, Kalman (1960):

        L = P Cᵀ (C P Cᵀ + V)⁻¹,    P = Φ (P − L C P) Φᵀ + Q,    Q = ∫₀ᵀ exp(A s) W exp(Aᵀ s) ds

    Arguments: `plant`; `process`: the intensity W of white noise w, a number for noise of each input (B W Bᵀ, in units
    of the inputs squared, times seconds), a matrix (k, k) or its diagonal; `measurement`: the covariance V of the noise
    n of a reading, `noise`² of a sensor, a number, a matrix or its diagonal, positive; `period` T [s]; of a plant in
    steps leave it out, and `process` is what is added in a step; `predictive`: feedback takes what was expected before
    the reading, which leaves a whole period to compute a command.

    A ControlError names modes that no output sees and that do not decay by themselves, modes too fast for the period
    (their half swing is shorter, so that they are read as slow ones), and those that noise does not move though they
    neither grow nor decay.

    >>> import flexmb as fm
    >>> mass = fm.LinearModel([[0, 1.0], [0, 0]], [[0], [1.0]], [[1.0, 0]], [[0.0]])
    >>> seen = kalman(mass, process=1.0, measurement=1e-4, period=0.01)
    >>> bool(seen.error[0, 0] < 1e-4), seen.plant.period
    (True, 0.01)
    """
    where = "Kalman's filter"
    sampled, Q, V = _sampled(plant, process, measurement, period, where)
    return _filter(sampled, Q, V, [], checks.flag(predictive, "predictive", where), where)


@answers_calls
@threads_by_size
def disturbance_observer(
    plant: LinearModel,
    process: Any,
    measurement: Any,
    disturbance: Any,
    period: Any = None,
    *,
    at: Any = None,
    predictive: bool = False,
) -> Observer:
    """An observer that estimates slow disturbances too, which act where inputs do, and whose law commands against them:

        ẋ = A x + B (u + d) + w,    ḋ = white noise;    u = −K x̂ − d̂

    so that constant loads and friction leave no error behind, as with an integral, see Franklin, Powell and Workman
    (1998). It is Kalman's filter of the plant with d among its states.

    Arguments: those of :func:`kalman`; `disturbance`: the intensity with which d wanders, in units of the input
    squared per second (in steps: what is added in each), a number or one for each place; `at`: the inputs where
    disturbances act, by name; all when not given.

    >>> import flexmb as fm
    >>> mass = fm.LinearModel([[0, 1.0], [0, 0]], [[0], [1.0]], [[1.0, 0]], [[0.0]], inputs=["motor"])
    >>> seen = disturbance_observer(mass, 1e-2, 1e-6, 1.0, period=0.01)
    >>> seen.disturbances, seen.gain([[4.0, 2.0]]).tolist()
    (['motor'], [[4.0, 2.0, 1.0]])
    """
    where = "disturbance observer"
    sampled, Q, V = _sampled(plant, process, measurement, period, where)
    given = plant.inputs if at is None else [at] if isinstance(at, str) else checks.listed(at, "at", where)
    names = [given_names.known(name, plant.inputs, "input", where) for name in given]
    given_names.all_different(names, "input", where)
    wander = checks.numbers(disturbance, "disturbance", where, f"a number, or {len(names)} of them")
    if wander.shape not in ((), (len(names),)):
        raise ControlError(f"{where}: disturbance has the shape {wander.shape}; give a number, or one for each place")
    wander = np.broadcast_to(wander, (len(names),))
    if not np.all(wander > 0.0):
        raise ControlError(
            f"{where}: disturbance is {wander.tolist()}; what shall be estimated wanders, give more than 0"
        )
    B = plant.B[:, [plant.inputs.index(name) for name in names]]
    n, d = len(plant), len(names)
    if plant.period is None:
        A = np.block([[plant.A, B], [np.zeros((d, n + d))]])
        W = scipy.linalg.block_diag(of_process(process, plant, where), np.diag(wander))
        Q = over_period(A, W, sampled.period or 0.0)
    else:
        Q = scipy.linalg.block_diag(Q, np.diag(wander))
    return _filter(_with_disturbances(sampled, names), Q, V, names, checks.flag(predictive, "predictive", where), where)


def _with_disturbances(sampled: LinearModel, names: Sequence[str]) -> LinearModel:
    """A plant in steps with constant disturbances at inputs as its last states."""
    n, d = len(sampled), len(names)
    places = [sampled.inputs.index(name) for name in names]
    return replace(
        sampled,
        A=np.block([[sampled.A, sampled.B[:, places]], [np.zeros((d, n)), np.eye(d)]]),
        B=np.vstack([sampled.B, np.zeros((d, len(sampled.inputs)))]),
        C=np.hstack([sampled.C, sampled.D[:, places]]),
        states=[*sampled.states, *(f"{name} disturbance" for name in names)],
        positions=None,
        speeds=None,
    )


def _sampled(
    plant: LinearModel, process: Any, measurement: Any, period: Any, where: str
) -> tuple[LinearModel, np.ndarray, np.ndarray]:
    """The plant in steps, the covariance of what moves it in one, and that of its readings."""
    check_linear(plant, "plant", where, "inputs", "outputs")
    if plant.period is not None and period is not None:
        raise ControlError(f"{where}: the plant has steps of {plant.period:g} s; leave out period")
    W, V = of_process(process, plant, where), of_readings(measurement, plant, where)
    if plant.period is not None:
        return plant, W, V
    if period is None:
        raise ControlError(f"{where}: the plant is one in continuous time; give the period of its readings")
    period = checks.positive(period, "period", where)
    _must_be_slow(plant, period, where)
    return plant.discrete(period), over_period(plant.A, W, period), V


def _must_be_slow(plant: LinearModel, period: float, where: str) -> None:
    """Refuse a mode that swings more than half a turn in a period, unless it is gone by then, or neither moved by the
    inputs nor seen."""
    fast = [p for p in plant.poles if p.imag * period > np.pi and np.exp(p.real * period) > GONE]
    if not fast:
        return
    lost = np.concatenate([unreached_poles(plant.A, plant.B), unreached_poles(plant.A.T, plant.C.T)])
    fast = [p for p in fast if np.min(np.abs(lost - p), initial=np.inf) > 1e-6 * abs(p)]
    if fast:
        modes = "; ".join(describe_pole(plant, complex(p)) for p in fast[:3])
        need = np.pi / max(p.imag for p in fast)
        raise ControlError(
            f"{where}: a period of {period:g} s is too long for modes that are then read as slow ones: {modes}; take "
            f"less than {need:.3g} s, or leave them out, plant.modal(count), plant.balanced(order)"
        )


def _filter(
    sampled: LinearModel, Q: np.ndarray, V: np.ndarray, names: list[str], predictive: bool, where: str
) -> Observer:
    lost = [p for p in sampled.unobservable if not decays(p, sampled.period) and p.imag >= 0.0]
    if lost:
        raise ControlError(
            f"{where}: the outputs {', '.join(sampled.outputs)} do not see {len(lost)} of the modes, which do not "
            f"decay by themselves: {'; '.join(describe_pole(sampled, p) for p in lost)}. Add a sensor of them, or "
            "leave them out, plant.observed()"
        )
    values, vectors = np.linalg.eigh(Q)
    still = unreached_poles(sampled.A, vectors * np.sqrt(np.maximum(values, 0.0)))
    still = still[(np.abs(np.abs(still) - 1.0) < DECAYS) & (still.imag >= 0.0)]
    if len(still):
        raise ControlError(
            f"{where}: process does not move modes that do not decay: "
            f"{'; '.join(describe_pole(sampled, complex(p)) for p in still)}. Give it noise that does"
        )
    A, scale = in_like_units(sampled.A)
    size = np.sqrt(np.diag(V))
    C, W = sampled.C * scale / size[:, None], V / np.outer(size, size)
    cause = "noise of very different size, or modes that are hardly seen, are a frequent cause"
    P = _doubled(A, C.T @ np.linalg.solve(W, C), Q / np.outer(scale, scale))
    if P is None:
        raise ControlError(f"{where}: Riccati's equation has no solution that lets the error die out; {cause}")
    L = np.linalg.solve(C @ P @ C.T + W, C @ P).T
    poles = np.linalg.eigvals(A - A @ L @ C)
    if not np.all(np.abs(poles) < 1.0):
        raise ControlError(f"{where}: the error of the observer that was found does not die out; {cause}")
    unit = np.outer(scale, scale)
    after = P - L @ C @ P
    poles = poles[np.lexsort((poles.imag, np.abs(poles).round(10)))]
    return Observer(
        sampled, scale[:, None] * L / size, 0.5 * (after + after.T) * unit, P * unit, poles, Q, V, names, predictive
    )


def _doubled(A: np.ndarray, S: np.ndarray, Q: np.ndarray) -> np.ndarray | None:
    """P = A (P⁻¹ + S)⁻¹ Aᵀ + Q of Riccati's equation, with S = Cᵀ V⁻¹ C, by doubling, Chu, Fan, Lin and Wang (2004);
    None if it does not converge. Each iterate is P after twice as many steps, from a start without error, so that poles
    near the border, at which methods by eigenvectors fail, cost a few iterations more."""
    A, one, P = A.T, np.eye(len(A)), Q
    for _ in range(MOST):
        through = np.linalg.solve(one + S @ P, np.hstack([A, S]))
        n = len(A)
        more = A.T @ P @ through[:, :n]
        S = S + A @ through[:, n:] @ A.T
        A = A @ through[:, :n]
        P, S = P + 0.5 * (more + more.T), 0.5 * (S + S.T)
        if not np.all(np.isfinite(P)):
            return None
        if np.abs(more).max(initial=0.0) <= 1e-15 * np.abs(P).max(initial=0.0):
            return np.asarray(P)
    return None


def operating_commands(plant: LinearModel) -> np.ndarray:
    """The commands (inputs,) in the state about which a plant is linear: those of a trim, zero of other states."""
    found = np.zeros(len(plant.inputs))
    if plant.state is None:
        return found
    system = plant.state.system
    for k, name in enumerate(plant.inputs):
        component = system.model.components.get(name)
        if component is not None and component.strength is not None and name not in system.off:
            found[k] = system.plan.p[system.strength_places(name)][0]
    return found
