"""All pages that are made of something else: public names, errors, commands, the format of files, sources,
validation cases."""

from __future__ import annotations

import inspect
import re

import flexmb.results.store
from docs.tools import arguments, citations, commands, docstrings, messages, reference, validation
from docs.tools.places import ROOT


def generated() -> dict[str, str]:
    """Texts of pages by their paths within the site."""
    return {
        "sources.md": citations.page(),
        "how-to/messages.rst": messages.page(),
        "reference/command-line.rst": commands.page(),
        "reference/result-files.rst": result_files(),
        "reference/kernel-contract.md": kernel_contract(),
        **reference.pages(),
        **arguments.pages(),
        **validation.pages(),
    }


def result_files() -> str:
    """The format of result files, as the package that writes them describes it."""
    lines = docstrings.changed((inspect.getdoc(flexmb.results.store) or "").splitlines())
    title = "Result files"
    return "\n".join([title, "=" * len(title), "", *lines, ""])


def kernel_contract() -> str:
    """The last part of the page about elements of one's own. Links to files of the source become their names."""
    text = (ROOT / "examples" / "own_elements" / "README.md").read_text(encoding="utf-8")
    parts = re.findall(r"^## (.+)\n((?:(?!## ).*\n)*)", text, re.M)
    chosen = dict(parts)
    found = "# The contract of a component\n"
    for heading in ("The contract on one page", "Coordinates, and components in space", "When something is wrong"):
        found += f"\n## {heading}\n{chosen[heading]}"
    found = re.sub(r"\[([^\]]*)\]\((?!https?:)[^)]*\)", r"\1", found)
    return found.replace("```python\n", "```py\n")
