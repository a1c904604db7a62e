"""A key that turns up everywhere, and the artefacts that outlive the chat.

The person types it, the model repeats it in its text, in a URL, in the arguments of a
call and beside a picture, the tool returns it and fails with it, and the server shouts
it back in an error. A person who watches sees what was said; whatever is kept (files,
exports, outputs of a notebook, reports, logs) holds the key nowhere, in no spelling.
"""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import io
import json
import logging
import traceback
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from turn_kit import Answer, Server, sse

import aistream_nb as ai
from aistream_nb import export
from aistream_nb.cli.entry import main
from aistream_nb.errors import AIStreamError
from aistream_nb.providers.retry import NO_RETRY
from aistream_nb.testing import replay

KEYS = ("hunter2-PLANTED+horse/battery==", "s3cret & <PLANTED> 'words'")


def chunks(*deltas: Mapping[str, Any], stop: str) -> bytes:
    frames = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    end = {"choices": [{"index": 0, "delta": {}, "finish_reason": stop}]}
    return sse(*frames, end, named=False)


def call(number: int, name: str, **arguments: Any) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"tool_calls": [{"index": number, "id": f"c{number}", "function": function}]}


def answers(key: str) -> list[Answer]:
    """Two rounds that say the key, and one that fails with it."""
    address = f"https://files.test/?token={key}&q=1"
    body = {"error": {"message": f"bad key {key}", "metadata": {"authorization": key}}}
    return [
        Answer(
            chunks(
                {"content": f"Your key is {key}. See {address} "},
                call(0, "fetch", url=address, headers={"authorization": key}),
                call(1, "break_it", text=key),
                stop="tool_calls",
            )
        ),
        Answer(
            chunks({"content": f"![{key}](https://x.test/{key}.png) "}, stop="stop")
        ),
        Answer(json.dumps(body).encode(), status=401),
    ]


def tools() -> list[Any]:
    @ai.tool(read_only=True)
    def fetch(url: str, headers: dict[str, str]) -> dict[str, Any]:
        """Fetch."""
        return {"url": url, "body": [f"key={headers['authorization']}"], **headers}

    @ai.tool(read_only=True)
    def break_it(text: str) -> str:
        """Fail."""
        raise RuntimeError(f"the request with {text} failed")

    return [fetch, break_it]


def spellings(key: str) -> set[str]:
    plain = json.dumps(key)[1:-1], json.dumps(key, ensure_ascii=False)[1:-1]
    written = {key, *plain, quote(key), quote(key, safe=""), "PLANTED"}
    return written | {escape(one) for one in written}


def must_be_clean(places: Mapping[str, str], key: str) -> None:
    found = {
        place: text[max(0, text.index(spelling) - 60) :][:150]
        for place, text in places.items()
        for spelling in spellings(key)
        if spelling in text
    }
    assert found == {}


async def talk(key: str, folder: Path, caplog: Any) -> tuple[ai.Chat, dict[str, str]]:
    """A chat in which all of it happened, and what was told beside it."""
    server = Server(*answers(key))
    caplog.set_level(logging.DEBUG)
    chat = ai.Chat(
        "vllm:m",
        api_key=key,
        client=server.client,
        retry=NO_RETRY,
        tools=tools(),
        gate=ai.ApprovalGate("never"),
    )
    chat.recording.record_to(folder / "growing.jsonl")
    told: dict[str, str] = {}
    reply = await chat.send(f"My key is {key}, keep it.")
    assert reply.status == "finished"
    told["reply"] = repr(reply._repr_mimebundle_())
    with pytest.raises(AIStreamError) as caught:
        await chat.send("And again?")
    told["error"] = f"{caught.value!r} {caught.value} {vars(caught.value)}"
    told["traceback"] = "".join(traceback.format_exception(caught.value))
    await chat.aclose()
    chat.recording.close()
    told["log"] = caplog.text + repr([vars(record) for record in caplog.records])
    return chat, told


def kept(chat: ai.Chat, folder: Path) -> Iterator[tuple[str, str]]:
    """What is written or shown of a chat that outlives it."""
    recording = chat.recording
    yield "growing file", (folder / "growing.jsonl").read_text("utf-8")
    yield "file", recording.save(folder / "kept.jsonl").read_text("utf-8")
    packed = recording.save(folder / "kept.jsonl.gz").read_bytes()
    yield "packed file", gzip.decompress(packed).decode()
    for name in export.__all__:
        for source in (chat, recording, folder / "kept.jsonl"):
            write = getattr(export, name)
            yield f"export.{name}({type(source).__name__})", _text(write(source))
    yield "output of the chat", repr(chat._repr_mimebundle_())
    yield "output of the recording", repr(recording) + recording._repr_html_()
    player, inspector = ai.Player(recording), ai.Inspector(recording)
    for view, widget in ((player, player._view()), (inspector, inspector.widget())):
        yield type(view).__name__, repr((view, view._repr_mimebundle_()))
        frames = json.dumps(widget.get_state(), default=str)
        yield f"frames of {type(view).__name__}", frames
    yield "chart", str(chat.timing_chart().to_svg())
    report = ai.check_ordering(recording.events)
    yield "report", str(report) + report.to_json() + report.to_junit()
    yield "decisions", repr(getattr(chat.gate, "decisions", ()))
    yield "violations", repr(chat.violations)


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


@pytest.mark.parametrize("key", KEYS)
async def test_what_is_kept_of_a_chat_holds_no_key(
    key: str, tmp_path: Path, caplog: Any
):
    chat, told = await talk(key, tmp_path, caplog)
    assert key in chat.conversation.messages[1].text  # who watches sees it
    places = told | dict(kept(chat, tmp_path))
    assert len(places) > 30
    assert sum("[redacted]" in text for text in places.values()) > 15
    must_be_clean(places, key)


@pytest.mark.parametrize("key", KEYS)
def test_what_the_commands_print_and_write_holds_no_key(
    key: str, tmp_path: Path, caplog: Any
):
    asyncio.run(talk(key, tmp_path, caplog))
    run = str(tmp_path / "growing.jsonl")
    places: dict[str, str] = {}
    for form in ("html", "md", "ipynb", "sse", "json"):
        target = tmp_path / f"out.{form}"
        printed(["convert", run, str(target)])
        places[form] = target.read_text("utf-8")
    junit = tmp_path / "report.xml"
    for form in ("text", "json"):
        options = ["check", run, "--format", form, "--junit", str(junit)]
        places[f"check {form}"] = printed(options)
    places["junit"] = junit.read_text("utf-8")
    notebook = tmp_path / "regression.ipynb"
    places["notebook command"] = printed(["notebook", run, "-o", str(notebook)])
    places["notebook"] = notebook.read_text("utf-8")
    again = replay(run, tools=tools())
    places["replay"] = f"{again!r} {again.report} {again.outline}"
    must_be_clean(places, key)


def printed(arguments: list[str]) -> str:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        main(arguments)
    return out.getvalue() + err.getvalue()
