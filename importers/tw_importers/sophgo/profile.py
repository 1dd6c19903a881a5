"""global.profile: the text file that names the chip and the settings of a capture."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from tw_importers.sophgo.decode import Chip, by_arch, chips
from tw_importers.sophgo.defects import Defects
from warehouse.errors import CorruptTrace, UsageError

_TIU_RECORD = re.compile(r"core(\d+)_(tiu|gdma|sdma)_record")
_CDMA_RECORD = re.compile(r"cdma_port(\d+)_record")


@dataclass
class Profile:
    """The content of global.profile."""

    chip: Chip
    is_bmodel: bool = False
    tiu_mhz: float | None = None
    core_num: int | None = None
    tail_offset_ns: int | None = None
    #: Records by (core, engine) and (port, "cdma"), as counted when the capture was taken.
    n_records: dict[tuple[int, str], int] = field(default_factory=dict)
    values: dict[str, str] = field(default_factory=dict)  # all keys, as written


def parse(data: bytes, file: str, defects: Defects) -> Profile:
    """Reads global.profile; raises CorruptTrace where it refuses the capture."""
    chip: Chip | None = None
    counts: list[tuple[str, int, int]] = []  # key, value, offset
    profile = Profile(next(iter(chips().values())))
    max_records, offset = 0, 0
    for line in data.splitlines(keepends=True):
        text, at = line.decode("utf-8", "replace").strip(), offset
        offset += len(line)
        if "bmodel" in text:
            profile.is_bmodel = True
        elif "=" in text:
            key, value = (part.strip() for part in text.split("=", 1))
            profile.values[key] = value
            if key == "arch":
                chip = _chip(value, file, at)
            elif key == "max_record_num":
                max_records = _whole(key, value, file, at)
            elif key.endswith("_record"):
                count = _whole(key, value, file, at)
                _check_count(key, count, max_records, chip, defects, file, at)
                counts.append((key, count, at))
            else:
                _keep(profile, key, value, file, at)
    if chip is None:
        raise CorruptTrace(f"{file}, byte {offset:,}: missing arch=, which names the chip")
    profile.chip = chip
    profile.n_records = dict(_record_counts(counts))
    return profile


def mhz_of(text: str) -> float:
    """The option tiu_freq."""
    try:
        mhz = float(text)
    except ValueError:
        mhz = 0.0
    if not 0 < mhz < 1e6:
        raise UsageError(
            f"invalid tiu_freq {text!r}", hint="Give the frequency in MHz, for example 1000."
        )
    return mhz


def _chip(value: str, file: str, at: int) -> Chip:
    found = by_arch(value)
    if found is None:
        names = ", ".join(chips())
        raise CorruptTrace(
            f"{file}, byte {at:,}: arch={value} is not a supported chip",
            hint=f"Supported: {names}.",
            offset=at,
        )
    return found


def _whole(key: str, value: str, file: str, at: int) -> int:
    try:
        return int(value)
    except ValueError:
        raise CorruptTrace(
            f"{file}, byte {at:,}: {key}={value} is invalid: expected an integer", offset=at
        ) from None


def _keep(profile: Profile, key: str, value: str, file: str, at: int) -> None:
    if key == "core_num":
        profile.core_num = _whole(key, value, file, at)
    elif key == "tail_offset_ns":
        profile.tail_offset_ns = _whole(key, value, file, at)
    elif key == "tpu_freq":
        try:
            profile.tiu_mhz = mhz_of(value)
        except UsageError:
            raise CorruptTrace(
                f"{file}, byte {at:,}: tpu_freq={value} is invalid: expected a frequency in MHz",
                offset=at,
            ) from None


def _check_count(
    key: str, count: int, most: int, chip: Chip | None, defects: Defects, file: str, at: int
) -> None:
    """A full buffer has lost records; a single record is a stream that was cut."""
    if most and count >= most:
        what = f"{key}={count} has reached max_record_num={most}, so records were overwritten"
        defects.refuse("buffer_full", file, at, what)
    strays = chip.constants["stray_tiu_records"] if chip else 0
    if count == 1 and not (key.endswith("_tiu_record") and strays):
        what = f"{key}=1, but an engine that ran has more than one record: the capture is truncated"
        defects.refuse("single_record", file, at, what)


def _record_counts(
    counts: list[tuple[str, int, int]],
) -> list[tuple[tuple[int, str], int]]:
    found: list[tuple[tuple[int, str], int]] = []
    for key, count, _ in counts:
        if core := _TIU_RECORD.fullmatch(key):
            found.append(((int(core[1]), core[2]), count))
        elif port := _CDMA_RECORD.fullmatch(key):
            found.append(((int(port[1]), "cdma"), count))
    return found
