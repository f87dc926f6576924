"""Long-term memory for LangGraph agents that learns who its user is and cites evidence for every line.

`Previously` opens the stores and hands out graphs, nodes, tools and middleware; `MemoryContext` says whose memory a run
works on.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from previously.memory import Previously
    from previously.middleware import PreviouslyMiddleware
    from previously.state.context import MemoryContext
    from previously.state.errors import Conflict, Failure, InvalidInput, NotFound, PreviouslyError
    from previously.state.settings import Settings
    from previously.state.slice import SlicePolicy

__version__ = "0.1.0"
_PUBLIC = {
    "Conflict": "state.errors",
    "Failure": "state.errors",
    "InvalidInput": "state.errors",
    "MemoryContext": "state.context",
    "NotFound": "state.errors",
    "Previously": "memory",
    "PreviouslyError": "state.errors",
    "PreviouslyMiddleware": "middleware",
    "Settings": "state.settings",
    "SlicePolicy": "state.slice",
}
__all__ = (
    "Conflict",
    "Failure",
    "InvalidInput",
    "MemoryContext",
    "NotFound",
    "Previously",
    "PreviouslyError",
    "PreviouslyMiddleware",
    "Settings",
    "SlicePolicy",
    "__version__",
)


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: the libraries below take seconds to load."""
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_PUBLIC[name]}"), name)
