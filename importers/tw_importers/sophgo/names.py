"""Names of the files of a capture."""

from __future__ import annotations

import re

PROFILE_FILE = "global.profile"
CORE_FILE = re.compile(r"cdmlib\d*_\d+\.profile")
CDMA_FILE = re.compile(r"cdma\d*_(\d+)\.profile")
