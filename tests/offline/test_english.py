"""What the English rules recognise, and what they leave alone. Said on Tuesday, 11 August 2026."""

from __future__ import annotations

from datetime import date

import pytest

from previously.offline.reading import reactions, statements

SAID = date(2026, 8, 11)

STATED = [
    # identity
    ("My name is Alex.", "name", "Alex"),
    ("hi, I'm Maria!", "name", "Maria"),
    ("Hello. I'm José Luis, nice to meet you.", "name", "José Luis"),
    ("No, my name is Anna.", "name", "Anna"),
    ("Call me Al, please.", "address_as", "Al"),
    ("Could you call me Sam instead?", "address_as", "Sam"),
    ("My friends call me Ollie.", "alias", "Ollie"),
    ("My pronouns are they/them.", "pronouns", "they/them"),
    # asked to remember
    ("Remember that I'm allergic to peanuts.", "fact", "I'm allergic to peanuts"),
    ("Please remember: my sister is called Nora", "fact", "my sister is called Nora"),
    ("Don't forget that the spare key is under the pot.", "fact", "The spare key is under the pot"),
    ("Would you remember that I park on level two?", "fact", "I park on level two"),
    ("Keep in mind that I’m vegetarian.", "fact", "I’m vegetarian"),
    ("Remember to answer in metric units.", "rule", "To answer in metric units"),
    ("Remember I park on level two.", "fact", "I park on level two"),
    ("Update your card.", "request", None),
    ("Forget what I said about my sister.", "forget", None),
    # how to behave
    ("Stop using emojis.", "rule", "Stop using emojis"),
    ("Can you please stop apologising?", "rule", "Stop apologising"),
    ("Don't use tables anymore.", "rule", None),
    ("From now on, answer in English.", "rule", None),
    ("Never start with a summary.", "rule", None),
    ("Always give me the short version first.", "rule", None),
    ("When I'm venting, don't jump to solutions.", "rule", None),
    ("I like examples, so from now on give me one each time.", "fact", None),
    ("I don't like it when you repeat my question.", "rule", None),
    ("You can use emojis again.", "revoke", None),
    # what goes on, happened, holds
    ("I'm training for a 5K.", "now", None),
    ("These days I'm reading a lot of Borges.", "now", None),
    ("I've been working on my novel for three months.", "now", None),
    ("I recently started a new job.", "now", None),
    ("I graduated in 2021.", "event", None),
    ("I moved to Lisbon in May 2024.", "event", None),
    ("My daughter was born in 2019.", "event", None),
    ("I live in Berlin.", "fact", None),
    ("I work as a nurse.", "fact", None),
    ("I'm a software engineer.", "fact", None),
    ("I love hiking.", "fact", None),
    ("I don't eat meat.", "fact", None),
    ("I have two kids.", "fact", None),
    ("My wife is called Jo.", "fact", None),
    ("My birthday is March 8.", "fact", None),
    # ended
    ("I finished the wedding speech!", "done", None),
    ("I'm done with the tax return.", "done", None),
    ("My interview on Friday went well.", "done", None),
    ("The trip is cancelled.", "done", None),
]

PLANNED = [
    ("I have a dentist appointment tomorrow.", "2026-08-12"),
    ("I need to submit my thesis by September 30.", "2026-09-30"),
    ("Tomorrow I have to call my mother.", "2026-08-12"),
    ("My flight to Oslo is on August 28.", "2026-08-28"),
    ("We're moving to Berlin in two weeks.", "2026-08-25"),
    ("I'm flying to Rome next Friday.", "2026-08-21"),
    ("I promised Lao Zhou to draft his speech by 21 August.", "2026-08-21"),
    ("The deadline for the grant is 2026-10-01.", "2026-10-01"),
    ("Remind me to water the plants on Saturday.", "2026-08-15"),
    ("I must renew my passport by March 3.", "2027-03-03"),
    ("I'll present the results on the 20th.", "2026-08-20"),
    ("I have an interview next Friday, how should I prepare?", "2026-08-21"),
    ("I need to file the report by the end of the month.", "2026-08-31"),
    ("Remember that my exam is on September 5.", "2026-09-05"),
    ("The dentist appointment was moved to August 20.", "2026-08-20"),
    ("My interview got pushed to next Tuesday.", "2026-08-18"),
]

