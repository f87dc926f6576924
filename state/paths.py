"""Where each document of a space stands."""

from __future__ import annotations

import hashlib
import re

from previously.state.commit import Colleague
from previously.state.context import DEFAULT_AGENT

CARD_PATH = "memory/episodic/current-previously.md"
TIMELINE_PATH = "memory/episodic/timeline.md"
SLICES_PATH = "memory/episodic/slices/"
DIRECTION_PATH = "memory/evolution/direction.md"
PLAYBOOKS_PATH = "memory/agent-playbooks/"
_LABEL = 24


def playbook_path(colleague: Colleague, agent: str) -> str:
    """Return the path of a colleague's playbook; those of another agent than the default one have a folder."""
    return f"{PLAYBOOKS_PATH}{_folder(agent)}{colleague}.md"


def account_path(agent: str) -> str:
    """Return the path of the account of an agent's evolution runs, one revision a run."""
    return f"memory/evolution/{_folder(agent)}account.md"


def slice_path(slice_id: str, name: str) -> str:
    """Return the path of the document `name` (`core.md`, `agent.md`, `previously.md`) of a slice."""
    return f"{SLICES_PATH}{slice_id.replace('-', '/')}/{name}"


def label(outside: str, kind: str = "space") -> str:
    """Return a name that every file system and every store accepts for an id from outside.

    It has a readable part (`kind` where the id has none), and 16 hex digits that tell any two ids apart.
    """
    readable = re.sub(r"[^a-z0-9]+", "-", outside.lower()).strip("-")[:_LABEL].strip("-") or kind
    return f"{readable}-{hashlib.sha256(outside.encode()).hexdigest()[:16]}"


def _folder(agent: str) -> str:
    return "" if agent == DEFAULT_AGENT else f"{label(agent, 'agent')}/"
