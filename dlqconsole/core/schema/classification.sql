-- How a failure gets category, fingerprint and group. Whatever text comes in, nothing here raises.

CREATE TYPE dead_letter_class AS (
    error_class text,
    category text,
    category_rule_id bigint,
    message text,
    frames text,
    fingerprint_id bigint,
    fingerprint_rule_id bigint,
    group_id bigint
);
COMMENT ON TYPE dead_letter_class IS 'What dead_letter_classify finds out about a failure.';

CREATE FUNCTION dead_letter_classify(
    event_type text, said text, fixed boolean, error_reason text, error_stacktrace text
) RETURNS dead_letter_class LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path FROM CURRENT
AS $$
DECLARE
    made dead_letter_class;
    merged boolean;
    matching failure_rules[];
    rule failure_rules;
    state text;
    status text;
    words text;
BEGIN
    made.error_class := dead_letter_error_class(error_reason);
    made.message := dead_letter_message(made.error_class, error_reason);
    made.frames := CASE WHEN error_stacktrace <> '' THEN dead_letter_frames(error_stacktrace) ELSE '' END;
    made.category := said;
    -- a rule that fails is as good as none: no dead letter may be lost for it
    BEGIN
        state := dead_letter_sqlstate(error_reason);
        status := dead_letter_http_status(error_reason);
        -- One query for all: to begin one costs more than to ask thirty rules.
        SELECT EXISTS (SELECT FROM group_merges), ARRAY(
            SELECT r FROM failure_rules r
            WHERE r.enabled AND (NOT r.shipped OR said = 'UNKNOWN' AND NOT fixed) AND CASE
                WHEN r.event_type <> ''
                    AND dead_letter_classify.event_type NOT LIKE dead_letter_wildcards(r.event_type)
                    THEN false
                WHEN r.error_class <> ''
                    AND made.error_class NOT LIKE dead_letter_wildcards(r.error_class)
                    AND split_part(made.error_class, '.', -1) NOT LIKE dead_letter_wildcards(r.error_class)
                    THEN false
                WHEN r.sqlstate <> '' AND (state = '' OR NOT state LIKE ANY (
                    string_to_array(replace(replace(r.sqlstate, ' ', ''), '*', '%'), ','))) THEN false
                WHEN r.http_status <> '' AND (status = '' OR NOT status LIKE ANY (
                    string_to_array(replace(replace(r.http_status, ' ', ''), 'x', '_'), ','))) THEN false
                WHEN r.pattern <> '' THEN left(error_reason, 2000) ~ r.pattern
                ELSE true END
            ORDER BY r.shipped, r.position, r.id
        ) INTO merged, matching;
    EXCEPTION WHEN OTHERS THEN
        RAISE WARNING 'the failure rules were passed over: %', SQLERRM;
        merged := EXISTS (SELECT FROM group_merges);
        matching := '{}';
    END;
    FOREACH rule IN ARRAY matching LOOP
        IF rule.category <> '' AND made.category_rule_id IS NULL AND NOT fixed
            AND (said = 'UNKNOWN' OR rule.overrides)
        THEN
            made.category := rule.category;
            made.category_rule_id := rule.id;
        END IF;
        IF rule.fingerprint <> '' AND made.fingerprint_rule_id IS NULL THEN
            words := rule.fingerprint;
            made.fingerprint_rule_id := rule.id;
        END IF;
    END LOOP;
    IF words IS NULL THEN
        made.fingerprint_id := dead_letter_hash(concat_ws(E'\x1f', '2', event_type, made.category,
            made.error_class, made.frames, made.message));
    ELSE
        words := replace(replace(replace(replace(words, '{type}', event_type), '{class}', made.error_class),
            '{sqlstate}', state), '{status}', status);
        made.fingerprint_id := dead_letter_hash(CASE WHEN strpos(words, '{default}') > 0
            THEN concat_ws(E'\x1f', '2+', words, event_type, made.category, made.error_class, made.frames, made.message)
            ELSE concat_ws(E'\x1f', '2=', words) END);
        made.message := left(replace(words, '{default}', made.message), 300);
    END IF;
    made.group_id := made.fingerprint_id;
    IF merged THEN
        made.group_id := coalesce(
            (SELECT m.group_id FROM group_merges m WHERE m.fingerprint_id = made.fingerprint_id),
            made.fingerprint_id);
    END IF;
    RETURN made;
