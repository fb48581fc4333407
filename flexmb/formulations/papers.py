"""The classical formulations by name, those of rigid bodies and those of flexible ones, and what each takes."""

from __future__ import annotations

from flexmb.formulations.classical import (
    boland_samin_willems,
    discos,
    frisch,
    gibbs_appell,
    ho,
    hooker_1970,
    hooker_margulies,
    jerkovsky,
    kane,
    roberson_wittenburg,
)
from flexmb.formulations.classical.paper import Paper
from flexmb.formulations.classical.scope import Obstacle
from flexmb.formulations.flexible import (
    boland_flexible,
    discos_flexible,
    frisch_flexible,
    gibbs_appell_flexible,
    ho_herber,
    hooker_1975,
    kane_flexible,
    likins_1974,
    singh_likins,
)

#: the classical formulations of rigid bodies by name, in the order of the survey
CLASSICAL: dict[str, Paper] = {
    "roberson-wittenburg": roberson_wittenburg.PAPER,
    "hooker-margulies": hooker_margulies.PAPER,
    "hooker-1970": hooker_1970.PAPER,
    "boland-samin-willems": boland_samin_willems.PAPER,
    "frisch": frisch.PAPER,
    "ho": ho.PAPER,
    "discos": discos.PAPER,
    "jerkovsky": jerkovsky.PAPER,
    "kane": kane.PAPER,
    "gibbs-appell": gibbs_appell.PAPER,
}

#: those of flexible bodies; where both have a name, this one is of mechanisms with flexible bodies
FLEXIBLE: dict[str, Paper] = {
    "hooker-1975": hooker_1975.PAPER,
    "boland-samin-willems": boland_flexible.PAPER,
    "likins-1974": likins_1974.PAPER,
    "frisch": frisch_flexible.PAPER,
    "ho": ho_herber.PAPER,
    "discos": discos_flexible.PAPER,
    "kane": kane_flexible.PAPER,
    "gibbs-appell": gibbs_appell_flexible.PAPER,
    "singh-likins": singh_likins.PAPER,
}
#: names of all classical formulations
NAMES: list[str] = [*CLASSICAL, *(name for name in FLEXIBLE if name not in CLASSICAL)]


def paper_for(name: str, found: list[Obstacle]) -> Paper:
    """The formulation of a name for a mechanism that has such features."""
    flexible = any(obstacle.feature == "flexible" for obstacle in found)
    of = FLEXIBLE if name not in CLASSICAL or (flexible and name in FLEXIBLE) else CLASSICAL
    return of[name]
