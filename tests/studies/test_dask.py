"""Studies on a Dask cluster: real processes, over TCP."""

from __future__ import annotations

import functools
import os

import dask
import distributed
import pytest

import flexmb as fm
from flexmb.studies.parameters import grid
from flexmb.studies.study import load_study, study
from tests.studies import runs
from tests.studies.tables import same

pytestmark = pytest.mark.filterwarnings("ignore::flexmb.errors.StudyWarning")  # test_failures.py is about them


@pytest.fixture(scope="module")
def client():
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=True, protocol="tcp://", dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def test_a_cluster_gives_the_table_of_this_process(client, tmp_path):
    assert client.scheduler.address.startswith("tcp://")
    path = tmp_path / "dask.study"
    parameters = grid(diameter=[0.01, 0.02], length=[0.5, 1.0])
    found = study(runs.swing, parameters, executor=client, file=path)
    same(found, study(runs.swing, parameters, workers=0))
    same(found, load_study(path))


def test_a_cluster_does_a_batch_many_members_at_once(client, tmp_path):
    m = fm.PlanarModel("swing", gravity=(0, -9.81))
    bob = m.add_body("bob", mass=1.0, inertia=0.1, position=(1, 0))
    m.revolute(m.ground, bob.attach("pivot", (-1, 0)), name="hinge")
    run = functools.partial(fm.batch, m, 0.1, "dop853", outputs=["bob.y"], threads=2)
    parameters = [{"hinge.rate": 0.1 * k} for k in range(20)]
    found = study(run, parameters, executor=client, file=tmp_path / "batch.study", progress=False)
    assert set(found["status"]) == {"ok"}
    for k in (0, 19):
        start = fm.Tree.of(m).state([0.0], [parameters[k]["hinge.rate"]])
        alone = fm.simulate(m, 0.1, "dop853", times=[0.1], initial=start, progress=False)
        assert found["bob.y"][k] == alone["bob.y"][0]


def test_a_cluster_takes_a_closure_and_runs_it_elsewhere(client):
    offset = 3
    found = study(lambda x: {"y": x + offset, "who": os.getpid()}, grid(x=range(50)), executor=client)
    assert found["y"].tolist() == [x + 3 for x in range(50)]
    assert set(found["who"].tolist()).isdisjoint({os.getpid()})


def test_a_run_that_fails_or_whose_worker_dies_takes_no_other_with_it(client):
    found = study(runs.deadly, grid(x=range(4), culprits=[(1,)]), executor=client)
    assert found["status"].tolist() == ["ok", "died", "ok", "ok"]
    assert "KilledWorker" in found[1]["error"]
    assert found.ok["y"].tolist() == [0, 20, 30]
    failed = study(runs.delicate, grid(x=range(5)), executor=client)
    assert failed["status"].tolist() == ["ok", "ok", "ok", "failed", "ok"]
