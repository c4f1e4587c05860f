"""The statements that make the roles and give each what ``rights`` says; all may be run again."""

from collections.abc import Iterator, Sequence

from django.conf import settings as django_settings
from psycopg.pq.abc import PGconn
from psycopg.sql import SQL, Composable, Composed, Identifier, Literal

from dlqconsole.core.schema import search_path
from dlqconsole.engine.grants import rights
from dlqconsole.engine.grants.objects import Names, Objects, commas, table
from dlqconsole.engine.grants.revoking import from_everybody, from_one
from dlqconsole.engine.grants.rights import Role
from dlqconsole.features import Right

_MAKE = SQL(
    "BEGIN CREATE ROLE {role} {how} NOSUPERUSER NOCREATEDB NOCREATEROLE;"
    " EXCEPTION WHEN duplicate_object THEN NULL; END"
)
_WATCH = SQL(
    "BEGIN GRANT pg_read_all_stats TO {role};"
    " EXCEPTION WHEN insufficient_privilege THEN RAISE NOTICE 'pages see the sessions of other roles"
    " only after: GRANT pg_read_all_stats'; END"
)

# Whoever owned the tables until now is running on them: it goes on, with the rights that it had.
_KEEP = SQL(
    "BEGIN IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = {former_name}) THEN"
    " GRANT {owner} TO {former}; END IF; END"
)

# Any account could fill the disk with large objects, and nothing of ours uses any. Only a superuser can close
# PostgreSQL's own functions.
_LARGE_OBJECTS = SQL(
    "BEGIN IF (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN"
    " REVOKE EXECUTE ON FUNCTION pg_catalog.lo_creat(integer), pg_catalog.lo_create(oid),"
    " pg_catalog.lo_from_bytea(oid, bytea), pg_catalog.lo_put(oid, bigint, bytea),"
    " pg_catalog.lowrite(integer, bytea) FROM PUBLIC;"
    " ELSE RAISE NOTICE 'everybody may still make large objects: only a superuser can take that away';"
    " END IF; END"
)


def base(names: Names, ours: Objects, database: str, *, keep_temp: bool, member: bool) -> Iterator[Composed]:
    """Make all roles but the producers' own. ``member``: make the applying account a member of the owner."""
    yield from _roles(names, member=member)
    yield from _places(names, database, keep_temp=keep_temp)
    yield from _owners(names, ours)
    yield from from_everybody(names, ours, database, keep_temp=keep_temp)
    yield from _app(names, ours)
    for role in rights.ROLES:
        yield from _rights(names, role, ours)
        yield from settings(names.of(role), role.settings, database)


def producer(
    names: Names, name: str, queues: Sequence[str], ours: Objects, database: str
) -> Iterator[Composed]:
    """Make one producer's login role, which may send to these queues from now on and to no others."""
    role = names.text(f"producer_{name}")
    yield _do_block(_MAKE.format(role=Identifier(role), how=SQL("LOGIN")))
    yield from from_one(names, role, ours, database)
    yield SQL("GRANT {} TO {}").format(names.of(rights.PRODUCER), Identifier(role))
    yield from settings(Identifier(role), rights.PRODUCER_SETTINGS, database)
    yield from _sends_to(role, queues)


def consumer(names: Names, queues: Sequence[str]) -> Iterator[Composed]:
    """Let consumers in SQL send to these queues from now on and to no others."""
    yield from _sends_to(names.text(rights.CONSUMER.name), queues)


def _sends_to(role: str, queues: Sequence[str]) -> Iterator[Composed]:
    allowed, values = table("producer_queues"), (Literal(role), Literal(list(queues)))
    yield SQL("DELETE FROM {} WHERE role_name = {} AND queue <> ALL ({}::text[])").format(allowed, *values)
    yield SQL("INSERT INTO {} SELECT {}, unnest({}::text[]) ON CONFLICT DO NOTHING").format(allowed, *values)


def settings(role: Identifier, values: dict[str, str], database: str) -> Iterator[Composed]:
    """Set defaults of a role's sessions in this database: in another one it may work in another schema.

    They guard against accidents: a session may set its own.
    """
    if not values:
        return
    texts: dict[str, Composable] = {key: Literal(value) for key, value in values.items()}
    texts["search_path"] = SQL(search_path(django_settings.DLQ_SCHEMA, django_settings.DLQ_USERS_SCHEMA))
    where = SQL("ALTER ROLE {} IN DATABASE {}").format(role, Identifier(database))
    for key, value in texts.items():
        yield SQL("ALTER ROLE {} RESET {}").format(role, Identifier(key))
        yield SQL("{} SET {} = {}").format(where, Identifier(key), value)


