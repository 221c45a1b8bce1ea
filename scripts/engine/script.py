"""How every script begins and ends: its options are described by its module; a refusal is explained, an interruption cleans up
behind itself, and a bug keeps its traceback."""

from __future__ import annotations

import argparse
import errno
import os
import signal
import sys
from typing import Callable

from . import terminal
from .refusal import Refusal

MACHINE_TROUBLE = (errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EPERM, errno.EROFS)
TERMINATED, PIPE_CLOSED = 128 + signal.SIGTERM, 128 + signal.SIGPIPE


def parser(name: str, story: str, epilog: str = "") -> argparse.ArgumentParser:
    """The story of a script's module begins with `NAME: `."""
    return argparse.ArgumentParser(
        prog=name,
        description=story.partition(": ")[2],
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def run(name: str, action: Callable[[], int | None]) -> int:
    """The exit code of the action; an action without one succeeds when it returns."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))
    try:
        return action() or 0
    except Refusal as refusal:
        terminal.fail(name, refusal.lines())
    except KeyboardInterrupt:
        terminal.fail(name, ["Stopped."])
    except BrokenPipeError:
        # The reader of the output has closed it. What Python still buffers must not raise the same error again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    except OSError as error:
        if error.errno not in MACHINE_TROUBLE:
            raise
        terminal.fail(name, [f"The machine said no: {error}", "  next: Make room or give access, and run it again."])
    return 1
