"""The end of an evolution run: a person's word if one is wanted, the settlement, one commit for everything."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from langgraph.runtime import Runtime

from previously.nodes.card import BY_A_PERSON, card_faults, card_meta, edited_card, rebase
from previously.nodes.evolution import direction_context
from previously.nodes.generation import due_reason, still_alive
from previously.nodes.pressure import job_key, lessons, run_owner
from previously.nodes.reviewing import Faults, ask_person
from previously.nodes.services import Node, Services
from previously.state.account import render_account
from previously.state.card_diff import line_diff
from previously.state.channels import EvolutionState
from previously.state.commit import Commit, Committed, NewJob, Put, Settlement
from previously.state.context import DEFAULT_AGENT, MemoryContext
from previously.state.direction import parse_direction, render_direction
from previously.state.direction_edits import DIRECTION_EDITS
from previously.state.errors import Conflict, Failure
from previously.state.event import event
from previously.state.paths import CARD_PATH, DIRECTION_PATH, account_path, playbook_path
from previously.state.playbook import playbook_problems
from previously.state.usage import total_usage

Update = dict[str, Any]
_REBASES = 5
"""Times that a run applies its edits again to documents that somebody else has changed meanwhile."""


def changes(state: EvolutionState) -> bool:
    """Whether a run has anything to install besides its account."""
    return bool(state["operations"] or state["retired"] or _card_text(state) or _written(state))


def _card_text(state: EvolutionState) -> str | None:
    text: str | None = state["card_run"].get("card")
    return text


def _written(state: EvolutionState) -> list[Update]:
    return [row for row in state["staged"] if row["status"] == "changed"]


def review(services: Services) -> Node[EvolutionState]:
    """Asks a person: interrupts with the diffs. Resume with `{"action": "accept" | "edit" | "reject", …}`.

    An edit holds `direction`, `card` or `playbooks` (colleague → text), as they are to be installed.
    """

    def review(state: EvolutionState, runtime: Runtime[MemoryContext]) -> Update:
        agent = services.context(runtime).agent
        shown = {
            "direction": state["direction"],
            "diff": _direction_diff(state),
            "card": _card_text(state),
            "card_diff": state["card_run"].get("diff", []),
            "playbooks": [{name: row[name] for name in ("colleague", "text", "diff")} for row in _written(state)],
            "summary": state["verdict"]["summary"],
        }
        texts: dict[str, Faults] = {"direction": lambda text: parse_direction(text).direction.problems()}
        if _card_text(state):
            texts["card"] = lambda text: card_faults(text, agent)
        texts |= {f"playbooks.{row['colleague']}": playbook_problems for row in _written(state)}
        return {"review": ask_person(shown, texts)}

    return review


def decide(services: Services) -> Node[EvolutionState]:
    """Reads the reviewer's answer; sets `direction`, `card_run` and `staged` to what was decided, or `refused`."""

    def decide(state: EvolutionState, runtime: Runtime[MemoryContext]) -> Update:
        answer = state["review"]
        if answer["action"] == "reject":
            return {"refused": [str(answer.get("reason") or "rejected in review")], **_nothing(state)}
        return _edited(services, services.context(runtime), state, answer) if answer["action"] == "edit" else {}

    return decide


def _nothing(state: EvolutionState) -> Update:
    return {"operations": [], "retired": [], "card_run": {}, "staged": [], "direction": state["before"]}


def _edited(services: Services, context: MemoryContext, state: EvolutionState, answer: Update) -> Update:
    """Return what a person made of the staged texts."""
    texts = {row["colleague"]: answer.get(f"playbooks.{row['colleague']}", row["text"]) for row in state["staged"]}
    update: Update = {"staged": [{**row, "text": texts[row["colleague"]]} for row in state["staged"]]}
    if "direction" in answer:
        text = render_direction(parse_direction(answer["direction"]).direction)
        update |= {"direction": text, "operations": [*state["operations"], BY_A_PERSON]}
    if "card" in answer:
        update["card_run"] = edited_card(services, context, state["card_run"], answer["card"])
    return update


