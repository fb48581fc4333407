"""The kernel contract: compiled for one signature, cached on disk, compiled again when what it calls has changed."""

from __future__ import annotations

import subprocess
import sys

from flexmb.kernels import address, kernel
from flexmb.kernels.contract import reads_time

HELPER = """
from flexmb.kernels.compilation import compiled

@compiled
def factor(x):
    return {factor} * x
"""
KERNEL = """
import sys
sys.path.insert(0, {folder!r})
import numpy as np
from helper import factor
from flexmb.kernels import address, compiled, kernel

@compiled
def scaled(x):
    return factor(x)

@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        out[i, 0] = scaled(q[iq[i, 0]])

assert address(residual) == address(residual) != 0
assert address(None) == 0
out = np.zeros((1, 1))
one = np.zeros((1, 1), dtype=np.int64)
residual(np.zeros((1, 1)), one, one, 0.0, np.ones(1), np.ones(1), np.ones(1), np.zeros((1, 0)), np.zeros(3), out,
         np.zeros((1, 0, 0)), np.zeros(1))
print(out[0, 0], sum(residual.apart.stats.cache_hits.values()))
"""


def _run(folder):
    environment = {"NUMBA_CACHE_DIR": str(folder / "cache"), "PATH": "/usr/bin:/bin", "HOME": str(folder)}
    command = [sys.executable, str(folder / "user.py")]
    result = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert result.returncode == 0, result.stderr
    value, hits = result.stdout.split()
    return float(value), int(hits)


def test_kernels_are_cached_and_compiled_again_when_a_called_file_changes(tmp_path):
    helper = tmp_path / "helper.py"
    helper.write_text(HELPER.format(factor="2.0"))
    (tmp_path / "user.py").write_text(KERNEL.format(folder=str(tmp_path)))
    assert _run(tmp_path) == (2.0, 0)
    assert _run(tmp_path) == (2.0, 1)
    helper.write_text(HELPER.format(factor="3.25"))
    assert _run(tmp_path) == (3.25, 0)


def test_a_kernel_that_never_reads_the_time_is_known():
    @kernel
    def timeless(p, iq, iv, t, q, v, a, lam, w, out, K, work):
        for i in range(p.shape[0]):
            out[i, 0] = q[iq[i, 0]]

    @kernel
    def timed(p, iq, iv, now, q, v, a, lam, w, out, K, work):
        for i in range(p.shape[0]):
            out[i, 0] = q[iq[i, 0]] * now

    assert reads_time(address(timed)) and not reads_time(address(timeless))
    assert not reads_time(0) and reads_time(1)  # no kernel; one of which nothing is known
