#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
"""Reads what `lttngmap metrics` wrote, by the parsers of Prometheus' own client library, which refuse what the
formats forbid.

  metrics_check.py valid FILE                  is it, and which: "text" or "openmetrics"
  metrics_check.py value FILE NAME [LABEL=VALUE]...   the samples of that name and those labels, a line each
  metrics_check.py map FILE SHOWN MAP          is each count as `lttngmap map show --json` has it in SHOWN?
"""
import json
import sys

from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics
from prometheus_client.parser import text_string_to_metric_families as text


def samples_of(path):
    """All samples, and the format's name."""
    with open(path, encoding="utf-8") as file:
        content = file.read()
    is_open = content.endswith("# EOF\n")
    families = list((openmetrics if is_open else text)(content))
    names = [family.name for family in families]
    assert len(set(names)) == len(names), "a family stands there twice"
    samples = [sample for family in families for sample in family.samples]
    keys = [(sample.name, tuple(sorted(sample.labels.items()))) for sample in samples]
    assert len(set(keys)) == len(keys), "a sample stands there twice"
    assert all(family.documentation for family in families), "a family has no help"
    assert all(family.type not in ("unknown", "untyped") for family in families), "a family has no type"
    return samples, "openmetrics" if is_open else "text"


def bucket_begin(bucket):
    """As lttngmap_filter_bucket_begin()."""
    return bucket if bucket < 64 else (bucket % 32 + 32) << (bucket // 32 - 1)


def signed(number, is_signed):
    """Of 64 bits."""
    return (number ^ 1 << 63) - (1 << 63) if is_signed else number


def name_of(key, is_signed):
    """The label of a key."""
    if isinstance(key, list):
        return ", ".join(name_of(part, False) for part in key)
    if isinstance(key, dict):
        return name_of(key["begin"], False) + "..."
    if isinstance(key, str):
        return "".join(letter if letter >= " " and letter not in "\x7f\\" else
                       {"\\": "\\\\", "\n": "\\n", "\t": "\\t"}.get(letter, f"\\x{ord(letter):02x}") for letter in key)
    return str(signed(key, is_signed))


def compare(samples, name, shown):
    """The first difference, or "same"."""
    of_map = [sample for sample in samples if sample.labels.get("map") == name]
    if shown["histogram"]:
        count = 0
        family = "lttngmap_map_latency_seconds" if shown.get("latency") else "lttngmap_map_values"
        for sample in of_map:
            if sample.name == family + "_bucket":
                end = float(sample.labels["le"]) * (1e9 if shown.get("latency") else 1) + 0.001
                count = sum(n for key, n, _ in shown["counts"] if float(bucket_begin(key)) <= end)
                if sample.value != count:
                    return f"{sample}: {count}"
        total = [sample.value for sample in of_map if sample.name == family + "_count"]
        return "same" if total == [count] and count else f"{total} in all, not {count}"
    found = {sample.labels.get("key"): sample.value for sample in of_map
             if sample.name == "lttngmap_map_events_total"}
    sums = {sample.labels.get("key"): sample.value for sample in of_map if sample.name == "lttngmap_map_sums"}
    if not shown["keys"]:
        return "same" if found == {None: shown["counts"][0][1]} else f"{found}"
    truth = {}
    for key, count, total in shown["counts"]:
        name = name_of(key, shown["signed"])
        before = truth.get(name, (0, 0))
        truth[name] = (before[0] + count, before[1] + signed(total, shown["sums_signed"]))
    truth["other"] = (shown["other"], signed(shown["other_sum"], shown["sums_signed"]))
    for key in [key for key in truth if key not in found]:
        truth["other"] = tuple(map(sum, zip(truth["other"], truth.pop(key))))
    if found != {key: count for key, (count, _) in truth.items()}:
        return f"{found}, not {truth}"
    if shown["sums"] and sums != {key: float(total) for key, (_, total) in truth.items()}:
        return f"sums {sums}, not {truth}"
    return "same"


def main():
    """By the command line."""
    what, path, *rest = sys.argv[1:]
    samples, kind = samples_of(path)
    if what == "valid":
        print(kind)
    elif what == "map":
        with open(rest[0], encoding="utf-8") as file:
            print(compare(samples, rest[1], json.load(file)))
    else:
        labels = dict(label.split("=", 1) for label in rest[1:])
        for sample in samples:
            if sample.name == rest[0] and labels.items() <= sample.labels.items():
                print(f"{sample.value:.15g}")


main()