def settle(_services: Services) -> Node[EvolutionState]:
    """Decides what becomes of the generation: sets `outcome` with its status, the reason, and whether it is settled.

    A run that came to an end settles, also without a change; a rejected proposal and a failure leave the pressure.
    """

    def settle(state: EvolutionState, runtime: Runtime[MemoryContext]) -> Update:  # noqa: ARG001 - as every node
        run = state["card_run"]
        if failure := state["failure"]:
            return _outcome("failed", failure["detail"], failure=failure["code"])
        if run.get("failure"):
            return _outcome("failed", run["reason"], failure=run["failure"])
        if state["refused"]:
            by_hand = state["review"].get("action") == "reject"
            return _outcome("rejected", "; ".join(state["refused"]), settles=by_hand)
        return _outcome("changed" if changes(state) else "no_change", "", settles=True)

    return settle


def _outcome(status: str, reason: str, *, failure: str | None = None, settles: bool = False) -> Update:
    return {"outcome": {"status": status, "reason": reason, "failure": failure, "settles": settles}}


def commit(services: Services) -> Node[EvolutionState]:
    """Installs all that a run came to in one commit, with its account; sets `evolution`, and tells of it."""

    def commit(state: EvolutionState, runtime: Runtime[MemoryContext]) -> Update:
        context = services.context(runtime)
        committed = _install(services, context, state)
        if committed is None:
            services.store.drop(context.space, job_key(context.agent), owner=run_owner(state["turn"]))
            reason = "another run came to an end first"
            runtime.stream_writer(event("evolution", "skipped", reason=reason, due=state["due"]))
            return {"evolution": {"status": "skipped", "reason": reason}}
        if state["outcome"]["failure"] and not committed.repeated:
            _back_off(services, context, state)
        runtime.stream_writer(event("evolution", **committed.result))
        return {"evolution": {**committed.result, "commit": committed.seq}, "evidence": [], "ledger": [], "marks": []}

    return commit


def _install(services: Services, context: MemoryContext, state: EvolutionState) -> Committed | None:
    """Commit; when a document moved meanwhile, apply the edits to it again. `None`: another run was first."""
    for _ in range(_REBASES):
        try:
            return services.install(_build(services, context, state))
        except Conflict as conflict:
            if conflict.path == account_path(context.agent):
                return None
            if conflict.path == DIRECTION_PATH and BY_A_PERSON in state["operations"]:
                break  # a person wrote it on what is no longer there: it has to be reviewed anew
            state = _reread(services, context, state, conflict.path)
            if state["card_run"].get("failure"):
                break
    failed = {**_nothing(state), **_outcome("failed", "the documents kept moving", failure=Failure.CONFLICT.value)}
    return services.install(_build(services, context, {**state, **failed}))  # type: ignore[typeddict-item]


def _reread(services: Services, context: MemoryContext, state: EvolutionState, path: str) -> EvolutionState:
    head = services.store.head(context.space, path)
    bases = {**state["bases"], path: head.revision if head else 0}
    if path == CARD_PATH:
        return {**state, "card_run": rebase(services, context, state["card_run"])}
    if path == DIRECTION_PATH:
        live, retired = still_alive(services, context.space, parse_direction(head.text if head else "").direction)
        checks = direction_context(services, context, state)
        direction, operations = DIRECTION_EDITS.replay(live, state["operations"], checks)
        before, text = head.text if head else "", render_direction(direction)
        return {
            **state, "bases": bases, "before": before, "direction": text, "operations": operations, "retired": retired
        }  # fmt: skip
    staged = [
        {**row, "status": "rejected", "reason": "somebody else changed it meanwhile"}
        if playbook_path(row["colleague"], context.agent) == path
        else row
        for row in state["staged"]
    ]
    return {**state, "bases": bases, "staged": staged}


def _build(services: Services, context: MemoryContext, state: EvolutionState) -> Commit:
    outcome, key = state["outcome"], job_key(context.agent)
    turn = services.store.turn(context.space, state["turn"])
    installs = outcome["status"] == "changed"
    account = _account(context, state, before=str(turn.ref) if turn else "")
    puts = _puts(context, state) if installs else []
    seen = lessons(state["card"], DEFAULT_AGENT)  # the card as shown names its one Self-model without the agent
    text, meta = render_account(account), {"status": outcome["status"], "turn": state["turn"], "lessons": seen}
    pressed = any(row["kind"] == "pressure" for row in state["due"])
    job = services.store.job(context.space, key)
    waits = NewJob(
        key=key,
        kind="evolution",
        thread=context.thread or "",
        data={"upto": state["upto"], "rejected_in": state["slice"] if outcome["status"] == "rejected" else ""},
        attempts=job.attempts if job else 0,
        detail=outcome["reason"],
    )
    return Commit(
        space=context.space,
        key=f"evolution:{context.agent}:{state['turn']}@{state['run']}",
        kind="evolution",
        at=turn.event_time if turn else services.clock(),
        base=_bases(context, state, {put.path for put in puts}),
        documents=(*puts, Put(path=account_path(context.agent), text=text, meta=meta)),
        finish=(key,) if outcome["settles"] else (),
        owe=() if outcome["settles"] else (waits,),
        settle=Settlement(agent=context.agent, upto=state["upto"]) if outcome["settles"] and pressed else None,
        result=account,
    )


