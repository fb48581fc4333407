"""What pictures and diagrams show of a solution, and the verbs by which it shows itself."""
