"""The two-link flexible arm: printed frequencies, modellings that agree, and what control makes of the vibration."""

from __future__ import annotations

import numpy as np

import flexmb as fm
from flexmb.examples import two_link_arm as arm
from flexmb.validation.registry import Check, case


def same_drive(modelling: str, method: str = "generalized_alpha", t_end: float = 1.0) -> fm.Solution:
    """The arm whose rotors are turned as in case 2, without any error of control."""
    angles = tuple(fm.TrapezoidalSpeed(angle * arm.RATIO, 0.2, 0.2, 0.2) for angle in arm.CASES["case 2"])
    model = arm.build(modelling, angles=(angles[0], angles[1])).model
    if method == "generalized_alpha":
        return fm.simulate(model, t_end, step=2.5e-4, progress=False)
    return fm.simulate(model, t_end, method, rtol=1e-8, atol=1e-10, progress=False)


def tips_apart(first: fm.Solution, second: fm.Solution) -> float:
    """How far the tips are apart at the end of the first run [m]."""
    t = first.t[-1]
    return float(np.hypot(*(first["tip"].position[-1] - second.at([t])["tip"].position[0])))


@case("two-link-arm")
def compute() -> list[Check]:
    """a two-link flexible arm: three modellings, its linear plant, three controllers; source 004, §2.3.2 and §2.4"""
    checks = []
    for modelling in arm.MODELLINGS:
        found = fm.modes(arm.held(modelling), 2).frequencies
        for k, printed in enumerate(arm.FREQUENCIES):
            what = f"{modelling}: natural frequency {k + 1} with motors held [Hz]"
            checks.append(Check(what, found[k], printed, 0.005, "source 004 §2.3.2, printed to 0.01 Hz"))
    shared = same_drive("shared")
    reduced = tips_apart(shared, same_drive("clamped", "independent"))
    checks.append(
        Check(
            "tips apart: shared frames, and (62) reduced to independent coordinates [m]",
            reduced,
            0.0,
            2e-6,
            "each other",
        )
    )
    for name in arm.CASES:
        off = arm.apart(arm.move(name), arm.move(name, "ancf"))
        checks.append(
            Check(
                f"{name}: tip acceleration, CMS against ANCF after 1.5 s [–]", off, 0.0, 0.02, "16 ANCF elements a link"
            )
        )
    plant = arm.plant()
    states = "source 004 eq. (77)"
    checks.append(Check("states of the plant with its filters", len(plant), 34.0, 0.0, states))
    checks.append(
        Check(
            "modes of the plant that are not reached, or not seen",
            float(len(plant.uncontrollable) + len(plant.unobservable)),
            0.0,
            0.0,
            states,
        )
    )
    design = arm.design(plant)
    runs = {name: arm.residue(arm.controlled(name, arm.SMALL, of=design, t_end=4.3)) for name in arm.CONTROLLERS}
    local, sofb, sosmc = (runs[name] for name in arm.CONTROLLERS)
    heavier = arm.residue(arm.controlled("SOSMC", arm.SMALL, of=design, tip_mass=1.2 * arm.TIP_MASS, t_end=4.3))
    figures = "source 004, figs. 10 to 12"
    checks.append(Check("+15°: SOSMC's residue by local feedback's after 4 s [–]", sosmc / local, 0.0, 0.2, figures))
    checks.append(Check("+15°: SOSMC's residue by SOFB's [–]", sosmc / sofb, 0.0, 1.0, figures))
    checks.append(
        Check(
            "+15°: SOSMC's residue, tip mass +20 % by nominal [–]",
            heavier / sosmc,
            1.0,
            0.3,
            "source 004, figs. 12 and 17",
        )
    )
    return checks
