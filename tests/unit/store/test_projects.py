"""Which project a folder belongs to, by real folders and git's own files."""



from __future__ import annotations

import json
from pathlib import Path

import pytest

from memshelf.errors import BadName, BadRequest, UnknownProject, Unreadable
from memshelf.store.projects import FOLDER, Project, Registry, checked_slug, git_remote, plain_remote, project_root


@pytest.mark.parametrize(
    ("url", "plain"),
    [
        ("https://github.com/ann/tools.git", "github.com/ann/tools"),
        ("https://ann:secret@github.com/ann/tools.git", "github.com/ann/tools"),
        ("https://GitHub.com:443/ann/tools/", "github.com/ann/tools"),
        ("git@github.com:ann/tools.git", "github.com/ann/tools"),
        ("GitHub.com:ann/tools", "github.com/ann/tools"),
        ("ssh://git@github.com:22/ann/tools.git", "github.com/ann/tools"),
        ("git@host:~ann/tools.git/", "host/~ann/tools"),
        ("https://[broken/x", ""),
        ("file:///srv/tools.git", ""),
        ("/srv/tools.git", ""),
        ("../tools", ""),
        ("C:\\work\\tools", ""),
        ("c:/work/tools", ""),
        ("", ""),
    ],
)
def test_a_remote_is_its_host_and_path_without_secrets(url: str, plain: str) -> None:
    assert plain_remote(url) == plain


def repository(root: Path, config: str = "") -> Path:
    (root / ".git").mkdir(parents=True)
    (root / ".git" / "config").write_text(config)
    return root


ORIGIN = '[core]\n\tbare = false\n[remote "up"]\n\turl = git@host:up/x.git\n[remote "origin"]\n\tfetch = +refs/*\n\turl = https://u:p@host/ann/x.git\n'


def test_origin_wins_else_the_first_remote_counts(tmp_path: Path) -> None:
    assert git_remote(repository(tmp_path / "a", ORIGIN)) == "host/ann/x"
    assert git_remote(repository(tmp_path / "b", '[remote "up"]\n\turl = git@host:up/x.git\n')) == "host/up/x"


def test_a_url_behind_a_bracket_in_another_value_is_still_found(tmp_path: Path) -> None:
    config = '[remote "origin"]\n\tfetch = +refs/heads/[a-z]*:refs/x\n\turl = "https://host/ann/x.git"\n'
    assert git_remote(repository(tmp_path / "a", config)) == "host/ann/x"


def test_a_folder_without_git_or_without_remote_has_none(tmp_path: Path) -> None:
    assert git_remote(tmp_path) == ""
    assert git_remote(repository(tmp_path / "a", "[core]\n")) == ""
    (tmp_path / "b" / ".git").mkdir(parents=True)
    assert git_remote(tmp_path / "b") == ""
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / ".git").write_bytes(b"gitdir: \xff\xfe\n")
    assert git_remote(tmp_path / "c") == ""


def test_a_worktree_has_the_remote_of_its_repository(tmp_path: Path) -> None:
    main = repository(tmp_path / "main", ORIGIN)
    git = main / ".git" / "worktrees" / "side"
    git.mkdir(parents=True)
    (git / "commondir").write_text("../..\n")
    for name, pointer in (("side", str(git)), ("other", "../main/.git/worktrees/side")):
        (tmp_path / name).mkdir()
        (tmp_path / name / ".git").write_text(f"gitdir: {pointer}\n")
        assert git_remote(tmp_path / name) == "host/ann/x"
        assert project_root(tmp_path / name, tmp_path / "home") == tmp_path / name


def test_the_root_is_the_nearest_folder_upward_with_git_or_a_store(tmp_path: Path) -> None:
    root = repository(tmp_path / "a")
    (root / "src" / "deep").mkdir(parents=True)
    assert project_root(root / "src" / "deep", tmp_path / "home") == root
    (root / "src" / FOLDER).mkdir(parents=True)
    assert project_root(root / "src" / "deep", tmp_path / "home") == root / "src"


def test_the_user_store_makes_no_project_of_the_home_folder(tmp_path: Path) -> None:
    home = tmp_path / FOLDER
    (home / "notes").mkdir(parents=True)
    (tmp_path / "work").mkdir()
    assert project_root(tmp_path / "work", home) is None
    assert project_root(home / "notes", home) is None
    assert project_root(tmp_path, home) is None
    repository(tmp_path)  # a home folder kept in git: as a project, its store would be the user's
    assert project_root(tmp_path / "work", home) is None


def test_a_project_is_named_after_its_remote_then_its_folder_then_the_one_above(tmp_path: Path) -> None:
    registry = Registry(tmp_path / "home")
    root = repository(tmp_path / "work" / "folder", ORIGIN)
    assert registry.of(root) == Project("x", root, "host/ann/x", registered=False)
    for taken, then in (("x", "folder"), ("folder", "work-folder"), ("work-folder", "project-2")):
        (tmp_path / taken).mkdir()
        registry.register(taken, tmp_path / taken)
        found = registry.of(root)
        assert found is not None
        assert (found.slug, found.registered) == (then, False)


def test_a_registered_folder_and_a_clone_of_it_are_one_project(tmp_path: Path) -> None:
    registry = Registry(tmp_path / "home")
    one, two = repository(tmp_path / "one", ORIGIN), repository(tmp_path / "two", ORIGIN)
    registry.register("tools", one)
    assert registry.of(one) == Project("tools", one, "host/ann/x")
    assert registry.of(two) == Project("tools", two, "host/ann/x", registered=False)
    registry.register("tools", two)
    assert json.loads(registry.path.read_bytes()) == {"tools": {"paths": [str(two), str(one)], "remote": "host/ann/x"}}
    assert registry.of(one) == Project("tools", one, "host/ann/x")


def test_an_older_list_of_paths_is_read_and_carried_over_by_the_first_registration(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
    (home / "host_paths.json").write_text(json.dumps({"old": str(tmp_path / "old"), "odd": 3}))
    registry = Registry(home)
    assert registry.all() == {"old": Project("old", tmp_path / "old")}
    registry.register("new", tmp_path / "new")
    assert sorted(registry.all()) == ["new", "old"]


def test_a_broken_list_is_never_taken_for_an_empty_one(tmp_path: Path) -> None:
    registry = Registry(tmp_path)
    registry.path.parent.mkdir()
    for data in (b"{", b"[]", b'{"a": {}}', b'{"a": {"paths": "x"}}'):
        registry.path.write_bytes(data)
        with pytest.raises(Unreadable):
            registry.all()
        with pytest.raises(Unreadable):
            registry.register("b", tmp_path)
        assert registry.path.read_bytes() == data


def test_what_cannot_be_registered_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    registry = Registry(tmp_path / "home" / FOLDER)
    (tmp_path / "home").mkdir()
    (tmp_path / "a").mkdir()
    for path in (Path("relative"), tmp_path / "missing", tmp_path / "home"):
        with pytest.raises(BadRequest):
            registry.register("tools", path)
    for name in ("user", "project", "Two Words", ""):
        with pytest.raises(BadName):
            checked_slug(name)
    assert not registry.path.exists()
    registry.register("tools", tmp_path / "a")
    before = registry.path.read_bytes()
    with pytest.raises(BadRequest, match="tools"):
        registry.register("other", tmp_path / "a")
    assert registry.path.read_bytes() == before
    with pytest.raises(UnknownProject, match="tools"):
        registry.named("none")
