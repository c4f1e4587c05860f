-- Since when somebody has a role, and what an account was called: kept by the database, whoever writes to Django's
-- tables, and however: a form, a bulk UPDATE that no signal sees, psql. An approver has to have been one before the
-- request was made, and "the only person there is" must not be a matter of switching the others off for a minute.
-- SECURITY DEFINER: who may change accounts need not be able to write history.

CREATE FUNCTION role_grants_held(ids integer[]) RETURNS TABLE (user_id integer, role text) LANGUAGE plpgsql STABLE
    SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    RETURN QUERY
        SELECT u.id, g.name::text FROM public.auth_user u
        JOIN public.auth_user_groups m ON m.user_id = u.id
        JOIN public.auth_group g ON g.id = m.group_id
        WHERE (ids IS NULL OR u.id = ANY (ids)) AND u.is_active AND g.name IN ('viewer', 'operator', 'admin')
        UNION
        SELECT u.id, 'superuser' FROM public.auth_user u
        WHERE (ids IS NULL OR u.id = ANY (ids)) AND u.is_active AND u.is_superuser;
END $$;
COMMENT ON FUNCTION role_grants_held(integer[]) IS
    'The roles that these accounts have now; of all accounts for NULL. One that is switched off has none.';
REVOKE EXECUTE ON FUNCTION role_grants_held(integer[]) FROM PUBLIC;

CREATE FUNCTION role_grants_follow(ids integer[]) RETURNS void LANGUAGE plpgsql
    SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    -- one after the other: two that change one account at once would each miss what the other did
    PERFORM pg_advisory_xact_lock(hashtextextended('role_grants', 0));
    UPDATE public.role_grants g SET until = clock_timestamp()
    WHERE g.until IS NULL AND (ids IS NULL OR g.user_id = ANY (ids)) AND NOT EXISTS (
        SELECT FROM public.role_grants_held(ids) h WHERE h.user_id = g.user_id AND h.role = g.role);
    INSERT INTO public.role_grants (user_id, role)
    SELECT h.user_id, h.role FROM public.role_grants_held(ids) h
    WHERE NOT EXISTS (
        SELECT FROM public.role_grants g WHERE g.user_id = h.user_id AND g.role = h.role AND g.until IS NULL)
    ORDER BY h.user_id, h.role;
END $$;
COMMENT ON FUNCTION role_grants_follow(integer[]) IS
    'Makes role_grants say what these accounts may do from now on; of all accounts for NULL.';
REVOKE EXECUTE ON FUNCTION role_grants_follow(integer[]) FROM PUBLIC;

CREATE FUNCTION role_grants_kept() RETURNS trigger LANGUAGE plpgsql
    SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        NEW.since := clock_timestamp();
        NEW.until := NULL;
        RETURN NEW;
    ELSIF TG_OP = 'UPDATE' AND OLD.until IS NULL AND NEW.until IS NOT NULL
        AND to_jsonb(OLD) - 'until' = to_jsonb(NEW) - 'until' THEN
        NEW.until := clock_timestamp();
        RETURN NEW;
    END IF;
    RAISE EXCEPTION '% only grows: % is refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'insufficient_privilege';
END $$;
COMMENT ON FUNCTION role_grants_kept() IS
    'A row of role_grants or account_names begins now and can only end now: nobody has had a role for longer than that.';
REVOKE EXECUTE ON FUNCTION role_grants_kept() FROM PUBLIC;

CREATE TRIGGER role_grants_kept BEFORE INSERT OR UPDATE OR DELETE ON role_grants FOR EACH ROW
    EXECUTE FUNCTION role_grants_kept();
CREATE TRIGGER account_names_kept BEFORE INSERT OR UPDATE OR DELETE ON account_names FOR EACH ROW
    EXECUTE FUNCTION role_grants_kept();

-- One function a table of Django's. Each is of use on that table alone, whoever makes a trigger with it.
CREATE FUNCTION auth_user_noted() RETURNS trigger LANGUAGE plpgsql
    SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    IF TG_RELID <> 'public.auth_user'::regclass THEN
        RAISE EXCEPTION 'auth_user_noted() is for auth_user' USING ERRCODE = 'insufficient_privilege';
    ELSIF TG_OP = 'INSERT' THEN
        INSERT INTO public.account_names (user_id, name) SELECT id, username FROM came ORDER BY id;
        IF EXISTS (SELECT FROM came WHERE is_superuser AND is_active) THEN
            PERFORM public.role_grants_follow(ARRAY(SELECT id FROM came));
        END IF;
    ELSIF TG_OP = 'UPDATE' THEN
        UPDATE public.account_names a SET until = clock_timestamp()
        FROM went JOIN came ON came.id = went.id
        WHERE a.user_id = came.id AND a.until IS NULL AND went.username <> came.username;
        INSERT INTO public.account_names (user_id, name)
        SELECT id, came.username FROM went JOIN came USING (id) WHERE went.username <> came.username ORDER BY id;
        -- who has another's password set can sign in as them: what they may do begins anew
        IF EXISTS (SELECT FROM went JOIN came USING (id) WHERE went.password <> came.password) THEN
            PERFORM pg_advisory_xact_lock(hashtextextended('role_grants', 0));
            UPDATE public.role_grants g SET until = clock_timestamp()
            FROM went JOIN came ON came.id = went.id
            WHERE g.user_id = came.id AND g.until IS NULL AND went.password <> came.password;
        END IF;
        IF EXISTS (SELECT FROM went JOIN came USING (id) WHERE (went.is_superuser, went.is_active, went.password)
            <> (came.is_superuser, came.is_active, came.password)) THEN
            PERFORM public.role_grants_follow(ARRAY(SELECT id FROM came));
        END IF;
    ELSIF TG_OP = 'DELETE' THEN
        UPDATE public.account_names SET until = clock_timestamp()
        WHERE until IS NULL AND user_id IN (SELECT id FROM went);
        PERFORM public.role_grants_follow(ARRAY(SELECT id FROM went));
    ELSE
        UPDATE public.account_names SET until = clock_timestamp() WHERE until IS NULL;
        PERFORM public.role_grants_follow(NULL);
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION auth_user_noted() IS
    'Trigger of Django''s auth_user: what an account is called, and whether it is switched on, a superuser, or has another password.';
