"""The options of the methods of :func:`flexmb.simulate`, and checks of their values."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

from flexmb.errors import SolverError
from flexmb.formulations.kinds import FORMULATIONS, Hybrid
from flexmb.formulations.papers import NAMES
from flexmb.model import checks, given_names
from flexmb.solvers.coordinates.coordinates import checked_rotations

#: Smallest tolerance: the round-off of some thousand steps is a little less.
FINEST = 1e-13


def _from_0_to_1(value: Any, what: str, where: str) -> float:
    result = checks.number(value, what, where)
    if not 0.0 <= result <= 1.0:
        raise SolverError(f"{where}: {what} is {result:g}; it must lie between 0 and 1")
    return result


def _tolerance(value: Any, what: str, where: str) -> float:
    result = checks.positive(value, what, where)
    if result < FINEST:
        raise SolverError(f"{where}: {what} is {result:g}, which rounding does not allow; {FINEST:g} can be reached")
    return result


def _bdf_order(value: Any, what: str, where: str) -> int:
    result = checks.count(value, what, where, least=1)
    if result > 5:
        raise SolverError(f"{where}: {what} is {result}; BDF has orders 1 to 5")
    return result


def _names(value: Any, what: str, where: str) -> list[str]:
    names = checks.several(value, what, where)
    for name in names:
        given_names.name(name, f"{where}: an entry of {what}")
    return names


def _formulation(value: Any, what: str, where: str) -> str | Hybrid:
    if isinstance(value, Hybrid):
        return value
    return checks.choice(value, (*FORMULATIONS, *NAMES), what, where)


_at_least_one = partial(checks.count, least=1)
_CHECKS: dict[str, Callable[[Any, str, str], Any]] = {
    "step": checks.positive,
    "max_step": checks.positive,
    "tolerance": _tolerance,
    "newton_tolerance": checks.positive,
    "absolute_tolerance": checks.positive,
    "alpha": checks.not_negative,
    "beta": checks.not_negative,
    "gamma": checks.not_negative,
    "spectral_radius": _from_0_to_1,
    "max_iterations": _at_least_one,
    "save_every": _at_least_one,
    "max_order": _bdf_order,
    "coordinates": _names,
    "project": checks.flag,
    "momenta": checks.flag,
    "rotations": checked_rotations,
    "formulation": _formulation,
}


@cache
def _defaults(function: Callable[..., None]) -> dict[str, Any]:
    return {name: p.default for name, p in inspect.signature(function).parameters.items() if p.kind is p.KEYWORD_ONLY}


def names_of_options(function: Callable[..., None]) -> set[str]:
    """Names of the options of a method."""
    return set(_defaults(function))


def checked_options(
    method: str,
    methods: Mapping[str, Callable[..., None]],
    given: dict[str, Any],
    where: str,
    step_or_tolerance: bool = False,
) -> dict[str, Any]:
    """All options of one of the methods, the `given` ones and defaults for the others; an unknown or wrong option
    raises an error with its name, and with the methods that have it. `step_or_tolerance`: a tolerance and its options
    exclude a step."""
    own = _defaults(methods[method])
    for name in given:
        if name not in own:
            others = ", ".join(other for other in methods if name in _defaults(methods[other]))
            raise SolverError(
                f"{where}: method {method!r} has no option {name!r}{given_names.similar(name, own)}; "
                f"it has: {', '.join(own)}" + (f"; {name!r} is one of {others}" if others else "")
            )
    options = own | given
    for name, value in options.items():
        if name not in given or (value is None and own[name] is None):
            continue
        if value is None:
            raise SolverError(f"{where}: {name} is None; leave it out for its default, {own[name]!r}")
        if name in _CHECKS:
            options[name] = _CHECKS[name](value, name, where)
    if step_or_tolerance:
        _choose(options, given, own["tolerance"] is None, where)
    return options


def _choose(options: dict[str, Any], given: dict[str, Any], fixed: bool, where: str) -> None:
    """Keep either the fixed step or the options of error control; raise an error if both are given. `fixed`: steps are
    fixed unless a tolerance is given."""
    found = [name for name in ("tolerance", "max_step") if given.get(name) is not None]
    if found and given.get("step") is not None:
        raise SolverError(
            f"{where}: step and {found[0]} are both given; give step for fixed steps, or tolerance for steps that "
            "follow the error"
        )
    if fixed and found == ["max_step"]:
        raise SolverError(f"{where}: max_step bounds steps that follow the error; give tolerance as well")
    if found:
        options["step"] = None
    elif given.get("step") is not None:
        options["tolerance"] = None
