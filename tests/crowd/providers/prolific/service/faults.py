"""What can go wrong between us and Prolific, ordered by a test for the requests it means."""

import re
from dataclasses import dataclass
from typing import Literal

# silent: nothing is done and no answer comes. lost: it is done and no answer comes. busy: 429.
# broken: 500 and nothing is done. broken after: it is done, then 500. cut: half of the JSON.
# short: a page of a list lacks its last entry.
Kind = Literal["silent", "lost", "busy", "broken", "broken after", "cut", "short"]


@dataclass
class Fault:
    """Meets the next `times` requests whose method and path match, after letting `after` of them pass."""

    kind: Kind
    method: str = "GET"
    path: str = ".*"
    times: int = 1
    after: int = 0
    wait: str = "0"  # Retry-After of 429: seconds, or "date" for a moment by the server's clock

    def meets(self, method: str, path: str) -> bool:
        if self.times < 1 or method != self.method or not re.fullmatch(self.path, path):
            return False
        if self.after:
            self.after -= 1
            return False
        self.times -= 1
        return True
