"""What readers answer in the tutorial notebooks: the intended answers and wrong ones.

An answer takes the place of one line, or of a few, of the cell under an exercise. A
wrong one comes with words that its hint must hold: they name what is wrong with it.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Exercise:
    """The text that a reader changes, what is right there, and what is not."""

    turn: str
    right: tuple[str, ...]
    wrong: dict[str, str]

    def answered(self, source: str, answer: str) -> str:
        """The cell with an answer in it."""
        assert source.count(self.turn) == 1, f"not once in the cell: {self.turn}"
        return source.replace(self.turn, answer)


def number(name: str, *, right: int, wrong: dict[str, str]) -> Exercise:
    """An exercise that asks for a number."""
    answers = {"None": "Write a number.", '"two"': "Write a number."} | wrong
    return Exercise(
        turn=f"{name} = None",
        right=(f"{name} = {right}",),
        wrong={f"{name} = {answer}": hint for answer, hint in answers.items()},
    )


WATER = "# your turn: one line here"
RULES = "        # your turn: ai.Rule.allow(...), ai.Rule.deny(...)"
MIDDAY = 'ai.Rule.allow("book_ferry", departure="14:30")'
LATE = 'ai.Rule.deny("book_ferry", departure="2?:*")'
DOG = 'return "ask"'
PETS = '{**request.arguments, "pets": 1}'
MENDED = "mended = list(torn)"
SECOND = '{**torn[4], "messageId": "m1"}'
MINE = "mine = [in_order[0], in_order[-1]]"
HISTORY = """'), loading=False)"""
LEDGER = 'which = ""  # your turn: the id of the call\nwhy = ""'
REWRITTEN = "its arguments were rewritten after a part was streamed"
AHOY = 'answer = chunk({"role": "assistant", "content": "Ahoy"})'
DONE = 'chunk({}, "stop") + b"data: [DONE]\\n\\n"'
TAIL = "    return tail"
BOATS = """        {"dep": "14:30", "arr": "16:30", "pets": True},  # your turn
        {"dep": "08:30", "arr": "10:30", "pets": True},
"""
MORNING = '{"dep": "08:30", "arr": "10:30", "pets": True}'
NOON = '{"dep": "14:30", "arr": "16:30", "pets": True}'
NAMES = '[it.get("toolCallName") for it in recording.events]'
FERRY = f'{NAMES}.index("book_ferry")'
BOOKED = 'it.name == "book_ferry" and it.status == "complete"'
PROMISE = "return True  # your turn: look at run.invocations"
BEGIN = 'yield {"type": "RUN_STARTED", "threadId": "t1", "runId": "r1"}  # your turn'
RUN = '{"threadId": "t1", "runId": "r1"}'
BEGUN = f'yield {{"type": "RUN_STARTED", **{RUN}, "protocolVersion": "1.0"}}'
ENDED = f'yield {{"type": "RUN_FINISHED", **{RUN}}}'
MORE = "    # your turn: one more event"
FAILED = '    yield {"type": "RUN_ERROR", "message": '


def call(call_id: str, result: str, *, arguments: str = "{}") -> list[str]:
    """The four events of a tool call, as somebody writes them."""
    at, message = f'"toolCallId": "{call_id}"', f'"messageId": "{result}"'
    return [
        f'{{"type": "TOOL_CALL_START", {at}, "toolCallName": "look"}}',
        f'{{"type": "TOOL_CALL_ARGS", {at}, "delta": "{arguments}"}}',
        f'{{"type": "TOOL_CALL_END", {at}}}',
        f'{{"type": "TOOL_CALL_RESULT", "content": "3", {message}, {at}}}',
    ]


def mine(*events: str) -> str:
    """A run with these events."""
    return f"mine = [in_order[0], {', '.join(events)}, in_order[-1]]"


def together(first: list[str], second: list[str]) -> str:
    """A run in which two calls alternate."""
    return mine(*(event for pair in zip(first, second, strict=True) for event in pair))


def saying(*pieces: str) -> str:
    """A generator's run whose message has these pieces."""
    chunks = (
        f'yield {{"type": "TEXT_MESSAGE_CHUNK", "messageId": "m1", "delta": "{piece}"}}'
        for piece in pieces
    )
    return "\n    ".join((BEGUN, *chunks, ENDED))


