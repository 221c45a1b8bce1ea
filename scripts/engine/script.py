"""How every script ends: a refusal is explained, an interruption cleans up behind itself, and a bug keeps its traceback."""

from __future__ import annotations

import errno
import os
import signal
import sys
from typing import Callable

from . import terminal
from .refusal import Refusal

MACHINE_TROUBLE = (errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EPERM, errno.EROFS)
TERMINATED, PIPE_CLOSED = 128 + signal.SIGTERM, 128 + signal.SIGPIPE


def run(name: str, action: Callable[[], int]) -> int:
    """The exit code of the action."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))
    try:
        return action()
    except Refusal as refusal:
        terminal.fail(name, refusal.lines())
    except KeyboardInterrupt:
        terminal.fail(name, ["Stopped."])
    except BrokenPipeError:
        # Who read the output has seen enough. What Python still holds back must not raise the same error again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    except OSError as error:
        if error.errno not in MACHINE_TROUBLE:
            raise
        terminal.fail(name, [f"The machine said no: {error}", "  next: Make room or give access, and run it again."])
    return 1
