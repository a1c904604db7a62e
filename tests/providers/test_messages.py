"""Messages, images and search tools, as values and as mappings."""

from __future__ import annotations

import pytest

from aistream_nb.errors import TurnError
from aistream_nb.providers.messages import (
    Attachment,
    Message,
    WebSearch,
    read_messages,
    read_server_tools,
)

IMAGE = Attachment(mime_type="image/png", base64="AA", detail="low")


def test_values_and_mappings_are_the_same():
    wire = {
        "role": "user",
        "content": "Hi",
        "attachments": [
            {"mimeType": "image/png", "base64": "AA", "detail": "low"},
            IMAGE,
        ],
    }
    said = Message(role="user", content="Hi", attachments=(IMAGE, IMAGE))
    assert read_messages([wire, said]) == (said, said)
    assert IMAGE.url == "data:image/png;base64,AA"


@pytest.mark.parametrize("odd", [{"role": "tool", "content": "x"}, {"role": "user"}])
def test_a_message_without_role_or_text_is_refused(odd):
    with pytest.raises(TurnError, match="needs a role"):
        read_messages([odd])


def test_a_search_can_be_said_in_three_ways():
    search = WebSearch(
        allowed_domains=("a",), blocked_domains=(), max_uses=1, understand_images=True
    )
    assert read_server_tools(["web_search", search, search.to_wire()]) == (
        WebSearch(),
        search,
        search,
    )
    assert WebSearch().to_wire() == {"type": "web_search"}


@pytest.mark.parametrize("odd", ["code", {"type": "code"}, 7])
def test_another_server_tool_is_refused(odd):
    with pytest.raises(TurnError, match="unknown server tool"):
        read_server_tools([odd])
