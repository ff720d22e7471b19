#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
"""check_latencies.py SPANS <JSON: compares a map of latencies with what the program measured of each
pair (tests/utils/spans.c): as many pairs; a sum between all least and all most times; and, up to each
bucket, no fewer pairs than those that last less at most, and no more than those that do at least.
Prints pairs, no_second, no_first, open."""
import json
import sys

answer = json.load(sys.stdin)
spans = [tuple(map(int, line.split())) for line in open(sys.argv[1])]
# The clocks' frequencies differ a little.
least = sorted(inner * 0.998 - 100 for inner, outer in spans)
most = sorted(outer * 1.002 + 100 for inner, outer in spans)


def begin(bucket):
    return bucket if bucket < 64 else (bucket % 32 + 32) << (bucket // 32 - 1)


def below(values, limit):
    return sum(1 for value in values if value < limit)


total = sum(count for _, count, _ in answer["counts"])
added = sum(sum_ for _, _, sum_ in answer["counts"])
if not sum(least) <= added <= sum(most):
    print(f"sum {added}, not in {sum(least)} to {sum(most)}")
seen = 0
for bucket, count, _ in answer["counts"]:
    for limit, so_far in ((begin(bucket), seen), (begin(bucket + 1), seen + count)):
        if not below(most, limit) <= so_far <= below(least, limit):
            print(f"below {limit}: {so_far}, not in {below(most, limit)} to {below(least, limit)}")
    seen += count
print(total, answer["no_second"], answer["no_first"], answer["open"])
