-- How a failure gets category, fingerprint and group. Whatever text comes in, nothing here raises.

CREATE FUNCTION dead_letter_error_class(error_reason text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE
        WHEN split_part(ltrim(left(error_reason, 300), E' \t\r\n'), ':', 1)
            ~ '^[A-Za-z_](?:[0-9]{0,3}[A-Za-z_.])*(?:[0-9]{1,3}|[0-9]{0,3}[A-Za-z_])$'
            THEN left(split_part(ltrim(left(error_reason, 300), E' \t\r\n'), ':', 1), 255)
        ELSE '' END;
REVOKE EXECUTE ON FUNCTION dead_letter_error_class(text) FROM PUBLIC;
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
REVOKE EXECUTE ON FUNCTION dead_letter_sqlstate(text) FROM PUBLIC;
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
REVOKE EXECUTE ON FUNCTION dead_letter_http_status(text) FROM PUBLIC;
COMMENT ON FUNCTION dead_letter_http_status(text) IS
    '"503" where the reason says it: "[HTTP 503]", "HTTP/1.1 503", "status code: 503", "HTTP Error 503", "503 '
    'Server Error", "Server error ''503 …"; else empty.';

-- Each pass is entered only where its sign is in the text. Most texts have few of them, and in a transaction of
-- one row each expression that is reached costs more than what it does: so signs are looked for together.
CREATE FUNCTION dead_letter_message(error_class text, error_reason text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path FROM CURRENT
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
        found := dead_letter_sqlstate(line);
        IF found <> '' THEN
            rest := CASE WHEN strpos(rest, 'SQLSTATE <value>') > 0
                THEN replace(rest, 'SQLSTATE <value>', 'SQLSTATE ' || found)
                ELSE left(rest, 200) || ' [SQLSTATE ' || found || ']' END;
        END IF;
        found := dead_letter_http_status(line);
        IF found <> '' THEN
            rest := CASE WHEN strpos(rest, 'HTTP <value>') > 0
                THEN replace(rest, 'HTTP <value>', 'HTTP ' || found)
                ELSE left(rest, 200) || ' [HTTP ' || found || ']' END;
        END IF;
    END IF;
    RETURN left(error_class || rest, 300);
END $$;
REVOKE EXECUTE ON FUNCTION dead_letter_message(text, text) FROM PUBLIC;
COMMENT ON FUNCTION dead_letter_message(text, text) IS
    'The first line of a reason with its variable parts taken out, so that one cause is one group. What '
    'stands before the colon, the class, is kept.';

CREATE FUNCTION dead_letter_message(error_reason text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN dead_letter_message(dead_letter_error_class(error_reason), error_reason);
REVOKE EXECUTE ON FUNCTION dead_letter_message(text) FROM PUBLIC;
COMMENT ON FUNCTION dead_letter_message(text) IS
    'The same of a reason whose class nobody has looked for yet.';

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
REVOKE EXECUTE ON FUNCTION dead_letter_frames(text) FROM PUBLIC;
COMMENT ON FUNCTION dead_letter_frames(text) IS
    'The application''s own frames, outermost first, a line each: of the last exception in the trace, the five '
    'nearest to where it failed. Neither line numbers nor folders: they change with every deploy.';

CREATE FUNCTION dead_letter_hash(parts text) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ('x' || left(md5(parts), 15))::bit(60)::bigint;
REVOKE EXECUTE ON FUNCTION dead_letter_hash(text) FROM PUBLIC;
COMMENT ON FUNCTION dead_letter_hash(text) IS
    '60 bits of the hash: positive, and exact wherever numbers are doubles. Deterministic, so that writers of '
    'one fingerprint need no shared row.';

CREATE FUNCTION dead_letter_wildcards(pattern text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN replace(replace(replace(replace(pattern, '\', '\\'), '%', '\%'), '_', '\_'), '*', '%');
REVOKE EXECUTE ON FUNCTION dead_letter_wildcards(text) FROM PUBLIC;
COMMENT ON FUNCTION dead_letter_wildcards(text) IS
    'A rule''s wildcards as a LIKE pattern: every sign but * is itself.';

CREATE TABLE failure_groups (
    id bigint NOT NULL,
    fingerprint_version smallint NOT NULL DEFAULT 1,
    event_type varchar(255) NOT NULL,
    error_category varchar(16) NOT NULL,
    error_class varchar(255) NOT NULL,
    message text NOT NULL,
    frames text NOT NULL DEFAULT '',
    rule_id bigint,
    created_at moment NOT NULL DEFAULT statement_timestamp(),
    state varchar(16) NOT NULL DEFAULT 'open',
    state_changed_at moment,
    state_changed_by text NOT NULL DEFAULT '',
    snoozed_until moment,
    snoozed_to_occurrences bigint,
    snoozed_below_rate integer,
    owner text NOT NULL DEFAULT '',
    note text NOT NULL DEFAULT '',
    ticket text NOT NULL DEFAULT '',
    claimed_by text NOT NULL DEFAULT '',
    claimed_until moment,
    version integer NOT NULL DEFAULT 1,
    CONSTRAINT failure_groups_pkey PRIMARY KEY (id),
    CONSTRAINT failure_groups_claim CHECK ((claimed_by = '') = (claimed_until IS NULL)),
    CONSTRAINT failure_groups_numbers CHECK (id >= 0),
    CONSTRAINT failure_groups_state CHECK (state IN ('open', 'resolved', 'regressed', 'snoozed'))
);
COMMENT ON TABLE failure_groups IS
    'What the dead letters of one fingerprint share. Rows appear by themselves, written by the database.';
COMMENT ON COLUMN failure_groups.message IS 'the reason with its variable parts taken out';
COMMENT ON COLUMN failure_groups.frames IS
    'the application''s frames, outermost first, a line each: "orders.py charge"';
COMMENT ON COLUMN failure_groups.rule_id IS 'the rule that made the fingerprint, where one did';
COMMENT ON COLUMN failure_groups.snoozed_until IS
    'snoozed until then, or until one of the next two is reached';
COMMENT ON COLUMN failure_groups.snoozed_to_occurrences IS '… until so many failures in all';
COMMENT ON COLUMN failure_groups.snoozed_below_rate IS
    '… until more than so many new dead letters in an hour';
COMMENT ON COLUMN failure_groups.claimed_by IS 'the person who works on it, until claimed_until';
COMMENT ON COLUMN failure_groups.version IS
    'goes up with every change a person makes: no two people overwrite each other';
COMMENT ON INDEX failure_groups_pkey IS
    'a group by number; the trigger looks whether a group is there and resolved';

CREATE INDEX failure_groups_not_open ON failure_groups (state) WHERE NOT state = 'open';
COMMENT ON INDEX failure_groups_not_open IS
    'the few that are resolved, regressed or snoozed: the tabs of the list, snoozes that are over';

CREATE TABLE group_merges (
    fingerprint_id bigint NOT NULL,
    group_id bigint NOT NULL,
    actor text NOT NULL,
    reason text NOT NULL DEFAULT '',
    created_at moment NOT NULL DEFAULT statement_timestamp(),
    CONSTRAINT group_merges_pkey PRIMARY KEY (fingerprint_id)
);
COMMENT ON TABLE group_merges IS
    'A fingerprint that somebody put into a group; into its own, where somebody split it out again.';
COMMENT ON INDEX group_merges_pkey IS 'classification: whether somebody merged this fingerprint';

CREATE INDEX group_merges_group_id_d1e566e9 ON group_merges (group_id);
COMMENT ON INDEX group_merges_group_id_d1e566e9 IS 'the fingerprints that were merged into a group';

CREATE FUNCTION failure_rule_pattern_is_sound(pattern text) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE
    SET search_path FROM CURRENT
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
REVOKE EXECUTE ON FUNCTION failure_rule_pattern_is_sound(text) FROM PUBLIC;
COMMENT ON FUNCTION failure_rule_pattern_is_sound(text) IS
    'Whether PostgreSQL takes it as a regular expression, quickly, and without references back (only those '
    'make it look at a text again and again).';

CREATE TABLE failure_rules (
    id bigint GENERATED BY DEFAULT AS IDENTITY,
    position integer NOT NULL DEFAULT 0,
    enabled boolean NOT NULL DEFAULT true,
    name varchar(200) NOT NULL,
    event_type varchar(255) NOT NULL DEFAULT '',
    error_class varchar(255) NOT NULL DEFAULT '',
    sqlstate varchar(255) NOT NULL DEFAULT '',
    http_status varchar(255) NOT NULL DEFAULT '',
    pattern varchar(500) NOT NULL DEFAULT '',
    category varchar(16) NOT NULL DEFAULT '',
    overrides boolean NOT NULL DEFAULT false,
    shipped boolean NOT NULL DEFAULT false,
    fingerprint varchar(300) NOT NULL DEFAULT '',
    created_at moment NOT NULL DEFAULT statement_timestamp(),
    updated_at moment NOT NULL DEFAULT statement_timestamp(),
    updated_by text NOT NULL DEFAULT '',
    version integer NOT NULL DEFAULT 1,
    CONSTRAINT failure_rules_pkey PRIMARY KEY (id),
    CONSTRAINT failure_rules_category CHECK (category IN ('', 'TRANSIENT', 'DEPENDENCY', 'PERMANENT',
        'BUSINESS', 'UNKNOWN')),
    CONSTRAINT failure_rules_fingerprint CHECK (regexp_replace(fingerprint::text,
        '\{(?:default|type|class|sqlstate|status)\}', '', 'g') !~ '[{}]'),
    CONSTRAINT failure_rules_http_status CHECK (http_status ~ '^(?:[1-5](?:[0-9]{2}|xx)(?:, *[1-5](?:[0-9]{2}|xx))*)?$'),
    CONSTRAINT failure_rules_matches_something CHECK (NOT (error_class = '' AND event_type = ''
        AND http_status = '' AND pattern = '' AND sqlstate = '')),
    CONSTRAINT failure_rules_pattern CHECK (pattern = '' OR failure_rule_pattern_is_sound(pattern::text)),
    CONSTRAINT failure_rules_sets_something CHECK (NOT (category = '' AND fingerprint = '')),
    CONSTRAINT failure_rules_sqlstate CHECK (sqlstate ~ '^(?:(?:[0-9A-Z]{5}|[0-9A-Z]{2}\*)(?:, *(?:[0-9A-Z]{5}|[0-9A-Z]{2}\*))*)?$')
);
COMMENT ON TABLE failure_rules IS
    'What a failure must look like, and what category or fingerprint it then gets.';
COMMENT ON COLUMN failure_rules.position IS
    'the order in which they are asked; the id decides between equals';
COMMENT ON COLUMN failure_rules.event_type IS 'wildcards: "flight.*"';
COMMENT ON COLUMN failure_rules.error_class IS
    '"psycopg.errors.*"; without a dot also the last part of a dotted class';
COMMENT ON COLUMN failure_rules.sqlstate IS '"40001, 08*"';
COMMENT ON COLUMN failure_rules.http_status IS '"429, 5xx"';
COMMENT ON COLUMN failure_rules.pattern IS
    'a regular expression of PostgreSQL over the first 2,000 characters of the reason';
COMMENT ON COLUMN failure_rules.category IS 'empty: the category is left alone';
COMMENT ON COLUMN failure_rules.overrides IS 'also where the error itself said another category than UNKNOWN';
COMMENT ON COLUMN failure_rules.shipped IS
    'came with the product: asked after all others, and only where the error is UNKNOWN';
COMMENT ON COLUMN failure_rules.fingerprint IS
    'empty: the fingerprint is left alone; "{default}" in it refines, without it overrides';
COMMENT ON COLUMN failure_rules.version IS
    'goes up with every change: two people''s edits cannot overwrite each other';
COMMENT ON INDEX failure_rules_pkey IS 'a rule by number';

-- What says no category itself: what plain SQL reports, and exceptions of Java. The codes are those of our own errors.
INSERT INTO failure_rules (shipped, position, name, sqlstate, http_status, pattern, category) VALUES
    (true, 1, /*stored*/ 'SQLSTATE of a deadlock, a conflict or a lock', '40*, 55*', '', '', 'TRANSIENT'),
    (true, 2, /*stored*/ 'SQLSTATE of a database that is away or full', '08*, 53*, 57*', '', '', 'DEPENDENCY'),
    (true, 3, /*stored*/ 'HTTP status that time mends', '', '408, 425, 429, 503, 504', '', 'TRANSIENT'),
    (true, 4, /*stored*/ 'HTTP status of a server''s error', '', '5xx', '', 'DEPENDENCY'),
    (true, 5, /*stored*/ 'HTTP status of a wrong request', '', '4xx', '', 'PERMANENT'),
    -- SocketTimeoutException, HttpTimeoutException, "Read timed out"; Node's ETIMEDOUT, Go's context
    (true, 6, /*stored*/ 'Timeout', '', '', '(?i)time(?:d[ -]?|-)?out|deadline exceeded', 'TRANSIENT'),
    (true, 7, /*stored*/ 'Lock or conflict in a database', '', '',
        '(?i)deadlock|could not serialize|optimisticlock|cannotacquirelock|transientdataaccess', 'TRANSIENT'),
    -- ConnectException, SQLTransientConnectionException, JDBCConnectionException …; Node's ECONNREFUSED and its like
    -- ConnectionError, ConnectionResetError, OperationalError … of Python
    (true, 8, /*stored*/ 'Connection refused, host not found', '', '',
        '(?i)connection refused|connect(?:ion)?exception|(?:unknownhost|noroutetohost|communications)exception'
        '|econnrefused|econnreset|enotfound|socket hang up'
        '|connection(?:refused|reset|aborted)?error|(?:brokenpipe|operational|gai)error|name resolution',
        'DEPENDENCY'),
    (true, 9, /*stored*/ 'Data that cannot be read', '', '',
        '(?i)json(?:processing|parse|mapping|syntax|eof)|mismatchedinput|unrecognizedproperty|numberformatexception'
        '|datetimeparseexception|(?:de)?serializationexception', 'PERMANENT'),
    (true, 10, /*stored*/ 'Invalid', '', '', '(?i)invalid', 'PERMANENT'),
    (true, 11, /*stored*/ 'Any other error of JDBC', '', '', '^(?:[a-z]+[.])*(?:PSQLException|SQL[A-Za-z]*Exception):', 'DEPENDENCY');

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

-- It raises for no text: what is no moment is kept all the same, and is of no day.
CREATE FUNCTION event_moment(said text) RETURNS timestamptz LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    rest text;
    zone text;
    fraction text;
    moment timestamptz;
BEGIN
    -- Compared with its digits as zeros: a regular expression that tells the same takes twenty times as long.
    IF said IS NULL OR translate(left(said, 19), '123456789t ', '000000000TT') <> '0000-00-00T00:00:00' THEN
        RETURN NULL;
    END IF;
    rest := translate(substr(said, 20), '123456789z', '000000000Z');
    zone := CASE WHEN rest LIKE '%Z' THEN 'Z' ELSE right(rest, 6) END;
    fraction := left(rest, -length(zone));
    IF zone NOT IN ('Z', '+00:00', '-00:00')
        OR fraction <> '' AND (fraction NOT LIKE '.0%' OR rtrim(fraction, '0') <> '.')
        OR left(said, 4) = '0000' OR substr(said, 6, 2) NOT BETWEEN '01' AND '12'
        OR substr(said, 9, 2) NOT BETWEEN '01' AND '31' OR substr(said, 12, 2) > '23'
        OR substr(said, 15, 2) > '59' OR substr(said, 18, 2) > '60'
    THEN
        RETURN NULL;
    END IF;
    IF substr(said, 9, 2) > '28' AND substr(said, 9, 2)::integer > extract(
        day FROM (left(said, 7) || '-01')::date + interval '1 month' - interval '1 day')
    THEN
        RETURN NULL;
    END IF;
    -- a leap second, which RFC 3339 allows, is the one before it; of a fraction the first six digits count
    moment := (left(said, 17) || least(substr(said, 18, 2), '59') || substr(said, 20, least(length(fraction), 7))
        || 'Z')::timestamptz;
    IF zone <> 'Z' THEN
        IF left(right(said, 5), 2) > '23' OR right(said, 2) > '59' THEN
            RETURN NULL;
        END IF;
        moment := moment - right(said, 6)::interval;
    END IF;
    RETURN CASE WHEN moment >= '0001-01-01T00:00:00Z' AND moment < '9999-12-31T00:00:00Z' THEN moment END;
END $$;
REVOKE EXECUTE ON FUNCTION event_moment(text) FROM PUBLIC;
COMMENT ON FUNCTION event_moment(text) IS
    'The moment that an RFC 3339 text says; NULL where it is none, or none that the calendar has.';

CREATE FUNCTION event_occurred_at(payload jsonb, headers jsonb) RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN event_moment(CASE WHEN payload ? 'specversion' THEN payload ->> 'time' ELSE headers ->> 'ce_time' END);
REVOKE EXECUTE ON FUNCTION event_occurred_at(jsonb, jsonb) FROM PUBLIC;
COMMENT ON FUNCTION event_occurred_at(jsonb, jsonb) IS
    'When an event says that it happened: the time of a CloudEvent, the header ce_time of anything else.';

CREATE FUNCTION event_type_named(payload jsonb, headers jsonb) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE
        WHEN jsonb_typeof(payload) = 'object' AND payload ? 'specversion' THEN CASE
            WHEN payload -> 'specversion' = '"1.0"' AND jsonb_typeof(payload -> 'type') = 'string'
                AND length(payload ->> 'type') BETWEEN 1 AND 255
                AND jsonb_typeof(payload -> 'id') = 'string' AND payload ->> 'id' <> ''
                AND jsonb_typeof(payload -> 'source') = 'string' AND payload ->> 'source' <> ''
            THEN payload ->> 'type' END
        WHEN payload IS NOT NULL AND jsonb_typeof(headers -> 'ce_type') = 'string'
            AND length(headers ->> 'ce_type') BETWEEN 1 AND 255 THEN headers ->> 'ce_type' END;
REVOKE EXECUTE ON FUNCTION event_type_named(jsonb, jsonb) FROM PUBLIC;
COMMENT ON FUNCTION event_type_named(jsonb, jsonb) IS
    'The type that an event names itself, and so whose handler runs: that of a CloudEvent, the header ce_type '
    'of anything else. NULL: it names none.';

-- SECURITY DEFINER: a producer needs no right but to insert.
CREATE FUNCTION dlq_events_complete() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path FROM CURRENT
AS $$
DECLARE
    made dead_letter_class;
    named CONSTANT text := event_type_named(NEW.payload, NEW.headers);
BEGIN
    IF TG_RELID <> 'dlq_events'::regclass THEN
        RAISE EXCEPTION 'dlq_events_complete serves no other table than dlq_events' USING ERRCODE = 'insufficient_privilege';
    END IF;
    -- What is taken back is as it was, its classification too. Two conditions: one with a query in it is planned anew
    -- for each row.
    IF NEW.status IN ('SUCCEEDED', 'DISCARDED') THEN
        IF EXISTS (
            SELECT FROM restored_dead_letters r
            WHERE r.dead_letter_id = NEW.id AND r.restored_at >= transaction_timestamp()
        ) THEN
            RETURN NEW;
        END IF;
    END IF;
    -- current_user is whom the table belongs to, and may be restoring a backup
    IF NEW.status NOT IN ('PENDING', 'EXHAUSTED', 'QUARANTINED')
        AND NOT pg_has_role(session_user, current_user, 'MEMBER')
    THEN
        RAISE EXCEPTION 'a dead letter is not born %; see dead_letter_transitions', NEW.status
            USING ERRCODE = 'check_violation', HINT = 'It begins PENDING, EXHAUSTED or QUARANTINED.';
    END IF;
    -- What names no source is known by its own number.
    IF NEW.source IS NULL OR NEW.source_key IS NULL THEN
        NEW.source := coalesce(NEW.source, 'sql');
        NEW.source_key := coalesce(NEW.source_key, 'dlq_events/' || NEW.id);
    END IF;
    -- A failure that cannot say why is still a failure; and a mapper writes NULL where nobody has set anything.
    IF num_nulls(NEW.error_reason, NEW.error_stacktrace, NEW.error_category, NEW.headers, NEW.retry_count,
        NEW.retry_after, NEW.created_at, NEW.updated_at) > 0
    THEN
        NEW.error_reason := coalesce(NEW.error_reason, '');
        NEW.error_stacktrace := coalesce(NEW.error_stacktrace, '');
        NEW.error_category := coalesce(NEW.error_category, 'UNKNOWN');
        NEW.headers := coalesce(NEW.headers, '{}');
        NEW.retry_count := coalesce(NEW.retry_count, 0);
        NEW.retry_after := coalesce(NEW.retry_after, statement_timestamp());
        NEW.created_at := coalesce(NEW.created_at, statement_timestamp());
        NEW.updated_at := coalesce(NEW.updated_at, statement_timestamp());
    END IF;
    -- The clock of a program may be ahead: nothing of tomorrow stands above what comes after it.
    IF NEW.created_at > clock_timestamp() AND NOT pg_has_role(session_user, current_user, 'MEMBER') THEN
        NEW.created_at := clock_timestamp();
    END IF;
    -- Its type is the one whose handler runs, and bytes that cannot be decoded have none. It goes back to the queue that
    -- it would have gone to.
    IF named <> NEW.event_type AND NOT (NEW.status = 'QUARANTINED' AND NEW.payload_raw IS NOT NULL) THEN
        NEW.queue := coalesce(NEW.queue, NEW.event_type);
        NEW.event_type := named;
    END IF;
    made := dead_letter_classify_new(NEW.event_type, NEW.error_category, NEW.error_reason, NEW.error_stacktrace);
    NEW.error_class := made.error_class;
    NEW.fingerprint_id := made.fingerprint_id;
    NEW.fingerprint_version := 2;
    NEW.group_id := made.group_id;
    NEW.occurred_at := event_occurred_at(NEW.payload, NEW.headers);
    -- by a rule; or the INSERT itself says so, and only a rule may
    IF coalesce(made.category_rule_id, made.fingerprint_rule_id, NEW.category_rule_id, NEW.fingerprint_rule_id)
        IS NOT NULL OR NEW.said_category IS NOT NULL
    THEN
        NEW.said_category := CASE WHEN made.category <> NEW.error_category THEN NEW.error_category END;
        NEW.error_category := made.category;
        NEW.category_rule_id := made.category_rule_id;
        NEW.fingerprint_rule_id := made.fingerprint_rule_id;
    END IF;
    RETURN NEW;
END $$;
REVOKE EXECUTE ON FUNCTION dlq_events_complete() FROM PUBLIC;
COMMENT ON FUNCTION dlq_events_complete() IS
    'Completes what an INSERT leaves out, and classifies the failure.';

CREATE TRIGGER dlq_events_complete BEFORE INSERT ON dlq_events
    FOR EACH ROW EXECUTE FUNCTION dlq_events_complete();

-- Fires before dlq_events_changed, which classifies what is of another type anew.
CREATE FUNCTION dlq_events_another_type() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path FROM CURRENT
AS $$
DECLARE
    named CONSTANT text := event_type_named(NEW.payload, NEW.headers);
BEGIN
    IF TG_RELID <> 'dlq_events'::regclass THEN
        RAISE EXCEPTION 'dlq_events_another_type serves dlq_events alone' USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF named <> NEW.event_type THEN
        NEW.queue := coalesce(NEW.queue, OLD.event_type);
        NEW.event_type := named;
    END IF;
    RETURN NEW;
END $$;
REVOKE EXECUTE ON FUNCTION dlq_events_another_type() FROM PUBLIC;
COMMENT ON FUNCTION dlq_events_another_type() IS
    'What somebody writes over with an event of another type is of that type, and stays with its queue.';

CREATE TRIGGER dlq_events_another_type BEFORE UPDATE OF event_type, payload, headers ON dlq_events
    FOR EACH ROW EXECUTE FUNCTION dlq_events_another_type();

CREATE FUNCTION dlq_events_changed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path FROM CURRENT
AS $$
DECLARE
    made dead_letter_class;
    said text;
    fixed boolean := false;
    -- somebody says that it failed once more, whatever he counts it in
    again CONSTANT boolean := NEW.occurrences > OLD.occurrences OR NEW.last_failure_at > OLD.last_failure_at;
BEGIN
    IF TG_RELID <> 'dlq_events'::regclass THEN
        RAISE EXCEPTION 'dlq_events_changed serves no other table than dlq_events' USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF NEW.dead_lettered_at IS DISTINCT FROM OLD.dead_lettered_at THEN
        RAISE EXCEPTION 'dead letter %: dead_lettered_at never changes', OLD.id
            USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.first_failure_at > OLD.first_failure_at THEN
        RAISE EXCEPTION 'dead letter %: first_failure_at never gets later', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.status <> OLD.status THEN
        IF OLD.status || ' ' || NEW.status <> ALL (dead_letter_moves()) THEN
            RAISE EXCEPTION 'dead letter %: % cannot become %; see dead_letter_transitions',
                OLD.id, OLD.status, NEW.status USING ERRCODE = 'check_violation';
        END IF;
        IF NEW.status = 'REVIVED' AND NEW.revive_count <= OLD.revive_count THEN
            RAISE EXCEPTION 'dead letter %: REVIVED is one whose message is on its queue', OLD.id
                USING ERRCODE = 'check_violation', HINT = format('SELECT dead_letter_revive(%s) makes both.', OLD.id);
        END IF;
    END IF;
    -- A revival of tomorrow would never be missed, and a lease of next year never run out.
    IF NEW.revived_at > clock_timestamp() OR NEW.lease_until > clock_timestamp() + interval '168 hours' THEN
        IF NOT pg_has_role(session_user, current_user, 'MEMBER') THEN
            RAISE EXCEPTION 'dead letter %: revived_at % or lease_until % is too late', OLD.id, NEW.revived_at,
                NEW.lease_until USING ERRCODE = 'check_violation';
        END IF;
    END IF;
    -- What failed before stays readable, whoever writes over it.
    IF again OR (OLD.error_reason, OLD.error_stacktrace) IS DISTINCT FROM (NEW.error_reason, NEW.error_stacktrace)
        OR OLD.error_category <> NEW.error_category AND NEW.reclassified_at IS NOT DISTINCT FROM OLD.reclassified_at
    THEN
        PERFORM dead_letter_keep_failure(OLD);
        -- Each failure has a time of its own, also of a writer who sends none, or the beginning of his transaction.
        IF NEW.last_failure_at <= OLD.last_failure_at THEN
            NEW.last_failure_at := greatest(clock_timestamp(), OLD.last_failure_at + interval '1 microsecond');
        END IF;
    END IF;
    IF again AND NEW.status = OLD.status AND OLD.status IN ('SUCCEEDED', 'DISCARDED') THEN
        NEW.status := 'PENDING';
        PERFORM attempts_add(ARRAY[attempt('reported', 'failed', NEW.id, worker => 'sql:' || session_user,
            finished_at => NEW.last_failure_at, category => coalesce(NEW.error_category, 'UNKNOWN'),
            reason => NEW.error_reason, stacktrace => NEW.error_stacktrace, reopened_from => OLD.status)]);
    END IF;
    IF NEW.status = 'REVIVED' AND OLD.status IN ('PENDING', 'EXHAUSTED', 'QUARANTINED') THEN
        NEW.revived_from := OLD.status;
    ELSIF NEW.status <> 'REVIVED' THEN
        NEW.revived_from := NULL;
    END IF;
    -- Who revives sets when the next try may be: nothing goes round at once, whoever brings it back and however.
    IF NEW.status = 'PENDING' AND OLD.status IN ('REVIVED', 'SUCCEEDED') AND OLD.revived_at IS NOT NULL THEN
        NEW.retry_after := greatest(NEW.retry_after, OLD.retry_after);
    END IF;
    -- What was lost, purged or undone did not come back. Another payload, or a success, is another story.
    IF NEW.payload_version <> OLD.payload_version OR NEW.status = 'SUCCEEDED' THEN
        NEW.come_backs := 0;
    ELSIF OLD.status = 'REVIVED' AND NEW.status <> 'REVIVED' AND again THEN
        NEW.come_backs := OLD.come_backs + 1;
    END IF;
    -- no handler runs any more, whoever moved it
    IF NEW.status <> 'RETRYING' THEN
        NEW.begun_at := NULL;
    END IF;
    NEW.version := OLD.version + 1;
    NEW.updated_at := clock_timestamp();
    IF NEW.reclassified_at IS DISTINCT FROM OLD.reclassified_at THEN
        RETURN NEW;
    END IF;
    IF NEW.error_category IS DISTINCT FROM OLD.error_category OR NEW.error_reason IS DISTINCT FROM OLD.error_reason
        OR NEW.event_type IS DISTINCT FROM OLD.event_type
        OR NEW.error_stacktrace IS DISTINCT FROM OLD.error_stacktrace
    THEN
        said := NEW.error_category;
    ELSIF again THEN
        -- It failed anew in the same words: rules and merges may be new. What a person decided stays.
        fixed := OLD.said_category IS NOT NULL AND OLD.category_rule_id IS NULL;
        said := CASE WHEN fixed THEN NEW.error_category ELSE coalesce(OLD.said_category, NEW.error_category) END;
    ELSE
        RETURN NEW;
    END IF;
    NEW.error_reason := coalesce(NEW.error_reason, '');
    NEW.error_stacktrace := coalesce(NEW.error_stacktrace, '');
    said := coalesce(said, 'UNKNOWN');
    made := dead_letter_classify(NEW.event_type, said, fixed, NEW.error_reason, NEW.error_stacktrace);
    IF OLD.fingerprint_version < 2 THEN
        made.group_id := dead_letter_carry_merge(OLD.group_id, made.fingerprint_id, made.group_id);
    END IF;
    NEW.error_class := made.error_class;
    NEW.error_category := made.category;
    IF NOT fixed THEN
        NEW.said_category := CASE WHEN made.category <> said THEN said END;
        NEW.category_rule_id := made.category_rule_id;
    END IF;
    NEW.fingerprint_id := made.fingerprint_id;
    NEW.fingerprint_rule_id := made.fingerprint_rule_id;
    NEW.fingerprint_version := 2;
    NEW.group_id := made.group_id;
    RETURN NEW;
END $$;
REVOKE EXECUTE ON FUNCTION dlq_events_changed() FROM PUBLIC;
COMMENT ON FUNCTION dlq_events_changed() IS
    'Refuses a move that dead_letter_transitions does not have. Keeps version and updated_at. An UPDATE of '
    'what an error says is the error saying it anew: it is classified, the failure before it is an attempt, '
    'and what was closed is open where occurrences or last_failure_at say that it failed. An UPDATE that '
    'writes reclassified_at brings its own classification: reclassify_dead_letters, and the undo of it.';

CREATE TRIGGER dlq_events_changed BEFORE UPDATE ON dlq_events
    FOR EACH ROW EXECUTE FUNCTION dlq_events_changed();

CREATE FUNCTION dlq_events_edited() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path FROM CURRENT
AS $$
BEGIN
    IF TG_RELID <> 'dlq_events'::regclass THEN
        RAISE EXCEPTION 'dlq_events_edited serves no other table than dlq_events' USING ERRCODE = 'insufficient_privilege';
    END IF;
    NEW.occurred_at := event_occurred_at(NEW.payload, NEW.headers);
    -- an edit of ours counts its version, and writes it down with who and why
    IF NEW.payload_version <> OLD.payload_version OR (OLD.payload::text, OLD.payload_raw, OLD.headers)
        IS NOT DISTINCT FROM (NEW.payload::text, NEW.payload_raw, NEW.headers)
    THEN
        RETURN NEW;
    END IF;
    NEW.payload_version := OLD.payload_version + 1;
    NEW.come_backs := 0;
    INSERT INTO payload_versions (dlq_event_id, number, payload, payload_raw, headers, actor, reason)
    VALUES (OLD.id, OLD.payload_version, OLD.payload, OLD.payload_raw, OLD.headers, '', ''),
        (NEW.id, NEW.payload_version, NEW.payload, NEW.payload_raw, NEW.headers, 'sql:' || session_user,
            'written over by plain SQL')
    ON CONFLICT (dlq_event_id, number) DO NOTHING;
    RETURN NEW;
END $$;
REVOKE EXECUTE ON FUNCTION dlq_events_edited() FROM PUBLIC;
COMMENT ON FUNCTION dlq_events_edited() IS
    'What somebody writes over a payload or its headers is a version of it, and what was there is kept.';

CREATE TRIGGER dlq_events_edited BEFORE UPDATE OF payload, payload_raw, headers ON dlq_events
    FOR EACH ROW EXECUTE FUNCTION dlq_events_edited();

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
