"""The package as a newcomer meets it: import, names, documentation that runs."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import flexmb

ROOT = Path(__file__).parent.parent


def _modules():
    names = ["flexmb"]
    for name in ("flexmb", "flexmb.elements", "flexmb.examples", "flexmb.validation"):
        package = importlib.import_module(name)
        for found in pkgutil.walk_packages(package.__path__, f"{name}."):
            if not found.name.endswith("__main__"):
                names.append(found.name)
    return sorted(set(names))


def test_import_is_light():
    code = (
        "import sys, flexmb; print([m for m in ('numba', 'scipy', 'numpy', 'matplotlib', 'h5py') if m in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


@pytest.mark.parametrize("name", flexmb.__all__)
def test_public_names_exist_and_are_documented(name):
    value = getattr(flexmb, name)
    assert name == "__version__" or (value.__doc__ and value.__doc__.strip())


@pytest.mark.parametrize("name", _modules())
def test_docstring_examples_run(name):
    module = importlib.import_module(name)
    assert module.__doc__ and module.__doc__.strip()
    assert doctest.testmod(module).failed == 0


def _readme_blocks():
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    assert len(blocks) == 2
    return blocks


def test_the_first_example_of_the_readme_runs(capsys):
    exec(compile(_readme_blocks()[0], "README.md", "exec"), {})
    assert "balance error" in capsys.readouterr().out


def test_the_element_of_the_readme_runs_and_passes_the_conformance_suite(tmp_path):
    script = tmp_path / "drag.py"
    script.write_text(_readme_blocks()[1] + "\nfrom flexmb.testing import conformance\nconformance(model)\n")
    result = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert float(result.stdout.split()[-1]) == pytest.approx(10 / 5**0.5, abs=1e-4)


def test_kernels_may_be_typed_in_at_a_prompt():
    code = _readme_blocks()[1]
    result = subprocess.run([sys.executable, "-"], input=code, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert float(result.stdout.split()[-1]) == pytest.approx(10 / 5**0.5, abs=1e-4)
