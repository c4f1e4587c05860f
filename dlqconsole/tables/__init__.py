"""Migrate: it runs the SQL files of the core and of each feature."""
