"""An administrator's limits of a run, which count beside the thread: clients can edit its state."""

from ...config.settings.policy_file import load_managed_policy
from ...config.text import text
from ...models.policy.limits import RunMeter


def limit_turns(turns: int) -> int:
    """Return the model turns of a run, as the policy lets them be."""
    policy = load_managed_policy()
    most = policy.keys.limits.turns if policy else None
    return min(turns, most) if most else turns


def meter_turn(meter: RunMeter) -> list[str]:
    """Count a model turn that is about to begin; return the policy's limits that are reached."""
    policy = load_managed_policy()
    if policy is None:
        return []
    limits, reached = policy.keys.limits, list[str]()
    if limits.turns and meter.turns >= limits.turns:
        reached.append(
            text(
                "{turns} model turns used, as the policy ({place}) allows",
                turns=limits.turns,
                place=policy.locate("limits", "turns"),
            )
        )
    if limits.cost and meter.cost >= limits.cost:
        reached.append(
            text(
                "${limit} spent, as the policy ({place}) allows",
                limit=f"{limits.cost:g}",
                place=policy.locate("limits", "cost"),
            )
        )
    meter.turns += 1
    return reached


def reset_meter(meter: RunMeter) -> None:
    """Begin to count again: the user has let the run go on."""
    meter.turns, meter.cost = 1, 0.0