def password(role: str, text: str, link: PGconn) -> Composed:
    """Set a role's password as the verifier that the server keeps: it is in no statement, so in no log."""
    verifier = link.encrypt_password(text.encode(), role.encode(), b"scram-sha-256").decode()
    return SQL("ALTER ROLE {} PASSWORD {}").format(Identifier(role), Literal(verifier))


def _roles(names: Names, *, member: bool) -> Iterator[Composed]:
    for role in rights.ROLES:
        how = SQL("LOGIN" if role.login else "NOLOGIN")
        yield _do_block(_MAKE.format(role=names.of(role), how=how))
    if member:
        yield SQL("GRANT {} TO CURRENT_USER").format(names.of(rights.OWNER))
    yield _do_block(_WATCH.format(role=names.of(rights.APP)))


def _places(names: Names, database: str, *, keep_temp: bool) -> Iterator[Composed]:
    everybody = commas(map(names.of, rights.ROLES))
    yield SQL("GRANT CONNECT ON DATABASE {} TO {}").format(Identifier(database), everybody)
    if not keep_temp:
        yield SQL("REVOKE CREATE, TEMPORARY ON DATABASE {} FROM PUBLIC").format(Identifier(database))
        yield _do_block(_LARGE_OBJECTS.format())
    schema = Identifier(django_settings.DLQ_SCHEMA)
    yield SQL("REVOKE CREATE ON SCHEMA {} FROM PUBLIC").format(schema)
    yield SQL("GRANT USAGE ON SCHEMA {} TO {}").format(schema, everybody)
    yield SQL("GRANT CREATE ON SCHEMA {} TO {}").format(schema, names.of(rights.OWNER))


def _owners(names: Names, ours: Objects) -> Iterator[Composed]:
    """Hand our objects to the owner role: SECURITY DEFINER functions must never run as a superuser."""
    owner = names.of(rights.OWNER)
    owner_name = names.text(rights.OWNER.name)
    for former in sorted({row["owner"] for row in ours.relations} - {owner_name}):
        yield _do_block(_KEEP.format(former_name=Literal(former), former=Identifier(former), owner=owner))
    for row in ours.relations:
        if row["owner"] != owner_name:
            kind = SQL("VIEW" if row["is_view"] else "TABLE")
            yield SQL("ALTER {} {} OWNER TO {}").format(kind, table(row["name"]), owner)
    for row in ours.functions:
        if row["owner"] != owner_name:
            yield SQL("ALTER FUNCTION {} OWNER TO {}").format(SQL(row["signature"]), owner)
    for row in ours.types:
        if row["owner"] != owner_name:
            yield SQL("ALTER TYPE {} OWNER TO {}").format(table(row["name"]), owner)


def _app(names: Names, ours: Objects) -> Iterator[Composed]:
    app, some = names.of(rights.APP), rights.app_tables()
    for verbs in (rights.ALL, *sorted(set(some.values()))):
        tables = [name for name in ours.tables() if some.get(name, rights.ALL) == verbs]
        if tables:
            yield SQL("GRANT {} ON TABLE {} TO {}").format(SQL(verbs), commas(map(table, tables)), app)
    # deleted from by the row, where no partition was made; all others are reached by way of message_archive
    unplaced = table("message_archive_unplaced")
    yield SQL("GRANT SELECT, UPDATE, DELETE ON TABLE {} TO {}").format(unplaced, app)
    yield SQL("GRANT SELECT ON TABLE {} TO {}").format(commas(map(table, ours.views())), app)
    # the audit log's newest number
    yield SQL("GRANT SELECT ON SEQUENCE {} TO {}").format(table("audit_log_id_seq"), app)
    # messages of unlogged queues take their numbers from it
    yield SQL("GRANT USAGE ON SEQUENCE {} TO {}").format(table("message_queue_id_seq"), app)
    functions = commas(SQL(row["signature"]) for row in ours.called())
    yield SQL("GRANT EXECUTE ON FUNCTION {} TO {}").format(functions, app)


def _rights(names: Names, role: Role, ours: Objects) -> Iterator[Composed]:
    for right in role.rights:
        yield SQL("GRANT {} ON TABLE {} TO {}").format(_verbs(right), table(right.table), names.of(role))
    functions = [SQL(row["signature"]) for row in ours.functions if row["name"] in role.functions]
    if functions:
        yield SQL("GRANT EXECUTE ON FUNCTION {} TO {}").format(commas(functions), names.of(role))


def _verbs(right: Right) -> Composable:
    if not right.columns:
        return SQL(right.verb)
    columns = commas(map(Identifier, right.columns))
    return SQL(", ").join(SQL("{} ({})").format(SQL(verb), columns) for verb in right.verb.split(", "))


def _do_block(block: Composed) -> Composed:
    """Wrap a block in a DO, quoted as a text: a role's name may hold the end of a dollar quote."""
    return SQL("DO {}").format(Literal(block.as_string(None)))
