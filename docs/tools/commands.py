"""The page of the command line, as the commands describe themselves."""

from __future__ import annotations

import click

from flexmb.cli import main

HEAD = """\
Command line
============

``flexmb`` is installed with the package; ``python -m flexmb`` is the same. What is in brackets may be left out.

"""


def page() -> str:
    """Each command with its arguments and options."""
    text = HEAD
    for name, command in main.commands.items():
        context = click.Context(command, info_name=f"flexmb {name}")
        usage = " ".join(command.collect_usage_pieces(context))
        text += f"flexmb {name}\n{'-' * (len(name) + 7)}\n\n.. code-block:: none\n\n   flexmb {name} {usage}\n\n"
        text += f"{' '.join((command.help or '').split())}\n\n"
        rows = [record for option in command.params if (record := option.get_help_record(context))]
        if rows:
            text += ".. list-table::\n   :widths: 35 65\n\n"
            text += "".join(f"   * - ``{shown}``\n     - {about}\n" for shown, about in rows) + "\n"
    return text
