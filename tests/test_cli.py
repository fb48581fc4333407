"""The command line."""

from __future__ import annotations

import json
import re

import pytest
from click.testing import CliRunner

import flexmb as fm
from flexmb import examples
from flexmb.cli import main
from flexmb.validation.references import spin_up as data


def _run(*arguments):
    return CliRunner().invoke(main, arguments)


def test_info_shows_versions_and_the_cache():
    result = _run("info")
    assert result.exit_code == 0
    assert "numba" in result.output and "kernel cache" in result.output


def test_demos_are_listed_and_a_wrong_name_is_told():
    assert "spin-up" in _run("demo", "--list").output
    result = _run("demo", "spinup")
    assert result.exit_code == 1
    assert "did you mean 'spin-up'" in result.output


# the report of the two-link arm is asked for in tests/examples/test_two_link_arm.py, by the same command
@pytest.mark.parametrize("name", [name for name in examples.DEMOS if name != "two-link-arm"])
def test_demos_write_what_they_say(name, tmp_path):
    result = _run("demo", name, "--out", str(tmp_path / "out"))
    assert result.exit_code == 0, result.output
    written = list((tmp_path / "out").iterdir())
    assert {path.suffix for path in written} >= {".png", ".h5"}
    for path in written:
        assert path.name in result.output
        assert path.is_dir() or path.suffix == ".html" or path.stat().st_size > 10_000


def test_the_main_demo_writes_its_files_and_prints_its_result(tmp_path):
    result = _run("demo", "--out", str(tmp_path))
    assert {path.name for path in tmp_path.iterdir()} == {"spin-up.png", "spin-up-motion.png", "spin-up.h5"}
    got, when, reference = map(
        float, re.search(r"largest deflection (\S+) m at (\S+) s; reference (\S+) m", result.output).groups()
    )
    assert reference == data.REFERENCE_DEFLECTION
    assert got == pytest.approx(data.REFERENCE_DEFLECTION, rel=1e-3)
    assert when == pytest.approx(data.REFERENCE_TIME, abs=0.011)  # one step
    assert "balance error" in result.output and "2000 steps" in result.output


def test_validation_prints_a_table_and_writes_json(tmp_path):
    file = tmp_path / "checks.json"
    result = _run("validate", "beam-frequencies", "--json", str(file))
    assert result.exit_code == 0
    assert "14 of 14 checks passed" in result.output
    checks = json.loads(file.read_text())["checks"]
    assert len(checks) == 14 and all(c["passed"] for c in checks)
    keys = {"case", "quantity", "got", "reference", "tolerance", "source", "because", "identified", "passed"}
    assert keys == set(checks[0])


def test_errors_over_steps_are_written_too_and_not_counted(tmp_path, monkeypatch):
    from flexmb.validation import registry

    rows = [registry.Check("order", 2.0, 2.0, 0.1, "theory", "none"),
            registry.Errors("place [m]", "step [s]", (0.2, 0.1), (4.0, 1.0), 2.0)]  # fmt: skip
    monkeypatch.setitem(registry.CASES, "order", registry.Case("order", "two steps", lambda: rows))
    file = tmp_path / "checks.json"
    result = _run("validate", "order", "--json", str(file))
    assert result.exit_code == 0 and "1 of 1 checks passed" in result.output
    written = json.loads(file.read_text())
    wanted = {
        "quantity": "place [m]",
        "against": "step [s]",
        "x": [0.2, 0.1],
        "errors": [4.0, 1.0],
        "order": 2.0,
        "note": "",
    }
    assert written["errors"] == [{"case": "order", **wanted}]
    assert set(written["cases"]["order"]) == {"seconds", "code"}


def test_a_failing_check_gives_an_exit_status(monkeypatch):
    from flexmb.validation import registry

    wrong = registry.Case(
        "wrong", "fails on purpose", lambda: [registry.Check("one", 1.0, 2.0, 0.5, "nowhere", "none")]
    )
    monkeypatch.setitem(registry.CASES, "wrong", wrong)
    result = _run("validate", "wrong")
    assert result.exit_code == 1
    assert "FAIL" in result.output and "0 of 1" in result.output


def test_a_case_whose_package_is_missing_is_left_out_by_name(monkeypatch):
    from flexmb.validation import registry

    def compute():
        raise fm.errors.MissingExtraError("needs another package")

    right = registry.Case("right", "holds", lambda: [registry.Check("one", 1.0, 1.0, 0.5, "nowhere", "none")])
    monkeypatch.setitem(registry.CASES, "missing", registry.Case("missing", "has no package", compute))
    monkeypatch.setitem(registry.CASES, "right", right)
    result = _run("validate", "missing", "right")
    assert result.exit_code == 1
    assert "missing: left out: needs another package" in result.output
    assert "1 of 1 checks passed\nleft out: missing; " in result.output


def test_cases_are_listed_and_a_wrong_name_is_told():
    assert "two-squares" in _run("validate", "--list").output
    result = _run("validate", "two-circles")
    assert result.exit_code == 1 and "did you mean 'two-squares'" in result.output


def test_nan_never_passes():
    from flexmb.validation import Check

    assert not Check("x", float("nan"), 0.0, 1.0, "", "").passed


def test_identified_numbers_are_shown_and_not_counted(monkeypatch):
    from flexmb.validation import registry

    rows = [registry.Check("chosen", 1.0, 1.0, 0.5, "here", "chosen", identified=True),
            registry.Check("found", 1.0, 1.0, 0.5, "there", "digits")]  # fmt: skip
    monkeypatch.setitem(registry.CASES, "half", registry.Case("half", "one of two counts", lambda: rows))
    result = _run("validate", "half")
    assert result.exit_code == 0
    assert "identified" in result.output and "1 of 1" in result.output
