"""References that do not use flexmb: closed forms and independent derivations."""
