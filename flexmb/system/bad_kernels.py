"""Find the component whose kernel gave the first NaN or infinity."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy

from flexmb.errors import KernelError, ModelError
from flexmb.forces.callbacks import raise_failures
from flexmb.kernels.widths import ENERGY, ENERGY_WIDTH, widths
from flexmb.system import evaluation
from flexmb.system.instances import Instance
from flexmb.system.rank import scaled_rows_in
from flexmb.system.system import System

#: the kernels that a run calls, by their names in messages
_KERNELS_CALLED = {
    "residual": evaluation.RESIDUAL,
    "tangent": evaluation.TANGENT,
    "energy": evaluation.ENERGY,
    "constraint": evaluation.CONSTRAINT,
    "jacobian": evaluation.JACOBIAN,
    "friction": evaluation.FRICTION,
}


def find_bad_kernel(
    system: System,
    t: float,
    q: np.ndarray,
    v: np.ndarray,
    a: np.ndarray | None = None,
    lam: np.ndarray | None = None,
) -> str | None:
    """A text that names the first kernel that gives NaN or infinity at a state; None if all numbers are finite, or if
    the state itself is not.

    Arguments: q (nq,), v, a (n,) of the free coordinates, or of all; a and λ (m,) are zero if not given.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m")
    >>> body = m.add_body("body", mass=2.0, inertia=0.1)
    >>> system = fm.System(m)
    >>> find_bad_kernel(system, 0.0, system.q0, system.v0) is None
    True
    """
    n = system.n
    q, v = system.full_q(q[: system.nq]), system.full(v[:n])
    a = np.zeros_like(v) if a is None else system.full(a[:n])
    lam = np.zeros(system.m) if lam is None else np.asarray(lam, dtype=float)
    status, _, _ = _evaluate_everything(system, t, q, v, a, lam)
    return _bad_kernel(system, t, q, v, a, lam) if status == evaluation.NOT_FINITE else None


def _bad_kernel(system: System, t: float, q: np.ndarray, v: np.ndarray, a: np.ndarray, lam: np.ndarray) -> str | None:
    """As :func:`find_bad_kernel`, for a state of all coordinates (total_q,) and speeds (total,)."""
    for instance in system.assembly.instances:
        if instance.off:
            continue
        for role in _KERNELS_CALLED:
            text = _describe_bad_number(system, instance, role, t, q, v, a, lam)
            if text:
                return text
    return None


def reached_limit(system: System, q: np.ndarray, v: np.ndarray | None = None) -> str:
    """What the last component with a limit has reached at coordinates q (nq,) and speeds v (n,), at rest if none are
    given, as the reason for an end (:meth:`flexmb.Component.limit`); "" if none has reached any."""
    where, moving = system.full_q(q[: system.nq]), system.full(np.zeros(system.n) if v is None else v[: system.n])
    said = ""
    for component in system.model.components.values():
        reached = component.limit(system, where, moving)
        if reached and component.name not in system.off:
            said = f"{component.where} {reached}"
    return said


class Joints(NamedTuple):
    """The errors g (m,) of the joints in a position, and their Jacobian (m, n) in units of the scales."""

    g: np.ndarray
    scaled: np.ndarray | scipy.sparse.csc_array


def check_start(system: System, t: float) -> Joints | None:
    """Raise a KernelError if a kernel gives NaN or infinity at the initial state, or if a user's Python function fails.

    Returns errors and Jacobian of the joints, which this check computes; None if the state is not finite.
    """
    state = (t, system.initial, system.initial_speeds, np.zeros(system.plan.total), np.zeros(system.m))
    status, g, values = _evaluate_everything(system, *state)
    text = _bad_kernel(system, *state) if status == evaluation.NOT_FINITE else None
    raise_failures(system.model.components.values())
    if text:
        raise KernelError(f"model {system.model.name!r}: {text}, at the start")
    for component in system.model.components.values() if status == evaluation.NOT_FINITE else ():
        reached = "" if component.name in system.off else component.limit(system, system.initial, system.initial_speeds)
        if reached:
            raise ModelError(f"model {system.model.name!r}: {component.where} {reached}, at the start")
    return None if status == evaluation.NO_STATE else Joints(g, scaled_rows_in(system, values))


def _evaluate_everything(
    system: System, t: float, q: np.ndarray, v: np.ndarray, a: np.ndarray, lam: np.ndarray
) -> tuple[int, np.ndarray, np.ndarray]:
    """Call all kernels at a state; returns the status, g (m,), and the values of the matrix with all weights 1."""
    (g, gd, gamma), values = np.zeros((3, system.m)), np.zeros(len(system.linear.values))
    room = (np.zeros(len(v)), g, gd, gamma, np.zeros(ENERGY_WIDTH), values)
    state = (float(t), q, v, a, lam, np.zeros(3), np.array([1.0, 1.0, 1.0]))
    return evaluation.everything(system.plan, system.scratch, *state, *room), g, values


def _describe_bad_number(
    system: System,
    instance: Instance,
    role: str,
    t: float,
    q: np.ndarray,
    v: np.ndarray,
    a: np.ndarray,
    lam: np.ndarray,
) -> str | None:
    """A text that says where one kernel of one instance gives NaN or infinity; None if it gives neither."""
    if getattr(instance.kernels, role) is None:
        return None
    plan, scratch = system.plan, system.scratch
    g, k, nv, m = instance.group, instance.place, len(instance.speeds), len(instance.rows)
    width = widths(nv, m, instance.velocity_rows, system.model.dimension)[role]
    square = role in ("tangent", "jacobian", "friction")
    if role in ("jacobian", "friction"):
        evaluation._gather_multipliers(plan, scratch, g, k, k + 1, lam)
    evaluation._call(plan, scratch, _KERNELS_CALLED[role], g, k, k + 1, width, square, t, q, v, a, np.ones(3))
    names = [_coordinate(system, int(c)) for c in instance.speeds]
    out = np.flatnonzero(~np.isfinite(scratch.out[:width]))
    inner = np.flatnonzero(~np.isfinite(scratch.K[: nv * nv * square]))
    if len(out):
        place, value = int(out[0]), scratch.out[out[0]]
        entry = {
            "residual": lambda: names[place],
            "energy": lambda: list(ENERGY)[place],
            "constraint": lambda: f"{('g', 'ġ', 'γ')[place // m]} of row {_row(system, instance, place % m)}",
            "friction": lambda: (
                f"{f'∂/∂λ of row {_row(system, instance, place // nv - 1)}, ' * (place >= nv)}{names[place % nv]}"
            ),
            "jacobian": lambda: (
                f"{'∂ġ/∂q of ' * (place >= m * nv)}row {_row(system, instance, place // nv % m)}, {names[place % nv]}"
            ),
        }[role]()
    elif len(inner):
        place, value = int(inner[0]), scratch.K[inner[0]]
        entry = f"K, {names[place // nv]}, {names[place % nv]}"
    else:
        return None
    reached = instance.owner.limit(system, q, v)
    if reached:
        return f"{instance.owner.where} {reached}"
    return (
        f"{instance.owner.where}: its {role} gives {value} [{entry}] for t = {t:.6g}, {_state(system, instance, q, v)}"
    )


def _state(system: System, instance: Instance, q: np.ndarray, v: np.ndarray) -> str:
    """The first coordinates of an instance with their rates, and those speeds that are not rates of coordinates."""
    every = [*system.coordinate_names, *system.assembly.fixed.coordinate_names]
    places = {every[c]: q[c] for c in instance.coordinates[: 6 if system.nq == system.n else 7]}
    speeds = {_coordinate(system, int(k)): v[k] for k in instance.speeds[:6]}
    parts = [
        f"{name} = {x:.6g}" + (f" (rate {speeds[name]:.6g})" if name in speeds else "") for name, x in places.items()
    ]
    return ", ".join([*parts, *(f"{name} = {x:.6g}" for name, x in speeds.items() if name not in places)])


def _coordinate(system: System, number: int) -> str:
    return system.names[number] if number < system.n else system.assembly.fixed.names[number - system.n]


def _row(system: System, instance: Instance, k: int) -> str:
    return repr(system.assembly.rows[int(instance.rows[k])].name)
