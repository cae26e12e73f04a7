"""Each tool of the public servers with arguments, in an order in which every call succeeds."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class SampleCall:
    """One call, and a text that its result must have."""

    tool: str
    arguments: dict[str, Any] = field(default_factory=dict[str, Any])
    shows: str = ""
    """Part of the result."""
    fails: bool = False
    """Whether the server must refuse it."""


def list_calls(server: str, folder: Path, page: str) -> Sequence[SampleCall]:
    """Return the calls of a server; `folder` is its own, `page` an address to fetch."""
    match server:
        case "everything":
            return EVERYTHING
        case "filesystem":
            return list_filesystem_calls(folder)
        case "memory":
            return MEMORY
        case "git":
            return list_git_calls(str(folder))
        case "time":
            return TIME
        case "fetch":
            return [SampleCall("fetch", {"url": page}, "A page to fetch")]
        case _:
            raise ValueError(server)


EVERYTHING = [
    SampleCall("echo", {"message": "hello"}, "hello"),
    SampleCall("get-annotated-message", {"messageType": "error", "includeImage": True}, "Error"),
    SampleCall("get-env", {}, "PATH"),
    SampleCall("get-resource-links", {"count": 2}, "demo://"),
    SampleCall("get-resource-reference", {"resourceType": "Text", "resourceId": 1}, "demo://"),
    SampleCall("get-structured-content", {"location": "Chicago"}, "temperature"),
    SampleCall("get-sum", {"a": 2, "b": 3}, "5"),
    SampleCall("get-tiny-image", {}, "bytes]"),
    SampleCall("gzip-file-as-resource", {"name": "a.gz", "data": "data:text/plain,hi"}, "a.gz"),
    SampleCall("toggle-simulated-logging"),
    SampleCall("toggle-subscriber-updates"),
    SampleCall("trigger-long-running-operation", {"duration": 1, "steps": 4}, "completed"),
    SampleCall("trigger-elicitation-request", {}, "user"),
    SampleCall("trigger-url-elicitation", {"url": "https://example.com"}),
    SampleCall("simulate-research-query", {"topic": "tea"}, fails=True),
]
"""The last one is a task of 2025-11-25, which the protocol has given up; the server refuses it."""

MEMORY = [
    SampleCall(
        "create_entities",
        {"entities": [{"name": "Ada", "entityType": "person", "observations": ["counts"]}]},
        "Ada",
    ),
    SampleCall(
        "create_relations",
        {"relations": [{"from": "Ada", "to": "Ada", "relationType": "knows"}]},
        "knows",
    ),
    SampleCall(
        "add_observations",
        {"observations": [{"entityName": "Ada", "contents": ["writes"]}]},
        "writes",
    ),
    SampleCall("read_graph", {}, "counts"),
    SampleCall("search_nodes", {"query": "Ada"}, "Ada"),
    SampleCall("open_nodes", {"names": ["Ada"]}, "Ada"),
    SampleCall(
        "delete_observations", {"deletions": [{"entityName": "Ada", "observations": ["writes"]}]}
    ),
    SampleCall(
        "delete_relations", {"relations": [{"from": "Ada", "to": "Ada", "relationType": "knows"}]}
    ),
    SampleCall("delete_entities", {"entityNames": ["Ada"]}),
]

TIME = [
    SampleCall("get_current_time", {"timezone": "Asia/Shanghai"}, "Asia/Shanghai"),
    SampleCall(
        "convert_time",
        {"source_timezone": "Etc/UTC", "time": "10:00", "target_timezone": "Asia/Shanghai"},
        "18:00",
    ),
]


def list_filesystem_calls(folder: Path) -> Sequence[SampleCall]:
    """Return the calls of `filesystem`; an image is in the folder."""
    file, moved, image = str(folder / "a.txt"), str(folder / "b.txt"), str(folder / "dot.png")
    edits = [{"oldText": "one", "newText": "two"}]
    return [
        SampleCall("write_file", {"path": file, "content": "one\n"}),
        SampleCall("read_file", {"path": file}, "one"),
        SampleCall("read_text_file", {"path": file, "head": 1}, "one"),
        SampleCall("read_media_file", {"path": image}, "bytes]"),
        SampleCall("read_multiple_files", {"paths": [file]}, "one"),
        SampleCall("edit_file", {"path": file, "edits": edits}, "two"),
        SampleCall("create_directory", {"path": str(folder / "new")}),
        SampleCall("list_directory", {"path": str(folder)}, "a.txt"),
        SampleCall("list_directory_with_sizes", {"path": str(folder)}, "a.txt"),
        SampleCall("directory_tree", {"path": str(folder)}, "a.txt"),
        SampleCall("move_file", {"source": file, "destination": moved}),
        SampleCall("search_files", {"path": str(folder), "pattern": "*.txt"}, "b.txt"),
        SampleCall("get_file_info", {"path": moved}, "size"),
        SampleCall("list_allowed_directories", {}, str(folder)),
        SampleCall("read_text_file", {"path": "/etc/hostname"}, "denied", fails=True),
    ]


def list_git_calls(folder: str) -> Sequence[SampleCall]:
    """Return the calls of `git`, in a repository with a commit and a file that is not in it."""
    here = {"repo_path": folder}
    return [
        SampleCall("git_status", here, "new.txt"),
        SampleCall("git_diff_unstaged", here, "kept.txt"),
        SampleCall("git_add", {**here, "files": ["new.txt"]}),
        SampleCall("git_diff_staged", here, "new.txt"),
        SampleCall("git_reset", here),
        SampleCall("git_add", {**here, "files": ["new.txt"]}),
        SampleCall("git_commit", {**here, "message": "second"}),
        SampleCall("git_log", here, "second"),
        SampleCall("git_show", {**here, "revision": "HEAD"}, "second"),
        SampleCall("git_create_branch", {**here, "branch_name": "other"}),
        SampleCall("git_checkout", {**here, "branch_name": "other"}),
        SampleCall("git_branch", {**here, "branch_type": "local"}, "other"),
        SampleCall("git_diff", {**here, "target": "other"}),
    ]
