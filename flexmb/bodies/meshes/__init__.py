"""Meshes of reduced bodies: their surface, and how it is finished."""
