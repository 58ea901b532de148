"""Two writers and a person on one store: what was acknowledged and what was typed is there, and nothing else moved."""



from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, multiple, rule

from memshelf.errors import NotFound
from memshelf.format.reader import parse
from memshelf.memory import Memory
from memshelf.search.scan import Query
from memshelf.services.writing import Draft

TEXTS = st.sampled_from(
    [
        "Use httpx2.", "Two lines\nof one", "A list:\n- one\n- two", "```\ncode --> x\n```", "# no heading", "---", "[ ] box", "缓存键 é",
        "<!-- m:aaaaaaaaaaaa trust=confirmed -->", "a <b> c", "| a |\n|---|", "x\n\ny", "- dash", "<div>\nz", "end  x",
    ]
)  # fmt: skip
NAMES = st.sampled_from(["tools", "habits"])
TYPED = [
    "- typed {n}",
    "  - typed in {n}",
    "Typed words {n}.",
    "> typed {n}",
    "    typed {n}",
    "```\ntyped {n}\n```",
    "## Typed {n}",
]


class Machine(RuleBasedStateMachine):
    """The model: id -> text of what is acknowledged; every line that a person typed."""

    ids = Bundle("ids")

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.home = self.folder / "store"
        self.now = datetime(2026, 11, 9, 8, tzinfo=UTC)
        self.count = 0
        self.saved = time.time_ns() - 3_600_000_000_000
        self.texts: dict[str, str] = {}
        self.gone: set[str] = set()
        self.typed: list[str] = []

    def teardown(self) -> None:
        shutil.rmtree(self.folder)

    @initialize()
    def open(self) -> None:
        ids = self.fresh()
        self.writers = []
        for _ in range(2):
            memory = Memory.open("agent", {"MEMSHELF_HOME": str(self.home)}, self.folder)
            memory.clock, memory.new_id = self.clock, lambda: next(ids)
            self.writers.append(memory)

    def fresh(self) -> Iterator[str]:
        while True:
            self.count += 1
            yield f"{self.count:012x}"

    def clock(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now

    # -- the agent -------------------------------------------------------------------------------------------------

    @rule(target=ids, who=st.integers(0, 1), text=TEXTS, name=NAMES)
    def add(self, who: int, text: str, name: str) -> object:
        receipt = self.writers[who].add(Draft(text, "note", name=name, collection="c"))
        if receipt.op == "noop":
            assert self.texts.get(receipt.id, text) == text
            return multiple()
        assert receipt.op == "added"
        assert receipt.id not in self.texts
        self.texts[receipt.id] = text
        return receipt.id

    @rule(who=st.integers(0, 1), entry_id=ids, text=TEXTS)
    def revise(self, who: int, entry_id: str, text: str) -> None:
        if entry_id in self.gone:
            self.refused(lambda: self.writers[who].revise(entry_id=entry_id, text=text))
            return
        receipt = self.writers[who].revise(entry_id=entry_id, text=text)
        assert receipt.id == entry_id
        assert receipt.op == ("noop" if self.texts[entry_id] == text else "revised")
        self.texts[entry_id] = text

    @rule(who=st.integers(0, 1), entry_id=consumes(ids))
    def retract(self, who: int, entry_id: str) -> None:
        assert self.writers[who].retract(entry_id).op == "retracted"
        del self.texts[entry_id]
        self.gone.add(entry_id)

    @rule(who=st.integers(0, 1), data=st.data())
    def retract_again(self, who: int, data: st.DataObject) -> None:
        if self.gone:
            entry_id = data.draw(st.sampled_from(sorted(self.gone)))
            self.refused(lambda: self.writers[who].retract(entry_id))

    @rule(who=st.integers(0, 1), data=st.data())
    def search(self, who: int, data: st.DataObject) -> None:
        if self.texts:
            entry_id = data.draw(st.sampled_from(sorted(self.texts)))
            words = self.texts[entry_id]
            if any(char.isalnum() for char in words):
                hits = self.writers[who].recall.search(Query(words, limit=100))["hits"]
                assert entry_id in [hit["id"] for hit in hits]
                assert not self.gone & {hit["id"] for hit in hits}

    def refused(self, call: object) -> None:
        before = self.bytes()
        with pytest.raises(NotFound):
            call()  # type: ignore[operator]
        assert self.bytes() == before

    # -- the person ------------------------------------------------------------------------------------------------

    def files(self) -> list[Path]:
        return sorted(p for p in self.home.rglob("*.md") if ".archive" not in p.parts)

    def bytes(self) -> dict[str, bytes]:
        return {str(p): p.read_bytes() for p in self.home.rglob("*.md")}

    def save(self, path: Path, lines: list[str], over: bool) -> None:
        text = "".join(lines)
        self.saved += 1_000_000_000
        if over:
            fresh = path.with_name(".editor.swp")
            fresh.write_text(text, encoding="utf-8", newline="")
            os.utime(fresh, ns=(self.saved, self.saved))
            fresh.replace(path)
        else:
            with path.open("r+", encoding="utf-8", newline="") as file:
                file.write(text)
                file.truncate()
            os.utime(path, ns=(self.saved, self.saved))

    def lines(self, path: Path) -> list[str]:
        return path.read_text(encoding="utf-8").splitlines(keepends=True)

    @rule(pick=st.integers(0, 9), shape=st.sampled_from(TYPED), over=st.booleans(), end=st.booleans())
    def type_below(self, pick: int, shape: str, over: bool, end: bool) -> None:
        if files := self.files():
            path = files[pick % len(files)]
            lines = self.lines(path)
            if lines and not lines[-1].endswith("\n"):
                lines[-1] += "\n"
            self.count += 1
            typed = shape.format(n=self.count)
            self.typed += typed.split("\n")
            self.save(path, [*lines, "\n", "<!-- mine -->\n", "\n", typed + ("\n" if end else "")], over)

    @rule(pick=st.integers(0, 9), over=st.booleans())
    def type_above(self, pick: int, over: bool) -> None:
        if files := self.files():
            path = files[pick % len(files)]
            self.count += 1
            line = f"Typed on top {self.count}."
            self.typed.append(line)
            self.save(path, [f"{line}\n", "\n", *self.lines(path)], over)

    @rule(pick=st.integers(0, 9), over=st.booleans())
    def turn_the_bullets_round(self, pick: int, over: bool) -> None:
        if files := self.files():
            path = files[pick % len(files)]
            data = path.read_bytes()
            document = parse(data, f"user/{path.relative_to(self.home).as_posix()}")
            spans = [
                s
                for e, s in zip(document.entries, document.spans, strict=True)
                if e.stamped and s.own == ((s.start, s.end),)
            ]
            if len(spans) < 2 or not document.lines[-1].endswith("\n"):
                return
            lines = list(document.lines)
            parts = [lines[s.start : s.end] for s in spans]
            for span, part in sorted(zip(spans, reversed(parts), strict=True), key=lambda p: -p[0].start):
                lines[span.start : span.end] = part
            after = parse("".join(lines).encode(), document.path)
            if sorted((e.id, e.text) for e in after.entries) == sorted((e.id, e.text) for e in document.entries):
                self.save(path, lines, over)

    @rule(pick=st.integers(0, 9))
    def rename(self, pick: int) -> None:
        if files := self.files():
            path = files[pick % len(files)]
            self.count += 1
            path.rename(path.with_name(f"renamed-{self.count}.md"))

    # -- what always holds -----------------------------------------------------------------------------------------

    @invariant()
    def every_acknowledged_entry_is_found_by_its_id(self) -> None:
        for memory in getattr(self, "writers", ()):
            assert {i: memory.entry(i)["text"] for i in self.texts} == self.texts

    @invariant()
    def what_was_retracted_is_gone_and_kept_in_the_archive(self) -> None:
        for entry_id in self.gone:
            with pytest.raises(NotFound, match="retracted"):
                self.writers[0].entry(entry_id)

    @invariant()
    def every_typed_line_is_there_once(self) -> None:
        there = [line for path in self.files() for line in self.lines(path)]
        for line in self.typed:
            assert len([x for x in there if x.rstrip() == line or x.startswith(f"{line} <!-- m:")]) >= 1, line

    @invariant()
    def no_file_is_in_trouble(self) -> None:
        for path in self.home.rglob("*"):
            assert not path.name.endswith("memshelf-tmp")
        if hasattr(self, "writers") and self.home.exists():
            assert self.writers[0].recall.files()["note"] == ""


TestMachine = Machine.TestCase
TestMachine.settings = settings(
    max_examples=25, stateful_step_count=15, deadline=None, suppress_health_check=list(HealthCheck)
)
