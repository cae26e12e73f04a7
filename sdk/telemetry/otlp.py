"""Spans and metrics as OTLP has them in JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ... import __version__

Attributes = Mapping[str, str | int | float | bool]
Json = dict[str, Any]

SCOPE = {"name": "maxagent", "version": __version__}
# The boundaries that the GenAI conventions advise
TOKEN_BOUNDS = tuple(4.0**power for power in range(14))
SECOND_BOUNDS = tuple(0.01 * 2**power for power in range(14))
_DELTA = 1


@dataclass
class OtlpSpan:
    """One span; times are nanoseconds since the epoch."""

    name: str
    span_id: str
    parent_id: str
    start: int
    is_client: bool = False
    end: int = 0
    attributes: dict[str, str | int | float | bool] = field(
        default_factory=dict[str, str | int | float | bool]
    )
    error: str | None = None

    def to_json(self, trace_id: str) -> Json:
        """Return it as OTLP has it."""
        status: Json = {} if self.error is None else {"code": 2, "message": self.error[:500]}
        parent = {"parentSpanId": self.parent_id} if self.parent_id else {}
        return {
            "traceId": trace_id,
            "spanId": self.span_id,
            **parent,
            "name": self.name,
            "kind": 3 if self.is_client else 1,
            "startTimeUnixNano": str(self.start),
            "endTimeUnixNano": str(max(self.start, self.end)),
            "attributes": to_attributes(self.attributes),
            "status": status,
        }


@dataclass
class Histogram:
    """Values of one metric with the same attributes."""

    name: str
    unit: str
    bounds: Sequence[float]
    attributes: Attributes
    values: list[float] = field(default_factory=list[float])

    def to_json(self, start: int, now: int) -> Json:
        """Return it as OTLP has it: what was measured since the start."""
        counts = [0] * (len(self.bounds) + 1)
        for value in self.values:
            counts[sum(value > bound for bound in self.bounds)] += 1
        point = {
            "attributes": to_attributes(self.attributes),
            "startTimeUnixNano": str(start),
            "timeUnixNano": str(now),
            "count": str(len(self.values)),
            "sum": sum(self.values),
            "bucketCounts": [str(count) for count in counts],
            "explicitBounds": list(self.bounds),
        }
        histogram = {"aggregationTemporality": _DELTA, "dataPoints": [point]}
        return {"name": self.name, "unit": self.unit, "histogram": histogram}


def to_attributes(values: Attributes) -> list[Json]:
    """Return attributes as OTLP has them."""
    return [{"key": key, "value": _to_value(value)} for key, value in values.items()]


def build_trace_request(spans: Sequence[OtlpSpan], trace_id: str, resource: Attributes) -> Json:
    """Return the body of a request to `/v1/traces`."""
    scoped = {"scope": SCOPE, "spans": [span.to_json(trace_id) for span in spans]}
    return {"resourceSpans": [{"resource": _to_resource(resource), "scopeSpans": [scoped]}]}


def build_metric_request(metrics: Sequence[Json], resource: Attributes) -> Json:
    """Return the body of a request to `/v1/metrics`."""
    scoped = {"scope": SCOPE, "metrics": list(metrics)}
    return {"resourceMetrics": [{"resource": _to_resource(resource), "scopeMetrics": [scoped]}]}


def build_sum(name: str, unit: str, value: float, start: int, now: int) -> Json:
    """Return a metric that only grows."""
    point = {"startTimeUnixNano": str(start), "timeUnixNano": str(now), "asDouble": value}
    total = {"aggregationTemporality": _DELTA, "isMonotonic": True, "dataPoints": [point]}
    return {"name": name, "unit": unit, "sum": total}


def _to_resource(attributes: Attributes) -> Json:
    return {"attributes": to_attributes(attributes)}


def _to_value(value: str | float | bool) -> Json:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    return {"stringValue": value}
