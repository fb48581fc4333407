"""A two-link flexible arm: model, motors, control, pictures; Kobayashi (n.d.), §2.3.2 and §2.4.

`arm.py` is the arm in three modellings, `motions.py` its motions under local feedback (figs. 6 and 7), `control.py` its
control against vibration (figs. 10 to 17), `report.py` the page that `flexmb demo two-link-arm` writes.
"""

from flexmb.examples.two_link_arm.arm import FREQUENCIES, MODELLINGS, PERIOD, RATIO, TIP_MASS, build, held
from flexmb.examples.two_link_arm.control import (
    CONTROLLERS,
    FIRM,
    FRICTION,
    LARGE,
    LATE,
    SMALL,
    TIP,
    controlled,
    design,
    friction,
    plant,
    sticking,
)
from flexmb.examples.two_link_arm.motions import CASES, acceleration_difference, move
from flexmb.examples.two_link_arm.report import run

__all__ = [
    "CASES",
    "CONTROLLERS",
    "FIRM",
    "FREQUENCIES",
    "FRICTION",
    "LARGE",
    "LATE",
    "MODELLINGS",
    "PERIOD",
    "RATIO",
    "SMALL",
    "TIP",
    "TIP_MASS",
    "acceleration_difference",
    "build",
    "controlled",
    "design",
    "friction",
    "held",
    "move",
    "plant",
    "run",
    "sticking",
]
