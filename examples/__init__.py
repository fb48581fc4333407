"""Demos, such as a user would write; `flexmb demo NAME`."""

from __future__ import annotations

import importlib
from types import ModuleType

#: The subject of each demo by its name; the first is the main one.
DEMOS: dict[str, str] = {
    "spin-up": "a blade that its hub spins up beyond its natural frequency: dynamic stiffening with one element",
    "pendulum": "a soft pendulum: the first mechanism to build",
    "two-squares": "two hinged plates with a spring-damper, by five methods",
    "four-bar": "a parallelogram linkage falling from rest",
    "slider-crank": "a slider-crank with a flexible rod",
    "gyroscope": "three gyroscopes that precess and nod, in loops, cusps and waves: a mechanism in space",
    "bicycle": "a bicycle that rides by itself: eigenvalues against speed, and a film of its weave",
    "deployment": "solar panels that unfold in space, and latches that close one after the other",
    "spacecraft": "a craft with boom and panels that turns in orbit by its wheels, is pushed by a jet, loses its sun",
    "robot": "a robot arm from a URDF file: the torques of a throw, and the fall when its motors fail",
    "two-link-arm": "a two-link flexible arm: modellings that agree, sliding mode control, pictures, a page to read",
    "virtual-loop": "an arm of four links that moves as a four-bar and as a slider-crank, which it only imagines",
    "humanoid": "a small humanoid robot that is shoved, and keeps its balance by springs that its motors imitate",
    "bracket": "a bracket of finite elements that a motor shakes as it runs up through a resonance",
    "flexible-robot": "a robot arm with two links that bend: what its hand misses, and a law that damps its swing",
    "pendulum-study": "how thickness and length of a pendulum decide how far it bends: a study in processes",
    "own-elements": "a rope, a rolling wheel, a wall and a wind in Python: elements of your own",
}


def load(name: str) -> ModuleType:
    """The module of a demo."""
    return importlib.import_module(f"flexmb.examples.{name.replace('-', '_')}")