EXERCISES: dict[tuple[str, int], Exercise] = {
    ("01", 1): number("calls", right=3, wrong={"2": "too few", "4": "too many"}),
    ("01", 2): Exercise(
        WATER,
        ("@ai.tool(read_only=True)",),
        {
            WATER: "plain function",
            "@ai.tool": "does not say that it only reads",
            "@ai.tool(destructive=False)": "does not say that it only reads",
        },
    ),
    ("01", 3): Exercise(
        "high = 14",
        ("high = 30", "high = 14.5"),
        {
            "high = 14": "14 is what was recorded",
            'high = "warm"': "'warm', which is no number",
            "high = None": "None, which is no number",
        },
    ),
    ("02", 1): Exercise(
        "asked_about = set()",
        ('asked_about = {"set_alarm", "clear_notes"}',),
        {
            "asked_about = set()": "Missing: 2.",
            'asked_about = {"clear_notes"}': "Missing: 1.",
            'asked_about = {"add_note", "clear_notes"}': "add_note says",
            'asked_about = {"set_alarm", "search_web"}': "search_web says",
            'asked_about = {"set_alram", "clear_notes"}': "called 'set_alram'",
            'asked_about = "set_alarm"': "Write a set of names",
        },
    ),
    ("02", 2): Exercise(
        RULES,
        (f"{MIDDAY}, {LATE}",),
        {
            RULES: "14:30 gets ask in place of proceed",
            MIDDAY: "20:00 gets ask in place of deny",
            LATE: "14:30 gets ask in place of proceed",
            f"{MIDDAY}, {LATE.replace('2?:*', '20:*')}": "23:15 gets ask",
            f"{MIDDAY.replace('14:30', '14:*')}, {LATE}": "14:00 gets proceed",
            f'{MIDDAY}, ai.Rule.deny("book_ferry")': "08:30 gets deny",
        },
    ),
    ("02", 3): Exercise(
        DOG,
        (f"return ai.Proceed(arguments={PETS})",),
        {
            DOG: "The gate says ask",
            "return ai.Proceed()": "runs as it came, with pets of 0",
            'return ai.Deny(reason="no dog")': "The gate says deny",
            'return ai.Proceed(arguments={"pets": 1})': "argument route is None",
            "return ai.Proceed(arguments=bookings[0] | {'pets': 1})": (
                "argument departure is '14:30'"
            ),
        },
    ),
    ("03", 1): number(
        "refused",
        right=8,
        wrong={"5": "Event 5 is TOOL_CALL_END", "9": "no 9", "-1": "no -1"},
    ),
    ("03", 2): Exercise(
        MENDED,
        (
            f"mended = [*torn[:4], {SECOND}, torn[5]]",
            'mended = [*torn[:4], torn[4] | {"messageId": "m1"}, *torn[5:]]',
        ),
        {
            MENDED: "chunk.text_first_id",
            "mended = torn[:4] + torn[5:]": "['The boat '], and due is",
            f"mended = [*torn[:2], {SECOND}, torn[5]]": "were 6 events, and now there",
            'mended = [*torn[:4], torn[4] | {"messageId": "m2"}, torn[5]]': (
                "['The boat ', 'leaves at 8:30.'], and due is"
            ),
            'mended = [e | {"messageId": "m2"} if "delta" in e else e for e in torn]': (
                "[1, 4] are changed"
            ),
        },
    ),
    ("03", 3): Exercise(
        MINE,
        (
            together(call("c1", "t1"), call("c2", "t2")),
            mine(call("c1", "t1")[0], *call("c2", "t2"), *call("c1", "t1")[1:]),
        ),
        {
            MINE: "Calls in the stream: 0",
            mine(*call("c1", "t1")): "Calls in the stream: 1",
            mine(*call("c1", "t1"), *call("c2", "t2")): "when the first has ended",
            together(call("c1", "t1"), call("c2", "t1")): "have the messageId t1",
            together(call("c1", "t1"), call("c2", "t2", arguments="{")): "JSON",
            together(call("c1", "t1")[:3], call("c2", "t2")[:3]): "c1 has no result",
            mine(*call("c1", "t1")[::2]): "Calls in the stream: 1",
            mine(
                *(event for name in ("c1", "c2") for event in call(name, name)[::2]),
            ): "c1 has no arguments",
        },
    ),
    ("04", 1): number("runs_expected", right=1, wrong={"0": "few", "3": "many"}),
    ("04", 2): Exercise(
        LEDGER,
        (f'which = "c2"\nwhy = "{REWRITTEN}"',),
        {
            LEDGER: "no call ''",
            f'which = "c1"\nwhy = "{REWRITTEN}"': "c1 did run",
            'which = "c2"\nwhy = "it is history"': "not 'it is history'",
            f'which = "c3"\nwhy = "{REWRITTEN}"': "no call 'c3'",
        },
    ),
    ("04", 3): Exercise(
        HISTORY,
        ("'), loading=True)",),
        {
            HISTORY: "Runs of the old call: 1",
            "'))": "Runs of the old call: 1",
            '\', result="ok"), loading=False)': "did not run, but because",
        },
    ),
    ("05", 1): Exercise(
        'sender = ""',
        ('sender = "gemini"',),
        {
            'sender = ""': "'' is none of",
            'sender = "google"': "'google' is none of",
            'sender = "openai"': "not in the answer of openai",
            'sender = "mistral"': "not in the answer of mistral",
        },
    ),
    ("05", 2): Exercise(
        AHOY,
        (f'{AHOY} + chunk({{"content": "!"}}) + {DONE}',),
        {
            AHOY: "without a finish_reason",
            f"{AHOY} + {DONE}": "shows 'Ahoy', and due",
            AHOY.replace("Ahoy", "Ahoy!") + f" + {DONE}": "Pieces: 1",
            f'{AHOY} + chunk({{"content": "!"}})': "without a finish_reason",
        },
    ),
    ("05", 3): Exercise(
        TAIL,
        (
            "    return continuation.messages",
            "    return [*tail, *continuation.messages]",
        ),
        {
            TAIL: "what the model said is missing",
            "    return []": "what the model said is missing",
            "    return continuation.messages[:1]": "two results of tools are due",
            "    return continuation.messages[1:]": "what the model said is missing",
        },
    ),
    ("06", 1): Exercise(
        "position = None",
        (f"position = {FERRY} + 1",),
        {
            "position = None": "Write a number.",
            "position = 5000": "not 5000",
            "position = 0": "not 0",
            "position = 1": "At 1 the last event is RUN_STARTED",
            "position = 41": "At 41 the last event is TOOL_CALL_ARGS",
            f"position = {FERRY}": "and not the start of book_ferry",
        },
    ),
    ("06", 2): Exercise(
        BOATS,
        (f"        {MORNING},\n        {NOON},\n",),
        {
            BOATS: "list_departures",
            f"        {MORNING},\n": "list_departures",
            f"        {MORNING},\n        {NOON.replace('16', '17')},\n": "17:30",
            "": "now: []",
        },
    ),
    ("06", 3): Exercise(
        PROMISE,
        (f"return not any({BOOKED} for it in run.invocations)",),
        {
            PROMISE: "book_ferry: complete it is True, and due is False",
            "return False": "it is False, and due is True",
            "pass": "it is None, and due is True",
            'return all(it.status != "complete" for it in run.invocations)': (
                "it is False, and due is True"
            ),
        },
    ),
    ("07", 1): number("requests", right=4, wrong={"2": "few", "3": "few", "5": "many"}),
    ("07", 2): Exercise(
        BEGIN,
        (saying("Ahoy!"), saying("Ah", "oy!")),
        {
            BEGIN: "protocolVersion",
            BEGUN: "stream.truncated",
            saying(): "shows '', and due",
            saying("Hello"): "shows 'Hello', and due",
            saying("Ahoy!").replace(', "messageId": "m1"', ""): "chunk.text_first_id",
        },
    ),
    ("07", 3): Exercise(
        MORE,
        (f'{FAILED}"no weather today"}}', f'{FAILED}"Sorry, no weather today."}}'),
        {
            MORE: "ended in the middle",
            '    yield {"type": "RUN_FINISHED", **run}': "ends well",
            f'{FAILED}"no idea"}}': "no idea",
            '    yield from text("m2", "no weather today")': "ended in the middle",
        },
    ),
}
