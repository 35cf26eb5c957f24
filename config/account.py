"""The operating system account PostgreSQL runs under: our own, or for root, whom it refuses, an unprivileged one."""

import errno
import os
import pwd
import shutil
import stat
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

UNPRIVILEGED = "nobody"
CAP_DAC_READ_SEARCH = 2  # its number in linux/capability.h


@dataclass(frozen=True)
class Account:
    uid: int
    gid: int

    @classmethod
    def of(cls, data: Path) -> "Account":
        """Who runs the server on `data`: for root the folder's owner, or where there is none yet, nobody."""
        if os.geteuid() != 0:
            return cls(os.geteuid(), os.getegid())
        if data.exists() and data.stat().st_uid != 0:
            return cls(data.stat().st_uid, data.stat().st_gid)
        entry = pwd.getpwnam(UNPRIVILEGED)
        return cls(entry.pw_uid, entry.pw_gid)

    @staticmethod
    def current_name() -> str:
        return pwd.getpwuid(os.geteuid()).pw_name

    def own(self, path: Path) -> None:
        if os.geteuid() == 0:
            os.chown(path, self.uid, self.gid)

    def spawn(self, command: Sequence[str | Path], log: IO[bytes]) -> "subprocess.Popen[bytes]":
        """Starts `command` in its own session, so that Ctrl-C on the terminal does not reach it."""
        words = [str(word) for word in command]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
        identity: dict[str, Any] = {}
        if os.geteuid() == 0:
            public = bool(Path(words[0]).stat().st_mode & stat.S_IXOTH)
            if public and all(everybody_may_enter(Path(word)) for word in words if word.startswith("/")):
                identity = {"user": self.uid, "group": self.gid, "extra_groups": []}
            else:
                words = [*self._passing_private_folders(public=public), *words]
        return subprocess.Popen(  # noqa: S603 - the words are our own
            words,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd="/",
            env=environment | {"LC_ALL": "C"},
            start_new_session=True,
            **identity,
        )

    def _passing_private_folders(self, *, public: bool) -> list[str]:
        """A prefix that changes to this account but keeps the right to pass folders such as root's home.

        Opening those folders to everybody would be the alternative. Only root can talk to the server.
        A program that is not `public`, installed under a strict umask, takes a wider right to run.
        """
        setpriv = shutil.which("setpriv")
        if setpriv is None:
            raise PermissionError(
                errno.EACCES, "PostgreSQL does not run as root, and other users cannot enter", str(Path.cwd())
            )
        right = "dac_read_search" if public and _may_grant(CAP_DAC_READ_SEARCH) else "dac_override"
        rights = [f"--{kind}-caps=-all,+{right}" for kind in ("inh", "ambient")]
        rights.append(
            "--securebits=+no_setuid_fixup"
        )  # or access(2), which PostgreSQL asks, knows of no such right
        return [setpriv, f"--reuid={self.uid}", f"--regid={self.gid}", "--clear-groups", *rights]


def everybody_may_enter(path: Path) -> bool:
    """Whether every user can pass the folders that lead to `path`."""
    return all(folder.stat().st_mode & stat.S_IXOTH for folder in path.parents)


def _may_grant(capability: int) -> bool:
    """Whether this process, as root in a container may not, can hand a capability on."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("CapBnd:"):
            return bool(int(line.split()[1], 16) >> capability & 1)
    return False
