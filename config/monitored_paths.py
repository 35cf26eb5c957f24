"""Addresses that programs watch the site by; config.monitoring answers them."""

from typing import Final

LIVE: Final = "/health/live"
READY: Final = "/health/ready"
METRICS: Final = "/metrics"
MONITORED: Final = frozenset({LIVE, READY, METRICS})

METRICS_FOLDER_VARIABLE: Final = "PROMETHEUS_MULTIPROC_DIR"
"""prometheus_client reads it when it is imported."""
