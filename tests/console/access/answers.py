"""The answers of an address to nobody, a stranger, a viewer, an operator and an admin."""

OPEN = (200, 200, 200, 200, 200)
READ = (302, 403, 200, 200, 200)
ACT = (302, 403, 403, 200, 200)
ROW = (302, 403, 404, 404, 404)  # may look, and there is no such row
ROW_TO_CHANGE = (302, 403, 403, 404, 404)
POST_ONLY = (302, 403, 403, 405, 405)
