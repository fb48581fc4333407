"""Solutions: named access, energy, files, plots."""
