"""Rooms whose names are imported when they are first used, and what a mechanism does not need."""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys

import pytest

import flexmb as fm
from flexmb.machine.late_names import Choice
from tests.house import CHOICE, FILES

#: rooms with stubs of their names
ROOMS = sorted(room for room, file in FILES.items() if file.with_suffix(".pyi").exists())

PENDULUM = """
import flexmb as fm
plastic = fm.Material(density=1100, youngs_modulus=5e7)
arm = fm.PlanarModel("pendulum", gravity=(0, -9.81))
rod = arm.add_beam("rod", (0, 0), (1, 0), material=plastic, section=fm.Circle(diameter=0.02), modes=2)
arm.revolute(arm.ground, rod.start, name="hinge")
arm.add_point_mass("bob", rod.end, 0.05)
solution = fm.simulate(arm, 0.01, progress=False)
print(solution["rod@0.5"].velocity[-1])
"""
#: what a beam in the plane that "radau" swings does not need
NOT_NEEDED = """
    matplotlib pyvista meshio sympy h5py click pandas sksundae skfem scipy.interpolate scipy.io scipy.optimize
    scipy.integrate scipy.spatial scipy.special scipy.signal flexmb.bodies.body_of_mesh flexmb.bodies.body_of_frame
    flexmb.bodies.full_models.read_matrices flexmb.bodies.reducing.reduction flexmb.bodies.measured_modes
    flexmb.bodies.files flexmb.elements.planar.modal_body flexmb.elements.planar.exact_beam
    flexmb.elements.planar.ancf_cable flexmb.elements.planar.floating_beam flexmb.elements.spatial.cms_beam
    flexmb.elements.spatial.exact_beam flexmb.formulations.aba flexmb.formulations.hybrid flexmb.formulations.pieces
    flexmb.formulations.flex_arm flexmb.formulations.blocks flexmb.formulations.classical.ho
    flexmb.formulations.flexible flexmb.solvers.methods.generalized_alpha flexmb.solvers.methods.independent
    flexmb.solvers.methods.explicit.explicit_run flexmb.solvers.methods.scipy_methods.methods flexmb.analyses
    flexmb.control flexmb.studies flexmb.io flexmb.visual flexmb.testing flexmb.spatial flexmb.plots.figures
    flexmb.examples flexmb.validation flexmb.cli
""".split()


def _modules(code: str) -> set[str]:
    """What a program imports."""
    end = "\nimport sys; print(*sys.modules)"
    result = subprocess.run([sys.executable, "-c", code + end], capture_output=True, text=True, check=True)
    return set(result.stdout.splitlines()[-1].split())


def test_a_pendulum_imports_what_it_needs():
    modules = _modules(PENDULUM)
    assert {"flexmb.elements.planar.cms_beam", "flexmb.solvers.methods.radau.radau_run"} <= modules
    assert not modules & set(NOT_NEEDED)
    assert {name for name in NOT_NEEDED if name.startswith("flexmb.")} <= FILES.keys()


@pytest.mark.parametrize("room", ROOMS)
def test_each_name_of_a_room_is_there(room):
    module = importlib.import_module(room)
    assert module.__all__ == sorted(set(module.__all__)) == dir(module)
    for name in module.__all__:
        assert getattr(module, name) is vars(module)[name]  # the second time it is found at once
    files = {found.name for found in pkgutil.iter_modules(module.__path__)}
    hidden = [name for name in files & set(module.__all__) if getattr(module, name).__name__ != f"{room}.{name}"]
    assert not hidden, "the import of a file puts it where the room has a name"


def test_a_name_is_there_whatever_was_imported_before():
    code = "import flexmb.bodies.body_of_frame as m, flexmb.control.regulator as r\nimport flexmb as fm\n"
    code += "assert fm.bodies.from_frame is m.from_frame and fm.control.lqr is r.lqr"
    assert "flexmb.bodies.body_of_mesh" not in _modules(code)


def test_names_that_a_room_has_not():
    with pytest.raises(fm.errors.UnknownAttributeError, match=r"flexmb\.bodies: .*did you mean 'from_mesh'"):
        fm.bodies.from_mehs  # noqa: B018
    with pytest.raises(fm.errors.UnknownAttributeError, match=r"write fm\.planar\.Motor or fm\.spatial\.Motor"):
        fm.Motor  # noqa: B018
    assert not hasattr(fm.planar, "_private")


def test_what_is_chosen_by_a_word_is_there():
    for module, file in FILES.items():
        for place in CHOICE.finditer(file.read_text(encoding="utf-8")):
            assert callable(pkgutil.resolve_name(place[0])) or pkgutil.resolve_name(place[0]), module


def test_a_choice_imports_what_is_chosen():
    choice = Choice(square="math:sqrt", own=abs)
    assert choice.data["square"] == "math:sqrt"
    assert choice["square"](4.0) == 2.0 and choice["own"](-1) == 1
    assert list(choice) == ["square", "own"] and dict(choice.items())["own"] is abs and "cube" not in choice
    with pytest.raises(KeyError):
        choice["cube"]
