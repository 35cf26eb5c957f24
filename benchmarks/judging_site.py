"""The site as `make run` starts it, with one thing more: a line for every request and how long the server took.

`python -m benchmarks.judging_site FILE`. A line: microseconds, status, method, path.
"""

import sys
from pathlib import Path
from typing import Any

from config import serve

FORMAT = "%(D)s %(s)s %(m)s %(U)s"


class LoggingSite(serve.Site):
    log: str

    def load_config(self) -> None:
        super().load_config()
        self.cfg.set("accesslog", self.log)
        self.cfg.set("access_log_format", FORMAT)


def main(path: str) -> int:
    site: Any = LoggingSite
    site.log = str(Path(path).absolute())
    serve.Site = site  # type: ignore[misc]
    return serve.main()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
