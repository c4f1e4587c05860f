"""Queue tables of other programs in MySQL or MariaDB, as they stand."""
