"""The price of a member of a batch: processor time of a run by `simulate`, in one thread and in two, and its error; the
same arm by MuJoCo's rollouts and by Exudyn's processes.

Processor times are the least of several batches, without what is done once; those of processes include them. Errors [m]
are those of the place of the last link at the end, the largest over the members, against `dop853` with a tolerance of
1e-12.
"""

from __future__ import annotations

import importlib
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.parameters.names import parameter
from flexmb.validation.batches.exudyn_processes import ends, processor_time
from flexmb.validation.performance.arm import arm
from flexmb.validation.performance.one_run import flexible_arm
from flexmb.validation.performance.peer_articulated import available, mujoco_model

#: members of a batch, and how often each is tried
MEMBERS, REPEATS = 60, 5
#: joints of the arm, and the end of its run [s]
JOINTS, T_END = 7, 1.0
STEP: dict[str, Any] = {"step": 1e-3, "second_run": False}
OF_ARM: list[tuple[str, str, dict[str, Any]]] = [
    ("rkf45, 1 ms", "rkf45", STEP),
    ("rkf45, 10 ms", "rkf45", {**STEP, "step": 1e-2}),
    ("euler, 1 ms", "euler", STEP),
    ("dop853, 1e-6", "dop853", {"tolerance": 1e-6}),
    ("dop853, 1e-9", "dop853", {"tolerance": 1e-9}),
]


