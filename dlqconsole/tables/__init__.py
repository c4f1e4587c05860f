"""Django's migrations of the tables: they run the SQL files of the core and of each feature."""
