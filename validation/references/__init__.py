"""References that do not know flexmb: closed forms and independent derivations."""
