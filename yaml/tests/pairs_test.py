# SPDX-License-Identifier: Apache-2.0
"""Every two values of features of a request, and every three of some features of an RNN's, are
together in a case of the suites, or the reference refuses every request that has both.
"""

import json
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import pairs
import pairs_words

BUILD = os.environ.get("BUILD", "build")
count = 0


def ok(good, name):
    global count
    count += 1
    print(f"{'ok' if good else 'not ok'} {count} - {name}")


def words(item):
    return " with ".join(f"{axis} {value}" for axis, value in item)


for suite in pairs.AXES:
    reference = pairs.Reference(suite, BUILD)
    wanted, met = pairs.wanted(suite), pairs.met(suite)
    missing = pairs.can_stand(reference, wanted - met)
    for item in sorted(missing)[:20]:
        print(f"# {suite}: in no case: {words(item)}")
    ok(not missing, f"{suite}: of {len(wanted)} pairs and triples, {len(wanted & met)} are in a "
       "case, and the reference refuses the rest")
    ok(met <= wanted, f"{suite}: every case has values that the features know")
    without = pairs.met(suite, left_out="pairs-")
    ok(pairs.can_stand(reference, wanted - without),
       f"{suite}: without the cases of the array some are missing")


def strangers(space, rng):
    """Requests on which the reference and the rules do not agree: it accepts what they forbid, or
    the other way round. What cannot be said comes out as another request."""
    drawn = [{axis: rng.choice(values) for axis, values in space.axes.items()} for _ in range(100)]
    requests = [space.request(of) for of in drawn]
    run = subprocess.run([os.path.join(BUILD, "assay"), "eval", "-"], capture_output=True,
                         text=True, input=json.dumps({"cases": [
                             request | {"id": str(i)} for i, request in enumerate(requests)]}))
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    assert len(answers) == len(drawn), run.stderr[:300]
    for of, request, answer in zip(drawn, requests, answers):
        stands = "outputs" in answer and of.items() <= space.features(request | answer).items()
        if stands != (space.rule(of) is None):
            yield f"{space.op}: {of}: {space.rule(of)}, and the reference: {str(answer)[:200]}"


rng = random.Random(20)
for space in pairs_words.SPACES:
    wanted, met = set(space.pairs()), space.met()
    without = space.met(left_out="pairs-")
    missing = [pair for pair in sorted(wanted - met) if space.can_stand(pair, rng)]
    for item in missing[:20]:
        print(f"# {space.op}: in no case: {words(item)}")
    ok(not missing, f"{space.op}: of {len(wanted)} pairs, {len(wanted & met)} are in a case, and "
       "rules forbid the rest")
    wrong = list(strangers(space, rng))
    for line in wrong[:5]:
        print(f"# {line}")
    ok(not wrong, f"{space.op}: the reference accepts what no rule forbids, and nothing else")
    ok(any(space.can_stand(pair, rng) for pair in sorted(wanted - without)),
       f"{space.op}: without the cases of the array some are missing")
print(f"1..{count}")
