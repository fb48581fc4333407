"""`python -m flexmb` is the command `flexmb`."""

from flexmb.cli import main

main()
