"""Rights in SQL: the roles of the database and the grants of each."""
