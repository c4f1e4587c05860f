-- How a failure gets its category and its group: class and message, frames, rules that people write, merges.
--
-- Whatever text comes in, nothing here raises, and nothing here reads more of it than a little: the first
-- line of a reason (600 characters), the first 2,000 for a rule's expression, 32 KB of a trace. The inner
-- functions do not pin their search_path, as that costs more than what they do: the triggers do it for them.

CREATE FUNCTION dead_letter_error_class(error_reason text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE
        WHEN split_part(ltrim(left(error_reason, 300), E' \t\r\n'), ':', 1)
            ~ '^[A-Za-z_](?:[0-9]{0,3}[A-Za-z_.])*(?:[0-9]{1,3}|[0-9]{0,3}[A-Za-z_])$'
            THEN left(split_part(ltrim(left(error_reason, 300), E' \t\r\n'), ':', 1), 255)
        ELSE '' END;
COMMENT ON FUNCTION dead_letter_error_class(text) IS
    '"PlaneUnknown: tailnum N1 …" is of class PlaneUnknown; "connection refused: billing" has none, and '
    '"order_12345: failed" neither: four digits in a row are a number, not a name.';

CREATE FUNCTION dead_letter_sqlstate(error_reason text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE
        WHEN strpos(left(error_reason, 2000), 'SQL') > 0 OR strpos(left(error_reason, 2000), 'ql') > 0
        THEN coalesce(substring(
            left(error_reason, 2000)
            FROM '(?:SQLSTATE|SQL[Ss]tate|[Ss]ql_?[Ss]tate)[^0-9A-Za-z]{1,4}([0-9A-Z]{5})(?![0-9A-Za-z])'), '')
        ELSE '' END;
COMMENT ON FUNCTION dead_letter_sqlstate(text) IS
    '"08006" where the reason says it: "[SQLSTATE 08006]", "SQLState: 08006"; else empty.';

CREATE FUNCTION dead_letter_http_status(error_reason text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE
        WHEN strpos(left(error_reason, 2000), 'HTTP') > 0 OR strpos(left(error_reason, 2000), 'tatus') > 0
            OR strpos(left(error_reason, 2000), 'Client ') > 0 OR strpos(left(error_reason, 2000), 'Server ') > 0
        THEN coalesce(
            substring(left(error_reason, 2000) FROM
                '(?:HTTP(?:/[0-9.]+)?(?: [Ss]tatus)?(?: [Cc]ode)?(?: [Ee]rror)?|[Ss]tatus(?:[ _-]?[Cc]ode)?'
                '|(?:Client|Server) error)[^0-9A-Za-z]{1,4}([1-5][0-9]{2})(?![0-9A-Za-z])'),
            substring(left(error_reason, 2000) FROM
                '(?:^|[^0-9A-Za-z])([1-5][0-9]{2}) (?:Client|Server) Error'),
            '')
        ELSE '' END;
COMMENT ON FUNCTION dead_letter_http_status(text) IS
    '"503" where the reason says it: "[HTTP 503]", "HTTP/1.1 503", "status code: 503", "HTTP Error 503", "503 '
    'Server Error", "Server error ''503 …"; else empty.';

-- Each pass is entered only where its sign is in the text. Most texts have few of them, and in a transaction of
-- one row each expression that is reached costs more than what it does: so signs are looked for together.
CREATE FUNCTION dead_letter_message(error_class text, error_reason text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
DECLARE
    line text := left(split_part(split_part(ltrim(left(error_reason, 1000), E' \t\r\n'), E'\n', 1), E'\r', 1), 600);
    rest text;
    found text;
BEGIN
    IF coalesce(line, '') = '' THEN
        RETURN '';
    END IF;
    rest := substr(line, length(error_class) + 1);
    IF strpos(rest, '"') > 0 OR strpos(rest, '''') > 0 OR strpos(rest, '/') > 0 OR strpos(rest, '@') > 0
        OR strpos(rest, '`') > 0 OR strpos(rest, '\') > 0 OR strpos(rest, '“') > 0
    THEN
        -- quoted values; an apostrophe within a word quotes nothing
        IF strpos(rest, '"') > 0 OR strpos(rest, '''') > 0 OR strpos(rest, '`') > 0 OR strpos(rest, '“') > 0 THEN
            rest := regexp_replace(rest,
                '"[^"]*"|`[^`]*`|“[^”]*”|(?<![[:alnum:]>])''[^'']*''(?![[:alnum:]])', '<value>', 'g');
        END IF;
        IF strpos(rest, '://') > 0 THEN
            rest := regexp_replace(rest, '[[:alnum:]+.-]+://[^[:space:]"''<>]*', '<value>', 'g');
        END IF;
        IF strpos(rest, '@') > 0 THEN
            rest := regexp_replace(rest, '[[:alnum:]._%+-]+@[[:alnum:].-]+', '<value>', 'g');
        END IF;
        -- paths: two steps at least, so that "and/or" and "application/json" stay
        IF rest ~ '[/\\][^/\\]+[/\\]' THEN
            rest := regexp_replace(rest,
                '(?<![[:alnum:]_>])(?:[A-Za-z]:)?(?:[/\\][^[:space:]/\\"'',;:()<>]+){2,}[/\\]?', '<value>', 'g');
        END IF;
    END IF;
    -- every word with a digit in it: numbers, uuids, dates, times, durations, addresses with their ports, hex,
    -- ids, tail numbers; and eight or more hex digits that happen to be letters
    rest := CASE WHEN strpos(rest, '[') > 0 OR rest ~ '[a-f]{8}' THEN regexp_replace(rest,
        '[[:alnum:]_./:@%+-]*[0-9][[:alnum:]_/:@%+-]*(?:\.[[:alnum:]_/:@%+-]+)*|\m[a-f]{8,}\M'
        '|\[[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*\](?::[0-9]+)?', '<value>', 'g')
    ELSE regexp_replace(rest,
        '[[:alnum:]_./:@%+-]*[0-9][[:alnum:]_/:@%+-]*(?:\.[[:alnum:]_/:@%+-]+)*', '<value>', 'g') END;
    -- words of three capitals (airports, currencies), days and months
    IF rest ~ '[A-Z][A-Za-z]{2}' THEN
        rest := regexp_replace(rest,
            '\m(?:[A-Z]{3}|Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\M', '<code>', 'g');
    END IF;
    -- a list is one value, however long
    IF strpos(rest, '<value>, <value>') > 0 OR strpos(rest, '<value> <value>') > 0
        OR strpos(rest, '<value>,<value>') > 0 OR strpos(rest, '<value><value>') > 0
    THEN
        rest := regexp_replace(rest, '<value>(?:(?:, ?| )?<value>)+', '<value>', 'g');
    END IF;
    -- 404 and 503 are two causes, and so are two SQLSTATEs
    IF strpos(line, 'HTTP') > 0 OR strpos(line, 'tatus') > 0 OR strpos(line, 'Client ') > 0
        OR strpos(line, 'Server ') > 0 OR strpos(line, 'SQL') > 0 OR strpos(line, 'ql') > 0
    THEN
        found := public.dead_letter_sqlstate(line);
        IF found <> '' THEN
            rest := CASE WHEN strpos(rest, 'SQLSTATE <value>') > 0
                THEN replace(rest, 'SQLSTATE <value>', 'SQLSTATE ' || found)
                ELSE left(rest, 200) || ' [SQLSTATE ' || found || ']' END;
        END IF;
        found := public.dead_letter_http_status(line);
        IF found <> '' THEN
            rest := CASE WHEN strpos(rest, 'HTTP <value>') > 0
                THEN replace(rest, 'HTTP <value>', 'HTTP ' || found)
                ELSE left(rest, 200) || ' [HTTP ' || found || ']' END;
        END IF;
    END IF;
    RETURN left(error_class || rest, 300);
END $$;
COMMENT ON FUNCTION dead_letter_message(text, text) IS
    'The first line of a reason with its variable parts taken out, so that one cause is one group. What stands '
    'before the colon, the class, is kept.';

CREATE FUNCTION dead_letter_message(error_reason text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN public.dead_letter_message(public.dead_letter_error_class(error_reason), error_reason);
COMMENT ON FUNCTION dead_letter_message(text) IS 'The same of a reason whose class nobody has looked for yet.';

CREATE FUNCTION dead_letter_frames(error_stacktrace text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $frames$
DECLARE
    trace text;
    lines text[];
    line text;
    place text;
    frame text;
    nearest text := '';
    frames text := '';
    kept integer := 0;
BEGIN
    IF error_stacktrace IS NULL OR error_stacktrace = '' THEN
        RETURN '';
    END IF;
    trace := CASE WHEN octet_length(error_stacktrace) > 32768 THEN left(error_stacktrace, 32768)
        ELSE error_stacktrace END;
    IF strpos(trace, 'File "') > 0 THEN
        lines := string_to_array(split_part(trace, 'Traceback (most recent call last)', -1), E'\n');
        FOR number IN REVERSE cardinality(lines) .. 1 LOOP
            line := lines[number];
            CONTINUE WHEN strpos(line, 'File "') = 0 OR strpos(line, ', in ') = 0;
            place := replace(split_part(line, '"', 2), '\', '/');
            -- strpos, as an expression costs twenty times as much
            CONTINUE WHEN strpos(place, '-packages/') > 0 OR strpos(place, '/lib/python') > 0
                OR strpos(place, '<') = 1 OR strpos(place, '/pyspark') > 0
                OR strpos(place, '/dlqconsole/') > 0
                    AND place ~ '/dlqconsole/(?:processing|engine|retries|operations|transports|pipeline)/';
            frame := split_part(place, '/', -1) || ' ' || split_part(split_part(line, ', in ', -1), '.', -1);
            CONTINUE WHEN frame = nearest;
            nearest := frame;
            frames := left(frame, 200) || E'\n' || frames;
            kept := kept + 1;
            EXIT WHEN kept = 5;
        END LOOP;
    ELSIF strpos(trace, 'at ') > 0 THEN
        lines := string_to_array(split_part(trace, 'Caused by: ', -1), E'\n');
        FOREACH line IN ARRAY lines LOOP
            line := ltrim(line, E' \t');
            CONTINUE WHEN line NOT LIKE 'at %(%';
            place := substr(split_part(line, '(', 1), 4);
            IF place LIKE '% ' THEN
                -- Node: at charge (/srv/app/orders.js:10:5)
                line := replace(split_part(line, '(', 2), '\', '/');
                CONTINUE WHEN line ~ '/node_modules/|^node:|^internal/|^<';
                frame := split_part(split_part(line, '/', -1), ':', 1) || ' '
                    || split_part(rtrim(place), ' ', -1);
            ELSE
                frame := split_part(place, '/', -1);
                CONTINUE WHEN frame ~
                    '^(?:javax?|jakarta|jdk|sun|com\.sun|kotlinx?|scala|org\.apache\.spark|org\.springframework'
                    '|System|Microsoft)\.';
                -- what a compiler or a proxy made up: $$Lambda$14/0x7f, $$EnhancerBySpringCGLIB$$a1b2, lambda$charge$0
                IF strpos(frame, '$') > 0 THEN
                    frame := regexp_replace(regexp_replace(frame, '\$\$[^.]*', '', 'g'), '\$[0-9]+', '', 'g');
                END IF;
            END IF;
            CONTINUE WHEN frame = nearest;
            nearest := frame;
            frames := left(frame, 200) || E'\n' || frames;
            kept := kept + 1;
            EXIT WHEN kept = 5;
        END LOOP;
    END IF;
    RETURN rtrim(frames, E'\n');
END $frames$;
COMMENT ON FUNCTION dead_letter_frames(text) IS
    'The application''s own frames, outermost first, a line each: of the last exception in the trace, the five '
    'nearest to where it failed. Neither line numbers nor folders: they change with every deploy.';

CREATE FUNCTION dead_letter_hash(parts text) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ('x' || left(md5(parts), 15))::bit(60)::bigint;
COMMENT ON FUNCTION dead_letter_hash(text) IS
    '60 bits of the hash: positive, and exact wherever numbers are doubles. Deterministic, so that writers of one '
    'fingerprint need no shared row.';

CREATE FUNCTION dead_letter_wildcards(pattern text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN replace(replace(replace(replace(pattern, '\', '\\'), '%', '\%'), '_', '\_'), '*', '%');
COMMENT ON FUNCTION dead_letter_wildcards(text) IS
    'A rule''s wildcards as a LIKE pattern: every sign but * is itself.';

CREATE FUNCTION failure_rule_pattern_is_sound(pattern text) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE
    SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    began timestamptz := clock_timestamp();
BEGIN
    IF regexp_replace(pattern, '\\\\', '', 'g') ~ '\\[1-9]' THEN
        RETURN false;
    END IF;
    PERFORM repeat('a', 1000) || repeat('aB3 .', 200) ~ pattern;
    RETURN clock_timestamp() - began < interval '500 milliseconds';
EXCEPTION WHEN OTHERS THEN
    RETURN false;
END $$;
COMMENT ON FUNCTION failure_rule_pattern_is_sound(text) IS
    'Whether PostgreSQL takes it as a regular expression, quickly, and without references back (only those make it '
    'look at a text again and again).';

ALTER TABLE failure_rules
    ADD CONSTRAINT failure_rules_pattern CHECK (pattern = '' OR failure_rule_pattern_is_sound(pattern)),
    ADD CONSTRAINT failure_rules_sqlstate CHECK (
        sqlstate ~ '^(?:(?:[0-9A-Z]{5}|[0-9A-Z]{2}\*)(?:, *(?:[0-9A-Z]{5}|[0-9A-Z]{2}\*))*)?$'),
    ADD CONSTRAINT failure_rules_http_status CHECK (
        http_status ~ '^(?:[1-5](?:[0-9]{2}|xx)(?:, *[1-5](?:[0-9]{2}|xx))*)?$'),
    ADD CONSTRAINT failure_rules_fingerprint CHECK (
        regexp_replace(fingerprint, '\{(?:default|type|class|sqlstate|status)\}', '', 'g') !~ '[{}]');

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
AS $$
DECLARE
    made dead_letter_class;
    ruled boolean;
    merged boolean;
    rule record;
    state text;
    status text;
    words text;
BEGIN
    made.error_class := public.dead_letter_error_class(error_reason);
    made.message := public.dead_letter_message(made.error_class, error_reason);
    made.frames := CASE WHEN error_stacktrace <> '' THEN public.dead_letter_frames(error_stacktrace) ELSE '' END;
    made.category := said;
    -- A table without a page has no row in any snapshot: where nobody has taught anything, no query is made.
    IF pg_relation_size('public.failure_rules') > 0 OR pg_relation_size('public.group_merges') > 0 THEN
        SELECT EXISTS (SELECT FROM public.failure_rules r WHERE r.enabled), EXISTS (SELECT FROM public.group_merges)
        INTO ruled, merged;
    END IF;
    IF ruled THEN
        -- a rule that fails is as good as none: no dead letter may be lost for it
        BEGIN
            state := public.dead_letter_sqlstate(error_reason);
            status := public.dead_letter_http_status(error_reason);
            FOR rule IN
                SELECT r.id, r.category, r.overrides, r.fingerprint FROM public.failure_rules r
                WHERE r.enabled AND CASE
                    WHEN r.event_type <> ''
                        AND dead_letter_classify.event_type NOT LIKE public.dead_letter_wildcards(r.event_type)
                        THEN false
                    WHEN r.error_class <> ''
                        AND made.error_class NOT LIKE public.dead_letter_wildcards(r.error_class)
                        AND split_part(made.error_class, '.', -1) NOT LIKE public.dead_letter_wildcards(r.error_class)
                        THEN false
                    WHEN r.sqlstate <> '' AND NOT state LIKE ANY (
                        string_to_array(replace(replace(r.sqlstate, ' ', ''), '*', '%'), ',')) THEN false
                    WHEN r.http_status <> '' AND NOT status LIKE ANY (
                        string_to_array(replace(replace(r.http_status, ' ', ''), 'x', '_'), ',')) THEN false
                    WHEN r.pattern <> '' THEN left(error_reason, 2000) ~ r.pattern
                    ELSE true END
                ORDER BY r.position, r.id
            LOOP
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
                EXIT WHEN made.fingerprint_rule_id IS NOT NULL AND (fixed OR made.category_rule_id IS NOT NULL);
            END LOOP;
        EXCEPTION WHEN OTHERS THEN
            RAISE WARNING 'the failure rules were passed over: %', SQLERRM;
        END;
    END IF;
    IF words IS NULL THEN
        made.fingerprint_id := public.dead_letter_hash(concat_ws(E'\x1f', '2', event_type, made.category,
            made.error_class, made.frames, made.message));
    ELSE
        words := replace(replace(replace(replace(words, '{type}', event_type), '{class}', made.error_class),
            '{sqlstate}', state), '{status}', status);
        made.fingerprint_id := public.dead_letter_hash(CASE WHEN strpos(words, '{default}') > 0
            THEN concat_ws(E'\x1f', '2+', words, event_type, made.category, made.error_class, made.frames, made.message)
            ELSE concat_ws(E'\x1f', '2=', words) END);
        made.message := left(replace(words, '{default}', made.message), 300);
    END IF;
    made.group_id := made.fingerprint_id;
    IF merged THEN
        made.group_id := coalesce(
            (SELECT m.group_id FROM public.group_merges m WHERE m.fingerprint_id = made.fingerprint_id),
            made.fingerprint_id);
    END IF;
    RETURN made;
END $$;
COMMENT ON FUNCTION dead_letter_classify(text, text, boolean, text, text) IS
    'Category, fingerprint and group of a failure. said: the category that the error itself said; where it is fixed '
    'no rule may change it.';

CREATE FUNCTION dead_letter_carry_merge(old_group bigint, fingerprint bigint, its_group bigint)
    RETURNS bigint LANGUAGE plpgsql
    SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    target bigint;
BEGIN
    SELECT m.group_id INTO target FROM public.group_merges m
    WHERE m.fingerprint_id = old_group OR m.group_id = old_group
    ORDER BY m.fingerprint_id = old_group DESC LIMIT 1;
    IF target IS NOT NULL AND fingerprint <> target THEN
        INSERT INTO public.group_merges (fingerprint_id, group_id, actor, reason)
        SELECT fingerprint, target, m.actor, m.reason FROM public.group_merges m
        WHERE m.fingerprint_id = old_group OR m.group_id = old_group
        ORDER BY m.fingerprint_id = old_group DESC LIMIT 1
        ON CONFLICT DO NOTHING;
    END IF;
    -- looked up here: the statement that calls may have carried a merge of this fingerprint with an earlier row
    RETURN coalesce((SELECT m.group_id FROM public.group_merges m WHERE m.fingerprint_id = fingerprint), its_group);
END $$;
COMMENT ON FUNCTION dead_letter_carry_merge(bigint, bigint, bigint) IS
    'The group of a dead letter whose fingerprint is made anew by a newer version. A merge was of the older '
    'fingerprint: it goes for the one that the dead letter has now, too.';
