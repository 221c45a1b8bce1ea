"""What a user reads when the answer is no: what happened, why, and what to do next."""

from __future__ import annotations


class Refusal(Exception):
    """An expected end: nothing was changed. Anything that is not a Refusal is a bug and keeps its traceback."""

    def __init__(self, what: str, why: str = "", next: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.why = why
        self.next = next

    def lines(self) -> list[str]:
        return [self.what] + labelled("why", self.why) + labelled("next", self.next)


def labelled(label: str, text: str) -> list[str]:
    """The text with its label before the first line; the other lines are aligned under it."""
    lines = text.splitlines()
    return [f"  {label + ':' if number == 0 else '':<6}{line}" for number, line in enumerate(lines)]


class Unavailable(Exception):
    """An origin can't deliver, and why. Another one may."""
