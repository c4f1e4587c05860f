-- Sessions, as each request asks for its own.

-- name: signed_data
SELECT session_data FROM django_session WHERE session_key = %(key)s AND expire_date > %(now)s
