"""A two-link flexible arm: model, motors, control, pictures; Kobayashi (n.d.), §2.3.2 and §2.4.

`arm.py` is the arm in three modellings, `motions.py` its motions under local feedback (figs. 6 and 7), `control.py` its
control against vibration (figs. 10 to 17), `report.py` the page that `flexmb demo two-link-arm` writes.
"""

from flexmb.examples.two_link_arm.arm import FREQUENCIES, MODELLINGS, PERIOD, RATIO, TIP_MASS, build, held
from flexmb.examples.two_link_arm.control import (
    CONTROLLERS,
    FRICTION,
    LARGE,
    SMALL,
    controlled,
    design,
    plant,
    residue,
)
from flexmb.examples.two_link_arm.motions import CASES, acceleration_difference, move
from flexmb.examples.two_link_arm.report import run

__all__ = [
    "CASES",
    "CONTROLLERS",
    "FREQUENCIES",
    "FRICTION",
    "LARGE",
    "MODELLINGS",
    "PERIOD",
    "RATIO",
    "SMALL",
    "TIP_MASS",
    "acceleration_difference",
    "build",
    "controlled",
    "design",
    "held",
    "move",
    "plant",
    "residue",
    "run",
]
