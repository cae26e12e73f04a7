"""`/jobs`: the commands that run in the background."""

from typing import TYPE_CHECKING

from ....config.errors import UsageError
from ...i18n.catalogs import t
from ...rendering.definition_list import format_definition_list
from ...rendering.listings.threads import SHORT_ID
from ...rendering.sanitize import sanitize_line, sanitize_text
from ..session.session import Session
from .files import require_thread_id

if TYPE_CHECKING:
    from ....sdk.background import BackgroundJob


async def manage_jobs(session: Session, arguments: str) -> None:
    """List them, show the output of one, or end one."""
    action, _, job_id = arguments.partition(" ")
    if not action:
        await _list_jobs(session)
    elif action == "output" and job_id:
        await _show_output(session, job_id.strip())
    elif action == "kill" and job_id:
        await _kill_job(session, job_id.strip())
    else:
        raise UsageError(t("slash.jobs.unknown", words=arguments), hint=t("slash.jobs.hint"))


async def _list_jobs(session: Session) -> None:
    runner = await session.wait_for_runner()
    jobs = runner.background.list(session.thread) if session.thread else ()
    if jobs:
        rows = [(job.id, f"{sanitize_line(job.command)}\n{describe_job(job)}") for job in jobs]
        session.show(format_definition_list(rows))
    else:
        session.show(t("slash.jobs.none"))
    for thread, count in runner.background.count_running().items():
        if thread != session.thread:  # the status line counts them, too
            session.show(t("slash.jobs.elsewhere", count=count, thread=thread[:SHORT_ID]))


async def _show_output(session: Session, job_id: str) -> None:
    runner = await session.wait_for_runner()
    output = runner.background.read_output(require_thread_id(session), job_id)
    session.show(sanitize_text(output.rstrip("\n")) or t("slash.jobs.silent"))


async def _kill_job(session: Session, job_id: str) -> None:
    runner = await session.wait_for_runner()
    job = await runner.background.kill(require_thread_id(session), job_id)
    command = sanitize_line(job.command)
    if job.state == "killed":
        session.show(t("slash.jobs.killed", command=command))
    else:  # it had ended before
        session.show(f"{command}\n{describe_job(job)}")


def describe_job(job: "BackgroundJob") -> str:
    """Describe what has become of a command."""
    words = {"seconds": f"{job.seconds:.0f}", "code": job.exit_code}
    state_key = "killed" if job.state == "ended" and job.exit_code is None else job.state
    state = t(f"slash.jobs.state.{state_key}", **words)
    return state if job.confined else f"{state} · {t('slash.jobs.outside')}"
