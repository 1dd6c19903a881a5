"""Finds profiles of hosts: `plugins/profile/<time>/<host>.xplane.pb`, or such files in any folder.

Layout: github.com/openxla/xprof, docs/capturing_profiles.md.
"""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from warehouse.ingest.importer import Capture, Job, Listing, Part

_PROFILE = re.compile(r"(?P<host>.*)\.xplane\.pb(?:\.gz)?")
#: What is computed from the profiles in the same folder: timelines, and caches of XProf.
_DERIVED = re.compile(
    r"(?:.*\.)?trace\.json(?:\.gz)?|perfetto_trace\.json(?:\.gz)?|.*\.hlo_proto\.pb|.*\.SSTABLE"
    r"|(?:ALL_HOSTS\.)?\w+\.(?:op_stats|input_pipeline|overview_page|kernel_stats)\.pb"
)


def find(listing: Listing) -> Iterator[Capture]:
    """A capture for each host; several hosts of a folder are one job."""
    folders: dict[str, list[str]] = defaultdict(list)
    for name in listing.names:
        folder, base = posixpath.split(name)
        folders[folder].append(base)
    for folder, bases in sorted(folders.items()):
        matches = [_PROFILE.fullmatch(base) for base in sorted(bases)]
        hosts = {match[0]: match["host"] for match in matches if match}
        if hosts:
            yield from _captures(listing, folder, hosts, bases)


def _captures(
    listing: Listing, folder: str, hosts: dict[str, str], bases: Sequence[str]
) -> Iterator[Capture]:
    job = _job(listing, folder, sorted(hosts)) if len(hosts) > 1 else None
    derived = tuple(sorted(base for base in bases if _DERIVED.fullmatch(base)))
    for n, (base, host) in enumerate(hosts.items()):
        yield Capture(
            folder,
            (Part(base, "profile"),),
            job=Job(job, member=host) if job else None,
            ignored=() if n else derived,
        )


def _job(listing: Listing, folder: str, bases: Sequence[str]) -> str:
    """Differs between jobs: made of names and of how the first file begins."""
    content = hashlib.sha256(listing.head(posixpath.join(folder, bases[0])))
    content.update("\0".join([posixpath.basename(folder), *bases]).encode(errors="surrogateescape"))
    return f"xplane {content.hexdigest()[:32]}"
