"""The classical formulations by name."""

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

#: the classical formulations by name, in the order of the survey
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
