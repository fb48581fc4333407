"""The methods of :func:`flexmb.simulate` by name: a line for each says where it stands, and what others need to know of
it. Its options are the arguments of its function, with their defaults."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from flexmb.machine.late_names import Choice


class Method(NamedTuple):
    """Properties of a method before it is imported: the `place` of its function of a Run and its own options,
    "module:name", or the function itself; the `usual` tolerance, for which a run promises the usual energy balance,
    None if its steps are fixed; whether `step` and `tolerance` exclude each other; whether its march is `compiled`,
    and not in Python around the steps of another library, which have no impacts; and whether it takes classical
    formulations (`papers`), whose equations are in NumPy."""

    place: str | Callable[..., None]
    usual: float | None = None
    step_or_tolerance: bool = False
    compiled: bool = True
    papers: bool = False


class Methods(Choice):
    """The functions of methods by name; each is imported when it is first asked for."""

    def __init__(self, **methods: Method) -> None:
        super().__init__({name: method.place for name, method in methods.items()})
        self._known = methods

    def about(self, name: str) -> Method:
        """Properties of a method."""
        return self._known.get(name) or Method(self.data[name])

    def enter(self, name: str, method: Method) -> None:
        """Add a method."""
        self[name], self._known[name] = method.place, method

    def take_away(self, name: str) -> None:
        """Remove a method and what is known of it."""
        del self[name]
        self._known.pop(name, None)

    def with_impacts(self) -> list[str]:
        """Names of the methods whose runs may have impacts."""
        return [name for name in self if self.about(name).compiled]


METHODS = Methods(
    generalized_alpha=Method("flexmb.solvers.methods.generalized_alpha.alpha_run:run_generalized_alpha", usual=1e-4),
    newmark=Method("flexmb.solvers.methods.generalized_alpha.alpha_run:run_newmark"),
    radau=Method("flexmb.solvers.methods.radau_in_joints:run_radau", usual=1e-6),
    independent=Method(
        "flexmb.solvers.methods.independent.independent_run:run_independent", usual=1e-7, compiled=False
    ),
    baumgarte=Method(
        "flexmb.solvers.methods.scipy_methods.methods:run_baumgarte", usual=1e-8, compiled=False, papers=True
    ),
    projection=Method(
        "flexmb.solvers.methods.scipy_methods.methods:run_projection", usual=1e-8, compiled=False, papers=True
    ),
    dop853=Method("flexmb.solvers.methods.explicit.runge_kutta:run_dop853", usual=1e-6),
    rkf45=Method("flexmb.solvers.methods.explicit.runge_kutta:run_rkf45", usual=1e-6, step_or_tolerance=True),
    euler=Method("flexmb.solvers.methods.explicit.euler:run_euler"),
    rosenbrock=Method("flexmb.solvers.methods.rosenbrock:run_rosenbrock", usual=1e-4, step_or_tolerance=True),
)
