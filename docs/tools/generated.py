"""All pages that are made of something else: public names, errors, the list of sources, the README of an example."""

from __future__ import annotations

from docs.tools import citations, reference


def generated() -> dict[str, str]:
    """Texts of pages by their paths within the site."""
    return {"sources.md": citations.page(), **reference.pages()}
