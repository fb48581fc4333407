"""Loads of temperature on a body.

A temperature τ above that at which the body has no stress strains it freely by ᾱ τ. With σ_τ = C (ᾱ τ 1), which in
space is (3λ + 2μ) ᾱ τ 1, the stress is C ε − σ_τ (Likins (1971), eq. (22)), so heat loads the nodes by

    f = ∫ Bᵀ σ_τ dV

with this sign: a free bar grows by ᾱ τ L. (Likins' (34), (42) and (46) print it with the other one.) The load follows
the material, so it moves no frame, and its work is σ_τ on all of Green's strain: on modes

    φᵀ f + η (Θᵀ f + φᵀ K_σ(σ_τ) φ)

Θᵀ f is −φᵀ K_σ(C ε) φ with the strains ε that heat makes of a free body, so that of the second term that remains which
is stress: nothing where the temperature is linear in space and no tie holds the body.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.bodies.full_models.full_model import FullModel
from flexmb.bodies.reducing.nodal_loads import where_of
from flexmb.errors import ModelError
from flexmb.model import checks
from flexmb.model.hints import AnswersCalls


@dataclass(frozen=True, eq=False)
class ThermalLoad(metaclass=AnswersCalls):
    """A field of temperature in a body, a load of strength 1 for `loads=` of :func:`flexmb.bodies.from_mesh` and
    :func:`flexmb.bodies.from_frame`; :meth:`flexmb.SpatialModel.body_load` lets it act with a factor that is a function
    of time, or that states command.

    Arguments: `temperature` [K] above that without stress, a number, or a function of places (k, d) [m] in the axes of
    the mesh that gives (k,); `gradient` (d,) [K/m] that is added, zero at the point `about` (d,) [m], the origin if not
    given. The material needs a `thermal_expansion`.

    >>> warm = ThermalLoad(20.0, gradient=(0, 0, 100.0))
    >>> warm.at(np.array([[0.0, 0.0, 0.1]]), "here").tolist()
    [30.0]
    """

    temperature: Any = 0.0
    gradient: Any = None
    about: Any = None

    def at(self, nodes: np.ndarray, where: str) -> np.ndarray:
        """The temperature (k,) [K] at nodes (k, d), or other places."""
        d = nodes.shape[1]
        if callable(self.temperature):
            found = checks.numbers(self.temperature(nodes), "temperature", where, f"{len(nodes)} numbers")
            if found.shape != (len(nodes),):
                raise ModelError(f"{where}: temperature gives {found.shape} for {len(nodes)} places; give one for each")
        else:
            found = np.full(len(nodes), checks.number(self.temperature, "temperature", where))
        if self.gradient is None:
            if self.about is not None:
                raise ModelError(f"{where}: about is the point at which a gradient is zero; give gradient too")
            return found
        g = checks.vector(self.gradient, "gradient", where, d)
        zero = np.zeros(d) if self.about is None else checks.vector(self.about, "about", where, d)
        return found + (nodes - zero) @ g

    def spread(self, full: FullModel, name: str) -> tuple[np.ndarray, Callable[[np.ndarray], np.ndarray]]:
        """The load (n,) of a `name` on the coordinates of a `full` model, and a function of shapes (n, k) that gives
        φᵀ K_σ(σ_τ) φ (k, k)."""
        where = where_of(full, name)
        if full.heated is None:
            raise ModelError(
                f"{where}: its matrices do not say how the body strains by heat; make it from a mesh or a frame"
            )
        return full.heated(lambda places: self.at(places, where), where)
