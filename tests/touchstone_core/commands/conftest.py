from tests.live_site import admin, connect, site, worker

__all__ = ["admin", "connect", "site", "worker"]
