-- Accounts, as each request asks for them.

-- name: person
-- An account with the names of its groups and what its scopes and theirs let it see.
SELECT u.*,
    ARRAY(
        SELECT g.name FROM auth_user_groups m (id, account, role) JOIN auth_group g ON g.id = m.role WHERE m.account = u.id
    ) AS group_names,
    ARRAY(
        SELECT ARRAY[s.queue, s.event_type] FROM scopes s
        WHERE s.user_id = u.id
            OR s.group_id IN (SELECT m.role FROM auth_user_groups m (id, account, role) WHERE m.account = u.id)
    ) AS scope_pairs
FROM auth_user u WHERE u.id = %(id)s;

-- name: token
SELECT t.*, t.expires_at <= now() AS is_over,
    coalesce(t.last_used_at > now() - interval '1 minute', false) AS was_used
FROM personal_tokens t WHERE t.sha256 = %(sha256)s
