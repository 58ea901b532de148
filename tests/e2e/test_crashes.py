"""Killed, refused by the disk or overtaken at any step of any change: nothing torn, nothing lost, and again finishes it.

Commands run in forks of one process that has loaded the command line and the server already, so that some thousands of
them, each a process of its own that can be killed, take seconds. One test holds the forks against the installed command.
"""

from __future__ import annotations

import errno
import itertools
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import pytest
from door import Home, Session, command, session, settled

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="signals and forks are those of POSIX")

FORKS = r"""
import gc, json, os, sys, tempfile, typer
from pathlib import Path
from memshelf.cli import commands, judging, setup
from memshelf.cli.app import app
from memshelf.server.launch import main as serve
from memshelf.memory import Memory
from memshelf.server.app import build
from memshelf.store import faults

def fails(name, left, code):
    def at(here):
        nonlocal left
        left -= here == name
        if here == name and left == 0:
            raise OSError(code, os.strerror(code))
    return at

def child(job, ends):
    os.environ.clear()
    os.environ.update(job["env"])
    os.chdir(job["cwd"])
    for fd, end in enumerate(ends[:3]):
        os.dup2(end, fd)
    deed = lambda here: None
    if job["at"]:
        name, _, n = job["at"].partition(":")
        deed = fails(name, int(n), job["errno"]) if job["errno"] else faults._killer(job["at"])
    def at(here):
        os.write(ends[3], here.encode() + b" ")
        deed(here)
    faults._at = at
    try:
        if job["calls"]:
            serve([])
        else:
            command(job["args"])
    except SystemExit as end:
        return end.code or 0
    return 0

def served(job, stdin, out):
    # A client in short: the answer to the one call, or nothing where the server died.
    first = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    for line in (
        {"id": 1, "method": "initialize", "params": first},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": job["calls"]},
    ):
        os.write(stdin, json.dumps({"jsonrpc": "2.0"} | line).encode() + b"\n")
    with open(out, "rb", closefd=False) as lines:
        for line in lines:
            if json.loads(line).get("id") == 2:
                return json.loads(line)["result"]
    return None

# What every command would load for itself is loaded once, here.
with tempfile.TemporaryDirectory() as scratch:
    os.environ["MEMSHELF_HOME"] = scratch
    sys.stdout = open(os.devnull, "w")
    command = typer.main.get_command(app)
    command("add warm --kind note --name x --collection y".split(), standalone_mode=False)
    command("reject --text cold --reason x".split(), standalone_mode=False)
    build(Memory.open("agent", os.environ, Path("/")))
    sys.stdout = sys.__stdout__
gc.freeze()  # forks share it

for line in sys.stdin:
    job = json.loads(line)
    files = [tempfile.TemporaryFile() for _ in range(3)]
    to, out = os.pipe(), os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 70
        os.close(to[1]), os.close(out[0])
        try:
            code = child(job, [to[0], out[1] if job["calls"] else files[0].fileno(), files[1].fileno(), files[2].fileno()])
            sys.stdout.flush(), sys.stderr.flush()
        except BaseException:
            import traceback
            os.write(2, traceback.format_exc().encode())
        finally:
            os._exit(code)
    os.close(to[0]), os.close(out[1])
    answer = served(job, to[1], out[0]) if job["calls"] else None
    os.close(to[1])
    _, status = os.waitpid(pid, 0)
    os.close(out[0])
    said = []
    for file in files:
        file.seek(0)
        said.append(file.read().decode())
    print(json.dumps([os.waitstatus_to_exitcode(status), *said, answer]), flush=True)
"""



READING = ("look", "read")
TELLING = ("rename", "fsync-folder", "journal")
USUAL = ("add, new file", "add, old file", "revise", "retract", "reject", "forget")
EVERY_STEP = bool(os.environ.get("MEMSHELF_EVERY_STEP"))
TEMP = ".memshelf-tmp"
RECORD = "home/.agents/memory/.local/begun.json"
"""Of a change that is under way; gone once it has ended, in whatever way."""
CRANE = "The harbour crane is painted green."


