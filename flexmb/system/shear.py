"""The error of beams without shear deformation, estimated from their bending.

Where a beam is bent to the curvature κ, its moment M = EI κ goes with the shear force Q = dM/dx, which does additional
work in Timoshenko's beam (Timoshenko (1921)): ∫ Q²/GA dx. To first order in it, a deflection under given loads is
larger by the fraction

    R = Σ ∫ (EI κ')²/GA dx / Σ ∫ (N ε + T κ₁ + M κ) dx

where the denominator is twice the elastic energy of all beams, and the frequency of a mode is lower by the factor
√(1 + R). For waves sin kx this is R = EI k²/GA, for a cantilever under a force at its end R = 3 EI/(GA L²). The
derivative κ' is taken within elements.

A beam in space whose energy of shear follows from the bending of each plane alone has other shear forces in it than the
Q that balance its moments M, which torsion κ₁ couples,

    Q_y = −(M_z' + κ₁ M_y − κ_y T),     Q_z = M_y' + κ_z T − κ₁ M_z ,

and with their difference D the energy ½ ∫ (D_y²/GAy + D_z²/GAz) dx too much. As a part of the energy of all beams it is
about the relative error of large deflections in both planes.

Where the theory leaves out the inertia of turning sections too (Rayleigh (1877)), ρI k²/ρA of a wave is the fraction
GA ρI/(EI ρA) of its R, which then grows by it in modes.
"""

from __future__ import annotations

import math

import numpy as np

from flexmb.errors import AccuracyWarning, warn
from flexmb.kernels.compilation import compiled
from flexmb.kernels.widths import PLANE, SPACE
from flexmb.model.appearance import BeamPlace
from flexmb.model.components import Component
from flexmb.system import evaluation
from flexmb.system.system import System

#: the ratio R above which a warning names the beam: deflections are too small by this fraction
NOTICEABLE = 0.03
#: the ratio R above which modes beyond the lowest are reported, whose waves are shorter: frequencies are off by half of
#: it
OF_HIGHER_MODES = 0.2
#: the part of the energy of shear that balances no moments above which a warning names the beam
UNBALANCED = 0.005
#: largest numbers of elements of a beam, points of an element and positions of a motion that are evaluated
ELEMENTS, POINTS, POSITIONS = 12, 7, 20
_PLACES = (np.arange(POINTS) + 0.5) / POINTS
#: largest number of sections evaluated where there are many beams, and the least number of positions
CALLS, LEAST_POSITIONS = 20_000, 4
#: a beam bent by less than this [rad] counts as straight: its curvature is rounding
STRAIGHT = 1e-8
#: amplitude at which a mode is evaluated, as a fraction of the model's length, or in radians
SMALL = 1e-3


def shear_doubt(system: System, q: np.ndarray) -> str:
    """A text that names the beams without shear whose shear deformation would matter at positions q (k, nq); empty if
    there are none."""
    shares = shear_shares(system, q)
    total = sum(shares.values())
    if total <= NOTICEABLE:
        return ""
    return (
        f"{_bend(system, _main(shares))} without shear, with which loads would do {100.0 * total:.2g} % more work: "
        f"deflections are too small by about as much, and frequencies too high by half of it; {_advice(system)}"
    )


