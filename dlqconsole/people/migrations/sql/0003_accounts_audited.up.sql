-- Every change of an account, a role or a permission stands in the audit log, whoever makes it, and however: a form, a
-- bulk UPDATE that no signal sees, psql. SECURITY DEFINER: who may change accounts need not be able to write entries of
-- their own. A value stands there only where it is none of a person's own: of a password or an e-mail, that it changed.

CREATE FUNCTION acting_person() RETURNS text LANGUAGE plpgsql STABLE
    SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    RETURN coalesce(nullif(current_setting('dlq.actor', true), ''), 'sql:' || session_user);
END $$;
COMMENT ON FUNCTION acting_person() IS
    'Who changes accounts: what the program said with SET LOCAL dlq.actor, else the role of the session.';
REVOKE EXECUTE ON FUNCTION acting_person() FROM PUBLIC;

CREATE FUNCTION account_difference(was jsonb, becomes jsonb) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE
    SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    RETURN (
        SELECT jsonb_strip_nulls(jsonb_build_object(
            'changes', jsonb_object_agg(key, jsonb_build_array(was -> key, becomes -> key)) FILTER (WHERE is_shown),
            'also', jsonb_agg(key ORDER BY key) FILTER (WHERE NOT is_shown)))
        FROM (
            SELECT key, key IN ('username', 'name', 'is_active', 'is_staff', 'is_superuser') AS is_shown
            FROM jsonb_object_keys(becomes) key
            WHERE key <> 'last_login' AND was -> key IS DISTINCT FROM becomes -> key) differs);
END $$;
COMMENT ON FUNCTION account_difference(jsonb, jsonb) IS
    'What became of an account or a group: before and after, and of what is nobody else''s business its name alone.';
REVOKE EXECUTE ON FUNCTION account_difference(jsonb, jsonb) FROM PUBLIC;

CREATE FUNCTION auth_user_audited() RETURNS trigger LANGUAGE plpgsql
    SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    IF TG_RELID <> 'public.auth_user'::regclass THEN
        RAISE EXCEPTION 'auth_user_audited() is for auth_user' USING ERRCODE = 'insufficient_privilege';
    ELSIF TG_OP = 'INSERT' THEN
        INSERT INTO public.audit_log (actor, action, target, detail)
        SELECT public.acting_person(), 'create', 'account:' || id, jsonb_build_object(
            'name', username, 'is_active', is_active, 'is_staff', is_staff, 'is_superuser', is_superuser)
        FROM came ORDER BY id;
    ELSIF TG_OP = 'UPDATE' THEN
        INSERT INTO public.audit_log (actor, action, target, detail)
        SELECT public.acting_person(), CASE WHEN d.said = '{"also": ["password"]}' THEN 'change password' ELSE 'change' END,
            'account:' || d.id, d.said || jsonb_build_object('name', d.username)
        FROM (SELECT c.id, c.username, public.account_difference(to_jsonb(w), to_jsonb(c)) AS said
            FROM went w JOIN came c ON c.id = w.id) d
        WHERE d.said <> '{}' ORDER BY d.id;
        -- a number is the account: who gives one another number has taken one away and made one
        INSERT INTO public.audit_log (actor, action, target, detail)
        SELECT public.acting_person(), 'delete', 'account:' || id, jsonb_build_object('name', username)
        FROM went WHERE id NOT IN (SELECT id FROM came) ORDER BY id;
        INSERT INTO public.audit_log (actor, action, target, detail)
        SELECT public.acting_person(), 'create', 'account:' || id, jsonb_build_object(
            'name', username, 'is_active', is_active, 'is_staff', is_staff, 'is_superuser', is_superuser)
        FROM came WHERE id NOT IN (SELECT id FROM went) ORDER BY id;
    ELSIF TG_OP = 'DELETE' THEN
        INSERT INTO public.audit_log (actor, action, target, detail)
        SELECT public.acting_person(), 'delete', 'account:' || id, jsonb_build_object('name', username)
        FROM went ORDER BY id;
    ELSE
        INSERT INTO public.audit_log (actor, action, target) VALUES (public.acting_person(), 'truncate', 'table:auth_user');
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION auth_user_audited() IS
    'Trigger of Django''s auth_user: accounts made, changed, deleted. A sign-in alone changes nothing that counts.';
