"""A model server that nobody here wrote, in a process of its own, asked for a tool.

It is ``fakellm`` from PyPI: it speaks Chat Completions and Anthropic's Messages, and
needs no model. It gets an environment of its own, kept in pytest's cache.
"""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from turn_kit import USER, FakeTool

from aistream_nb.providers import NO_RETRY, execute_client_tool_turn

PACKAGE = "fakellm==0.3.5"
RULES = """
version: 1
rules:
  - name: answer
    when: {messages_contain: "snow"}
    respond: {content: "It snows in Oslo."}
  - name: call
    when: {messages_contain: "Hi"}
    respond:
      tool_calls:
        - {name: get_weather, arguments: {"city": "Oslo"}}
"""

pytestmark = [pytest.mark.interop, pytest.mark.timeout(180)]


@pytest.fixture(scope="module")
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """The address of a running server."""
    rules = tmp_path_factory.mktemp("fakellm") / "fakellm.yaml"
    rules.write_text(RULES)
    place = Path(request.config.cache.mkdir("interop")) / PACKAGE.replace("==", "-")
    port = free_port()
    command = [str(installed(place)), "serve", "--config", str(rules), "--port", port]
    with subprocess.Popen(  # noqa: S603 - a program that this test installed
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        try:
            wait_until_it_listens(process)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.terminate()


def installed(place: Path) -> Path:
    program = place / "bin" / "fakellm"
    if not (place / "complete").exists():
        shutil.rmtree(place, ignore_errors=True)
        run(sys.executable, "-m", "venv", str(place))
        run(str(place / "bin" / "python"), "-m", "pip", "install", "-q", PACKAGE)
        (place / "complete").touch()
    return program


def run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)  # noqa: S603 - as above


def free_port() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


def wait_until_it_listens(process: subprocess.Popen[str]) -> None:
    assert process.stdout is not None
    told: list[str] = []
    for line in process.stdout:
        told.append(line)
        if "running on" in line:
            return
    pytest.fail(f"the server did not start:\n{''.join(told)[-2000:]}")


@pytest.mark.parametrize("provider", ["openai-compat", "vllm", "anthropic"])
async def test_a_conversation_with_a_tool_goes_round(server, provider):
    tool = FakeTool()
    tail, rounds = (), 0
    while True:
        turn = execute_client_tool_turn(
            provider=provider,
            endpoint=server,
            model="any",
            api_key="any",
            messages=USER,
            client_tools=[tool],
            continuation_messages=tail,
            retry=NO_RETRY,
        )
        outcome = await turn.next_turn
        rounds += 1
        if outcome.continuation is None:
            break
        tail = outcome.continuation.messages
    assert (rounds, outcome.full_text) == (2, "It snows in Oslo.")
    assert tool.ran == [{"city": "Oslo"}]