def coupling_doubt(system: System, q: np.ndarray) -> str:
    """A text that names the beams whose torsion should couple with their shear at positions q (k, nq); empty if there
    are none."""
    asked = {x: x.shear_of_planes() for x in system.model.components.values() if x.name not in system.off}
    asked = {x: GA for x, GA in asked.items() if any(math.isfinite(one) for one in GA)}
    if not asked:
        return ""
    picked = q[np.linspace(0, len(q) - 1, min(len(q), max(LEAST_POSITIONS, POSITIONS // len(asked)))).astype(int)]
    full = np.array([system.whole.full_q(row) for row in picked])
    energy = np.zeros(len(picked))
    excess = {}
    for component in system.model.components.values():
        values = _sections(system, component, picked, len(SPACE.section))
        if values is None:
            continue
        place = _place(component)
        energy += place.length * np.mean(np.sum(np.nan_to_num(values[..., :6] * values[..., 6:]), axis=-1), axis=(0, 1))
        if component not in asked:
            continue
        of_planes = component.shears_of_bending(system.whole, full, _PLACES)[_chosen(place.elements)]
        off = np.moveaxis(np.nan_to_num(of_planes - values[..., 7:9]), -1, 0)
        parts = [np.mean(D**2, axis=(0, 1)) / GA for D, GA in zip(off, asked[component])]
        excess[component.name] = place.length * float(np.max(sum(parts)))
    total, stored = sum(excess.values()), float(np.max(energy, initial=0.0))
    if not total > UNBALANCED * stored > 0.0:
        return ""
    return (
        f"{_bend(system, _main(excess))} far in both planes, where torsion should couple with shear and in "
        f"theory='cms' does not: deflections are off by about {100.0 * total / stored:.2g} %; take theory='exact', or "
        "shear=False where shear itself matters less"
    )


def warn_of_shear_in_modes(system: System, q: np.ndarray, shapes: np.ndarray, rigid: np.ndarray, where: str) -> None:
    """Warn of modes with shapes (n, c) about a position q (nq,) whose frequencies are too high because beams lack shear
    deformation."""
    if not _stiffness_left_out(system):
        return
    largest = np.max(np.abs(shapes) / system.scale[:, None], axis=0)
    off: dict[int, float] = {}
    named: dict[str, float] = {}
    for k in np.flatnonzero(~rigid & (largest > 0.0)).tolist():
        shape = SMALL * shapes[:, k] / largest[k]
        parts = [part for part in (shape.real, shape.imag) if np.any(part)]
        shares = shear_shares(system, np.array([system.retract(q, part) for part in parts]), q, waves=True)
        off[k] = sum(shares.values())
        if off[k] > NOTICEABLE:
            named |= _main(shares)
    if named and (off[min(off)] > NOTICEABLE or max(off.values()) > OF_HIGHER_MODES):
        listed = [f"{_too_high(share)} of mode {k}" for k, share in off.items() if share > NOTICEABLE]
        text = f"{_bend(system, named)} without {_what(system, named)}, and frequencies are too high, by about"
        warn(f"{where}: {text} {', '.join(listed)}; {_advice(system)}", AccuracyWarning)


def warn_of_short_beams(system: System, where: str) -> None:
    """Warn of beams whose own second bending frequency, with a wave as long as the beam, is too high without shear."""
    for component, planes in _stiffness_left_out(system).items():
        turning = component.turning_left_out()
        share = max(EI / GA + turning for _, EI, GA in planes) * (2.0 * math.pi / _place(component).length) ** 2
        if share > OF_HIGHER_MODES:
            named = {component.name: share}
            warn(
                f"{where}: {_bend(system, named)} without {_what(system, named)}, and its second bending frequency is "
                f"too high, by about {_too_high(share)}; {_advice(system)}",
                AccuracyWarning,
            )


def shear_shares(
    system: System, q: np.ndarray, at: np.ndarray | None = None, *, waves: bool = False
) -> dict[str, float]:
    """R of each beam without shear at positions q (k, nq); the curvature at a position `at` (nq,) is subtracted. In
    `waves` the inertia of turning sections that is left out counts too."""
    left_out = _stiffness_left_out(system)
    if not left_out:
        return {}
    most = max(LEAST_POSITIONS, min(POSITIONS, CALLS // (ELEMENTS * POINTS * len(left_out))))
    picked = q[np.linspace(0, len(q) - 1, min(len(q), most)).astype(int)]
    width = PLANE if system.model.dimension == 2 else SPACE
    strains = len(width.section) // 2
    pairs = [(0, 2), (1, 4)] if strains == 2 else [(k, k + strains) for k in range(strains)]
    energy = 0.0
    work: dict[str, float] = {}
    for component in system.model.components.values():
        values = _sections(system, component, picked, len(width.section))
        if values is None:
            continue
        if at is not None:
            base = _sections(system, component, at[None, :], len(width.section))
            values = values - base  # type: ignore[operator]
        length = _place(component).length
        energy += length * sum(float(np.mean(np.nan_to_num(values[..., i] * values[..., j]))) for i, j in pairs)
        step = length / _place(component).elements / POINTS
        for curvature, EI, GA in left_out.get(component, ()):
            kappa = values[..., curvature]
            if np.max(np.abs(kappa)) * length > STRAIGHT:
                change = np.gradient(kappa, step, axis=1, edge_order=2)
                flexibility = EI**2 / GA + (EI * component.turning_left_out() if waves else 0.0)
                work[component.name] = work.get(component.name, 0.0) + length * flexibility * float(np.mean(change**2))
    return {name: part / energy for name, part in work.items()} if energy > 0.0 else {}


def _stiffness_left_out(system: System) -> dict[Component, list[tuple[int, float, float]]]:
    """For each active beam without shear the planes in which it bends: the index of the curvature among the numbers of
    a section, EI [N m²] and the shear stiffness GA [N] that is left out."""
    found = {}
    for component in system.model.components.values():
        planes = [] if component.name in system.off else component.shear_left_out()
        finite = [plane for plane in planes if math.isfinite(plane[2])]
        if finite:
            found[component] = finite
    return found


def _sections(system: System, component: Component, q: np.ndarray, width: int) -> np.ndarray | None:
    """Strains and forces of sections (elements, points, k, width) of a beam at rest in positions q (k, nq); None for a
    component that is not a beam or has no section."""
    system = system.whole
    instances = [i for i in system.instances_of(component.name) if i.kernels.section is not None]
    if component.name in system.off or not instances or not isinstance(component.place(), BeamPlace):
        return None
    chosen = [instances[i] for i in _chosen(len(instances))]
    out = np.zeros((len(chosen), POINTS, len(q), width))
    places = np.array([np.asarray(component.point_data(s), dtype=float) for s in _PLACES.tolist()])
    full = np.array([system.full_q(row) for row in q])
    for own, instance in zip(out, chosen):
        sections_at_rest(system.plan, system.scratch, instance.group, instance.place, full, places, own)
    return out


def _chosen(elements: int) -> list[int]:
    """Numbers of the elements of a beam that are evaluated."""
    return sorted({*np.linspace(0, elements - 1, ELEMENTS).astype(int).tolist()})


@compiled
def sections_at_rest(plan, scratch, group, place, q, w, out):
    """Strains and forces of the sections of one instance, out (points, k, …), at rest in positions q (k, total_q); `w`
    (points, …) is the argument of its section kernel."""
    still = np.zeros(plan.total)
    for j in range(w.shape[0]):
        for k in range(q.shape[0]):
            evaluation.sections(plan, scratch, group, place, 0.0, q[k], still, still, w[j], out[j, k])


def _place(component: Component) -> BeamPlace:
    place = component.place()
    assert isinstance(place, BeamPlace)
    return place


def _main(shares: dict[str, float]) -> dict[str, float]:
    """The beams that contribute more than a tenth of the sum."""
    return {name: share for name, share in shares.items() if share > 0.1 * sum(shares.values())}


def _bend(system: System, named: dict[str, float]) -> str:
    names = [system.model.components[name].where for name in named]
    return f"{', '.join(names)} bend{'s' if len(names) == 1 else ''}"


def _what(system: System, named: dict[str, float]) -> str:
    """In words, the effects that beams leave out: shear, and rotary inertia where they turn."""
    turning = any(system.model.components[name].turning_left_out() for name in named)
    return "shear and rotary inertia" if turning else "shear"


def _too_high(share: float) -> str:
    return f"{100.0 * (math.sqrt(1.0 + share) - 1.0):.2g} %"


def _advice(system: System) -> str:
    advice = "take theory='cms' or 'exact' with shear"
    return advice if system.model.dimension == 2 else f"{advice}, or say by GAy and GAz = inf that the beam has none"
