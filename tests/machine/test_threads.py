"""How many threads BLAS has: one in analyses of small models, and in the end as many as before."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.linalg
from threadpoolctl import threadpool_info

import flexmb as fm
from flexmb.errors import BalanceWarning
from flexmb.machine import threads
from flexmb.machine.threads import always_one_thread, one_thread, threads_by_size, threads_for


class _Library:
    """A BLAS that any number of threads can be set for, however few cores there are."""

    def __init__(self, count: int) -> None:
        self.count = count

    def get_num_threads(self) -> int:
        return self.count

    def set_num_threads(self, count: int) -> None:
        self.count = count


@pytest.fixture
def blas(monkeypatch):
    library = _Library(4)
    monkeypatch.setattr(threads, "_libraries", lambda: [library])
    yield library
    assert library.count == 4


def test_the_libraries_of_numpy_and_scipy_are_found():
    assert scipy.linalg is not None
    known = {info["filepath"] for info in threadpool_info() if info["user_api"] == "blas"}
    assert {library.filepath for library in threads._libraries()} <= known and known
    before = [library.get_num_threads() for library in threads._libraries()]
    with threads_for(10):
        assert {library.get_num_threads() for library in threads._libraries()} == {1}
    assert [library.get_num_threads() for library in threads._libraries()] == before


def test_small_matrices_have_one_thread_and_large_ones_all(blas):
    with threads_for(threads.LARGE):
        assert blas.count == 1
        with threads_for(threads.LARGE + 1):
            assert blas.count == 4
            with threads_for(0):
                assert blas.count == 1
            assert blas.count == 4
        assert blas.count == 1
    with threads_for(threads.LARGE + 1):
        assert blas.count == 4
    with always_one_thread(), threads_for(threads.LARGE + 1):
        assert blas.count == 1
    with pytest.raises(ZeroDivisionError), threads_for(0):
        1 / 0  # noqa: B018


def test_a_library_that_is_loaded_within_an_analysis_has_one_thread_from_then_on(monkeypatch):
    loaded = [_Library(4)]
    monkeypatch.setattr(threads, "_libraries", lambda: loaded)
    with threads_for(10):
        loaded.append(_Library(8))
        with threads_for(0):
            assert [library.count for library in loaded] == [1, 1]
        assert [library.count for library in loaded] == [1, 1]
    assert [library.count for library in loaded] == [4, 8]


def test_functions_that_choose(blas):
    assert one_thread(lambda: blas.count)() == 1
    seen = threads_by_size(lambda matrix: blas.count)
    assert seen(np.zeros((3, 3))) == 1 and seen(matrix=np.zeros((3, 3))) == 1
    assert seen(np.zeros((threads.LARGE + 1, 1))) == 4


def test_one_thread_for_as_long_as_any_thread_wants_it(blas):
    entered, leave = threading.Event(), threading.Event()

    def other() -> None:
        with threads_for(0):
            entered.set()
            leave.wait()

    with ThreadPoolExecutor(1) as pool:
        with threads_for(0):
            done = pool.submit(other)
            entered.wait()
        assert blas.count == 1
        leave.set()
        done.result()
    assert blas.count == 4


def _pendulum(seen: list[int], blas: _Library) -> fm.PlanarModel:
    model = fm.PlanarModel("pendulum", gravity=(0, -9.81))
    body = model.add_body("body", mass=1.0, inertia=0.1, center=(0, -1))
    model.revolute(model.ground, body.frame, name="hinge")

    def look(t, position, velocity):
        seen.append(blas.count)
        return 0.0, 0.0, 0.0

    model.python_force(body.frame, look)
    return model


@pytest.mark.parametrize(
    "analysis",
    [
        lambda m: fm.simulate(m, 1e-2, step=1e-3),
        lambda m: fm.simulate(m, 1e-2, "independent"),
        fm.equilibrium,
        fm.modes,
        fm.complex_modes,
        lambda m: fm.linearize(m, "body.moment", "body.angle"),
        lambda m: fm.frequency_response(m, "body.moment", "body.angle", [0.1, 1.0]),
    ],
    ids=["simulate", "independent", "equilibrium", "modes", "complex modes", "linearize", "frequency response"],
)
def test_analyses_of_small_models_take_one_thread(blas, analysis):
    seen: list[int] = []
    analysis(_pendulum(seen, blas))
    assert set(seen) == {1}


def test_dense_matrices_of_large_models_take_all(blas, monkeypatch):
    seen: list[int] = []
    eigh = scipy.linalg.eigh

    def look(*given, **named):
        seen.append(blas.count)
        return eigh(*given, **named)

    model = fm.PlanarModel("rod")
    given = fm.planar.BeamProperties(EA=2e5, EI=20.0, rhoA=0.6)
    model.add_beam("rod", model.ground, (1, 0), properties=given, theory="ancf", elements=4)
    monkeypatch.setattr(scipy.linalg, "eigh", look)
    fm.modes(model, 2)
    assert set(seen) == {1}
    seen.clear()
    monkeypatch.setattr(threads, "LARGE", 10)
    fm.modes(model, 2, dense=True)
    assert set(seen) == {4}


def test_warnings_show_the_line_that_asked():
    model = fm.PlanarModel("stone", gravity=(0, -9.81))
    body = model.add_body("stone", mass=1.0, inertia=0.1)
    model.bushing(model.ground, body.frame, stiffness=(10.0, 10.0, 1.0))
    with pytest.warns(BalanceWarning) as found:
        fm.modes(model)
    assert [warning.filename for warning in found] == [__file__]


def _counted(blas, k):
    return {"threads": blas.count, "k2": k * k}


def test_runs_of_studies_take_one_thread(blas, monkeypatch):
    import functools

    monkeypatch.setattr(threads, "LARGE", -1)  # all are large
    with ThreadPoolExecutor(2) as pool:
        found = fm.study(functools.partial(_counted, blas), fm.grid(k=[1, 2, 3, 4]), executor=pool, progress=False)
    assert found["threads"].tolist() == [1, 1, 1, 1]
    alone = fm.study(functools.partial(_counted, blas), fm.grid(k=[1, 2]), workers=0, progress=False)
    assert alone["threads"].tolist() == [1, 1]
