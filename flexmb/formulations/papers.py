"""The classical formulations by name, those of rigid bodies and those of flexible ones, and what each takes."""

from __future__ import annotations

from collections.abc import Mapping

from flexmb.formulations.classical.paper import Paper
from flexmb.formulations.classical.scope import Obstacle
from flexmb.machine.late_names import Choice

#: the classical formulations of rigid bodies by name, in the order of the survey; some are those of flexible bodies,
#: of which a rigid one has no modes
CLASSICAL: Mapping[str, Paper] = Choice(
    {
        "roberson-wittenburg": "flexmb.formulations.classical.roberson_wittenburg:PAPER",
        "hooker-margulies": "flexmb.formulations.classical.hooker_margulies:PAPER",
        "hooker-1970": "flexmb.formulations.classical.hooker_1970:PAPER",
        "boland-samin-willems": "flexmb.formulations.flexible.boland_flexible:PAPER",
        "frisch": "flexmb.formulations.flexible.frisch:PAPER",
        "ho": "flexmb.formulations.classical.ho:PAPER",
        "discos": "flexmb.formulations.flexible.discos:PAPER",
        "jerkovsky": "flexmb.formulations.classical.jerkovsky:PAPER",
        "kane": "flexmb.formulations.flexible.kane:PAPER",
        "gibbs-appell": "flexmb.formulations.flexible.gibbs_appell:PAPER",
    }
)

#: those of flexible bodies; where both have a name, this one is of mechanisms with flexible bodies
FLEXIBLE: Mapping[str, Paper] = Choice(
    {
        "hooker-1975": "flexmb.formulations.flexible.hooker_1975:PAPER",
        "boland-samin-willems": "flexmb.formulations.flexible.boland_flexible:PAPER",
        "likins-1974": "flexmb.formulations.flexible.likins_1974:PAPER",
        "frisch": "flexmb.formulations.flexible.frisch:PAPER",
        "ho": "flexmb.formulations.flexible.ho_herber:PAPER",
        "discos": "flexmb.formulations.flexible.discos:PAPER",
        "kane": "flexmb.formulations.flexible.kane:PAPER",
        "gibbs-appell": "flexmb.formulations.flexible.gibbs_appell:PAPER",
        "singh-likins": "flexmb.formulations.flexible.singh_likins:PAPER",
    }
)
#: names of all classical formulations
NAMES: list[str] = [*CLASSICAL, *(name for name in FLEXIBLE if name not in CLASSICAL)]


def paper_for(name: str, found: list[Obstacle]) -> Paper:
    """The formulation of a name for a mechanism that has such features."""
    flexible = any(obstacle.feature == "flexible" for obstacle in found)
    of = FLEXIBLE if name not in CLASSICAL or (flexible and name in FLEXIBLE) else CLASSICAL
    return of[name]
