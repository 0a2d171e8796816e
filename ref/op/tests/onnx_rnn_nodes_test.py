# SPDX-License-Identifier: Apache-2.0
"""onnx.rnn, onnx.gru and onnx.lstm, bit for bit, against a model of their text in exact fractions
that rounds every node once; and each freedom of the text."""
import random
import sys

sys.path.insert(0, "harness/tests")
from tap import finish, report  # noqa: E402

from onnx_rnn_model import ACTIVATIONS, Exact, FUNCTIONS, Model, document, evaluate, numbers
from onnx_rnn_model import random_request


def difference(requests, choices=None):
    """The first element that differs from the model, in words."""
    documents = [dict(document(r), profile=choices or {}) for r in requests]
    for request, answer in zip(requests, evaluate(documents)):
        where = f"{request['attributes']} {({k: s for k, (s, _) in request['inputs'].items()})} "
        if "error" in answer:
            return where + str(answer["error"])
        expected = Model(request, Exact, choices).run()
        if set(expected) != set(answer["outputs"]):
            return where + f"outputs {sorted(answer['outputs'])}, expected {sorted(expected)}"
        for name, (shape, data) in expected.items():
            if answer["outputs"][name]["shape"] != shape:
                return where + f"{name}: {answer['outputs'][name]['shape']}, expected {shape}"
            for k, (found, right) in enumerate(zip(numbers(answer, name), data)):
                if found != right:
                    return where + f"{name}[{k}] is {float(found)!r}, expected {float(right)!r}"
    return None


def main():
    rng = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
    each = int(sys.argv[2]) if len(sys.argv) > 2 else 12
    for op in FUNCTIONS:
        for dtype in ("f32", "bf16", "f16"):
            report(f"{op} {dtype}: every element",
                   difference([random_request(rng, op, dtype) for _ in range(each)]))
    for name in ACTIVATIONS:
        requests = []
        for _ in range(each):
            request = random_request(rng, "onnx.rnn", activations=True)
            count = len(request["attributes"]["activations"])
            request["attributes"].update(
                activations=[name] * count,
                activation_alpha=[rng.choice([0.5, -0.75, 1.0, 0.0]) for _ in range(count)],
                activation_beta=[rng.choice([0.25, -1.5, 2.0]) for _ in range(count)])
            requests.append(request)
        report(f"activation {name}", difference(requests))
    for choices in ({"beyond_length": "state"}, {"no_steps": "zero"}, {"parameters": "by_place"},
                    {"coupling": "input_of_forget"}, {"clipping": "inputs_alone"}):
        requests = [random_request(rng, "onnx.lstm") for _ in range(3 * each)]
        report(f"{choices}", difference(requests, choices))
    finish()


main()
