"""Settings of Sphinx. `python -m docs build` (:mod:`docs.__main__`) runs it on a copy of the pages, into which
generated pages are written too. Nothing is asked of the network, neither by the build nor by its pages."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

import flexmb  # noqa: E402
from docs.tools.places import EXTRA, GALLERIES, SCRIPTS, SOURCE  # noqa: E402

project = "flexmb"
author = "the authors of flexmb"
project_copyright = author
release = version = flexmb.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
    "sphinx_gallery.gen_gallery",
    "docs.tools.figures",
    "docs.tools.docstrings",
    "docs.tools.citations",
    "docs.tools.names",
]
exclude_patterns = ["**/README.md", "**/GALLERY_HEADER.rst"]
templates_path: list[str] = []
show_warning_types = True
nitpicky = True  # a name in a page that the reference lacks is a warning, and so an error

# pages
myst_enable_extensions = ["dollarmath", "amsmath", "deflist", "colon_fence", "attrs_inline", "fieldlist"]
myst_heading_anchors = 4

# mathematics: one file of MathJax 3.2.2, without its menu, which would ask for others
mathjax_path = "mathjax/tex-svg.js"
mathjax3_config = {
    "options": {"enableMenu": False},
    "svg": {"fontCache": "local"},
}

# the public names
default_role = "code"
add_module_names = False
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True}
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 120
toc_object_entries_show_parents = "hide"

# lessons and examples, scripts that are run
sphinx_gallery_conf = {
    "examples_dirs": [str(SCRIPTS / room) for room in GALLERIES],
    "gallery_dirs": list(GALLERIES),
    "filename_pattern": r"[\\/][^_][^\\/]*\.py$",
    "within_subsection_order": "FileNameSortKey",
    "image_scrapers": ("docs.tools.scraper.scrape",),
    "reset_modules": ("docs.tools.scraper.begin",),
    "capture_repr": ("_repr_html_", "__repr__"),
    "ignore_repr_types": r"flexmb\.(visual|plots|machine)|matplotlib|pyvista",
    "default_thumb_file": str(HERE / "_static" / "flexmb.png"),
    "abort_on_example_error": True,
    "download_all_examples": False,
    "min_reported_time": 1e9,
    "write_computation_times": False,
    "show_signature": False,
    "show_memory": False,
    "remove_config_comments": True,
    "plot_gallery": "True",
}

# the site
html_theme = "pydata_sphinx_theme"
html_title = "flexmb"
html_static_path = ["_static"]
html_extra_path = [str(EXTRA)]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_theme_options = {
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "navbar_persistent": ["search-button"],
    "header_links_before_dropdown": 10,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_prev_next": True,
    "show_toc_level": 2,
}
html_context = {"default_mode": "auto"}

assert SOURCE.is_dir(), "run: python -m docs build"
EXTRA.mkdir(parents=True, exist_ok=True)