END $$;
REVOKE EXECUTE ON FUNCTION dead_letter_classify(text, text, boolean, text, text) FROM PUBLIC;
COMMENT ON FUNCTION dead_letter_classify(text, text, boolean, text, text) IS
    'Category, fingerprint and group of a failure. said: the category that the error itself said; where it is '
    'fixed no rule may change it.';

-- A storm says the same thing again and again, but for its numbers: so a session keeps what it found out about its last
-- few sentences, each under its text with all digits alike. What a digit decides besides is part of the key: class,
-- SQLSTATE and HTTP status. The rules stand for themselves, by their rows' versions; they are read once a statement.
CREATE FUNCTION failure_rules_read() RETURNS text LANGUAGE sql STABLE
    SET search_path FROM CURRENT
AS $$
    SELECT concat_ws(' ', extract(epoch FROM statement_timestamp()),
        coalesce(sum(hashtidextended(r.ctid, r.xmin::text::bigint)), 0),
        -- a pattern that tells digits apart, or may
        CASE WHEN bool_or(r.pattern ~ '[0-9]') THEN 'digits' ELSE 'any' END,
        CASE WHEN EXISTS (SELECT FROM group_merges) THEN 'merged' ELSE 'apart' END)
    FROM failure_rules r
$$;
REVOKE EXECUTE ON FUNCTION failure_rules_read() FROM PUBLIC;
COMMENT ON FUNCTION failure_rules_read() IS
    'When this statement began, which rules it sees, whether they may tell one digit from another, and whether groups '
    'are merged.';

CREATE FUNCTION dead_letter_classify_new(event_type text, said text, error_reason text, error_stacktrace text)
    RETURNS dead_letter_class LANGUAGE plpgsql
    SET search_path FROM CURRENT
AS $$
DECLARE
    made dead_letter_class;
    rules text[] := string_to_array(current_setting('dlq.rules', true), ' ');
    key text;
    slot text;
    kept text;
BEGIN
    -- A setting is anybody's to change: it is for those alone who may write these columns anyway.
    IF NOT has_table_privilege(session_user, 'dlq_events'::regclass, 'UPDATE') THEN
        RETURN dead_letter_classify(event_type, said, false, error_reason, error_stacktrace);
    END IF;
    IF rules[1] IS DISTINCT FROM extract(epoch FROM statement_timestamp())::text THEN
        rules := string_to_array(set_config('dlq.rules', failure_rules_read(), false), ' ');
    END IF;
    key := md5(concat_ws(E'\x1f', rules[2], event_type, said,
        CASE WHEN rules[3] = 'digits' OR strpos(error_reason, E'\n') > 0 OR strpos(error_reason, E'\r') > 0
            THEN error_reason
            ELSE concat_ws(E'\x1f',
                -- most classes have no digit, and what has none need not be looked for
                CASE WHEN split_part(left(error_reason, 300), ':', 1) ~ '[0-9]'
                    THEN dead_letter_error_class(error_reason) END,
                dead_letter_sqlstate(error_reason), dead_letter_http_status(error_reason),
                translate(error_reason, '123456789', '000000000')) END,
        error_stacktrace));
    slot := 'dlq.sentence_' || left(key, 3);
    kept := current_setting(slot, true);
    IF starts_with(kept, key) THEN
        made := substr(kept, 33)::dead_letter_class;
    ELSE
        made := dead_letter_classify(event_type, said, false, error_reason, error_stacktrace);
        made.message := NULL;
        made.frames := NULL;
        PERFORM set_config(slot, key || made::text, false);
    END IF;
    IF rules[4] = 'merged' THEN
        made.group_id := coalesce((SELECT m.group_id FROM group_merges m WHERE m.fingerprint_id = made.fingerprint_id),
            made.fingerprint_id);
    END IF;
    RETURN made;
END $$;
REVOKE EXECUTE ON FUNCTION dead_letter_classify_new(text, text, text, text) FROM PUBLIC;
COMMENT ON FUNCTION dead_letter_classify_new(text, text, text, text) IS
    'The same of a new dead letter, but for message and frames: of what is alike only the first is looked at.';