REVOKE EXECUTE ON FUNCTION auth_user_audited() FROM PUBLIC;

CREATE FUNCTION auth_user_groups_audited() RETURNS trigger LANGUAGE plpgsql
    SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    IF TG_RELID <> 'public.auth_user_groups'::regclass THEN
        RAISE EXCEPTION 'auth_user_groups_audited() is for auth_user_groups' USING ERRCODE = 'insufficient_privilege';
    ELSIF TG_OP = 'TRUNCATE' THEN
        INSERT INTO public.audit_log (actor, action, target)
        VALUES (public.acting_person(), 'truncate', 'table:auth_user_groups');
        RETURN NULL;
    END IF;
    IF TG_OP <> 'INSERT' THEN
        INSERT INTO public.audit_log (actor, action, target, detail)
        SELECT public.acting_person(), 'leave role', 'account:' || w.user_id, jsonb_build_object(
            'role', coalesce(g.name, w.group_id::text), 'name', u.username)
        FROM went w LEFT JOIN public.auth_group g ON g.id = w.group_id LEFT JOIN public.auth_user u ON u.id = w.user_id
        ORDER BY w.user_id, w.group_id;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO public.audit_log (actor, action, target, detail)
        SELECT public.acting_person(), 'join role', 'account:' || c.user_id, jsonb_build_object(
            'role', coalesce(g.name, c.group_id::text), 'name', u.username)
        FROM came c LEFT JOIN public.auth_group g ON g.id = c.group_id LEFT JOIN public.auth_user u ON u.id = c.user_id
        ORDER BY c.user_id, c.group_id;
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION auth_user_groups_audited() IS 'Trigger of Django''s auth_user_groups: who got and lost which role.';
REVOKE EXECUTE ON FUNCTION auth_user_groups_audited() FROM PUBLIC;

CREATE FUNCTION auth_group_audited() RETURNS trigger LANGUAGE plpgsql
    SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    IF TG_RELID <> 'public.auth_group'::regclass THEN
        RAISE EXCEPTION 'auth_group_audited() is for auth_group' USING ERRCODE = 'insufficient_privilege';
    ELSIF TG_OP = 'TRUNCATE' THEN
        INSERT INTO public.audit_log (actor, action, target) VALUES (public.acting_person(), 'truncate', 'table:auth_group');
    ELSIF TG_OP = 'UPDATE' THEN
        INSERT INTO public.audit_log (actor, action, target, detail)
        SELECT public.acting_person(), 'change', 'role:' || c.id,
            public.account_difference(to_jsonb(w), to_jsonb(c)) || jsonb_build_object('name', c.name)
        FROM went w JOIN came c ON c.id = w.id WHERE w IS DISTINCT FROM c ORDER BY c.id;
    ELSIF TG_OP = 'INSERT' THEN
        INSERT INTO public.audit_log (actor, action, target, detail)
        SELECT public.acting_person(), 'create', 'role:' || id, jsonb_build_object('name', name) FROM came ORDER BY id;
    ELSE
        INSERT INTO public.audit_log (actor, action, target, detail)
        SELECT public.acting_person(), 'delete', 'role:' || id, jsonb_build_object('name', name) FROM went ORDER BY id;
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION auth_group_audited() IS 'Trigger of Django''s auth_group: roles made, renamed, deleted.';
REVOKE EXECUTE ON FUNCTION auth_group_audited() FROM PUBLIC;

CREATE FUNCTION auth_permissions_audited() RETURNS trigger LANGUAGE plpgsql
    SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    is_of_role boolean := TG_RELID = 'public.auth_group_permissions'::regclass;
    owner text := CASE WHEN is_of_role THEN 'group_id' ELSE 'user_id' END;