def _bases(context: MemoryContext, state: EvolutionState, written: set[str]) -> dict[str, int]:
    """Return what has to be as it was read: the account, so that one run wins, and whatever is written."""
    bases = {path: state["bases"][path] for path in written if path in state["bases"]}
    bases[account_path(context.agent)] = state["run"] - 1
    return bases | ({CARD_PATH: state["card_run"]["base"]} if CARD_PATH in written else {})


def _puts(context: MemoryContext, state: EvolutionState) -> list[Put]:
    summary = state["verdict"]["summary"]
    puts = []
    if state["operations"] or state["retired"]:
        meta = {"edits": state["operations"], "retired": state["retired"], "summary": summary}
        puts.append(Put(path=DIRECTION_PATH, text=state["direction"], meta=meta))
    if text := _card_text(state):
        puts.append(Put(path=CARD_PATH, text=text, meta=card_meta(state["card_run"])))
    for row in _written(state):
        edit = {"tool": "write_playbook", "args": {"colleague": row["colleague"], "refs": row["refs"]}}
        path = playbook_path(row["colleague"], context.agent)
        puts.append(Put(path=path, text=row["text"], meta={"edits": [edit], "summary": summary}))
    return puts


def _back_off(services: Services, context: MemoryContext, state: EvolutionState) -> None:
    """Count the failure: the run is tried again later, or never when its attempts are used up."""
    key, outcome = job_key(context.agent), state["outcome"]
    job = services.store.job(context.space, key)
    if job is None:
        return
    services.store.defer(
        context.space,
        key,
        failure=Failure(outcome["failure"]),
        detail=outcome["reason"],
        next_at=services.clock() + timedelta(seconds=services.settings.backoff * 2**job.attempts),
        max_attempts=services.settings.attempts,
    )


def _account(context: MemoryContext, state: EvolutionState, *, before: str) -> Update:
    """Return what the run did, for the host, the account document and the commit."""
    outcome, verdict, run = state["outcome"], state["verdict"], state["card_run"]
    told = outcome["status"] == "changed"
    direction = {
        "status": "rejected" if state["refused"] else "changed" if state["operations"] or state["retired"] else "",
        "reasons": state["refused"],
        "diff": _direction_diff(state) if told else [],
        "operations": state["operations"],
        "retired": state["retired"],
    }
    card = {"status": run.get("status", ""), "reasons": [run["reason"]] if run.get("reason") else []}
    card |= {"diff": run.get("diff", []) if told else [], "edits": run.get("edits", [])}
    playbooks = [
        {"colleague": row["colleague"], "status": row["status"], "reasons": [row["reason"]] if row["reason"] else []}
        | {"diff": row["diff"], "refs": row["refs"]}
        for row in state["staged"]
    ]
    return {
        "run": state["run"],
        "agent": context.agent,
        "before": before,
        "due": state["due"],
        "status": outcome["status"],
        "reason": outcome["reason"] or due_reason(state["due"]),
        "summary": (verdict.get("summary") or run.get("summary", "")) if told else "",
        "reasoning": verdict.get("reasoning", ""),
        "failure": outcome["failure"],
        "read": [{**row, "ref": state["handles"].get(row["turn"], row["turn"])} for row in state["ledger"]],
        "direction": direction,
        "card": card,
        "playbooks": playbooks,
        "diff": [*direction["diff"], *card["diff"], *(line for row in playbooks for line in row["diff"])],
        "usage": total_usage(state.get("usage", [])),
    }


def _direction_diff(state: EvolutionState) -> list[str]:
    before = render_direction(parse_direction(state["before"]).direction)
    return line_diff(before, state["direction"])
