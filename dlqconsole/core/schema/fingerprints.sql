-- What the text of a failure says: its class, codes, message and frames. Whatever text comes in, nothing here raises.

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
