from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from previously.offline.wording import lasting_dates, plan_text, shorten, third_person

SAID = date(2026, 8, 11)


@pytest.mark.parametrize(
    ("said", "worded"),
    [
        ("I'm training for a 5K", "Alex is training for a 5K"),
        ("I really love hiking with my wife", "Alex really loves hiking with their wife"),
        ("I don't eat meat", "Alex doesn't eat meat"),
        ("I need a new bike", "Alex needs a new bike"),
        ("I never eat fish", "Alex never eats fish"),
        ("I've been working on my novel", "Alex has been working on their novel"),
        ("I study law because I enjoy it", "Alex studies law because they enjoy it"),
        ("My sister is called Nora", "Alex's sister is called Nora"),
        ("These days I'm reading Borges", "Alex is reading Borges these days"),
        ("the spare key is under the pot", "The spare key is under the pot"),
        ("I like it when you are brief", "Alex said: “I like it when you are brief”"),
        ("We live in Rome", "Alex said: “We live in Rome”"),
        ("我住在杭州", "Alex住在杭州"),
        ("我妈要做手术", "Alex的妈要做手术"),
        ("要考试", "要考试"),
        ("我把我的车卖了", "Alex说：“我把我的车卖了”"),
    ],
)
def test_the_third_person_where_it_is_safe_else_a_quotation(said: str, worded: str) -> None:
    assert third_person(said, "Alex") == worded


def test_an_unnamed_user() -> None:
    assert third_person("I love tea", "") == "The user loves tea"
    assert third_person("我喜欢茶", "") == "用户喜欢茶"


@pytest.mark.parametrize(
    ("said", "worded"),
    [
        ("I have a dentist appointment tomorrow", "Alex has a dentist appointment"),
        ("I need to submit my thesis by September 30", "Alex needs to submit their thesis"),
        ("Tomorrow I have to call my mum", "Alex has to call their mum"),
        ("My flight to Oslo is on August 28 at 9", "Alex's flight to Oslo is on August 28 at 9"),
        ("I'll meet Tom tomorrow at the station", "Alex will meet Tom on 2026-08-12 at the station"),
        ("We're moving next week and you help us", "Alex said: “We're moving next week and you help us”"),
        ("remind me to water the plants on Saturday", "Water the plants"),
        ("我8月21日前要交论文初稿", "Alex要交论文初稿"),
        ("明天下午三点我有个牙医预约", "Alex下午三点有个牙医预约"),
        ("提醒我明天给妈妈打电话", "给妈妈打电话"),
    ],
)
def test_a_plan_is_worded_without_its_date(said: str, worded: str) -> None:
    assert plan_text(said, SAID, "Alex") == worded


def test_words_that_mean_something_only_today_become_dates() -> None:
    assert lasting_dates("I started a new job yesterday", SAID) == "I started a new job on 2026-08-10"
    assert lasting_dates("我昨天开始学吉他", SAID) == "我2026-08-10开始学吉他"
    assert lasting_dates("I moved in May 2024", SAID) == "I moved in May 2024"


@given(st.text(), st.integers(min_value=1, max_value=60))
def test_a_shortened_text_keeps_its_limit(text: str, limit: int) -> None:
    assert len(shorten(text, limit)) <= limit


@given(st.text(max_size=80), st.text(max_size=10))
def test_wording_never_raises(said: str, name: str) -> None:
    third_person(said, name)
    plan_text(said, SAID, name)
    lasting_dates(said, SAID)
