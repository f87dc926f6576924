"""Plays the Previously Agent by rules: edits first, one attempt to mend what was refused, then `finish`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from langchain_core.messages import AIMessage, BaseMessage, ToolCall, ToolMessage

from previously.offline.card_view import CardView, read_card
from previously.offline.complaints import TOPICS, topic_of
from previously.offline.draft import Call, Draft
from previously.offline.evidence import Row, cited, own_rows
from previously.offline.matching import MOST, covers
from previously.offline.statement import Kind
from previously.offline.wording import sentence, shorten
from previously.offline.words import is_chinese
from previously.prompts.frame import unframe
from previously.state.card_model import PROFILE_LIMIT

_LASTING = re.compile(
    r"\b(?:works? (?:as|at|for)|lives? in|moved to|new job|started at)\b|入职|新工作|换了工作|搬到|住在"
)
_REASON = re.compile(r"^(?:\w+ )?-\d+: ")
"""Bucket and score before the user's words."""
_NAMES = ("ref", "id")
"""Fields by which a trigger may name a turn."""
_OVER_AFTER = 21
"""Days after which a present activity that nobody mentioned again leaves the card."""
_NAMED = 4
"""Kinds of change that a summary names."""
_NOUNS = {
    "set_identity": ("who you are", "你的称呼"),
    "update_past_profile": ("your profile", "概况"),
    "add_past_anchor": ("a lasting fact", "一件长期的事"),
    "add_now": ("what you are doing now", "你眼下在做的事"),
    "add_horizon": ("a plan", "一项安排"),
    "resolve_horizon": ("a plan that is settled", "一项了结的安排"),
    "reschedule_horizon": ("a plan's new date", "一项改期"),
    "add_self_model": ("how you want to be worked with", "你对我的要求"),
    "remove_now": ("an activity that is over", "一件已经结束的事"),
    "promote_now_to_past": ("something that lasts", "一件长期的事"),
    "remove_past_anchor": ("something to forget", "一件不再记的事"),
    "remove_self_model": ("a rule that no longer holds", "一条不再需要的要求"),
}


def next_calls(prompt: str, history: Sequence[BaseMessage], tools: frozenset[str]) -> list[Call]:
    """Return the next tool calls of a run; `history` is what was called and answered so far."""
    steps = [message for message in history if isinstance(message, AIMessage)]
    answers = {message.tool_call_id: message.text for message in history if isinstance(message, ToolMessage)}
    if not steps:
        calls = [call for call in _edits(prompt) if call.name in tools]
        return calls or [_finish(prompt, [], [])]
    made = [(Call(call["name"], call["args"]), answers.get(call["id"] or "", "")) for call in _called(steps)]
    refused = [(call, answer) for call, answer in made if answer.startswith("REJECTED")]
    if len(steps) == 1 and (mended := list(_mend(prompt, made))):
        return [call for call in mended if call.name in tools]
    return [_finish(prompt, [call for call, answer in made if answer.startswith("OK")], refused)]


def _called(steps: Sequence[AIMessage]) -> Iterator[ToolCall]:
    for step in steps:
        yield from step.tool_calls


def _edits(prompt: str) -> list[Call]:
    view = _card(prompt)
    triggers = unframe(prompt, "triggers")
    if triggers and all(row.get("kind") == "pressure" for row in triggers):
        return list(_lessons(triggers, unframe(prompt, "turns"), view))
    rows = own_rows(unframe(prompt, "turns"), view.name)
    said = list(cited(rows))
    if _asked_only(prompt) and not any(item.statement.kind is Kind.REQUEST for item in said):
        said = [item for item in said if item.statement.explicit]  # the rest waits for the end of the slice
    names = [item.statement.value for item in said if item.statement.kind is Kind.NAME]
    draft = Draft(view=view, name=names[-1] if names else view.name)
    spoken = " ".join(item.statement.said for item in said)
    for item in said:
        draft.take(item)
    draft.changes += [
        call for call in _stale(prompt) if call.args["match"] in draft.view.now and not _mentioned(call, spoken)
    ]
    return draft.calls()


