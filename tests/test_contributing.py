"""What is written for those who carry on is true: rooms, paths, names, commands, versions."""

from __future__ import annotations

import configparser
import importlib
import importlib.util
import itertools
import pkgutil
import re
import shlex
from pathlib import Path

import pytest

import flexmb
from flexmb.cli import main
from flexmb.examples import DEMOS
from flexmb.kernels.warming.recorded import recorded
from flexmb.validation import cases

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
SETUP = configparser.ConfigParser()
SETUP.read(ROOT / "setup.cfg", encoding="utf-8")
PROSE = re.sub(r"```.*?```", "", PAGE, flags=re.S)
COMMANDS = [line for block in re.findall(r"```sh\n(.*?)```", PAGE, re.S) for line in block.splitlines()]
#: what demos make, and what is not kept in the repository
MADE = ("flexmb-demo/",)


def _spans(pattern):
    found = sorted(set(re.findall(rf"`({pattern})`", PROSE)))
    assert found
    return found


def test_the_rooms_are_the_packages():
    rows = "".join(line for line in PROSE.splitlines() if line.startswith("| `"))
    assert set(re.findall(r"`(flexmb(?:\.\w+)*)`", rows)) == set(SETUP["options"]["packages"].split())


def test_every_folder_of_modules_is_installed():
    """Where packages are found in the sources, as here, one that is not listed goes unnoticed; a wheel lacks it."""
    rooms = [path.parent.relative_to(ROOT).parts for path in (ROOT / "flexmb").rglob("__init__.py")]
    for top in ("elements", "examples", "validation"):
        rooms += [("flexmb", *path.parent.relative_to(ROOT).parts) for path in (ROOT / top).rglob("__init__.py")]
    assert {".".join(parts) for parts in rooms} == set(SETUP["options"]["packages"].split())


def test_what_lies_beside_modules_is_installed_with_them():
    """Pages, styles of diagrams, data of references: a wheel holds only those files of a package that are named."""
    data = {package: patterns.split() for package, patterns in SETUP["options.package_data"].items()}
    missing = []
    for package in SETUP["options"]["packages"].split():
        inside = ROOT.joinpath(*package.split("."))
        folder = inside if inside.is_dir() else ROOT.joinpath(*package.split(".")[1:])
        beside = [file for file in folder.iterdir() if file.is_file() and file.suffix not in (".py", ".pyc")]
        missing += [file for file in beside if not any(map(file.match, (*data["*"], *data.get(package, ()))))]
    assert not missing


@pytest.mark.parametrize("path", _spans(r"[\w.-]*[/.][\w./-]*"))
def test_paths_and_modules_exist(path):
    if path in MADE or (ROOT / path).exists():
        return
    assert path.split(".")[0] == "flexmb", f"there is no {path}"
    pkgutil.resolve_name(path)


@pytest.mark.parametrize(
    ("name", "where"),
    [
        ("Beam", "flexmb.elements.planar.beam"),
        ("FramedBeam", "flexmb.elements.planar.framed_beam"),
        ("BEAMS", "flexmb.elements.planar"),
        ("Beam", "flexmb.elements.spatial.beam"),
        ("BEAMS", "flexmb.elements.spatial"),
        ("BEAMS", "tests.models.beams_in_space"),
        ("JOINTS", "tests.models.components"),
        ("PART", "tests.bounds"),
        ("PlanarModel", "flexmb.planar"),
        ("forces", "tests.models.components"),
        ("@interruptible", "flexmb.analyses.statics.quasi_static"),
        ("@one_thread", "flexmb.analyses.statics.quasi_static"),
        ("Check", "flexmb.validation"),
        ("_MODULES", "flexmb.validation"),
        ("PROBLEMS", "flexmb.validation.performance.work_precision.problems"),
    ],
)
def test_names_are_where_the_page_says(name, where):
    assert f"`{name}`" in PROSE
    assert hasattr(importlib.import_module(where), name.lstrip("@"))


def test_the_message_that_is_shown_is_one():
    shown = re.search(r"`(joint '(\w+)': .*?)`", PROSE)
    model = flexmb.PlanarModel("m")
    wheel = model.add_body("wheel", mass=1.0, inertia=0.1)
    with pytest.raises(flexmb.FlexmbError, match=f"^{re.escape(shown[1])}$"):
        model.gear(model.ground, wheel.frame, 0.0, name=shown[2])


@pytest.mark.parametrize("line", COMMANDS)
def test_commands_speak_of_what_there_is(line):
    for command in line.split(" && "):
        tool, *words = itertools.dropwhile(lambda word: re.match(r"[A-Z_]+=", word), shlex.split(command))
        assert tool == "python3" or tool.startswith(".venv/bin/")
        module = words[words.index("-m") + 1] if "-m" in words else None
        for word in words:
            ours = word != module and word.startswith(("tests", "validation", "examples"))
            assert not ours or (ROOT / word).exists(), word
            for extra in re.findall(r"\.\[(.*)\]", word):
                assert set(extra.split(",")) <= set(SETUP["options.extras_require"])
        if module is not None:
            assert importlib.util.find_spec(module)
        if tool.endswith("/flexmb"):
            known = {"demo": DEMOS, "validate": cases(), "warm-up": recorded().names}[words[0]]
            assert words[0] in main.commands
            assert words[1].startswith("--") or words[1] in known


def test_what_is_checked_before_a_commit_is_what_ci_checks():
    hooks = re.findall(r"entry: (.*)", (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    script = (ROOT / ".ci/run").read_text(encoding="utf-8").replace('"', "").replace("$work/checkout/", "")
    assert hooks == [".venv/bin/ruff check .", ".venv/bin/python -m tests.types"]
    for hook in hooks:
        assert re.search(rf"{re.escape(hook)}\)?$", script, re.M)


def test_the_workflow_runs_all_of_ci_from_the_oldest_python_on():
    workflow = (ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")
    for script in (ROOT / ".ci").iterdir():
        assert f"run: bash .ci/{script.name}" in workflow
    pythons = re.findall(r'"(3\.\d+)"', workflow)
    assert SETUP["options"]["python_requires"] == f">={pythons[0]}" and pythons[-1] == "3.13"


def test_there_is_one_version():
    version = flexmb.__version__
    assert SETUP["metadata"]["version"] == version
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    newest = re.search(r"^## \[?([\d.]+)\]? - ", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)
    assert newest[1] == version


def test_the_license_is_cited_with_its_holders():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nlicense: {SETUP['metadata']['license']}\n" in citation
    holders = re.search(r"Copyright \(c\) \d+, (.*)", (ROOT / "LICENSE").read_text(encoding="utf-8"))
    assert f"- name: {holders[1]}\n" in citation


def test_links_lead_somewhere():
    for page in ("README.md", "CONTRIBUTING.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        for link in re.findall(r"\]\(([^)#:]+)\)", text) + re.findall(r"^\[[^]]+\]: ([^#:\n]+)$", text, re.M):
            assert (ROOT / link).exists(), link
