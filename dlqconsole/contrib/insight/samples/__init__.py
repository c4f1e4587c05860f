"""Inputs that handlers succeeded with: which are kept, how they are stored, and for how long."""
