#!/usr/bin/env python3
"""A side of `xylem bench` that measures nothing: it says of every call that it takes a second on two ranks. Its argument makes it
misbehave: `silent` says nothing and ends, `three` has three ranks, `rude` gives no result."""
import json
import sys

how = sys.argv[1] if len(sys.argv) > 1 else ""


def say(**words):
    print(json.dumps(words), flush=True)


if how == "silent":
    sys.exit(0)
say(ready="a fake", ranks=3 if how == "three" else 2)
for line in sys.stdin:
    question = json.loads(line)
    if "line" in question:
        assert question["line"]["collective"] in ("bcast", "allreduce") and question["line"]["bytes"] == 1000, question
        say(line="prepared")
    elif how == "rude":
        print("what?", flush=True)
    else:
        say(samples_seconds=[1.0], cpu_seconds=2.0, calls_per_sample=question["round"], wrong_calls=1)