def starts(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Joint angles and rates (count, joints) of the members."""
    rng = np.random.default_rng(5)
    return rng.uniform(-1, 1, (count, JOINTS)), rng.normal(0, 0.5, (count, JOINTS))


def named(x: np.ndarray, u: np.ndarray) -> dict[str, np.ndarray]:
    """Starts of members by the names of joint coordinates and rates."""
    angles = {f"hinge {k}.angle": x[:, k] for k in range(JOINTS)}
    return angles | {f"hinge {k}.rate": u[:, k] for k in range(JOINTS)}


def price(run: Callable[[int], object], few: int, many: int) -> float:
    """Processor time [s] of all threads for a member: that of many members less that of a few."""
    best = {few: float("inf"), many: float("inf")}
    for _ in range(REPEATS):
        for count in best:
            before = processor_time()
            run(count)
            best[count] = min(best[count], processor_time() - before)
    return (best[many] - best[few]) / (many - few)


def single(run: Callable[[], object]) -> float:
    """Processor time [s] of a single run."""
    best = float("inf")
    for _ in range(2 * REPEATS):
        before = time.process_time()
        run()
        best = min(best, time.process_time() - before)
    return best


def arms(members: int) -> None:
    """Print the prices of the rigid arm."""
    model, (x, u) = arm(JOINTS), starts(members)
    tree = fm.Tree.of(model)
    places = [f"link {JOINTS - 1}.{what}" for what in "xyz"]
    exact = fm.batch(
        model, T_END, "dop853", tolerance=1e-12, formulation="aba", initial=named(x, u), outputs=places, progress=False
    )
    wanted = np.stack([exact[name][:, -1] for name in places], axis=1)
    for text, method, options in OF_ARM:
        given = {"formulation": "aba", "progress": False, **options}

        def run(count: int, threads: int = 1, outputs: Any = ("link 6.y",)) -> fm.Runs:
            start = named(x[:count], u[:count])
            return fm.batch(model, T_END, method, initial=start, outputs=outputs, threads=threads, **given)  # noqa: B023

        alone = single(lambda: fm.simulate(model, T_END, method, initial=tree.state(x[0], u[0]), **given))  # noqa: B023
        one, two = price(run, 2, members), price(lambda n: run(n, 2), 2, members)
        found = run(members, 1, places)
        error = np.max(np.abs(np.stack([found[name][:, -1] for name in places], axis=1) - wanted))
        line(f"arm, {text}", alone, one, two, error)
    if available("mujoco"):
        for h in (1e-3, 1e-2):
            for integrator in ("Euler", "RK4"):
                rollouts(tree, integrator, h, x, u, wanted)
    if available("exudyn"):
        for solver, h in (("ExplicitEuler", 1e-3), ("RK44", 1e-3), ("RK44", 1e-2)):
            by_processes(tree, solver, h, list(zip(x, u)), wanted)


def rollouts(tree: fm.Tree, integrator: str, h: float, x: np.ndarray, u: np.ndarray, wanted: np.ndarray) -> None:
    """Print the price of the arm by MuJoCo's rollouts."""
    mujoco: Any = importlib.import_module("mujoco")
    rollout: Any = importlib.import_module("mujoco.rollout")
    model = mujoco_model(JOINTS, integrator)
    model.opt.timestep = h
    members = len(x)
    states = np.concatenate([np.zeros((members, 1)), x, u], axis=1)
    steps = round(T_END / h)

    def run(count: int, threads: int = 1) -> Any:
        data = [mujoco.MjData(model) for _ in range(threads)]
        return rollout.rollout(model, data, states[:count], nstep=steps)[0]

    one, two = price(run, 2, members), price(lambda n: run(n, 2), 2, members)
    ends = [tree.state(q)[f"link {JOINTS - 1}"].position for q in run(members)[:, -1, 1 : 1 + JOINTS]]
    error = np.max(np.abs(np.array(ends) - wanted))
    line(f"arm by MuJoCo, {integrator}, {1e3 * h:g} ms", float("nan"), one, two, error)


def by_processes(
    tree: fm.Tree, solver: str, h: float, starts: list[tuple[np.ndarray, np.ndarray]], wanted: np.ndarray
) -> None:
    """Print the price of the arm by Exudyn's processes."""

    def run(count: int, processes: int = 1) -> np.ndarray:
        return ends(starts[:count], solver, round(T_END / h), T_END, processes)

    one, two = price(run, 2, len(starts)), price(lambda n: run(n, 2), 2, len(starts))
    found = [tree.state(q)[f"link {JOINTS - 1}"].position for q in run(len(starts))]
    error = np.max(np.abs(np.array(found) - wanted))
    line(f"arm by Exudyn, {solver}, {1e3 * h:g} ms", float("nan"), one, two, error)


#: parameters in which members differ, by what they are: of the arm with these formulations, and of the flexible arm
OF_THE_ARM = {
    "mass": ("link 6.mass", "aba"), "moments of inertia": ("link 6.inertia", "aba"), "gravity": ("gravity", "aba"),
    "mass center": ("link 6.center", "aba"), "mass, by formulation hybrid": ("link 6.mass", "hybrid"),
}  # fmt: skip
OF_THE_FLEXIBLE = {
    "mass": "tip.mass", "bending stiffness": "link1.properties.EI", "damping": "link1.damping.beta",
    "stiffness of a drive": "elbow motor.stiffness", "ratio of its gear": "elbow motor.ratio",
}  # fmt: skip


def varied(members: int) -> None:
    """Print the prices of members that differ in one parameter: of the arm by `dop853` and a tolerance of 1e-6, and of
    the flexible arm under its controller over a tenth of a second."""
    for text, (name, formulation) in OF_THE_ARM.items():
        given: dict[str, Any] = {"formulation": formulation, "tolerance": 1e-6, "outputs": ["link 6.y"]}
        one_kind(f"arm, {text}", arm(JOINTS), name, (T_END, "dop853"), members, given)
    for text, name in OF_THE_FLEXIBLE.items():
        given = {**STEP, "outputs": ["tip.y"]}
        one_kind(f"flexible arm, {text}", flexible_arm(), name, (0.1, "generalized_alpha"), members, given)


def one_kind(text: str, model: Any, name: str, run_by: tuple[float, str], members: int, given: dict[str, Any]) -> None:
    """Print the price of members that differ in a parameter of this name."""
    now = np.asarray(parameter(model, name, "price").value(model), dtype=float)
    changed = [now * x + 0.01 * (x - 1.0) for x in np.random.default_rng(5).uniform(0.9, 1.1, members)]
    values = [x if now.ndim else float(x) for x in changed]

    def run(count: int) -> fm.Runs:
        return fm.batch(model, *run_by, vary={name: values[:count]}, threads=1, progress=False, **given)

    print(f"{text:42s} member {1e3 * price(run, 2, members):6.3f} ms", flush=True)


def flexible(members: int) -> None:
    """Print the price of the flexible arm under controllers with other gains."""
    model = flexible_arm()
    (name,) = model.controllers
    gains = np.random.default_rng(5).uniform(0.8, 1.1, (members, 2))
    law = model.controllers[name].law
    laws = [law.times(np.diag(both)) for both in gains]
    given: dict[str, Any] = {"progress": False, **STEP}

    def run(count: int, threads: int = 1) -> fm.Runs:
        vary = {f"{name}.law": laws[:count]}
        return fm.batch(
            model, T_END, "generalized_alpha", vary=vary, outputs=["tip.y"], threads=threads, **given
        )  # fmt: skip

    alone = single(lambda: fm.simulate(model, T_END, "generalized_alpha", **given))
    one, two = price(run, 2, members), price(lambda n: run(n, 2), 2, members)
    line("flexible arm, 1 ms, a controller each ms", alone, one, two, float("nan"))


def line(text: str, alone: float, one: float, two: float, error: float) -> None:
    """Print a line: ms of a single run, of a member, with two threads; members a second and thread; the error."""
    print(
        f"{text:42s} simulate {1e3 * alone:6.2f} ms, member {1e3 * one:6.3f} ms, two threads {two / one:5.3f} of it, "
        f"{1 / one:6.0f} a second and thread, error {error:.1e}",
        flush=True,
    )


def main(members: int = MEMBERS) -> None:
    """Print all prices."""
    warnings.simplefilter("ignore")
    arms(members)
    varied(members)
    flexible(members)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
