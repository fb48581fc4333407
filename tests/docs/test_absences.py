"""What a page says that there is not, or is refused, is so; and the list of features names all verbs."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from docs.tools.pages import FENCE
from docs.tools.places import DOCS
from flexmb.planar.verbs import PlanarVerbs
from flexmb.spatial.verbs import SpatialVerbs
from tests.docs import absences as of
from tests.docs import absent_of_parts as parts

#: words by which pages claim an absence
CLAIM = re.compile(
    r"\b(refuse[sd]?|cannot|there (is|are) no|(is|are) not (read|taken|looked for)|not here|no like|not at all|"
    r"nothing runs|no files|nor can|tell no|all methods but|but ANCF)\b|not of shells|^none;",
    re.IGNORECASE,
)
#: folders of pages that say what the program takes; performance and validation speak of other programs and of papers
ROOMS = ("start", "how-to", "coming-from", "theory")
PAGES = [DOCS / "index.md", *(path for room in ROOMS for path in sorted((DOCS / room).glob("*.md")))]
#: of each page words of a sentence that claims an absence, and what shows it
SHOWN: dict[str, dict[str, Callable[[], None]]] = {
    "coming-from/exudyn.md": {
        "which keeps all nodes of a mesh as coordinates": of.nowhere("ffrf", "full_body"),
        "Exudyn has what is not here": of.nowhere("plate", "shell", "triangle", "hydraul", "live"),
    },
    "coming-from/mbdyn.md": {"MBDyn has what is not here": of.nowhere("aero", "hydraul", "electric", "cosim", "fmu")},
    "coming-from/mujoco.md": {
        "MJCF is not read": parts.robot_files,
        "nothing runs on graphics cards": of.nowhere("gpu", "cuda"),
    },
    "coming-from/pinocchio.md": {"none;": of.nowhere("derivative")},
    "coming-from/simscape-adams.md": {
        "MNF is not read": of.nowhere("mnf"),
        "no files of tires": of.nowhere("read_tire", "tir_file"),
        "There is no editor": of.nowhere("editor", "gui"),
    },
    "how-to/along-a-run.md": {
        "A state that does not come back": of.motions_that_jump,
        "Runs with sampled controllers, with jets": of.motions_that_jump,
    },
    "how-to/asked.md": {
        "come out of the same equations as the rates of states, and are refused": of.states,
        "it may read accelerations": of.states,
    },
    "how-to/beams.md": {
        "tell no stresses of such sections": parts.sections,
        "no damping in proportion to the mass": parts.damping_by_mass,
        "on straight beams of one section": parts.heat,
    },
    "how-to/batches.md": {
        "A name that means nothing is refused": parts.batches,
        "that of another is refused": parts.batches,
    },
    "how-to/bodies.md": {
        "Events cannot switch a jet": of.jets,
        "Analyses in which nothing moves refuse a tank": of.jets,
        "was forgotten is refused": of.attraction,
    },
    "how-to/contact.md": {
        "It runs by all methods but": of.heaps,
        "Friction of a joint whose force is not determined": of.joint_friction,
        "which know no such law, refuse it": of.joint_friction,
    },
    "how-to/arm-to-lqg.md": {"It is refused by name unless it decays": of.slow_sampling},
    "how-to/control.md": {
        "A state is not at rest": of.states,
        "Sensors with noise or a resolution are refused": of.states,
        "a task of more rows than there are motors": of.inverse_dynamics,
        "Springs, dampers and friction in the controller's model": of.inverse_dynamics,
    },
    "how-to/curved-beams.md": {
        "All that a straight beam can they can too, but take": parts.heat,
        "A section is refused where it is not positive": parts.curved_beams,
        "Kinks of `twist` are not looked for": parts.curved_beams,
    },
    "how-to/drives.md": {"refuses them by name": parts.rest_with_bristles},
    "how-to/environments.md": {"What needs Python on its way": of.learning},
    "how-to/events.md": {
        "moves through its value at the start is refused": of.events,
        "leave events out": of.events,
        "bodies and beams cannot": of.events,
    },
    "how-to/flexible-arms.md": {"Prismatic joints, loads, controllers and events": of.flex_arms},
    "how-to/formulations.md": {"the base shifts freely, or not at all": of.bases_on_rails},
    "how-to/joint-coordinates.md": {"Beams (but ANCF cables)": parts.cables_as_links},
    "how-to/methods.md": {
        "There is no method": of.methods,
        "other values are refused": of.methods,
        "What is not known is doubted or refused": of.going_on,
        "one of more than a tenth is refused": of.gaps,
        "warn and refuse alike": of.gaps,
        "a run that would begin with a misfit": of.strained_starts,
    },
    "how-to/orientations.md": {"where they leave doubt the angle is refused": of.turns},
    "how-to/orbit.md": {
        "A tank, or a component of your own": parts.tanks_in_orbit,
        "which leaves forces to its caller": parts.loads_of_a_formulation,
        "On an ellipse nothing is steady": parts.orbits,
        "a `spin` that is not the orbit's is refused": parts.orbits,
        "parabolas and hyperbolas are refused": parts.orbits,
    },
    "how-to/reduced-bodies.md": {
        "A face with four corners that lies on two triangles": parts.meshes,
        "refused with its number if it is not there": parts.memory_of_factors,
        "the field of such a body is linear": parts.bodies_of_matrices,
    },
    "how-to/redundancy.md": {
        "refuses such joints instead": of.redundant_rows,
        "Rows that contradict others at the start": of.redundant_rows,
    },
    "how-to/results.md": {"Devices and pipes are refused": parts.files},
    "how-to/robots.md": {
        "Inertias that no body can have": parts.robot_files,
        "What cannot be reached": parts.poses_out_of_reach,
    },
    "how-to/sensitivities.md": {
        "A dash is refused by name": of.derivatives,
        "it is refused, or doubted, by name and time": of.derivatives_at_events,
        "Forces that the motion does not determine": of.derivatives,
        "nearly equal frequencies": parts.derivatives_of_bodies,
    },
    "start/index.md": {
        "not of shells": parts.meshes,
        "Plasticity, hydraulics": of.nowhere("plastic", "hydraul", "circuit"),
    },
    "theory/ancf-cable.md": {
        "There are no velocity terms at all": parts.laws_of_cables,
        "There is no shear.": parts.laws_of_cables,
    },
    "theory/classical-formulations.md": {
        "All are refused by the name of the component": parts.classical_formulations,
        "all of these refuse them by name": parts.classical_formulations,
    },
    "theory/control-of-robots.md": {"Springs, dampers, friction and loads in the controller's": of.inverse_dynamics},
    "theory/friction.md": {
        "friction of a joint whose force is not determined": of.joint_friction,
        "Equilibria and linear models refuse the sticking law": of.joint_friction,
    },
    "theory/linear-models.md": {"If they differ, the analysis refuses": of.rolling},
    "theory/redundancy-and-singular-positions.md": {
        "such a mechanism is refused by name": of.redundant_rows,
        "Friction that depends on a force which is not unique": of.joint_friction,
    },
    "theory/rigid-bodies-joints-rows.md": {"analyses that have no use for it": of.rolling},
    "theory/sensitivities.md": {"the derivative is doubted, above 1 it is refused": of.derivatives_at_events},
}
#: sentences with words of refusal that do not speak of something missing
ELSEWHERE = (
    "A result that can be trusted, or says that it cannot",
    "where it cannot keep them",
    "completely or not at all",
    "which linear interpolation cannot do",
    "cannot turn its own field",
)
SNIPPETS = {snippet: None for claims in SHOWN.values() for snippet in claims.values()}


def claims(text: str) -> list[str]:
    """The sentences, headings, items and cells of a page that claim an absence, but for those in front of a block that
    prints a refusal."""
    blocks = FENCE.sub(lambda block: "\n\n<except>\n\n" if "except " in block["body"] else "\n\n", text)
    parts = [" ".join(part.split()) for part in re.split(r"(?<=[.:;])\s+|\n\n|\n- |\n\||\| ", blocks)]
    parts = [part for part in parts if part]
    return [words for words, then in zip(parts, [*parts[1:], ""]) if CLAIM.search(words) and then != "<except>"]


def test_a_claim_of_absence_has_a_snippet_that_shows_it():
    unknown = []
    for path in PAGES:
        known = (*SHOWN.get(path.relative_to(DOCS).as_posix(), ()), *ELSEWHERE)
        found = claims(path.read_text(encoding="utf-8"))
        unknown += [f"{path.name}: {words}" for words in found if not any(some in words for some in known)]
    assert not unknown, "\n".join(["show these by a snippet in tests/docs/absences.py, or leave them out:", *unknown])


def test_a_block_behind_a_claim_shows_it():
    shown = "It cannot:\n\n```python\ntry:\n    do()\nexcept Refused:\n    pass\n```\n"
    assert claims(shown) == [] and claims(shown.replace("except Refused", "finally")) == ["It cannot:"]


def test_claims_that_are_shown_stand_on_their_pages():
    for page, claims in SHOWN.items():
        text = " ".join((DOCS / page).read_text(encoding="utf-8").split())
        assert [words for words in claims if words not in text] == [], page


@pytest.mark.parametrize("snippet", SNIPPETS, ids=lambda snippet: snippet.__name__)
def test_what_is_said_to_be_absent_is(snippet):
    snippet()


def test_the_list_of_features_names_every_verb_of_a_model():
    text = (DOCS / "start" / "features.md").read_text(encoding="utf-8")
    verbs = {name for kind in (PlanarVerbs, SpatialVerbs) for name in vars(kind) if not name.startswith("_")}
    assert len(verbs) > 50 and sorted(verb for verb in verbs if not re.search(rf"\b{verb}\b", text)) == []