REVOKE EXECUTE ON FUNCTION auth_user_noted() FROM PUBLIC;

CREATE FUNCTION auth_user_groups_noted() RETURNS trigger LANGUAGE plpgsql
    SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    IF TG_RELID <> 'public.auth_user_groups'::regclass THEN
        RAISE EXCEPTION 'auth_user_groups_noted() is for auth_user_groups' USING ERRCODE = 'insufficient_privilege';
    ELSIF TG_OP = 'INSERT' THEN
        PERFORM public.role_grants_follow(ARRAY(SELECT user_id FROM came));
    ELSIF TG_OP = 'UPDATE' THEN
        PERFORM public.role_grants_follow(ARRAY(SELECT user_id FROM came UNION SELECT user_id FROM went));
    ELSIF TG_OP = 'DELETE' THEN
        PERFORM public.role_grants_follow(ARRAY(SELECT user_id FROM went));
    ELSE
        PERFORM public.role_grants_follow(NULL);
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION auth_user_groups_noted() IS
    'Trigger of Django''s auth_user_groups: who is in the group of a role.';
REVOKE EXECUTE ON FUNCTION auth_user_groups_noted() FROM PUBLIC;

CREATE FUNCTION auth_group_noted() RETURNS trigger LANGUAGE plpgsql
    SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    IF TG_RELID <> 'public.auth_group'::regclass THEN
        RAISE EXCEPTION 'auth_group_noted() is for auth_group' USING ERRCODE = 'insufficient_privilege';
    END IF;
    PERFORM public.role_grants_follow(NULL);
    RETURN NULL;
END $$;
COMMENT ON FUNCTION auth_group_noted() IS
    'Trigger of Django''s auth_group: a group that gets the name of a role makes its members what they were not.';
REVOKE EXECUTE ON FUNCTION auth_group_noted() FROM PUBLIC;

CREATE TRIGGER auth_user_came AFTER INSERT ON auth_user REFERENCING NEW TABLE AS came
    FOR EACH STATEMENT EXECUTE FUNCTION auth_user_noted();
CREATE TRIGGER auth_user_changed AFTER UPDATE ON auth_user REFERENCING OLD TABLE AS went NEW TABLE AS came
    FOR EACH STATEMENT EXECUTE FUNCTION auth_user_noted();
CREATE TRIGGER auth_user_went AFTER DELETE ON auth_user REFERENCING OLD TABLE AS went
    FOR EACH STATEMENT EXECUTE FUNCTION auth_user_noted();
CREATE TRIGGER auth_user_emptied AFTER TRUNCATE ON auth_user
    FOR EACH STATEMENT EXECUTE FUNCTION auth_user_noted();
CREATE TRIGGER auth_user_groups_came AFTER INSERT ON auth_user_groups REFERENCING NEW TABLE AS came
    FOR EACH STATEMENT EXECUTE FUNCTION auth_user_groups_noted();
CREATE TRIGGER auth_user_groups_changed AFTER UPDATE ON auth_user_groups
    REFERENCING OLD TABLE AS went NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION auth_user_groups_noted();
CREATE TRIGGER auth_user_groups_went AFTER DELETE ON auth_user_groups REFERENCING OLD TABLE AS went
    FOR EACH STATEMENT EXECUTE FUNCTION auth_user_groups_noted();
CREATE TRIGGER auth_user_groups_emptied AFTER TRUNCATE ON auth_user_groups
    FOR EACH STATEMENT EXECUTE FUNCTION auth_user_groups_noted();
CREATE TRIGGER auth_group_changed AFTER UPDATE OR DELETE OR TRUNCATE ON auth_group
    FOR EACH STATEMENT EXECUTE FUNCTION auth_group_noted();

CREATE FUNCTION actor_words(actor text) RETURNS text LANGUAGE plpgsql STABLE
    SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    IF actor !~ '^user:[1-9][0-9]{0,8}$' THEN
        RETURN actor;
    END IF;
    RETURN coalesce((
        SELECT a.name || ' (user ' || a.user_id || ')' FROM public.account_names a
        WHERE a.user_id = substr(actor, 6)::integer ORDER BY a.id DESC LIMIT 1), actor);
END $$;
COMMENT ON FUNCTION actor_words(text) IS
    'An actor for a sentence that is stored: what the person of user:7 is called at that moment, and their number.';

INSERT INTO account_names (user_id, name) SELECT id, username FROM auth_user ORDER BY id;
SELECT role_grants_follow(NULL);
