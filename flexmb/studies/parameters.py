"""The parameters of a study: grids, random samples, and the key that identifies a run."""

from __future__ import annotations

import itertools
import json
import warnings
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.model import checks
from flexmb.model.hints import answers_calls
from flexmb.studies.outcomes import RESERVED

#: the arguments of a run: names and plain values
Parameters = dict[str, Any]


@answers_calls
def grid(**axes: Any) -> list[Parameters]:
    """All combinations of the values of some parameters; the last parameter runs fastest.

    axes: for each parameter an iterable of values, or a single value.

    >>> import flexmb as fm
    >>> fm.grid(length=[0.5, 1.0], speed=[2.0, 3.0])[1]
    {'length': 0.5, 'speed': 3.0}
    """
    where = "grid"
    values = {}
    for name, axis in axes.items():
        single = isinstance(axis, Mapping) or (isinstance(axis, np.ndarray) and axis.ndim == 0)
        values[name] = [plain_value(v, name, where) for v in ([axis] if single else checks.several(axis, name, where))]
        if not values[name]:
            raise ModelError(f"{where}: {name!r} has no values; give at least one")
    return [dict(zip(values, combination)) for combination in itertools.product(*values.values())]


@answers_calls
def random_parameters(n: int, /, *, seed: int = 0, method: str = "random", **ranges: Any) -> list[Parameters]:
    """Random values of some parameters; the same arguments give the same values, bit by bit.

    n: how many runs.
    seed: a whole number; another seed gives other values.
    method: "random" (independent), "latin" (Latin hypercube: every parameter covers its range evenly), "sobol"
        (scrambled Sobol points: all together cover their ranges evenly, best with n a power of two).
    ranges: for each parameter (low, high): uniform; (low, high, "log"): its logarithm uniform; a list: its entries
        are equally likely; or a frozen distribution of `scipy.stats`, e.g. `scipy.stats.norm(1.0, 0.05)`.

    >>> import flexmb as fm
    >>> runs = fm.random_parameters(100, seed=1, method="latin", length=(0.5, 1.5), stiffness=(1e3, 1e6, "log"))
    >>> min(r["length"] for r in runs) < 0.51 and max(r["stiffness"] for r in runs) > 9e5
    True
    """
    where = "random_parameters"
    n = checks.count(n, "the number of runs", where, least=1)
    checks.choice(method, ("random", "latin", "sobol"), "method", where)
    seed = checks.count(seed, "seed", where)
    if not ranges:
        raise ModelError(f"{where}: no parameter is given; give e.g. length=(0.5, 1.5)")
    unit = np.clip(_unit_points(n, len(ranges), seed, method), 2.0**-54, 1.0 - 2.0**-53)
    columns = [_values_from(unit[:, k], given, name, where) for k, (name, given) in enumerate(ranges.items())]
    return [dict(zip(ranges, values)) for values in zip(*columns)]


def _unit_points(n: int, d: int, seed: int, method: str) -> np.ndarray:
    """n points (n, d) in the unit cube."""
    random = np.random.default_rng(seed)
    if method == "random":
        return random.random((n, d))
    from scipy.stats import qmc

    if method == "latin":
        return qmc.LatinHypercube(d, seed=random).random(n)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # n need not be a power of two
        return qmc.Sobol(d, seed=random).random(n)


def _values_from(u: np.ndarray, given: Any, name: str, where: str) -> list[Any]:
    """Values of one parameter from numbers u in (0, 1)."""
    if hasattr(given, "ppf"):
        values = np.asarray(given.ppf(u), dtype=float)
        if not np.all(np.isfinite(values)):
            raise ModelError(f"{where}: the distribution of {name!r} gives {values[~np.isfinite(values)][0]}")
        whole = not hasattr(getattr(given, "dist", given), "pdf")
        return [int(v) for v in values] if whole else values.tolist()
    if isinstance(given, list) and given:
        choices = [plain_value(v, name, where) for v in given]
        return [choices[int(x * len(choices))] for x in u]
    if isinstance(given, tuple) and len(given) in (2, 3) and given[2:] in ((), ("log",)):
        low, high = (checks.number(v, f"a limit of {name!r}", where) for v in given[:2])
        if low >= high:
            raise ModelError(f"{where}: {name!r} goes from {low:g} to {high:g}; the first must be the smaller")
        if len(given) == 2:
            return (low + u * (high - low)).tolist()
        checks.positive(low, f"the lower limit of {name!r}", where)
        return np.clip(np.exp(np.log(low) + u * np.log(high / low)), low, high).tolist()
    raise ModelError(
        f"{where}: {name!r} is {checks.quoted(given)}; give (low, high), (low, high, 'log'), a list of values or "
        "a frozen distribution of scipy.stats"
    )


def plain_value(value: Any, name: str, where: str) -> Any:
    """A number, text, truth value, None, or tuple of them, as Python's own types."""
    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0):
        value = value.item()
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        if value != value:
            raise ModelError(f"{where}: {name!r} is NaN, which is the same as nothing; give a number")
        return float(value)
    if isinstance(value, list | tuple | np.ndarray):
        return tuple(plain_value(v, name, where) for v in value)
    raise ModelError(
        f"{where}: {name!r} is {checks.quoted(value)}; a parameter is a number, a text, a truth value, None or a "
        "tuple of them. Build what else a run needs inside of it"
    )


def checked_runs(parameters: Iterable[Mapping[str, Any]], where: str) -> list[Parameters]:
    """The runs of a study, checked: all have the same names and plain values."""
    single = isinstance(parameters, Mapping | str | bytes) or (
        isinstance(parameters, np.ndarray) and not parameters.ndim
    )
    if single or not isinstance(parameters, Iterable):
        raise ModelError(
            f"{where}: parameters must be a list of dicts, one a run, not {type(parameters).__name__}; "
            "grid(...) and random_parameters(n, ...) make such lists"
        )
    runs: list[Parameters] = []
    for k, given in enumerate(parameters):
        if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
            raise ModelError(
                f"{where}: parameters of run {k} are {checks.quoted(given)}; give a dict of names and values"
            )
        run = {name: plain_value(value, name, f"{where}, run {k}") for name, value in given.items()}
        if runs and run.keys() != runs[0].keys():
            odd = sorted(run.keys() ^ runs[0].keys())
            raise ModelError(
                f"{where}: run 0 and run {k} differ in having {', '.join(map(repr, odd))}; "
                "give every run the same parameters"
            )
        runs.append({name: run[name] for name in runs[0]} if runs else run)
    if not runs:
        raise ModelError(f"{where}: there are no parameters; give at least one run")
    for name in RESERVED:
        if name in runs[0]:
            raise ModelError(f"{where}: {name!r} is a column of every study already; give the parameter another name")
    return runs


def run_key(run: Parameters) -> str:
    """The text that identifies a run: its parameters, exactly and in the order of their names."""
    return json.dumps(run, sort_keys=True)


def from_key(text: str) -> Parameters:
    """The parameters that a key stands for."""

    def tuples(value: Any) -> Any:
        return tuple(tuples(v) for v in value) if isinstance(value, list) else value

    return {name: tuples(value) for name, value in json.loads(text).items()}


def run_label(run: Parameters) -> str:
    """The parameters of a run in messages and labels."""
    texts = {name: f"{value:.6g}" if isinstance(value, float) else str(value) for name, value in run.items()}
    return ", ".join(f"{name} = {text}" for name, text in texts.items())
