"""Models and servers for tests: scripted answers, faults and delays, with a record of what was asked.

`ScriptedChatModel` takes the place of a chat model; `LoopbackServer` is a real HTTP server that speaks the protocol of
OpenAI's chat completions, for tests of what goes over the wire. Both play the same replies:

    from previously.testing import ScriptedChatModel, calls, status

    model = ScriptedChatModel({
        "analyze": {"intent": "chat", "memory_worthy": False},   # by the name of a step, for every call
        "previously_agent": [status(500), calls(("finish", {"reasoning": "nothing new"}))],   # one after the other
        "": "Hello!",                                            # everything else, such as the host's own calls
    })
"""

from previously.testing.loopback import LoopbackServer, Received
from previously.testing.replies import (
    Dropped,
    Garbage,
    Hang,
    HTTPFault,
    Reply,
    calls,
    refused,
    status,
    truncated,
)
from previously.testing.script import ModelCall, ScriptExhausted
from previously.testing.scripted import ScriptedChatModel

__all__ = (
    "Dropped",
    "Garbage",
    "HTTPFault",
    "Hang",
    "LoopbackServer",
    "ModelCall",
    "Received",
    "Reply",
    "ScriptExhausted",
    "ScriptedChatModel",
    "calls",
    "refused",
    "status",
    "truncated",
)
