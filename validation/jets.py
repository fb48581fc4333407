"""A satellite that jets hold, on or off: the limit cycle about one axis."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.errors import DivergenceWarning
from flexmb.validation.references import jets as reference
from flexmb.validation.registry import Check, Record, case

INERTIA, THRUST, ARM, EXHAUST = 50.0, 5.0, 1.0, 2000.0
#: threshold [rad] and distance to that of closing, how far the law looks ahead, shortest pulse and delay [s]
DEAD, HYSTERESIS, AHEAD, PULSE, DELAY = 0.02, 1e-3, 2.0, 0.1, 0.02
CHANGE = THRUST * ARM * PULSE / INERTIA
#: options of methods, and the largest error of a period with them [s]
METHODS: dict[str, tuple[dict[str, Any], float]] = {
    "radau": ({"tolerance": 1e-8}, 5e-6),
    "dop853": ({"tolerance": 1e-9}, 1e-6),
    "generalized_alpha": ({"step": 1e-2}, 1e-5),
}


def build(rate: float = 0.5 * CHANGE, pulse: float = PULSE, delay: float = DELAY, apart: float = HYSTERESIS) -> Any:
    """The satellite with two jets on an arm, each with its law."""
    model = fm.SpatialModel("satellite with jets")
    hull = model.add_body("hull", mass=100.0, inertia=(INERTIA, INERTIA, INERTIA))
    hull.move(angular_velocity=(0.0, 0.0, rate))
    tip = hull.attach("tip", (ARM, 0.0, 0.0))
    read = [fm.control.AttitudeError(hull.frame, "z"), fm.control.Gyro(hull.frame, "z")]
    for name, way in (("right", 1.0), ("left", -1.0)):
        law = fm.control.WeightedSum(read, [way, way * AHEAD])
        model.thruster(
            tip, THRUST, law, opens=DEAD, closes=DEAD - apart, axis=(0.0, -way, 0.0), pulse=pulse, delay=delay,
            exhaust=EXHAUST, name=name,
        )  # fmt: skip
    return model


@case("jets", draw=build)
def compute() -> Iterator[Record]:
    """on–off control of one axis by jets with a shortest pulse: the limit cycle"""
    source, why = "closed form", "instants are found to some 1e-7 of the run"
    for share in (0.5, 0.3):
        period, top, low = reference.cycle(share * CHANGE, CHANGE, DEAD, AHEAD, PULSE, DELAY)
        for method, (options, allowed) in METHODS.items():
            model = build(share * CHANGE)
            run = fm.simulate(model, 4.0 * period, method, progress=False, **options)
            right = model.components["right"]
            pulses = right.pulses(run)
            label = f"{method}, rate {share:g} Δ"
            found = float(np.diff(pulses[:, 0]).mean())
            yield Check(f"{label}: period [s]", found, period, allowed, source, why)
            long = float(np.max(np.abs(np.diff(pulses[:-1], axis=1) - PULSE)))
            yield Check(f"{label}: largest error of a pulse [s]", long, 0.0, 1e-7, "the shortest pulse", why)
        angle = run.at(np.linspace(period, 3.0 * period, 4001))["hull"].euler_parameters
        turned = 2.0 * np.arctan2(angle[:, 3], angle[:, 0])
        yield Check(f"rate {share:g} Δ: largest angle [rad]", float(turned.max()), top, 1e-6, source, "rows of a table")
        yield Check(f"rate {share:g} Δ: lowest angle [rad]", float(turned.min()), low, 1e-6, source, "rows of a table")
        used = right.used(run) * EXHAUST / (THRUST * PULSE)
        yield Check(
            f"rate {share:g} Δ: pulses of a jet, by the mass used", used, float(len(pulses)), 1e-5, "count", why
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DivergenceWarning)
        run = fm.simulate(build(0.02, pulse=0.0, delay=0.0, apart=0.0), 10.0, progress=False)
    ended = float(run.status == "diverged" and "'right: told to" in run.message)
    yield Check("without pulse, delay and distance of thresholds: stopped by name", ended, 1.0, 0.0, "it chatters", "–")
