"""Dead letters on plain PostgreSQL: psycopg and SQL. No Django, no Spark, no Celery."""
