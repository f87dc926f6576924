"""`LoopbackServer`: OpenAI's chat completions over real HTTP on 127.0.0.1, answered from a script."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Self

from langchain_core.messages import AIMessage
from langchain_core.messages.utils import convert_to_messages

from previously.testing.replies import Dropped, Garbage, Hang, HTTPFault, Reply, as_message
from previously.testing.script import ModelCall, Script, ScriptExhausted, ScriptLike

if TYPE_CHECKING:
    from langchain_openai import ChatOpenAI

_PATH = "/v1/chat/completions"


@dataclass(frozen=True, kw_only=True)
class Received:
    """One request as it came over the wire."""

    raw: bytes
    """The body, byte for byte: what a provider's prefix cache sees."""
    body: dict[str, Any]
    headers: Mapping[str, str]
    """Names in lower case."""


class LoopbackServer:
    """Serves `POST /v1/chat/completions`, whole or as a stream, from a script as `ScriptedChatModel` takes it.

    Steps are unknown on the wire, so a key of the script is the name of a tool or a part of the prompt. `Dropped`
    closes the connection, `Garbage` sends its bytes, `status(…)` is that status; a call beyond the script gets a 410.
    Used as a context manager; it can be entered once.
    """

    def __init__(self, script: ScriptLike = "OK", *, keep_alive: bool = False) -> None:
        """Bind a free port; requests are answered inside the `with` block.

        `keep_alive` leaves connections open between requests, as real providers do; clients then have to be closed.
        """
        self.keep_alive = keep_alive
        self._script = Script(script)
        self._closing = threading.Event()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.loopback = self
        self.requests: list[Received] = []
        """Everything that was received, in order."""

    @property
    def url(self) -> str:
        """The base URL for a client."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    @property
    def calls(self) -> list[ModelCall]:
        """The requests as `ScriptedChatModel` would record them."""
        return self._script.calls

    def chat_model(self, **fields: Any) -> ChatOpenAI:
        """Return a `ChatOpenAI` that talks to this server; `fields` are its own."""
        from langchain_openai import ChatOpenAI  # noqa: PLC0415 - slow to import, and not needed to serve

        return ChatOpenAI(**{"model": "loopback", "base_url": self.url, "api_key": "loopback", **fields})

    def __enter__(self) -> Self:
        """Start to serve."""
        threading.Thread(target=self._server.serve_forever, args=(0.02,), name="loopback", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop, also in the middle of a hang."""
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()

    def _answer(self, received: Received) -> tuple[ModelCall, int, Reply]:
        self.requests.append(received)
        body = received.body
        call = ModelCall(
            messages=tuple(convert_to_messages(body.get("messages", []))),
            tools=tuple(tool["function"]["name"] for tool in body.get("tools") or ()),
            options={name: value for name, value in body.items() if name not in {"messages", "tools"}},
        )
        number, reply = self._script.next(call)
        while isinstance(reply, Hang):
            self._closing.wait(reply.seconds)
            reply = reply.reply
        return call, number, reply


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    loopback: LoopbackServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: clients that hang up are what this server is for."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # header and body in one packet, or every answer waits 40 ms for an acknowledgement
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name is the standard library's
        """Say nothing."""

    def do_POST(self) -> None:
        """Play the next reply."""
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.path != _PATH:
            self._send(404, _error(f"only {_PATH} is served"))
            return
        received = Received(
            raw=raw, body=json.loads(raw), headers={name.lower(): value for name, value in self.headers.items()}
        )
        try:
            call, number, reply = self.server.loopback._answer(received)  # noqa: SLF001 - two halves of one thing
        except ScriptExhausted as error:
            self._send(410, _error(str(error)))
            return
        if isinstance(reply, Dropped):
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
        elif isinstance(reply, Garbage):
            self._send(200, reply.body)
        elif isinstance(reply, HTTPFault):
            self._send(reply.status_code, _error(str(reply)), reply.response.headers)
        elif isinstance(reply, Exception):
            self._send(500, _error(str(reply)))
        else:
            self._complete(received.body, as_message(reply, wanted=call.wanted, number=number, prompt=call.messages))

    def _complete(self, body: dict[str, Any], message: AIMessage) -> None:
        if not body.get("stream"):
            choice = {"index": 0, "message": _wire(message), "finish_reason": _ending(message)}
            self._send(200, json.dumps(_frame("chat.completion", [choice], _usage(message))).encode())
            return
        usage = bool((body.get("stream_options") or {}).get("include_usage"))
        events = [f"data: {json.dumps(event)}\n\n" for event in _events(message, usage=usage)]
        self._send(200, "".join([*events, "data: [DONE]\n\n"]).encode(), {"content-type": "text/event-stream"})

    def _send(self, status: int, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"content-type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        if not self.server.loopback.keep_alive:
            self.send_header("connection", "close")
        self.end_headers()
        self.wfile.write(body)


def _error(message: str) -> bytes:
    return json.dumps({"error": {"message": message, "type": "scripted", "code": None, "param": None}}).encode()


def _frame(kind: str, choices: list[dict[str, Any]], usage: dict[str, Any] | None) -> dict[str, Any]:
    return {"id": "loopback", "object": kind, "created": 0, "model": "loopback", "choices": choices, "usage": usage}


def _wire(message: AIMessage) -> dict[str, Any]:
    made: list[tuple[str | None, str | None, str | None]] = [
        *((call["id"], call["name"], json.dumps(call["args"])) for call in message.tool_calls),
        *((call["id"], call["name"], call["args"]) for call in message.invalid_tool_calls),
    ]
    calls = [{"id": id_, "type": "function", "function": {"name": name, "arguments": args}} for id_, name, args in made]
    refusal = message.additional_kwargs.get("refusal")
    return {"role": "assistant", "content": message.text or None, "refusal": refusal} | (
        {"tool_calls": calls} if calls else {}
    )


def _ending(message: AIMessage) -> str:
    return str(message.response_metadata["finish_reason"])


def _usage(message: AIMessage) -> dict[str, Any]:
    usage = message.usage_metadata
    assert usage is not None  # noqa: S101 - set by `as_message`
    return {
        "prompt_tokens": usage["input_tokens"],
        "completion_tokens": usage["output_tokens"],
        "total_tokens": usage["total_tokens"],
        "prompt_tokens_details": {"cached_tokens": usage.get("input_token_details", {}).get("cache_read", 0)},
    }


def _events(message: AIMessage, *, usage: bool) -> Iterator[dict[str, Any]]:
    """Yield the chunks of a streamed answer."""
    whole = _wire(message)
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": piece} for piece in (whole["content"] or "").splitlines(keepends=True)]
    deltas += [{"tool_calls": [{"index": index, **call}]} for index, call in enumerate(whole.get("tool_calls", []))]
    for delta in deltas:
        yield _frame("chat.completion.chunk", [{"index": 0, "delta": delta, "finish_reason": None}], None)
    yield _frame("chat.completion.chunk", [{"index": 0, "delta": {}, "finish_reason": _ending(message)}], None)
    if usage:
        yield _frame("chat.completion.chunk", [], _usage(message))
