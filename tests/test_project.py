"""What the project says about itself is true: README, change log, lock files, names of files and folders."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import typer

import indexer
from bot.__main__ import app as bot_app
from bot.settings import BotSettings
from indexer import running
from indexer.__main__ import app as indexer_app
from indexer.commands import common
from indexer.settings import IndexerSettings

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
LONGEST_SOURCE = 350


def tracked(*patterns: str) -> list[Path]:
    """The files under version control that still exist."""
    if not (ROOT / ".git").exists():
        pytest.skip("needs the repository, not just its files")
    listed = subprocess.run(["git", "ls-files", "-z", *patterns], cwd=ROOT, capture_output=True, check=True)
    paths = [ROOT / name for name in listed.stdout.decode().split("\0") if name]
    return [path for path in paths if path.is_file()]


def section(title: str) -> str:
    """The text of README's section ``## title``."""
    found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", README, re.MULTILINE | re.DOTALL)
    assert found, f"README has no section '{title}'"
    return found[1]


def rows(text: str) -> list[list[str]]:
    """The cells of the tables in a text, without their headers."""
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in text.splitlines() if line[:3] == "| `"]
    return [[cell.strip("|").strip() for cell in row] for row in cells]


def default_of(value: Any) -> str:
    """How README writes a default: ``None`` is empty, ``120.0`` is `120`."""
    if value is None:
        return ""
    return f"`{value:g}`" if isinstance(value, float) else f"`{value}`"


def options(command: Any) -> set[str]:
    """The options of a command, without ``--help``; typer's classes have no public types."""
    return {name for parameter in command.params for name in parameter.opts if name.startswith("--")} - {"--help"}


def test_settings_table_holds_every_setting_with_its_default_and_meaning() -> None:
    """A setting of both packages has one row, which says what each of them says."""
    expected: dict[str, tuple[str, str]] = {}
    for settings in (IndexerSettings, BotSettings):
        for name, field in settings.model_fields.items():
            _, told = expected.get(f"`{name.upper()}`", ("", ""))
            sentences = dict.fromkeys(re.split(r"(?<=\.) ", f"{told} {field.description}".strip()))
            expected[f"`{name.upper()}`"] = (default_of(field.default), " ".join(sentences))
    table = {name: (default, meaning) for name, default, meaning in rows(section("Settings"))}
    assert table == expected


def test_settings_of_both_packages_agree_where_they_share_a_name() -> None:
    for name in IndexerSettings.model_fields.keys() & BotSettings.model_fields.keys():
        mine, theirs = IndexerSettings.model_fields[name], BotSettings.model_fields[name]
        assert (mine.default, mine.annotation) == (theirs.default, theirs.annotation), name


def test_every_variable_of_the_env_example_is_a_setting() -> None:
    named = re.findall(r"^#?\s?([A-Z_]+)=", (ROOT / ".env.example").read_text("utf-8"), re.MULTILINE)
    known = {name.upper() for name in (*IndexerSettings.model_fields, *BotSettings.model_fields)}
    assert named
    assert set(named) <= known


def test_command_line_table_holds_every_command_with_its_options() -> None:
    actual = {("bot", ""): options(typer.main.get_command(bot_app))}
    for package, app in (("indexer", indexer_app), ("bot", bot_app)):
        commands: dict[str, Any] = vars(typer.main.get_command(app))["commands"]
        actual |= {(package, name): options(command) for name, command in commands.items()}
    told = {}
    for usage, _ in rows(section("Command line")):
        if match := re.match(r"`python -m (indexer|bot) ?(\w*)(.*)`$", usage):
            told[match[1], match[2]] = set(re.findall(r"--\w+", match[3]))
    assert told == actual


def test_exit_codes_in_the_readme_are_those_of_the_command_line() -> None:
    told = {int(row[0].strip("`")) for row in rows(section("Command line")) if row[0].strip("`").isdigit()}
    ours = {common.DONE, common.INCOMPLETE, common.USAGE, common.AWAY, common.MISSING}
    assert told == ours | {common.INTERRUPTED, running.STOPPED}


def test_readme_names_only_targets_that_the_makefile_has() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    named = set(re.findall(r"`make ([a-z]+)`", README))
    assert {"run", "test"} <= named <= targets


def test_links_within_the_project_lead_somewhere() -> None:
    for page in tracked("*.md"):
        if page.parent.name == "examples":
            continue
        text = page.read_text("utf-8")
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text) + re.findall(r'src="([^":]+)"', text):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_changelog_has_a_place_for_what_is_not_released() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert re.search(r"^## \[Unreleased\]$", changelog, re.MULTILINE)
    assert project["version"] == "0.1.0" or f"## [{project['version']}]" in changelog
    assert project["version"] == indexer.__version__


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-dev.lock"])
def test_lock_file_pins_and_hashes_every_package_and_names_no_place_to_get_it(lock: str) -> None:
    entries = re.sub(r"\\\n\s*", " ", (ROOT / lock).read_text("utf-8")).strip().splitlines()
    assert len(entries) > 50
    for entry in entries:
        assert re.match(r"[a-z0-9][a-z0-9.-]*(\[[a-z0-9,-]+\])?==\S+ ", entry), entry[:80]
        assert "--hash=sha256:" in entry, entry[:80]
        assert not re.search(r"://| @ |--index|--find-links", entry), entry[:80]


def test_development_lock_extends_the_other_and_changes_nothing_in_it() -> None:
    def pins(name: str) -> set[str]:
        return set(re.findall(r"^[a-z0-9][^\s;]*==[^\s;]+", (ROOT / name).read_text("utf-8"), re.MULTILINE))

    assert pins("requirements.lock") <= pins("requirements-dev.lock")


def test_no_file_names_a_folder_of_one_machine() -> None:
    home = re.compile(r"(?<![\w.~-])/(?:home/\w+|root/[\w.]|Users/\w+)")
    for path in tracked():
        data = path.read_bytes()
        if b"\0" not in data:
            found = home.search(data.decode("utf-8", "replace"))
            assert not found, f"{path.relative_to(ROOT)} names {found and found[0]}"


def test_no_source_file_is_too_long_to_be_read_at_a_sitting() -> None:
    lengths = {p.relative_to(ROOT): p.read_text("utf-8").count("\n") for p in tracked("bot/*.py", "indexer/*.py")}
    assert {str(path): lines for path, lines in lengths.items() if lines > LONGEST_SOURCE} == {}
