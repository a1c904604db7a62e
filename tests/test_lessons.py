"""The tutorial notebooks keep their promises: what they teach, and how they end."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from lesson_answers import EXERCISES
from nbclient import NotebookClient

from aistream_nb.core.ordering.report import check_ordering
from aistream_nb.core.ordering.rulebook import RULES
from aistream_nb.core.ordering.rules import Example, Rule
from aistream_nb.core.wire.frames import MAX_FRAME

NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))
PROMISE = "At the end of this notebook you can "
CHANGING = re.compile(r"/(tmp|home|root)/|\bat 0x[0-9a-f]{6,}")
ONLY_LOOPBACK = """
import sys

def _refuse(event, details):
    if event not in {"socket.connect", "socket.getaddrinfo"}:
        return
    place = details[1] if event == "socket.connect" else details
    host = place[0] if isinstance(place, tuple) else None
    if host not in {None, "", "127.0.0.1", "::1", "localhost"}:
        raise OSError(f"a lesson reached for {host!r}")

sys.addaudithook(_refuse)
"""

each_notebook = pytest.mark.parametrize(
    "path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS]
)
each_rule = pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.id)


def cells_of(path: Path, kind: str | None = None) -> list[Any]:
    cells = nbformat.read(path, as_version=4).cells
    return [cell for cell in cells if kind is None or cell.cell_type == kind]


def outputs(cells: Iterable[Any]) -> list[str]:
    """What is shown without a kernel, as plain text."""
    return [
        output.text if output.output_type == "stream" else output.data["text/plain"]
        for cell in cells
        for output in cell.get("outputs", ())
    ]


@each_notebook
def test_a_lesson_begins_with_what_its_reader_can_do_at_its_end(path: Path):
    first = cells_of(path)[0]

    promises = [line for line in first.source.splitlines() if PROMISE in line]

    assert first.cell_type == "markdown"
    assert len(promises) == 1
    assert promises[0].startswith(PROMISE)
    assert promises[0].endswith(".")


@each_notebook
def test_a_lesson_ends_with_three_exercises_that_check_themselves(path: Path):
    cells = cells_of(path)
    heads = [at for at, cell in enumerate(cells) if "## Exercises" in cell.source]
    assert len(heads) == 1
    last = cells[heads[0] + 1 :]
    starts = [
        at for at, cell in enumerate(last) if cell.source.startswith("### Exercise ")
    ]
    assert len(starts) == 3
    for number, at in enumerate(starts, start=1):
        question, answer, solution = last[at : at + 3]
        assert question.source.startswith(f"### Exercise {number}")
        assert "your turn" in answer.source
        assert "check(" in answer.source
        assert solution.metadata["tags"] == ["solution"]
        # JupyterLab shows the first line of a folded cell, which must not tell.
        assert solution.source.startswith("# A solution\n")
        assert "assert " in solution.source
    assert starts[-1] + 3 == len(last)


@each_notebook
def test_a_lesson_is_committed_as_one_command_leaves_it(path: Path):
    cells = cells_of(path, "code")

    counts = [cell.execution_count for cell in cells]
    kinds = {output.output_type for cell in cells for output in cell.outputs}

    assert counts == list(range(1, len(cells) + 1))
    assert "error" not in kinds
    assert not any("execution" in cell.metadata for cell in cells)
    assert not [text for text in outputs(cells) if CHANGING.search(text)]


@each_notebook
def test_only_solutions_are_folded_because_a_folded_cell_is_passed_over(path: Path):
    folded = [
        cell
        for cell in cells_of(path)
        if cell.metadata.get("jupyter", {}).get("source_hidden")
    ]

    assert len(folded) == 3
    assert all(cell.metadata["tags"] == ["solution"] for cell in folded)


@each_notebook
def test_the_cells_of_a_lesson_have_names(path: Path):
    assert all(re.fullmatch(r"[a-z][a-z0-9-]+", cell.id) for cell in cells_of(path))


# ------------------------------------------------------------ 03: every rule


def lessons() -> dict[str, str]:
    """What notebook 03 shows of each rule, by the rule's id."""
    path = next(path for path in NOTEBOOKS if path.stem.startswith("03"))
    shown = "\n\n".join(outputs(cells_of(path, "code"))).split("\n\n")
    return {
        match[1]: block
        for block in shown
        if (match := re.match(r"([a-z]+\.\w+) \(\w+\): ", block))
    }


