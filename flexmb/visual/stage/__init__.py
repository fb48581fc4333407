"""The stage: the pieces that a picture of a mechanism shows, where they stand in space, and how large they are."""
