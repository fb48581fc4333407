"""The code of the function of a study: what counts as a change, and what is said of it when a file goes on."""

from __future__ import annotations

import sqlite3
import sys
import types
import warnings
from functools import partial

import pytest

import flexmb as fm
from flexmb.studies.function import fingerprint, has_changed

BEFORE = '''
LOAD = 3.0
def helper(x):
    """Words."""
    return LOAD * x
def f(x, y=1):
    # a comment
    return {"z": helper(x) + y, "few": x in {"a", "b", 2}}
'''


def written(source: str, name: str = "changing"):
    """The function f of a module with this source."""
    module = types.ModuleType(name)
    exec(compile(source, f"{name}.py", "exec"), vars(module))
    return module.f


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("# a comment", "# another comment\n", False),
        ("Words", "Other words", False),
        ("\nLOAD", "\n\n\nOTHER = 5\nLOAD", False),
        ("LOAD = 3.0", "LOAD = 4.0", True),
        ("LOAD * x", "LOAD / x", True),
        ("y=1", "y=2", True),
        ('"z"', '"w"', True),
        ('"b", 2', '"b", 3', True),
    ],
)
def test_what_counts_as_a_change(old, new, changed):
    assert BEFORE.count(old) == 1
    one, other = fingerprint(written(BEFORE)), fingerprint(written(BEFORE.replace(old, new)))
    assert has_changed(other, one) is changed
    assert fingerprint(partial(written(BEFORE), y=3)) == one


def test_other_versions_of_python_and_functions_that_are_not_in_python_are_not_compared():
    one = fingerprint(written(BEFORE))
    assert one.startswith(sys.implementation.cache_tag)
    assert not has_changed(one, "cpython-27 0123") and not has_changed(one, "")
    assert fingerprint(len) == ""


def test_an_object_that_can_be_called_and_methods():
    class Scaled:
        def __call__(self, x):
            return self.by(x)

        def by(self, x):
            return 2.0 * x

    assert fingerprint(Scaled()) != fingerprint(Scaled().by) != ""


def test_a_file_says_that_its_function_has_changed(tmp_path):
    path = tmp_path / "grown.study"
    fm.study(written(BEFORE), fm.grid(x=[1, 2]), workers=0, file=path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fm.study(written(BEFORE), fm.grid(x=[3]), workers=0, file=path)
    other = written(BEFORE.replace("3.0", "4.0"))
    with pytest.warns(fm.errors.StudyWarning, match=r"the code of changing\.f has changed since .*\. Its 3 runs"):
        found = fm.study(other, fm.grid(x=[1, 4]), workers=0, file=path)
    assert found["z"].tolist() == [4.0, 17.0]
    with sqlite3.connect(path) as database:
        database.execute("DELETE FROM about WHERE key = 'fingerprint'")  # as in files of before
    database.close()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fm.study(other, fm.grid(x=[1, 4]), workers=0, file=path)


@pytest.mark.filterwarnings("ignore:.*first failure:flexmb.errors.StudyWarning")
def test_a_function_that_is_mended_before_any_run_is_done_begins_the_file(tmp_path):
    path = tmp_path / "mended.study"
    assert (
        len(fm.study(written(BEFORE.replace("LOAD *", "LOD *")), fm.grid(x=[1, 2]), workers=0, file=path).failed) == 2
    )
    for x in ([1, 2], [3]):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            fm.study(written(BEFORE), fm.grid(x=x), workers=0, file=path, retry_failed=True)
    assert fm.load_study(path)["z"].tolist() == [4.0, 7.0, 10.0]
