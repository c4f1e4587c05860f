"""Numbers of every country: those who keep the registers judge what we mask."""

import phonenumbers
import pytest
from phonenumbers import PhoneNumberFormat, PhoneNumberType
from stdnum import iban, numdb
from stdnum.cn import ric

from dlqconsole.processing.masking import Masker

masker = Masker()

# as banks print them, from the first and the last countries of the register, with letters and without
IBANS = [
    "GB82 WEST 1234 5698 7654 32",
    "FR14 2004 1010 0505 0001 3M02 606",
    "MT84MALT011000012345MTLCAST001S",
    "NO93 8601 1117 947",
    "LC55HEMM000100010012001200023015",
    "SC18SSCB11010000000000001497USD",
    "UA213223130000026007233566001",
    "EG380019000500000000263180002",
]
COUNTRIES = [
    country
    for country in (f"{one}{two}" for one in map(chr, range(65, 91)) for two in map(chr, range(65, 91)))
    if numdb.get("iban").info(country)[0][1]
]
WRITTEN = {
    "E164": PhoneNumberFormat.E164,
    "international": PhoneNumberFormat.INTERNATIONAL,
    "RFC 3966": PhoneNumberFormat.RFC3966,
}


@pytest.mark.parametrize("number", IBANS)
def test_an_iban_goes_and_one_wrong_digit_keeps_it(number):
    assert iban.is_valid(number)
    assert masker.text(f"paid from {number}, at once") == "paid from ‹iban›, at once"
    wrong = f"{number[:3]}{(int(number[3]) + 1) % 10}{number[4:]}"
    assert "‹iban›" not in masker.text(wrong)


def test_every_country_that_has_ibans_is_known():
    assert len(COUNTRIES) > 80
    for country in COUNTRIES:
        length = _length(country)
        account = "0" * 10 + "1234567890123456789012345678"
        whole = f"{country}00{account[: length - 4]}"
        whole = f"{country}{iban.calc_check_digits(whole)}{whole[4:]}"
        assert masker.text(f"{whole} AND MORE") == "‹iban› AND MORE", whole
        assert "‹iban›" not in masker.text(whole[:-1])


def _length(country: str) -> int:
    parts = numdb.get("iban").info(country)[0][1]["bban"].split("!")
    return 4 + sum(int(part.lstrip("nac")) for part in parts if part.lstrip("nac"))


@pytest.mark.parametrize("place", ["110105", "999999"])
def test_an_identity_number_goes_wherever_its_holder_was_born(place):
    start = f"{place}19491231002"
    number = start + ric.calc_check_digit(start + "0")
    assert masker.text(f"id {number}.") == "id ‹national id›."


@pytest.mark.parametrize("born", ["18491231", "21501231", "19490231", "00000101"])
def test_a_date_on_which_nobody_was_born_is_no_identity_number(born):
    start = f"110105{born}002"
    number = start + ric.calc_check_digit(start + "0")
    assert masker.text(number) == number


@pytest.mark.parametrize("written", WRITTEN)
def test_an_international_number_of_every_country_goes(written):
    kinds = (PhoneNumberType.FIXED_LINE, PhoneNumberType.MOBILE, PhoneNumberType.TOLL_FREE)
    examples = [
        phonenumbers.format_number(number, WRITTEN[written])
        for region in sorted(phonenumbers.SUPPORTED_REGIONS)
        for kind in kinds
        if (number := phonenumbers.example_number_for_type(region, kind))
    ]
    assert len(examples) > 600
    assert {number: text for number in examples if (text := call(number)) != "call ‹phone› now"} == {}
    # long texts and JSON get a quick look first
    assert {
        number for number in examples if "‹phone›" not in masker.text(f"{number} now" + " and" * 200)
    } == set()
    assert {number for number in examples if "‹phone›" not in masker.json(f'["call {number} now"]')} == set()


def call(number: str) -> str:
    return masker.text(f"call {number} now").replace("tel:", "")


@pytest.mark.parametrize(
    "text", ["+1234567", "rows +20000", "+6770", "1+6771234", "UTC+683:7012", "a+29022158"]
)
def test_a_sum_or_an_offset_stays(text):
    assert masker.text(text) == text


# of each country one that its own rule makes, and one that a wrong digit or letter unmakes
IDENTITIES = [
    ("RCCMNL83S18D969H", "RCCMNL83S18D969A"),
    ("BOXW310820HNERXN09", "BOXW310820HNERXN08"),
    ("971013-9019902", "971313-9019902"),
    ("390.533.447-05", "390.533.447-06"),
    ("756.9217.0769.85", "756.9217.0769.86"),
    ("85.07.30-033 28", "85.07.30-033 29"),
    ("2 95 10 99 126 111 93", "2 95 10 99 126 111 94"),
]


def test_a_national_number_of_each_country_goes_and_one_that_is_none_stays():
    for number, wrong in IDENTITIES:
        assert masker.text(f"is {number}, born") == "is ‹national id›, born", number
        assert masker.json(f'{{"n": "{number}"}}') == '{"n": "‹national id›"}', number
        assert masker.text(f"is {wrong}, born") == f"is {wrong}, born", wrong


def test_dates_orders_and_counts_with_noughts_stay():
    for text in ("01-02-2026 10:00", "2026-11-21 10:00:00.12", "0012-3456-78", "01:02:03 04", "0.12 345 678"):
        assert masker.text(text) == text
