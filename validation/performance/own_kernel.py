"""Kernels in a user's file against the built-in ones: copies of two families in a folder outside the package.

Both run in turn in one process on the same model; the results must be the same to the last bit.
"""

from __future__ import annotations

import importlib.util
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.elements.planar import exact_beam
from flexmb.joints.planar import revolute
from flexmb.validation.performance.timing import timed

REPEATS = 40


def twin(module: ModuleType, folder: Path) -> ModuleType:
    """A copy of a module in another folder, as a user's own module."""
    assert module.__file__ is not None
    name = f"own_{module.__name__.rpartition('.')[2]}"
    file = folder / f"{name}.py"
    file.write_text(Path(module.__file__).read_text(encoding="utf-8"), encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None and spec.loader is not None
    copy = importlib.util.module_from_spec(spec)
    sys.modules[name] = copy
    spec.loader.exec_module(copy)
    return copy


def hinges(family: Any, count: int = 400) -> fm.PlanarModel:
    """Chains of four hinged bodies."""
    model = fm.PlanarModel("chains", gravity=(0.0, -9.81))
    for i in range(count // 4):
        before = model.ground.attach(f"hook{i}", (float(i), 0.0))
        for j in range(4):
            body = model.add_body(f"m{i}.{j}", mass=0.1, inertia=0.01, position=(i + j + 0.5, 0.0))
            model.add(family.Revolute(before, body.attach("rear", (-0.5, 0.0)), name=f"h{i}.{j}"))
            before = body.attach("front", (0.5, 0.0))
    return model


def beams(family: Any, count: int = 400) -> fm.PlanarModel:
    """A hinged chain of exact beam elements."""
    model = fm.PlanarModel("chain", gravity=(0.0, -9.81))
    given = fm.planar.BeamProperties(EA=2e5, EI=20.0, rhoA=0.6, rhoI=2e-4, GA=8e4)
    rod = family.ExactBeam.build(model, "rod", (0.0, 0.0), (4.0, 0.0), given, count, None)
    model.revolute(model.ground, rod.start, name="hinge")
    return model


def interleaved(runs: list[Callable[[], float]], repeats: int) -> list[float]:
    """The shortest time of each run, when they are called in turn and in changing order."""
    best = [np.inf] * len(runs)
    for repeat in range(repeats):
        for k in range(len(runs)) if repeat % 2 else reversed(range(len(runs))):
            best[k] = min(best[k], runs[k]())
    return best


def simulated(model: fm.PlanarModel) -> fm.Solution:
    """A short run."""
    return fm.simulate(model, 0.02, step=1e-3, progress=False, second_run=False)


def evaluations(model: fm.PlanarModel) -> Callable[[], float]:
    """Residual and matrix of a model, by its kernels in their compiled loop."""
    system = fm.System(model)
    q, zero, lam = system.q0, np.zeros(system.n), np.zeros(system.m)

    def evaluate() -> None:
        for _ in range(10):
            system.residual(0.0, q, zero, zero)
            system.matrix(0.0, q, zero, zero, lam, (1.0, 1.0, 1.0))

    return lambda: timed(evaluate)


def compare(
    build: Callable[[Any], fm.PlanarModel], module: ModuleType, folder: Path, repeats: int = REPEATS
) -> tuple[float, float, bool]:
    """The ratios of the times of the user's kernels to those of the built-in ones, in evaluations and in whole runs,
    and whether the results are the same bits."""
    models = [build(module), build(twin(module, folder))]
    first, second = (simulated(model) for model in models)
    same = first.q.tobytes() == second.q.tobytes() and first.v.tobytes() == second.v.tobytes()
    built_in, own = interleaved([evaluations(model) for model in models], repeats)
    runs: list[Callable[[], float]] = [lambda m=model: simulated(m).statistics.seconds for model in models]  # type: ignore[misc]
    built_in_run, own_run = interleaved(runs, repeats)
    return own / built_in, own_run / built_in_run, same


def main() -> None:
    """Print the ratios, which should be 1.00."""
    with tempfile.TemporaryDirectory() as folder:
        for label, build, module in (("hinge", hinges, revolute), ("exact beam", beams, exact_beam)):
            kernels, run, same = compare(build, module, Path(folder))
            print(
                f"{label}, about 400 instances: own / built-in {kernels:.3f} in residual and matrix, "
                f"{run:.3f} in a whole run; results {'the same bits' if same else 'DIFFER'}"
            )


if __name__ == "__main__":
    main()
