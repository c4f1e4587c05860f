-- What people are limited to is audited whoever changes it, and however: a form, a bulk UPDATE, psql.

CREATE FUNCTION scopes_noted() RETURNS trigger LANGUAGE plpgsql
    SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    IF TG_RELID <> 'public.scopes'::regclass THEN
        RAISE EXCEPTION 'scopes_noted() is for scopes' USING ERRCODE = 'insufficient_privilege';
    ELSIF TG_OP = 'TRUNCATE' THEN
        INSERT INTO public.audit_log (actor, action, target) VALUES (public.acting_person(), 'truncate', 'table:scopes');
        RETURN NULL;
    END IF;
    IF TG_OP <> 'INSERT' THEN
        INSERT INTO public.audit_log (actor, action, target, detail)
        VALUES (public.acting_person(), 'remove scope', coalesce('account:' || OLD.user_id, 'role:' || OLD.group_id),
            jsonb_build_object('queue', OLD.queue, 'event_type', OLD.event_type));
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO public.audit_log (actor, action, target, detail)
        VALUES (public.acting_person(), 'add scope', coalesce('account:' || NEW.user_id, 'role:' || NEW.group_id),
            jsonb_build_object('queue', NEW.queue, 'event_type', NEW.event_type));
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION scopes_noted() IS
    'Trigger of scopes: writes into the audit log what somebody is limited to, and no longer. A scope that is changed '
    'is one removed and one added.';
REVOKE EXECUTE ON FUNCTION scopes_noted() FROM PUBLIC;

CREATE TRIGGER scopes_noted AFTER INSERT OR UPDATE OR DELETE ON scopes
    FOR EACH ROW EXECUTE FUNCTION scopes_noted();
CREATE TRIGGER scopes_emptied AFTER TRUNCATE ON scopes
    FOR EACH STATEMENT EXECUTE FUNCTION scopes_noted();