LESSONS = lessons()


def told_of(rule: Rule) -> list[str]:
    """The message on the broken example, and what was due."""
    example = rule.breaks
    report = check_ordering(
        example.events if example.body is None else example.body,
        profile="teach",
        run_input=example.run_input,
        interrupts=example.interrupts,
        now=example.now,
        dialect="tanstack" if example.dialect == "tanstack" else "official",
        status=example.status,
        content_type=example.content_type,
        max_frame=example.max_frame or MAX_FRAME,
    )
    found = next(v for v in report.violations if v.rule == rule.id)
    return [found.message, found.expected]


def in_a_row(example: Example) -> re.Pattern[str]:
    """What finds all events of an example, in their order."""
    types = [re.escape(str(event["type"])) for event in example.events]
    return re.compile(r"\b.*?\n.*?\b".join(types))


def test_the_lesson_on_order_explains_every_rule_and_no_other():
    assert sorted(LESSONS) == sorted(RULES)


@each_rule
def test_a_rule_is_explained_with_its_broken_example_its_message_and_its_fix(
    rule: Rule,
):
    lesson = LESSONS[rule.id]

    assert f"{rule.id} ({rule.level}): {rule.meaning}" in lesson
    assert in_a_row(rule.breaks).search(lesson)
    assert rule.breaks.body is None or len(lesson.splitlines()) > 4
    for words in (*told_of(rule), rule.fix):
        assert words in lesson


# ------------------------------------------------------------ exercises


def asked(cells: list[Any], answers: list[str]) -> list[str]:
    """What a kernel that ran these cells prints last to each of these."""
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(cell.source) for cell in cells]
    )
    notebook.cells += [nbformat.v4.new_code_cell(answer) for answer in answers]
    NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    return [
        "".join(it.text for it in cell.outputs if it.output_type == "stream")
        for cell in notebook.cells[len(cells) :]
    ]


def verdict(printed: str) -> str:
    """What an exercise says to an answer."""
    return printed[max(printed.rfind("Not yet. "), printed.rfind("Right.")) :]


@pytest.mark.notebook
@pytest.mark.timeout(180)
@each_notebook
def test_an_exercise_knows_the_right_answers_and_names_what_is_wrong_with_others(
    path: Path,
):
    cells = cells_of(path, "code")
    by_name = {cell.id: cell.source for cell in cells}
    lesson = [cell for cell in cells if not cell.id.startswith("exercise-")]
    tried: list[tuple[str, str]] = []
    for number in (1, 2, 3):
        exercise = EXERCISES[path.stem[:2], number]
        assert len(exercise.wrong) >= 3
        given = {**exercise.wrong, **dict.fromkeys(exercise.right, "Right.")}
        question = by_name[f"exercise-{number}-answer"]
        tried += [
            (exercise.answered(question, answer), due) for answer, due in given.items()
        ]
    # Each solution works after the answers, which leave names of their own behind.
    solutions = [by_name[f"exercise-{number}-solution"] for number in (1, 2, 3)]

    printed = asked(lesson, [source for source, _ in tried] + solutions)

    for (source, due), said in zip(tried, printed, strict=False):
        start = "Right." if due == "Right." else "Not yet. "
        assert verdict(said).startswith(start), f"{source}\n{said}"
        assert due in verdict(said), f"{source}\n{said}"


def test_each_exercise_is_tried_with_answers():
    expected = {(path.stem[:2], number) for path in NOTEBOOKS for number in (1, 2, 3)}

    assert set(EXERCISES) == expected


# ------------------------------------------------------------ no network


@pytest.mark.notebook
@pytest.mark.timeout(120)
@each_notebook
def test_a_lesson_needs_no_network(path: Path):
    notebook = nbformat.read(path, as_version=4)
    notebook.cells.insert(0, nbformat.v4.new_code_cell(ONLY_LOOPBACK))

    NotebookClient(notebook, timeout=60, kernel_name="python3").execute()

    assert not notebook.cells[0].outputs
