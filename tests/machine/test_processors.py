"""Processors and memory that are free, as the machine tells it."""

from __future__ import annotations

import os

import pytest

from flexmb.machine import processors


@pytest.fixture
def machine(monkeypatch, tmp_path):
    """A machine with four processors, of which we write what it tells."""
    for name in ("_LOAD", "_QUOTA", "_MEMORY", "_CONTAINER"):
        monkeypatch.setattr(processors, name, tmp_path / name)
    monkeypatch.setattr(processors, "machine_memory", lambda: 16e9)
    monkeypatch.setattr(processors.time, "process_time", lambda: 6.0)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(4)), raising=False)
    monkeypatch.setattr(os, "getloadavg", lambda: (0.3, 0.2, 0.1), raising=False)
    return tmp_path


def test_an_idle_machine_has_all_processors_but_one(machine):
    assert processors.processors() == 4 and processors.free_processors() == 3
    (machine / "_LOAD").write_text("0.30 0.20 0.10 1/345 4567\n")
    assert processors.busy_processors() == pytest.approx(0.2) and processors.free_processors() == 3


def test_the_load_of_others_is_taken_off(machine, monkeypatch):
    (machine / "_LOAD").write_text("0.30 0.20 0.10 3/345 4567\n")
    assert processors.free_processors() == 1
    monkeypatch.setattr(os, "getloadavg", lambda: (9.0, 5.0, 1.0))
    assert processors.free_processors() == 0


def test_a_container_has_a_part_of_the_machine(machine):
    (machine / "_QUOTA").write_text("150000 100000\n")
    assert processors.processors() == 1.5 and processors.free_processors() == 0
    (machine / "_QUOTA").write_text("max 100000\n")
    assert processors.processors() == 4


def test_free_memory_is_the_least_that_anything_tells(machine):
    assert processors.free_memory() == 4e9
    (machine / "_MEMORY").write_text("MemTotal:  1000 kB\nMemAvailable:  8000000 kB\n")
    assert processors.free_memory() == 8.192e9
    (machine / "_CONTAINER").write_text("anon 15000000000\nfile 4096\n")
    assert processors.free_memory() == 1e9
