"""A console for dead letters."""

__version__ = "0.1.0"
