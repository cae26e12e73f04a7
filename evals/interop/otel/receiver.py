"""A receiver of OTLP over HTTP, decoded by OpenTelemetry's messages: what does not fit is a 400.

Runs in an environment that has `opentelemetry-proto`; prints its port, then a line of JSON a span
or metric.
"""

import base64
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from google.protobuf.json_format import Parse, ParseError
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

# OTLP's JSON has these in hexadecimal, where protobuf's has base64
_HEX = ("traceId", "spanId", "parentSpanId")


class Receiver(BaseHTTPRequestHandler):
    """Takes `/v1/traces` and `/v1/metrics`."""

    def do_POST(self) -> None:
        """Decode a request, and print what is in it."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            document = _decode_ids(json.loads(body))
            if self.path == "/v1/traces":
                _print_spans(Parse(json.dumps(document), ExportTraceServiceRequest()))
            else:
                _print_metrics(Parse(json.dumps(document), ExportMetricsServiceRequest()))
            status = 200
        except (ParseError, ValueError) as error:
            print(json.dumps({"error": str(error)}), flush=True)
            status = 400
        self.send_response(status)
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def _decode_ids(value: Any) -> Any:
    if isinstance(value, list):
        return [_decode_ids(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        key: base64.b64encode(bytes.fromhex(each)).decode() if key in _HEX else _decode_ids(each)
        for key, each in value.items()
    }


def _print_spans(request: ExportTraceServiceRequest) -> None:
    for resource in request.resource_spans:
        for scope in resource.scope_spans:
            for span in scope.spans:
                line = {
                    "span": span.name,
                    "trace": span.trace_id.hex(),
                    "id": span.span_id.hex(),
                    "parent": span.parent_span_id.hex(),
                    "sizes": [len(span.trace_id), len(span.span_id)],
                    "in_order": span.start_time_unix_nano <= span.end_time_unix_nano,
                    "attributes": sorted(each.key for each in span.attributes),
                }
                print(json.dumps(line), flush=True)


def _print_metrics(request: ExportMetricsServiceRequest) -> None:
    for resource in request.resource_metrics:
        for scope in resource.scope_metrics:
            for metric in scope.metrics:
                points = metric.histogram.data_points
                counted = all(sum(point.bucket_counts) == point.count for point in points)
                print(json.dumps({"metric": metric.name, "counted": counted}), flush=True)


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    print(server.server_address[1], flush=True)
    sys.exit(server.serve_forever())
