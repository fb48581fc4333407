"""Arguments of `simulate`: what cannot be is refused by name, defaults are where a user looks for them."""

from __future__ import annotations

import inspect
import re
import warnings

import pytest

import flexmb as fm
from flexmb.errors import FlexmbError, SizeError, SizeWarning, SolverError
from flexmb.solvers.methods.registry import METHODS
from tests.models.chains import chain


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"method": 0.001}, "method, the third argument, is 0.001; .*write step=0.001"),
        ({"method": 5}, "third argument, is 5"),
        ({"tolerance": None}, "tolerance is None; leave it out for its default, 1e-06"),
        ({"save_every": None}, "save_every is None"),
        ({"spectral_radius": "low"}, "spectral_radius must be a number, not 'low'"),
        ({"spectral_radius": 1.5}, "spectral_radius is 1.5"),
        ({"max_iterations": 2.5}, "max_iterations is 2.5"),
        ({"method": "independent", "max_order": "high"}, "max_order must be a number"),
        ({"method": "independent", "max_order": 7}, "max_order is 7; BDF has orders 1 to 5"),
        ({"method": "independent", "coordinates": [1]}, "coordinates"),
        ({"method": "baumgarte", "alpha": "soft"}, "alpha must be a number"),
        ({"method": "baumgarte", "ode_method": 45}, "no ODE method 45"),
        ({"method": "rkf45", "project": "yes"}, "project is 'yes'; give True or False"),
        ({"progress": "no"}, "progress is 'no'"),
        ({"redundant": None}, "redundant is None"),
        ({"t_start": "x"}, "t_start must be a number"),
        ({"initial": 5}, "initial"),
    ],
)
def test_wrong_arguments_are_named(options, says):
    with pytest.raises(FlexmbError, match=says):
        fm.simulate(chain(1), 0.1, **{"progress": False, **options})


@pytest.mark.parametrize(
    ("options", "method"),
    [
        ({}, "radau"),
        ({"method": None, "tolerance": 1e-4, "max_step": 0.1}, "radau"),
        ({"formulation": "aba"}, "radau"),
        ({"step": 0.01}, "generalized_alpha"),
        ({"spectral_radius": 0.9}, "generalized_alpha"),
        ({"save_every": 3}, "generalized_alpha"),
        ({"method": "dop853"}, "dop853"),
    ],
)
def test_the_method_that_is_taken(options, method):
    assert fm.simulate(chain(1), 0.1, progress=False, **options).statistics.method == method


def test_contacts_among_many_are_for_a_method_that_takes_them():
    heap = fm.PlanarModel("heap")
    bodies = [heap.add_body(f"b{k}", mass=1.0, inertia=0.01, position=(k, 0.0)) for k in range(3)]
    heap.contact_among([body.frame for body in bodies], fm.Disk(diameter=0.2), stiffness=100.0)
    assert fm.simulate(heap, 0.01, progress=False).statistics.method == "generalized_alpha"


def test_steps_that_would_fill_the_memory_are_refused_before_they_do(monkeypatch):
    monkeypatch.setattr("flexmb.machine.memory.machine_memory", lambda: 8e9)
    says = r"1e\+09 steps of 1e-09 s with 3 coordinates need about \d+ GB of memory, and there are 8 GB; take a longer"
    with pytest.raises(SizeError, match=says):
        fm.simulate(chain(1), 1.0, step=1e-9)
    with pytest.raises(SizeError, match="take a longer max_step"):
        fm.simulate(chain(1), 1.0, max_step=1e-9)
    with pytest.raises(SizeError, match=r"steps of 0.001 s.*take a longer step"):
        fm.simulate(chain(1), 1e9, "rkf45")


def test_steps_that_fill_much_of_the_memory_deserve_a_word(monkeypatch):
    monkeypatch.setattr("flexmb.machine.memory.machine_memory", lambda: 5e3)
    with pytest.warns(SizeWarning, match="10 steps of 0.001 s"):
        fm.simulate(chain(1), 0.01, step=0.001, progress=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fm.simulate(chain(1), 0.01, step=0.001, save_every=2, progress=False)  # fewer are kept


def test_an_option_of_other_methods_names_them():
    m = fm.PlanarModel("m")
    m.add_body("body", mass=1.0, inertia=1.0)
    with pytest.raises(SolverError, match=r"'radau' has no option 'momenta'; .*; 'momenta' is one of projection"):
        fm.simulate(m, 0.1, momenta=True)


def test_defaults_stand_in_the_text_of_simulate():
    """As they are: a number that is changed in the code and not in the text is found here."""
    text = re.split(r"\n- ", inspect.getdoc(fm.simulate))
    for name, method in METHODS.items():
        described = next(part for part in text if part.startswith(f'"{name}"'))
        for option, p in inspect.signature(method).parameters.items():
            if p.kind is not p.KEYWORD_ONLY:
                continue
            if p.default is None:
                assert f"`{option}`" in described
            else:
                assert f"`{option}={p.default!r}`" in described.replace('"', "'"), (name, option)


def test_an_option_of_another_method_is_refused():
    with pytest.raises(SolverError, match="method 'independent' has no option 'step'"):
        fm.simulate(chain(1), 0.1, "independent", step=0.1)
