# SPDX-License-Identifier: Apache-2.0
"""The JSON Schema that editors use accepts every suite there is, and refuses what the reader
refuses for its form.
"""

import copy
import glob
import json
import sys

try:
    import jsonschema
    import yaml
    yaml.SafeLoader
except (ImportError, AttributeError) as missing:
    print(f"1..0 # SKIP {missing} (scripts/setup)")
    sys.exit(0)

results = []


class Loader(yaml.SafeLoader):
    """As editors read it: YAML 1.2's booleans, and keys that stay as they are written."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:bool"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", __import__("re").compile("^(true|false)$"),
                             "tf")


def ok(good, name):
    results.append(bool(good))
    print(f"{'ok' if good else 'not ok'} {len(results)} - {name}")


schema = json.load(open("yaml/schema/suite.schema.json"))
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)

for path in sorted(glob.glob("yaml/suites/*.yaml")):
    first = open(path).readline()
    errors = list(validator.iter_errors(yaml.load(open(path), Loader)))
    for error in errors[:3]:
        print(f"# {path}: {error.json_path}: {error.message[:300]}")
    ok(not errors, f"{path} is as the schema says")
    ok(first == "# yaml-language-server: $schema=../schema/suite.schema.json\n",
       f"{path} names the schema for editors")

GOOD = {"suite": "small", "version": "1.0.0", "specification": {"title": "x"},
        "requirements": {"P": {"text": "a"}},
        "choices": {"rounds": {"default": 10, "deviant": [7, 9]}},
        "errata": {"E": {"clause": "a", "says": "b", "decided": "c", "because": "d",
                         "cases": ["x"]}},
        "cases": [{"id": "x", "covers": ["P"], "op": "philox",
                   "inputs": {"key": [1], "counter": {"fill": "bits", "dtype": "u32",
                                                      "shape": [4]}}}]}
WRONG = [
    ("a source without title", ["sources"], {"a": {"source": "b"}}),
    ("a file without digest", ["sources"], {"a": {"title": "b", "file": "c"}}),
    ("an operation without outputs", ["operations"], {"acme.f": {"inputs": ["x"]}}),
    ("a reference without exec", ["reference"], {"files": ["a"]}),
    ("a tolerance of words", ["cases", 0, "tolerance"], "close"),
    ("an unknown key", ["extra"], 1), ("a version of two numbers", ["version"], "1.0"),
    ("a name with capitals", ["suite"], "Small"),
    ("no title", ["specification"], {}), ("no requirement", ["requirements"], {}),
    ("a requirement without text", ["requirements", "P"], {}),
    ("a requirement that is no word", ["requirements", "a b"], {"text": "x"}),
    ("a choice without default", ["choices", "rounds"], {}),
    ("an option twice", ["choices", "rounds", "deviant"], [7, 7]),
    ("an erratum without reason", ["errata", "E"], {"clause": "a"}),
    ("no case", ["cases"], []), ("an id that is no word", ["cases", 0, "id"], "A b"),
    ("covering nothing", ["cases", 0, "covers"], []),
    ("an unknown level", ["cases", 0, "level"], "exact"), ("a portable that is no boolean",
                                                           ["cases", 0, "portable"], "yes"),
    ("an unknown key of a case", ["cases", 0, "input"], {}),
    ("an empty matrix", ["cases", 0, "matrix"], {"a": []}),
    ("a window of one number", ["cases", 0, "window"], [1]),
    ("an unknown fill", ["cases", 0, "inputs", "key"], {"fill": "x", "dtype": "u8", "shape": []}),
    ("an unknown dtype", ["cases", 0, "inputs", "key"], {"dtype": "f31", "data": []}),
    ("an unknown key of a tensor", ["cases", 0, "inputs", "key"], {"dtype": "f32", "date": []}),
]
ok(validator.is_valid(GOOD), "a small suite is accepted")
STORED = {**GOOD, "sources": {"paper": {"title": "table 3", "file": "p.safetensors",
                                        "sha256": "0" * 64, "tolerance": {"ulps": 2}}},
          "operations": {"acme.f": {"attributes": {"axis": "integer", "mode": ["a", "b"]},
                                    "inputs": ["x"], "outputs": ["y"]}},
          "reference": {"exec": "python3 ref.py", "files": ["ref.py"]},
          "cases": [{"id": "x", "covers": ["P"], "op": "acme.f", "from": "paper",
                     "tolerance": {"y": "bits"},
                     "inputs": {"x": {"dtype": "f32", "shape": [2], "file": "p.safetensors",
                                      "tensor": "x"}},
                     "expected": {"y": {"lower": {"dtype": "f32", "data": [0]},
                                        "upper": {"dtype": "f32", "data": [1]}}}}]}
ok(validator.is_valid(STORED), "and one whose values are stored")
missed = []
for name, path, value in WRONG:
    suite = copy.deepcopy(GOOD)
    at = suite
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    if validator.is_valid(suite):
        missed.append(name)
for name in missed:
    print(f"# accepted: {name}")
ok(not missed, f"{len(WRONG)} wrong suites are refused")
print(f"1..{len(results)}")
sys.exit(0 if all(results) else 1)