@dataclass
class Ran:
    """How a process ended, and the steps of faults.py that it took."""

    status: int
    out: str
    err: str
    steps: list[str]
    answer: Any

    @property
    def killed(self) -> bool:
        return self.status == -signal.SIGKILL

    @property
    def code(self) -> str:
        """The code of a refusal or of trouble; "" where it was done."""
        if self.answer is not None:
            return self.answer["content"][0]["text"].partition(":")[0] if self.answer["isError"] else ""
        return self.err.partition(":")[0] if self.status else ""

    @property
    def data(self) -> Any:
        return self.answer["structuredContent"] if self.answer is not None else json.loads(self.out)


@dataclass
class Op:
    """A change: a command, or a tool with its arguments, naming prepared entries as {name}."""

    args: list[str] = field(default_factory=list)
    tool: str = ""
    given: dict[str, str] = field(default_factory=dict)
    cwd: str = "home"
    over: str = ""
    """The code that the same call gets once it is done and there is nothing left to do."""


class Yard:
    """A home with a bit of everything in it, that can be put back; and the process that forks the commands."""

    def __init__(self, root: Path) -> None:
        self.home = Home(root / "live")
        self.saved = root / "saved"
        (self.home.root / "egret" / ".git").mkdir(parents=True)
        self.forks = subprocess.Popen(
            [sys.executable, "-c", FORKS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.ids: dict[str, str] = {}
        self.prepare()
        self.known = frozenset(CHANGING.findall(b"".join(self.files().values()).decode()))
        for path in self.home.root.rglob("*.*"):
            os.utime(path, (path.stat().st_mtime - 10,) * 2)  # at rest, so that every run reads alike
        self.home.root.rename(self.saved)
        self.back()

    def run(self, op: Op, at: str = "", errno: int = 0) -> Ran:
        fill = {**self.ids, "root": str(self.home.root)}
        args = [part.format(**fill) for part in op.args]
        calls = {"name": op.tool, "arguments": {k: v.format(**fill) for k, v in op.given.items()}} if op.tool else None
        env = self.home.env | {"NO_COLOR": "1"}
        job = {"env": env, "cwd": str(self.home.root / op.cwd), "args": args, "calls": calls, "at": at, "errno": errno}
        assert self.forks.stdin
        assert self.forks.stdout
        self.forks.stdin.write(json.dumps(job) + "\n")
        self.forks.stdin.flush()
        status, out, err, steps, answer = json.loads(self.forks.stdout.readline())
        assert "Traceback" not in err, err
        return Ran(status, out, err, steps.split(), answer)

    def done(self, *args: str, cwd: str = "home", tool: str = "", **given: str) -> Any:
        ran = self.run(Op([*args, "--json"] if args else [], tool, given, cwd))
        assert not ran.code, ran
        return ran.data

    def back(self) -> None:
        shutil.rmtree(self.home.root, ignore_errors=True)
        shutil.copytree(self.saved, self.home.root)

    def files(self) -> dict[str, bytes]:
        """Every file of the stores but locks, ledgers and journals."""
        return {
            str(path.relative_to(self.home.root)): path.read_bytes()
            for path in sorted(self.home.root.rglob("*"))
            if path.is_file() and not {".git", ".lock", ".journal"} & set(path.parts) and "ledger" not in path.name
        }

    def state(self) -> dict[str, str]:
        """The same without what killed processes left beside them, and what differs from run to run as one word."""
        return {name: self.plain(data) for name, data in self.files().items() if not name.endswith(TEMP)}

    def litter(self) -> list[str]:
        return [self.plain(data) for name, data in self.files().items() if name.endswith(TEMP)]

    def plain(self, data: bytes) -> str:
        def word(found: re.Match[str]) -> str:
            return found[0] if found[0] in self.known else "TIME" if "T" in found[0] else "ID"

        return re.sub(r"  +", " ", CHANGING.sub(word, data.decode()))

    def prepare(self) -> None:
        note = ("--kind", "note", "--collection", "work", "--name")
        self.done("projects", "--register", "heron", "--path", str(self.home.repo))
        for name, words in {
            "crane": ["The harbour crane is painted pink.", *note, "harbour"],
            "quay": ["Quay four takes ships of ninety metres.", *note, "harbour"],
            "twin": [CRANE, "--kind", "preference", "--name", "paint"],
            "ferry": ["Ferries leave from the north pier.", *note, "ferries"],
            "idea": ["Keys make retried writes safe.", "--kind", "concept", "--name", "keys"],
            "flow": ["1. tag it\n2. wait for the build", "--kind", "workflow", "--name", "release"],
            "log": [f"Walked the docks.\nSaw it: {CRANE} Good.", "--kind", "log", "--name", "walk"],
        }.items():
            self.ids[name] = self.done("add", *words)["id"]
        self.done("revise", self.ids["crane"], CRANE)
        source = ("--source", self.ids["crane"])
        self.ids["rest"] = self.done("add", "Painters come in May.", *note, "harbour", *source)["id"]
        self.ids["gate"] = self.done("add", "The gateway answers on eth1.", "--kind", "fact", "--name", "net", cwd="heron")["id"]
        self.ids["moon"] = self.done("reject", "--text", "The moon is cheese.", "--reason", "no")["reasons"][0].split()[1]
        for name, port in {"this": "8081", "other": "9090"}.items():
            given = {"text": f"The staging API listens on port {port}.", "kind": "note", "collection": "work", "name": name}
            self.ids[name] = self.done(tool="add_memory", **given)["id"]
        given = {"text": "The worker pool has 4 threads.", "kind": "note", "collection": "work", "name": "pool"}
        self.ids["pool"] = self.done(tool="add_memory", **given)["id"]
        long_ago = b"# 2020-01-02\n\n## 09:00 - one\n\nSaw a gull.\n\n## 10:00 - two\n\nSaw a tern.\n"
        settled(self.home.store / "2020-01-02.md", long_ago)
        settled(self.home.store / "reflections" / "2020-01-03.md", b"# 2020-01-03\n\nBirds are about.\n")
        self.ids["etag"] = self.done("show", "user/notes/work/harbour.md")["etag"]
        self.done("doctor")


CHANGING = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z|(?<![0-9a-f])[0-9a-f]{12}(?![0-9a-f])")
"""Times and ids."""


@pytest.fixture(scope="module")
def yard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Yard]:
    yard = Yard(tmp_path_factory.mktemp("yard"))
    yield yard
    yard.forks.communicate()


# -- killed at any step ------------------------------------------------------------------------------------------------

NOTE = ["--kind", "note", "--collection", "work", "--name"]
OPS = {
    "add, new file": Op(["add", "Gulls are loud.", *NOTE, "birds"]),
    "add, old file": Op(["add", "Gulls are loud.", *NOTE, "harbour"]),
    "add, first of a project": Op(["add", "Terns are quick.", "--kind", "fact", "--name", "birds"], cwd="egret"),
    "add, says otherwise than another file": Op(["add", "The worker pool has 8 threads.", *NOTE, "pools"]),
    "add, contradicts another file": Op(tool="add_memory", given={"text": "The worker pool has 8 threads.", "kind": "note", "collection": "work", "name": "pools"}),
    "supersede, same file": Op(["add", "Berths are numbered.", *NOTE, "harbour", "--supersedes", "{quay}"], over="NOT_FOUND"),
    "supersede, another file": Op(["add", "Berths are numbered.", *NOTE, "berths", "--supersedes", "{ferry}"], over="NOT_FOUND"),
    "supersede, another store": Op(["add", "Berths are numbered.", *NOTE, "berths", "--supersedes", "{gate}"], cwd="heron", over="NOT_FOUND"),
    "revise": Op(["revise", "{quay}", "Quay four takes ships of eighty metres."]),
    "insert": Op(tool="revise_memory", given={"file": "user/concepts/keys.md", "insert": "They live for a day."}),
    "rewrite": Op(tool="revise_memory", given={"file": "user/notes/work/harbour.md", "base": "{etag}", "content": "# Harbour\n\n- Berths are numbered.\n- The harbour crane is painted green. <!-- m:{crane} -->\n"}, over="CHANGED_UNDERNEATH"),
    "retract": Op(["delete", "{quay}"], over="NOT_FOUND"),
    "retract a whole file": Op(["delete", "{flow}"], over="NOT_FOUND"),
    "reject": Op(["reject", "{crane}", "--reason", "it is blue"], over="NOT_FOUND"),
    "reject a text": Op(["reject", "--text", CRANE, "--reason", "it is blue"]),
    "lift": Op(["lift", "{moon}", "--reason", "it was"], over="NOT_FOUND"),
    "forget": Op(["delete", "{crane}", "--forget", "--reason", "asked to"], over="NOT_FOUND"),
    "confirm": Op(["confirm", "{pool}"]),
    "verify": Op(tool="review_memory", given={"id": "{pool}", "action": "verify", "evidence": "run 7"}),
    "resolve, keep-this": Op(["resolve", "{this}", "keep-this"], over="NOT_FOUND"),
    "resolve, keep-other": Op(["resolve", "{this}", "keep-other"], over="NOT_FOUND"),
    "resolve, keep-both": Op(["resolve", "{this}", "keep-both"], over="NOT_FOUND"),
    "resolve, retract-both": Op(["resolve", "{this}", "retract-both"], over="NOT_FOUND"),
    "resolve, new-text": Op(["resolve", "{this}", "new-text", "--text", "It listens on 7070."], over="NOT_FOUND"),
    "archive": Op(["archive", "--apply"]),
    "register": Op(["projects", "--register", "egret", "--path", "{root}/egret", "--role", "api"]),
}  # fmt: skip


def torn(before: dict[str, str], now: dict[str, str], after: dict[str, str]) -> list[str]:
    """What is wrong with the files: each whole line of each must be one of before or after, none of both gone or twice."""
    wrong = []
    for name in (before.keys() | now.keys() | after.keys()) - {RECORD}:
        old, here, new = (state.get(name, "").splitlines(keepends=True) for state in (before, now, after))
        wrong += [f"{name}: {line!r} is of neither" for line in here if line not in old and line not in new]
        wrong += [f"{name}: {line!r} is gone" for line in old if line in new and line not in here]
        marked = [line for line in here if "<!-- m:" in line]
        if len(set(marked)) < len(marked):
            wrong.append(f"{name}: a line stands twice")
    return wrong


def ids(state: dict[str, str]) -> set[str]:
    return {found for text in state.values() for found in re.findall(r"<!-- m:([0-9a-f]{12}) ", text)}


def once(state: dict[str, str]) -> dict[str, str]:
    """A state to be compared: what a crash left in the archive twice (ENTRY-23) counts once."""
    return {name: "".join(dict.fromkeys(text.splitlines())) if ".archive" in name else text for name, text in state.items()}


def moments(name: str, steps: list[str]) -> Iterator[str]:
    """When to kill, as `step:n`. A look or read changes nothing: of several in a row the first is as good as all. Of the
    less usual changes only the steps are taken that tell two states on the disk apart, unless every step is asked for."""
    for n, step in enumerate(steps):
        idle = step in READING and n > 0 and steps[n - 1] in READING
        if EVERY_STEP or (name in USUAL and not idle) or step in TELLING:
            yield f"{step}:{steps[: n + 1].count(step)}"


@pytest.mark.parametrize("name", OPS)
def test_a_kill_at_any_step_tears_and_loses_nothing_and_the_same_call_finishes_what_was_begun(yard: Yard, name: str) -> None:
    op = OPS[name]
    yard.back()
    before = yard.state()
    whole = yard.run(op)
    assert not whole.code, whole
    after = yard.state()
    assert before != after
    problems = yard.run(Op(["doctor", "--json"])).data["problems"]
    looked_into, unfinished = set(), []
    for at in moments(name, whole.steps):
        yard.back()
        killed = yard.run(op, at)
        assert killed.killed, (at, killed)
        now = yard.state()
        assert not torn(before, now, after), at
        assert ids(before) & ids(after) <= ids(now), at
        left = str((now, yard.litter(), at if at.startswith(("journal", "ledger")) else ""))
        if left in looked_into:
            continue
        looked_into.add(left)
        audit = yard.run(Op(["doctor", "--audit", "--json"])).data
        assert not audit["broken"], at
        assert audit["lines"] > 0
        again = yard.run(op)
        found = yard.run(Op(["doctor", "--json"])).data["problems"]
        assert not yard.run(Op(["doctor", "--audit", "--json"])).data["broken"], at
        end = once(yard.state())
        differ = [file for file in after.keys() | end.keys() if end.get(file) != once(after).get(file)]
        if again.code not in ("", op.over) or differ or len(found) != len(problems):
            unfinished.append(f"{at} {again.code} {[Path(file).name for file in differ]}")
    assert len(looked_into) >= 3
    assert not yard.run(op, f"{whole.steps[-1]}:99").killed
    assert not unfinished


KILLED_FIRST = {
    "revise": Op(["revise", "{crane}", "The crane went to the yard."]),
    "retract": Op(["delete", "{crane}"]),
    "reject": OPS["reject"],
    "forget": OPS["forget"],
}


@pytest.mark.parametrize("name", KILLED_FIRST)
def test_forgetting_reaches_what_a_killed_process_left_beside_the_files(yard: Yard, name: str) -> None:
    def copies() -> list[str]:
        everything = (path for path in yard.home.root.rglob("*") if path.is_file())
        return [path.name for path in everything if b"harbour crane is painted" in path.read_bytes()]

    yard.back()
    assert len(copies()) == 4
    steps = yard.run(KILLED_FIRST[name]).steps
    littered, left = 0, []
    for at in moments(name, steps):
        if at.partition(":")[0] in ("rename", "unlink"):  # a temp file with the new bytes, or with the old
            yard.back()
            assert yard.run(KILLED_FIRST[name], at).killed
            littered += bool(yard.litter())
            assert yard.run(OPS["forget"]).code in ("", "NOT_FOUND")
            left += [f"{at}: {found}" for found in copies()]
    assert littered > 1
    assert not left


class Doomed(Home):
    """A home whose servers and commands die at their first rename."""

    @property
    def env(self) -> dict[str, str]:
        return super().env | {"MEMSHELF_FAIL_AT": "rename:1"}


@pytest.mark.anyio
async def test_an_installed_command_and_a_server_die_as_the_forks_do_and_the_next_ones_start(yard: Yard) -> None:
    add = OPS["add, old file"]
    yard.back()
    assert yard.run(add, "rename:1").killed
    forked, litter = yard.state(), yard.litter()
    yard.back()
    died = subprocess.run(
        [sys.executable, "-m", "memshelf", *add.args], env=Doomed(yard.home.root).env, cwd=yard.home.home, check=False
    )
    assert died.returncode == -signal.SIGKILL
    assert (yard.state(), yard.litter()) == (forked, litter)
    with pytest.raises(BaseException):  # noqa: B017, PT011 how a client says that its server is gone is the client's
        async with session(Doomed(yard.home.root)) as agent:
            await agent.good("add_memory", kind="note", name="harbour", collection="work", text="Gulls are loud.")
    assert yard.state() == forked
    assert yard.litter()
    async with session(yard.home) as agent:
        assert not [hit for hit in await agent.hits("gulls") if "loud" in hit["text"]]
        await agent.good("add_memory", kind="note", name="harbour", collection="work", text="Gulls are loud.")
        assert [hit["text"] for hit in await agent.hits("gulls") if "loud" in hit["text"]] == ["Gulls are loud."]
    assert not yard.litter()


# -- killed at any instant ---------------------------------------------------------------------------------------------

WRITER = r"""
import os, sys
from pathlib import Path
from memshelf.memory import Memory
from memshelf.services.draft import Draft

def add(name, text):
    print(Memory.open("agent", os.environ, Path.cwd()).add(Draft(text, "scratch", name)).id, flush=True)

add("warm", "Loaded.")
for line in sys.stdin:
    name, round_ = line.split()
    pid = os.fork()
    if pid == 0:
        print(os.getpid(), flush=True)
        n = 0
        while True:
            n += 1
            add(name, f"fact {round_}-{n} stands here")
    os.waitpid(pid, 0)
    print("dead", flush=True)
"""


def test_two_hundred_kills_at_any_instant_lose_no_acknowledged_add(home: Home) -> None:
    chance = random.Random(15)
    added: set[str] = set()
    with subprocess.Popen(
        [sys.executable, "-c", WRITER], env=home.env, cwd=home.home, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as writer:  # fmt: skip
        assert writer.stdin
        assert writer.stdout
        added.add(writer.stdout.readline().strip())
        for round_ in range(200):
            writer.stdin.write(f"file{round_ // 20} {round_}\n")
            writer.stdin.flush()
            pid = int(writer.stdout.readline())
            for _ in range(chance.randrange(4)):
                added.add(writer.stdout.readline().strip())
            for _ in range(chance.randrange(100_000)):
                pass  # some work of our own, so that the writer gets to any point of the next add
            os.kill(pid, signal.SIGKILL)
            while (said := writer.stdout.readline().strip()) != "dead":
                added.add(said)
        writer.stdin.close()
    assert len(added) > 200
    for number in range(10):  # the next write to each file is as good as the first
        done = command(home, "add", f"The last of {number}.", "--kind", "scratch", "--name", f"file{number}", "--json")
        assert done.ok, done.text
        added.add(done.data["id"])
    stands: list[str] = []
    line = re.compile(rb"- (?:fact \d+-\d+ stands here|Loaded\.|The last of \d\.) <!-- m:([0-9a-f]{12}) at=[^ ]+Z(?: \S+)* -->\n")
    for file in (home.store / "notes" / "scratch").iterdir():
        title, blank, *lines = file.read_bytes().splitlines(keepends=True)
        assert title.startswith(b"# ")
        assert blank == b"\n"
        found = [line.fullmatch(one) for one in lines]
        assert all(found), lines
        stands += [one[1].decode() for one in found if one]
    assert len(set(stands)) == len(stands)
    assert added <= set(stands)
    assert len(stands) <= len(added) + 200, "at most one add of each round took effect and was not acknowledged"
    assert command(home, "doctor", "--audit", "--json").data["broken"] == []
    assert command(home, "doctor", "--json").data["problems"] == []


# -- refused by the disk -----------------------------------------------------------------------------------------------

DISK = {"ENOSPC": "STORE_FULL", "EROFS": "READ_ONLY", "EACCES": "READ_ONLY"}
ONE_FILE = ("add, new file", "add, old file", "revise", "retract", "confirm", "lift")


@pytest.mark.parametrize("name", [*ONE_FILE, "supersede, another file", "reject", "forget"])
def test_a_disk_that_refuses_any_step_is_named_and_nothing_is_half_written(yard: Yard, name: str) -> None:
    op, causes, wrong, refused = OPS[name], itertools.cycle(DISK), [], 0
    yard.back()
    before = yard.state()
    steps = yard.run(op).steps
    after = once(yard.state())
    for n, step in enumerate(steps):
        if step in READING:
            continue
        yard.back()
        at, cause = f"{step}:{steps[: n + 1].count(step)}", next(causes)
        ran = yard.run(op, at, getattr(errno, cause))
        if not ran.code:  # the change was decided before this step, or does not hang on it
            assert once(yard.state()) == after, (at, cause)
            wrong += [f"{at}: not told"] if step.startswith("journal") and "journal could not" not in ran.out else []
            continue
        refused += 1
        assert (ran.status, ran.code) == (3, DISK[cause]), (at, ran)
        assert not yard.litter(), at
        wrong += [f"{at}: half written"] if yard.state() != before else []
        again = yard.run(op)
        wrong += [f"{at}: {again.code or 'not'} finished"] if again.code or once(yard.state()) != after else []
    assert refused >= 2
    assert not wrong


SMALL_DISK = """
mount -t tmpfs -o size=128k none "$MEMSHELF_HOME" || exit 77
say() {
    said=$("$PY" -m memshelf add "$1" --kind note --name long --collection work 2>&1 >/dev/null | cut -d: -f1)
    echo "$1 ${said:-done} $(find "$MEMSHELF_HOME" -name '*.md*' | sort | xargs cat | sha256sum)"
}
say gulls
head -c 8000 /dev/zero | tr '\\0' . >> "$MEMSHELF_HOME/notes/work/long.md"
say terns
cat /dev/zero > "$MEMSHELF_HOME/full" 2>/dev/null
say ducks
rm "$MEMSHELF_HOME/full"
say ducks
mount -o remount,ro "$MEMSHELF_HOME"
say swans
mount -o remount,rw "$MEMSHELF_HOME"
say swans
"""


def test_a_real_disk_that_is_full_or_read_only_refuses_until_it_is_not(home: Home) -> None:
    home.store.mkdir(parents=True)
    own = ["unshare", "--user", "--mount", "--map-root-user", "sh", "-c", SMALL_DISK]
    env = home.env | {"PY": sys.executable}
    ran = subprocess.run(own, env=env, cwd=home.home, capture_output=True, text=True, check=False) if shutil.which("unshare") else None
    if ran is None or ran.returncode in (1, 77):
        pytest.skip("this system lets nobody mount a small disk of their own")
    said = [line.split()[:3] for line in ran.stdout.splitlines()]
    codes = ["done", "done", "STORE_FULL", "done", "READ_ONLY", "done"]
    assert [code for _, code, _ in said] == codes, ran
    for (_, _, before), (_, code, after) in itertools.pairwise(said):
        assert (after == before) == (code != "done"), ran.stdout


# -- many at once ------------------------------------------------------------------------------------------------------

NAIVE = """
import os, pathlib, sys
path, who = pathlib.Path(sys.argv[1]), sys.argv[2]
sys.stdin.readline()
for n in range(50):
    text = path.read_text()
    os.sched_yield()
    path.write_text(text + f"- {who} {n}\\n")
"""
PERSON = """
import random, sys
from pathlib import Path
from memshelf.store.lock import StoreLock
root, file, chance = Path(sys.argv[1]), Path(sys.argv[2]), random.Random(8)
for n, _ in enumerate(sys.stdin):
    with file.open("a") as editor:
        editor.write(f"- Typed by hand {n}.\\n")
    with StoreLock(root).held():
        title, blank, *lines = file.read_text().splitlines(keepends=True)
        chance.shuffle(lines)
        if len(lines) > 60:
            with file.with_name("moved.md").open("a") as other:
                other.writelines(lines[30:])
            del lines[30:]
        with file.open("w") as editor:
            editor.write(title + blank)
            for line in lines:
                editor.write(line)
                editor.flush()
    print(n, flush=True)
"""


@pytest.mark.anyio
async def test_eight_servers_lose_no_add_while_a_person_types_into_the_file_and_rewrites_it(home: Home) -> None:
    """Only who saves an older copy can undo an add (README): so who appends takes no lock, and who reorders and
    moves lines to another file takes it."""
    file = home.store / "notes" / "scratch" / "shared.md"
    added: dict[str, str] = {}

    async with AsyncExitStack() as stack:
        agents = [await stack.enter_async_context(session(home)) for _ in range(8)]
        await agents[0].good("add_memory", kind="scratch", name="shared", text="The first.")
        person = subprocess.Popen([sys.executable, "-c", PERSON, str(home.store), str(file)], env=home.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        stack.callback(person.communicate)
        assert person.stdin

        async def adds(agent: Session, who: int) -> None:
            for n in range(50):
                text = f"fact {who}-{n} stands here"
                added[(await agent.good("add_memory", kind="scratch", name="shared", text=text))["id"]] = text
                if n % 10 == 0:
                    person.stdin.write(b"\n")
                    person.stdin.flush()

        async with anyio.create_task_group() as group:
            for who, agent in enumerate(agents):
                group.start_soon(adds, agent, who)
        typed = len(person.communicate()[0].splitlines())
        entries = []
        for name in ("shared", "moved"):
            whole = await agents[0].good("get_project_memories", file=f"user/notes/scratch/{name}.md")
            entries += whole["entries"]
            assert len(whole["entries"]) > 30
    texts = {entry["id"]: entry["text"] for entry in entries}
    assert len(added) == 400
    assert {found: text for found, text in texts.items() if found in added} == added
    by_hand = [text for text in texts.values() if text.startswith("Typed")]
    assert sorted(by_hand) == sorted(f"Typed by hand {n}." for n in range(typed))
    assert typed == 40
    assert len(entries) == 1 + 400 + 40


def test_the_same_eight_without_a_lock_lose_some(tmp_path: Path) -> None:
    file = tmp_path / "x.md"
    for _ in range(3):
        file.write_text("")
        writers = [subprocess.Popen([sys.executable, "-c", NAIVE, str(file), str(who)], stdin=subprocess.PIPE, text=True) for who in range(8)]
        for writer in writers:
            assert writer.stdin
            writer.stdin.write("go\n")
            writer.stdin.flush()
        for writer in writers:
            writer.communicate()
        if len(file.read_text().splitlines()) < 400:
            return
    pytest.fail("the unlocked control lost nothing in three runs, so the locked run proves nothing on this machine")
