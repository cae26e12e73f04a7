"""Opens the API of a repository's host."""

from typing import Any
from urllib.parse import quote

from .http_api import HostingError, HttpApi, read_object, read_objects
from .login import Login
from .pull_request import HostingApi, NewPullRequest, PullRequest
from .remote_url import RepositoryAddress

# Status of a request that exists already, or that has no commits
_REJECTED = 422
# Status of a request that exists already
_CONFLICT = 409


class GitHubApi:
    """Pull requests of `target`, from branches of `source`: the same repository, or a fork."""

    def __init__(self, login: Login, target: RepositoryAddress, source: RepositoryAddress) -> None:
        headers = {
            "Authorization": f"Bearer {login.token}",
            "Accept": "application/vnd.github+json",
            "X-GitHub-Api-Version": "2022-11-28",
        }
        self._http = HttpApi(login.host.api_url, headers)
        self._place = f"/repos/{target.path}"
        self._source = source.owner

    async def read_default_branch(self) -> str:
        return str(read_object(await self._http.get(self._place)).get("default_branch") or "")

    async def find_pull_request(self, branch: str) -> PullRequest | None:
        answer = await self._http.get(
            f"{self._place}/pulls", head=f"{self._source}:{branch}", state="all", per_page=100
        )
        # a host that ignores the filter lists them all
        rows = [row for row in read_objects(answer) if _read_branch(row, "head") == branch]
        first = sorted(rows, key=lambda row: row.get("state") != "open")
        return _parse_pull_request(first[0]) if first else None

    async def read_pull_request(self, number: int) -> PullRequest:
        return _parse_pull_request(
            read_object(await self._http.get(f"{self._place}/pulls/{number}"))
        )

    async def create_pull_request(self, new: NewPullRequest) -> PullRequest:
        fields = {"title": new.title, "body": new.body, "base": new.base}
        fields["head"] = f"{self._source}:{new.branch}"
        try:
            return _parse_pull_request(
                read_object(await self._http.post(f"{self._place}/pulls", fields))
            )
        except HostingError as error:
            if error.status == _REJECTED and (existing := await self.find_pull_request(new.branch)):
                return existing
            raise

    async def close(self) -> None:
        await self._http.close()


def _parse_pull_request(row: dict[str, Any]) -> PullRequest:
    try:
        return PullRequest(
            int(row["number"]),
            str(row["html_url"]),
            _read_branch(row, "base"),
            str(row.get("title") or ""),
            row.get("state") == "open",
        )
    except (KeyError, ValueError, TypeError) as error:
        raise HostingError("the host's answer has an unknown format") from error


def _read_branch(row: dict[str, Any], side: str) -> str:
    ends: Any = row.get(side) or {}
    return str(ends.get("ref") or "") if isinstance(ends, dict) else ""  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]


class GitLabApi:
    """Merge requests of `target`, from branches of `source`: the same project, or a fork."""

    def __init__(self, login: Login, target: RepositoryAddress, source: RepositoryAddress) -> None:
        self._http = HttpApi(login.host.api_url, {"Authorization": f"Bearer {login.token}"})
        self._place, self._source = _build_place(target), _build_place(source)

    async def read_default_branch(self) -> str:
        return str(read_object(await self._http.get(self._place)).get("default_branch") or "")

    async def find_pull_request(self, branch: str) -> PullRequest | None:
        answer = await self._http.get(
            f"{self._place}/merge_requests", source_branch=branch, state="all", per_page=100
        )
        rows = [row for row in read_objects(answer) if row.get("source_branch") == branch]
        first = sorted(rows, key=lambda row: row.get("state") != "opened")
        return _parse_merge_request(first[0]) if first else None

    async def read_pull_request(self, number: int) -> PullRequest:
        return _parse_merge_request(
            read_object(await self._http.get(f"{self._place}/merge_requests/{number}"))
        )

    async def create_pull_request(self, new: NewPullRequest) -> PullRequest:
        fields: dict[str, Any] = {"source_branch": new.branch, "target_branch": new.base}
        fields |= {"title": new.title, "description": new.body}
        if self._source != self._place:
            fields["target_project_id"] = read_object(await self._http.get(self._place)).get("id")
        try:
            answer = await self._http.post(f"{self._source}/merge_requests", fields)
        except HostingError as error:
            if error.status == _CONFLICT and (existing := await self.find_pull_request(new.branch)):
                return existing
            raise
        return _parse_merge_request(read_object(answer))

    async def close(self) -> None:
        await self._http.close()


def _build_place(project: RepositoryAddress) -> str:
    return f"/projects/{quote(project.path, safe='')}"


def _parse_merge_request(row: dict[str, Any]) -> PullRequest:
    try:
        return PullRequest(
            int(row["iid"]),
            str(row["web_url"]),
            str(row.get("target_branch") or ""),
            str(row.get("title") or ""),
            row.get("state") == "opened",
        )
    except (KeyError, ValueError, TypeError) as error:
        raise HostingError("the host's answer has an unknown format") from error


def open_api(
    login: Login, target: RepositoryAddress, source: RepositoryAddress | None = None
) -> HostingApi:
    """Open the API of `target`; `source` has the branches, the same repository or a fork."""
    # httpx is loaded only now
    if login.host.kind == "github":
        return GitHubApi(login, target, source or target)

    return GitLabApi(login, target, source or target)