BEGIN
    IF NOT is_of_role AND TG_RELID <> 'public.auth_user_user_permissions'::regclass THEN
        RAISE EXCEPTION 'auth_permissions_audited() is for Django''s permissions'
            USING ERRCODE = 'insufficient_privilege';
    ELSIF TG_OP = 'TRUNCATE' THEN
        INSERT INTO public.audit_log (actor, action, target)
        VALUES (public.acting_person(), 'truncate', 'table:' || TG_TABLE_NAME);
        RETURN NULL;
    END IF;
    IF TG_OP <> 'INSERT' THEN
        INSERT INTO public.audit_log (actor, action, target, detail)
        SELECT public.acting_person(), 'revoke', s.whose, s.said FROM (
            SELECT CASE WHEN is_of_role THEN 'role:' ELSE 'account:' END || (to_jsonb(w) ->> owner) AS whose,
                jsonb_build_object('permissions', jsonb_agg(t.app_label || '.' || p.codename ORDER BY p.id)) AS said
            FROM went w LEFT JOIN public.auth_permission p ON p.id = w.permission_id
            LEFT JOIN public.django_content_type t ON t.id = p.content_type_id GROUP BY 1) s
        ORDER BY s.whose;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO public.audit_log (actor, action, target, detail)
        SELECT public.acting_person(), 'grant', s.whose, s.said FROM (
            SELECT CASE WHEN is_of_role THEN 'role:' ELSE 'account:' END || (to_jsonb(c) ->> owner) AS whose,
                jsonb_build_object('permissions', jsonb_agg(t.app_label || '.' || p.codename ORDER BY p.id)) AS said
            FROM came c LEFT JOIN public.auth_permission p ON p.id = c.permission_id
            LEFT JOIN public.django_content_type t ON t.id = p.content_type_id GROUP BY 1) s
        ORDER BY s.whose;
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION auth_permissions_audited() IS
    'Trigger of Django''s tables of permissions: what a role or an account may, and may not any more.';
REVOKE EXECUTE ON FUNCTION auth_permissions_audited() FROM PUBLIC;

-- ENABLE ALWAYS: not even session_replication_role turns them off.
DO $$
DECLARE
    pair text[];
BEGIN
    FOREACH pair SLICE 1 IN ARRAY ARRAY[
        ['auth_user', 'auth_user_audited'], ['auth_user_groups', 'auth_user_groups_audited'],
        ['auth_group', 'auth_group_audited'], ['auth_user_user_permissions', 'auth_permissions_audited'],
        ['auth_group_permissions', 'auth_permissions_audited']]
    LOOP
        EXECUTE format('CREATE TRIGGER audit_came AFTER INSERT ON %I REFERENCING NEW TABLE AS came '
            'FOR EACH STATEMENT EXECUTE FUNCTION %I()', pair[1], pair[2]);
        EXECUTE format('CREATE TRIGGER audit_changed AFTER UPDATE ON %I REFERENCING OLD TABLE AS went NEW TABLE AS came '
            'FOR EACH STATEMENT EXECUTE FUNCTION %I()', pair[1], pair[2]);
        EXECUTE format('CREATE TRIGGER audit_went AFTER DELETE ON %I REFERENCING OLD TABLE AS went '
            'FOR EACH STATEMENT EXECUTE FUNCTION %I()', pair[1], pair[2]);
        EXECUTE format('CREATE TRIGGER audit_emptied AFTER TRUNCATE ON %I '
            'FOR EACH STATEMENT EXECUTE FUNCTION %I()', pair[1], pair[2]);
        EXECUTE format('ALTER TABLE %I ENABLE ALWAYS TRIGGER audit_came, ENABLE ALWAYS TRIGGER audit_changed, '
            'ENABLE ALWAYS TRIGGER audit_went, ENABLE ALWAYS TRIGGER audit_emptied', pair[1]);
    END LOOP;
END $$;
