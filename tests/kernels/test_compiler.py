"""Which compiler is used."""

from __future__ import annotations

import subprocess
import sys

import pytest

from flexmb.kernels.compilation import INTERPRETED

pytestmark = pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")

LACKS_ONE = """
import warnings
from numba.core.compiler import CompileResult
del CompileResult._reduce
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    from flexmb.kernels.compiler import PLAIN, hooks
    import flexmb.cli, sys
print(PLAIN, "|", hooks, "|", *(str(w.message) for w in caught if w.category.__name__ == "CompilerWarning"))
flexmb.cli.main(["info"])
"""


def test_where_a_place_is_missing_plain_numba_is_used_with_one_warning_and_info_says_so():
    run = subprocess.run([sys.executable, "-c", LACKS_ONE], capture_output=True, text=True, check=True)
    first, *info = run.stdout.splitlines()
    why, hooks, warning = first.split(" | ")
    assert why.startswith("Numba ") and why.endswith("has no numba.core.compiler:CompileResult._reduce")
    assert hooks == "None" and warning.startswith(f"flexmb compiles by plain Numba, since {why}: results are right")
    assert f"  it is not used: plain Numba compiles in every process anew, since {why}" in info
