"""Who may do what in SQL: the roles of the database and what each is granted."""
