"""Values between the steps of a run, and inside of steps that were made again."""
