DROP TRIGGER scopes_noted ON scopes;
DROP TRIGGER scopes_emptied ON scopes;
DROP FUNCTION scopes_noted();