def _lessons(triggers: Sequence[Row], turns: Sequence[Row], view: CardView) -> Iterator[Call]:
    """Yield the lesson of each kind of complaint that recurs, else of those there are, unless the card has it."""
    handles = {str(row.get(key)): str(row.get("id")) for row in turns if row.get("role") == "user" for key in _NAMES}
    said: dict[str, list[str]] = {}
    cited: dict[str, list[str]] = {}
    for row in triggers:
        words, handle = _REASON.sub("", str(row.get("reason", ""))), handles.get(str(row.get("turn")))
        name = next((name for name, topic in TOPICS.items() if topic_of(words) is topic), None)
        if name and handle and handle not in cited.setdefault(name, []):
            cited[name].append(handle)
            said.setdefault(name, []).append(words)
    recurring = {name: refs for name, refs in cited.items() if len(refs) > 1}
    for name, refs in (recurring or cited).items():
        topic = TOPICS[name]
        if refs and not topic.has("lesson", "\n".join(view.rules)):
            lesson = topic.wording(chinese=is_chinese(" ".join(said[name]))).lesson
            yield Call("add_self_model", {"text": lesson, "refs": refs})


def _asked_only(prompt: str) -> bool:
    """Whether the run serves nothing but requests of the user."""
    triggers = unframe(prompt, "triggers")
    return bool(triggers) and all(row.get("kind") == "request" for row in triggers)


def _card(prompt: str) -> CardView:
    return read_card(str(row.get("line", "")) for row in unframe(prompt, "card"))


def _stale(prompt: str) -> Iterator[Call]:
    """Yield what becomes of old present activities: what lasts is kept as past, what fell silent leaves."""
    for row in unframe(prompt, "flagged"):
        text, days = str(row.get("text", "")), row.get("days")
        if row.get("section") != "now" or not text:
            continue
        if _LASTING.search(text):
            yield Call("promote_now_to_past", {"match": text})
        elif isinstance(days, int) and days >= _OVER_AFTER:
            yield Call("remove_now", {"match": text})


def _mentioned(call: Call, spoken: str) -> bool:
    return covers(str(call.args["match"]), spoken) > MOST


def _mend(prompt: str, made: Sequence[tuple[Call, str]]) -> Iterator[Call]:
    """Yield calls in place of refused ones; a refusal that is not understood is accepted."""
    written = [
        call.args["text"] for call, answer in made if call.name == "update_past_profile" and answer.startswith("OK")
    ]
    profile = str(written[-1]) if written else _card(prompt).profile
    for call, answer in made:
        if not answer.startswith("REJECTED") or "text" not in call.args:
            continue
        text = str(call.args["text"])
        limit = re.search(r"limit (\d+)", answer)
        if limit and len(text) > int(limit[1]):
            yield Call(call.name, {**call.args, "text": shorten(text, int(limit[1]))})
        elif call.name == "add_self_model" and "overrides" in answer:
            yield Call(call.name, {**call.args, "overrides": call.args["refs"]})  # rules here are the user's own words
        elif call.name == "add_past_anchor" and " is full " in answer:
            profile = ("" if is_chinese(text) else " ").join(filter(None, [profile, sentence(text)]))
            if len(profile) <= PROFILE_LIMIT:
                yield Call("update_past_profile", {"text": profile, "refs": call.args["refs"]})


def _finish(prompt: str, done: Sequence[Call], refused: Sequence[tuple[Call, str]]) -> Call:
    rows = own_rows(unframe(prompt, "turns"))
    chinese = is_chinese(" ".join(row["text"] for row in rows))
    reasons = "; ".join(f"{call.name}: {answer.removeprefix('REJECTED: ')}" for call, answer in refused)
    reasoning = f"Rules read {len(rows)} turns of the user; edits made: {len(done)}; refused: {len(refused)}."
    return Call("finish", {"reasoning": f"{reasoning} {reasons}".strip(), "summary": _summary(done, chinese=chinese)})


def _summary(done: Sequence[Call], *, chinese: bool) -> str:
    """Return one sentence on what changed; empty when nothing did."""
    nouns = list(dict.fromkeys(_NOUNS[call.name][chinese] for call in done if call.name in _NOUNS))
    if not nouns:
        return ""
    if len(nouns) > _NAMED:
        nouns = [*nouns[:_NAMED], "其他" if chinese else "more"]
    if chinese:
        return f"更新了卡片：{'、'.join(nouns)}。"
    listed = f"{', '.join(nouns[:-1])} and {nouns[-1]}" if len(nouns) > 1 else nouns[0]
    return f"Updated your card: {listed}."
