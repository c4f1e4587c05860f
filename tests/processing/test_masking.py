"""Personal data goes, everything else stays byte for byte, and no text is too hostile."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dlqconsole.processing.masking import Masker

masker = Masker()

STAYS = [
    "9223372036854775807",
    "1234567890123456789",
    "1779984000123",
    "1779984000123456",
    "1700000000",
    "ORD-2026-000123",
    "112-1234567-1234568",
    "order 4111111111111112",
    "4111-1111",
    "v1.2.3",
    "10.0.0.12:5432",
    "left-pad@1.3.0",
    "react@18.2.0-beta.rc",
    "1.0.0+20130313144700",
    "2026-11-21T11:00:00.123456+08:00",
    "550e8400-e29b-41d4-a716-446655440000",
    "11111111-1111-4111-8111-111111111111",
    "at Bar.main(Bar.java:1234)",
    "Basic authentication failed",
    "Bearer authentication required",
    "Unexpected token: }",
    "3.14159265358979",
    "4f2a9c1d8e7b6a5f4111111111111111",
    "joe@localhost",
    "GB82 is no IBAN",
    "110105194912310021",
    "sha256:9f86d081",
    "password is wrong",
    "0000000000000000",
    "offset=1234567890123456",
    "1e131071",
    "retry 3 of 240",
    "task-12345678901234567890abcdef",
    "boxcox_test_run",
    "disk-0123456789abcdef0123",
    "part 030-901820-3",
    "git@github.com:foo/bar.git",
    "PinCodeError: pin 3 of chip 7",
    "CardDeclined: insufficient funds",
    "MailServerDown: connection refused by host",
    "EmailNotDelivered: mailbox is full",
    "shop.errors.AddressNotFound: street missing",
    "MailBoxFull: quota of 5 GB",
    "http://host:8080/path@x",
    "docker -u 1000:1000",
    "numpy @ file.whl",
    "at 3 @ main.py:30",
    "100% of a & b",
    "order 13812345678",
    "order 15108695088",
    "order 415-555-2674",
    "part 640823-3234",
    "lot 12345678Z",
    "part AB123456C",
    "batch 131052-308T",
    "2341 2341 2346",
    "36 574 261 809",
    "030 1234567",
    "295109912611193",
    "9f86d081884c7d659a2feaa0c55ad015",
    "eventTypeIsOrderCreatedV2AndNoSecret12",
    "order 536 22 8702 11",
    "10\u201312 items",
    "Aufträge\u00a0123",
    "dlq_producer_orders_of_the_very_long_shop_number",
    "com.example.IllegalStateExceptionHandler12",
    "--token-file /x",
]
GOES = [
    ("CustomerName: Ann Lee", "CustomerName: ‹name›"),
    ("CardNumber: 4111 1111 1111 1111", "CardNumber: ‹card›"),
    ("Email: x", "Email: ‹email›"),
    ("CardDeclined: card=tok_1 of ann@example.org", "CardDeclined: card=‹card› of ‹email›"),
    ("at 5 CardDeclined: tok_1", "at 5 CardDeclined: ‹card›"),
    ("CardDeclined=tok_1", "CardDeclined=‹card›"),
    ("card_declined: tok_1", "card_declined: ‹card›"),
    ("AddressFull: 5 High Street", "AddressFull: ‹address›"),
    ("PasswordMismatch: hunter2", "PasswordMismatch: ‹password›"),
    ("card 4111 1111 1111 1111.", "card ‹card›."),
    ("378282246310005", "‹card›"),
    ("joe.o'neil+x@mail.example.org, 李@例子.中国", "‹email›, ‹email›"),
    ("user=joe%40example.org&x=1", "user=‹email›&x=1"),
    ("joe@163.com.", "‹email›."),
    ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl!", "‹token›!"),
    ("AKIAIOSFODNN7EXAMPLE", "‹secret›"),
    ("DE89 3704 0044 0532 0130 00 AND MORE", "‹iban› AND MORE"),
    ("+49 (30) 123-4567", "‹phone›"),
    ("11010519491231002X", "‹national id›"),
    ("123-45-6789", "‹national id›"),
    ("Bearer abc123.def", "Bearer ‹token›"),
    ("postgres://joe:pw@db/x", "postgres://joe:‹password›@db/x"),
    ("Authorization: Basic xyz abc\nnext", "Authorization: ‹authorization›\nnext"),
    ("password=hunter2, retries=3", "password=‹password›, retries=3"),
    (r"body {\"apiKey\":\"x y\",\"id\":3}", r"body {\"apiKey\":\"‹secret›\",\"id\":3}"),
    ("{'customer_name': 'Joe Smith', 'id': 7}", "{'customer_name': '‹name›', 'id': 7}"),
    ("密码: abc", "密码: ‹password›"),
    ("key sk_live_4eC39HqLyjWDarjtT1zdp7dc!", "key ‹secret›!"),
    ("ghp_16C7e42F292c6912E7710c838347Ae178B4a", "‹secret›"),
    ("github_pat_11ABCDEFG0123456789_abcdefghij", "‹secret›"),
    ("xoxb-123456789012-abcdefABCDEF", "‹secret›"),
    ("-----BEGIN PGP PRIVATE KEY BLOCK-----\nabc\n-----END PGP PRIVATE KEY BLOCK-----.", "‹private key›."),
]

# other ways of writing the same
GOES += [
    ("dlq_Vb3kQx9-Zt_uYpWm2aRc7LdHfN0gSeTjKiOo1EqXv8s", "‹secret›"),
    ("npm_abcdefghijABCDEFGHIJ0123456789abcdef", "‹secret›"),
    ("/b?sv=2022&sig=abcDEF%2Bghijklmnop123456%3D&se=1", "/b?sv=2022&sig=‹secret›&se=1"),
    ("https://hooks.slack.com/services/T04/B07/k7Jw2Zt9qXv4", "https://‹secret›"),
    ("4111.1111.1111.1111", "‹card›"),
    ("FR14-2004-1010-0505-0001-3M02-606", "‹iban›"),
    ("+ 1 (415) 555 2678", "‹phone›"),
    ("denied for user_AKIAIOSFODNN7EXAMPLE now", "denied for user_‹secret› now"),
    (r"{\"m\":\"\nAKIAIOSFODNN7EXAMPLE\"}", r"{\"m\":\"\n‹secret›\"}"),
    ("iban: DE89 3704 0044 0532 0130 00 refused", "iban: ‹iban› refused"),
    ("iban: GB29 NWBK 6016 1331 9268 19.", "iban: ‹iban›."),
    ("card=4111 1111 1111 1111 declined", "card=‹card› declined"),
    ("phone: 030 1234567, retries: 3", "phone: ‹phone›, retries: 3"),
    ("phone: (030) 123 4567; tel=+49 (30) 123456", "phone: ‹phone›; tel=‹phone›"),
    ("ssn: 536 22 8703\nnext", "ssn: ‹national id›\nnext"),
    ("phone: none of 12 at 10:30", "phone: ‹phone› of 12 at 10:30"),
    ("card=tok_1 2026-11-26T10:30:00Z", "card=‹card› 2026-11-26T10:30:00Z"),
    ("<password>Sekret16</password>", "<password>‹password›</password>"),
    ("/x?user=a&pass=Sekret23", "/x?user=a&pass=‹password›"),
    ('"password" => "Sekret"', '"password" => "‹password›"'),
    ('body {"name":"password","value":"x"} bad', 'body {"name":"password","value":"‹password›"} bad'),
    ("[('Authorization', 'x'), ('n', 'y')]", "[('Authorization', '‹authorization›'), ('n', 'y')]"),
    ("run --password Sekret12 -v", "run --password ‹password› -v"),
    ("curl -u bob:Sekret1 http", "curl -u bob:‹password› http"),
    ("postgres://bob:Sek/ret10@db", "postgres://bob:‹password›@db"),
    ("password=Sek,ret31 next", "password=‹password› next"),
    ("mot de passe: x", "mot de passe: ‹password›"),
    ("contraseña=x", "contraseña=‹password›"),
    ("пароль: x", "пароль: ‹password›"),
]


@pytest.mark.parametrize("text", STAYS)
def test_ids_versions_and_timestamps_stay(text):
    assert masker.text(text) == text
    assert masker.json(json.dumps({"id": text})) == json.dumps({"id": text})


@pytest.mark.parametrize(("text", "masked"), GOES)
def test_what_is_personal_or_secret_goes_from_free_text(text, masked):
    assert masker.text(text) == masked
    # a whole string of JSON, in both of its writings, gets a quick look first
    for token in (json.dumps([text]), json.dumps([text], ensure_ascii=False)):
        assert masker.json(token) != token


PAIRS = [
    (r'{"m":"zed.q06\u0040corpx.com"}', '{"m":"‹email›"}'),
    ('{"name":"password","value":"x"}', '{"name":"password","value":"‹password›"}'),
    ('[{"Value":"x","Name":"userEmail"}]', '[{"Value":"‹email›","Name":"userEmail"}]'),
    ('{"key":"ssn","val":{"n":5}}', '{"key":"ssn","val":{"n":"‹national id›"}}'),
    ('[["Authorization","x"],["n","y"]]', '[["Authorization","‹authorization›"],["n","y"]]'),
    ('{"pin":12345671}', '{"pin":"‹password›"}'),
    ('{"n":4111111111111111.0}', '{"n":"‹card›"}'),
    ('{"required":["email","phone"]}', '{"required":["email","phone"]}'),
    ('{"name":"event","value":3}', '{"name":"event","value":3}'),
]


@pytest.mark.parametrize(("text", "masked"), PAIRS)
def test_a_key_may_be_told_by_a_neighbour(text, masked):
    assert masker.json(text) == masked


@pytest.mark.parametrize(
    "key",
    [
        "password",
        "userPassword",
        "X-API-Key",
        "accessToken",
        "customer_email",
        "phoneNumber",
        "billing-address",
        "firstName",
        "SSN",
        "身份证号",
        "session_id",
    ],
)
def test_a_telling_key_hides_its_value_whatever_it_is(key):
    within = json.dumps({key: ["x", 1.50, {"deep": "y", "flag": True}]}, ensure_ascii=False)
    masked = json.loads(masker.json(within))[key]
    assert masked[0] == masked[1] == masked[2]["deep"]
    assert masked[0].startswith("‹")
    assert masked[2]["flag"] is True


@pytest.mark.parametrize(
    "key",
    [
        "email_verified",
        "card_type",
        "token_count",
        "ip_address",
        "event_name",
        "id",
        "max_retries",
        "keyboard",
        "secretary",
        "microphone",
        "name",
    ],
)
def test_a_harmless_key_hides_nothing(key):
    text = json.dumps({key: "x"})
    assert masker.json(text) == text


def test_a_team_adds_keys_of_its_own():
    assert (
        Masker(["orderRef"]).json('{"order_ref": 5, "other": 5}') == '{"order_ref": "‹masked›", "other": 5}'
    )


def test_json_in_a_string_of_json_is_looked_into():
    inner = json.dumps({"password": "x", "n": 1})
    assert json.loads(json.loads(masker.json(json.dumps({"body": inner})))["body"]) == {
        "password": "‹password›",
        "n": 1,
    }


def test_everything_else_stays_byte_for_byte():
    kept = '{ "n" : 1234567890123456789.10, "e":1E+5,\t"z": -0.0, "s":"\\u00e9\\ud800", "long": ' + "7" * 5000
    text = kept + ', "to": "joe@example.org" , "x": [ ] }'
    assert masker.json(text) == kept + ', "to": "‹email›" , "x": [ ] }'


def test_a_card_that_came_as_a_number_becomes_a_string():
    assert masker.json('{"n": 4111111111111111}') == '{"n": "‹card›"}'


def test_broken_json_is_masked_as_text():
    assert masker.json('{"a": "joe@example.org", "password": "x y", oops') == (
        '{"a": "‹email›", "password": "‹password›", oops'
    )


def test_with_a_secret_equal_values_get_equal_marks_and_others_do_not():
    keyed = Masker(secret=b"k")
    one, same, other = (keyed.text(mail) for mail in ("a@x.org", "a@x.org", "b@x.org"))
    assert one == same != other
    assert Masker(secret=b"another").text("a@x.org") != one


TREES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
)


@given(TREES)
def test_masked_json_is_json_of_the_same_shape_and_masking_twice_changes_nothing(tree):
    text = json.dumps(tree)
    masked = masker.json(text)
    json.loads(masked)
    assert masker.json(masked) == masked


@given(st.text() | st.text(alphabet='{}[]":\\,@.=0123456789+- eyJpassword'))
def test_no_text_makes_it_raise(text):
    assert isinstance(masker.text(text), str)
    assert isinstance(masker.json(text), str)


@pytest.mark.parametrize(
    "piece",
    [
        "[",
        '"',
        "\\",
        "a@",
        "eyJ",
        "1 ",
        "+1(",
        "4111-",
        "DE89 ",
        'password="',
        '{"password":"',
        "://a:",
        "fr14",
    ],
)
def test_a_megabyte_of_malice_takes_seconds_at_most(piece):
    text = piece * (1_000_000 // len(piece))
    started = time.perf_counter()
    masker.json(text), masker.text(text)
    assert time.perf_counter() - started < 8  # about 0.3 s on an idle machine; quadratic would be hours


def test_the_beginning_of_a_long_text_is_masked_to_its_last_character_and_stays_as_long():
    harmless = '{"note": "' + "so far so good, " * 40
    assert masker.json_beginning(harmless) == harmless
    assert masker.json_beginning(harmless + '", "to": "joe@exam') == harmless + '", "to": "‹email›'
