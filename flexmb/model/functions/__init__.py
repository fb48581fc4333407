"""Functions of time, which drives, motors and loads follow: smooth ones, jumps and corners, splines, rotations."""