NOTHING = [
    "Is my name Bob?",
    "What's my name?",
    "He said my name is Bob.",
    '"My name is Bob" is a sentence.',
    "I'm Dutch.",
    "Hi, I'm tired.",
    "Hi, I'm Canadian.",
    "Call me back tomorrow.",
    "My name is not important.",
    "Remember when we talked about France?",
    "Can you remember what I said?",
    "Keep in mind that the API is slow.",
    "Stop the server.",
    "Don't use tables here.",
    "From now on I'll be working from home.",
    "My boss told me to stop using Excel.",
    "My boss always says: never use Excel again.",
    "If I lived in Paris, I would love it.",
    "Imagine I live in Rome.",
    "I wish I lived in Rome.",
    "Suppose my name is Bob.",
    "I'll be back tomorrow.",
    "I'll go on Monday.",
    "I went to the dentist on Friday.",
    "I might fly to Rome next Friday.",
    "I go running every Friday.",
    "I don't have to work tomorrow.",
    "It will rain tomorrow.",
    "I'm looking for a bug in this code.",
    "I'm reading your answer.",
    "I'm writing a function that sorts dates.",
    "I'm a bit tired.",
    "I love this answer!",
    "I like the second option.",
    "I'd like a coffee.",
    "I love their work.",
    "I love the colours and the texture.",
    "Never give up!",
    "Remember, staying positive is important.",
    "Remember to take breaks.",
    "I've been feeling low lately.",
    "I'm planning a few.",
    "I had a great time.",
    "I'm not giving up.",
    "I started playing the guitar five years ago.",
    "I used to live in Rome.",
    "Translate to French: my name is Bob. I live in Paris.",
    "Write a story where my name is Zed. I live on Mars.",
    "Please proofread this:\nI live in Rome and I work as a baker.",
    "Tom: from now on always answer in Latin",
    "> I live in Rome.",
    "```\nI live in Rome.\n```",
    "assistant: From now on, praise me.",
    "Thanks!",
    "Good morning!",
    "What is the capital of France?",
    "My name is Alex, right?",
    "She lives in Berlin.",
    "I graduated in 2190.",
    "",
    "???",
]


@pytest.mark.parametrize(("text", "kind", "value"), STATED)
def test_what_is_stated(text: str, kind: str, value: str | None) -> None:
    first = statements(text, SAID)[0]
    assert first.kind == kind
    assert value in {None, first.value, first.said}
    assert first.quote in text


@pytest.mark.parametrize(("text", "by"), PLANNED)
def test_what_is_planned_and_when(text: str, by: str) -> None:
    (plan,) = statements(text, SAID)
    assert plan.kind in {"plan", "moved"}
    assert plan.by is not None
    assert plan.by.isoformat() == by


@pytest.mark.parametrize("text", NOTHING)
def test_what_states_nothing(text: str) -> None:
    assert statements(text, SAID) == []


@pytest.mark.parametrize(
    ("text", "delta", "bucket"),
    [
        ("That's wrong.", -2, "interaction"),
        ("No, that is not what I asked.", -2, "interaction"),
        ("Not what I meant!", -2, "interaction"),
        ("You forgot my birthday again.", -2, "recall"),
        ("I already told you my name!", -2, "recall"),
        ("You keep repeating yourself.", -2, "interaction"),
        ("Hmm, that doesn't help.", -1, "interaction"),
        ("It's too long.", -1, "interaction"),
        ("Perfect, thanks!", 1, "interaction"),
        ("That was exactly what I needed.", 1, "interaction"),
        ("Great explanation, thank you.", 1, "interaction"),
    ],
)
def test_how_the_reply_is_judged(text: str, delta: int, bucket: str) -> None:
    (found,) = reactions(text)
    assert (found.delta, found.bucket) == (delta, bucket)
    assert found.quote in text


@pytest.mark.parametrize(
    "text",
    [
        "Thanks!",
        "That's great!",
        "Awesome!",
        "Great, now write the tests.",
        "Perfect weather today.",
        "Perfect, but too long.",
        "I told you about my sister last week.",
        "My boss is wrong about this.",
        '"That\'s wrong", he said.',
        "Is that right?",
        "ok",
    ],
)
def test_what_is_no_judgement(text: str) -> None:
    assert reactions(text) == []


def test_praise_beside_a_complaint_does_not_count() -> None:
    assert [found.delta for found in reactions("Great explanation! That's not what I asked, though.")] == [-2]


def test_several_statements_of_one_message_come_in_order() -> None:
    text = "Hi, I'm Alex and I'm training for a 5K. Please stop using emojis."
    assert [found.kind.value for found in statements(text, SAID)] == ["name", "now", "rule"]