CREATE FUNCTION dead_letter_carry_merge(old_group bigint, fingerprint bigint, its_group bigint)
    RETURNS bigint LANGUAGE plpgsql
    SET search_path FROM CURRENT
AS $$
DECLARE
    target bigint;
BEGIN
    SELECT m.group_id INTO target FROM group_merges m
    WHERE m.fingerprint_id = old_group OR m.group_id = old_group
    ORDER BY m.fingerprint_id = old_group DESC LIMIT 1;
    IF target IS NOT NULL AND fingerprint <> target THEN
        INSERT INTO group_merges (fingerprint_id, group_id, actor, reason)
        SELECT fingerprint, target, m.actor, m.reason FROM group_merges m
        WHERE m.fingerprint_id = old_group OR m.group_id = old_group
        ORDER BY m.fingerprint_id = old_group DESC LIMIT 1
        ON CONFLICT DO NOTHING;
    END IF;
    -- looked up here: the statement that calls may have carried a merge of this fingerprint with an earlier row
    RETURN coalesce((SELECT m.group_id FROM group_merges m WHERE m.fingerprint_id = fingerprint), its_group);
END $$;
REVOKE EXECUTE ON FUNCTION dead_letter_carry_merge(bigint, bigint, bigint) FROM PUBLIC;
COMMENT ON FUNCTION dead_letter_carry_merge(bigint, bigint, bigint) IS
    'The group of a dead letter whose fingerprint is made anew by a newer version. A merge was of the older '
    'fingerprint: it goes for the one that the dead letter has now, too.';

CREATE FUNCTION reclassify_dead_letters(
    ids bigint[], into_category text DEFAULT NULL, by_operation bigint DEFAULT NULL
) RETURNS TABLE (id bigint, error_category text, group_id bigint) LANGUAGE sql
    SET search_path FROM CURRENT
AS $$
    WITH locked AS MATERIALIZED (
        SELECT * FROM dlq_events WHERE id = ANY (ids) ORDER BY id FOR UPDATE
    ), judged AS MATERIALIZED (
        SELECT l.id, coalesce(l.said_category, l.error_category) AS said, made.error_class, made.category,
            made.category_rule_id, made.fingerprint_id, made.fingerprint_rule_id, made.group_id
        FROM locked l CROSS JOIN LATERAL dead_letter_classify(
            l.event_type, coalesce(into_category, l.said_category, l.error_category), into_category IS NOT NULL,
            l.error_reason, l.error_stacktrace) made
        WHERE l.fingerprint_version <> 2 OR made.category <> l.error_category
            OR made.fingerprint_id <> l.fingerprint_id OR made.group_id <> l.group_id
            OR made.category_rule_id IS DISTINCT FROM l.category_rule_id
            OR made.fingerprint_rule_id IS DISTINCT FROM l.fingerprint_rule_id
    )
    UPDATE dlq_events d
    SET reclassified_at = clock_timestamp(), error_class = j.error_class, error_category = j.category,
        said_category = nullif(j.said, j.category), category_rule_id = j.category_rule_id,
        fingerprint_id = j.fingerprint_id, fingerprint_rule_id = j.fingerprint_rule_id, fingerprint_version = 2,
        group_id = CASE WHEN d.fingerprint_version < 2
            THEN dead_letter_carry_merge(d.group_id, j.fingerprint_id, j.group_id) ELSE j.group_id END,
        -- what became of a revival is counted for the operation that revived
        operation_id = CASE WHEN d.status = 'REVIVED' THEN d.operation_id ELSE coalesce(by_operation, d.operation_id) END
    FROM judged j
    WHERE d.id = j.id AND d.id = ANY (ARRAY(SELECT id FROM judged))
    RETURNING d.id, d.error_category::text, d.group_id
$$;
REVOKE EXECUTE ON FUNCTION reclassify_dead_letters(bigint[], text, bigint) FROM PUBLIC;
COMMENT ON FUNCTION reclassify_dead_letters(bigint[], text, bigint) IS
    'Asks the rules again, from what the error itself said; or, with a category, puts the dead letters into '
    'that one. Returns those whose category, rules or group changed. What the error itself said is kept.';
