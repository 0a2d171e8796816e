// A process target for assay: @NAME@, for the operation @OPERATION@.
//
//   assay certify --exec 'node @NAME@.mjs' @SUITE@
//
// One function is yours to fill in: compute(). As it stands, the target says of every case that it
// does not support it.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

const DONE = false; // set this to true when compute() is done

// The outputs by name (@OUTPUTS@). A tensor is {dtype, shape, data}, its data a Buffer of
// little-endian elements. Inputs: @INPUTS@. Call your library here; throw new Rejected(why)
// where it refuses the request as invalid.
function compute(attributes, inputs) {
@ATTRIBUTES@
  return {};
}

function supports(request) {
  if (!DONE) return "compute() is not written yet";
  if (request.op !== "@OPERATION@") return "this target computes @OPERATION@ only";
  if (request.window) return "no windows";
  return null;
}

// ---- what is the same for every target --------------------------------------

class Rejected extends Error {}

const SIZES = {
  bool: 1, i8: 1, u8: 1, f8e4m3: 1, f8e5m2: 1, i16: 2, u16: 2, f16: 2, bf16: 2,
  i32: 4, u32: 4, f32: 4, i64: 8, u64: 8, f64: 8, f8e4m3fnuz: 1, f8e5m2fnuz: 1, f8e8m0: 1,
  f4e2m1: 1, i4: 1, u4: 1, i2: 1, u2: 1, // the code in the low bits of a byte
};

function readTensor(document, directory) {
  const { dtype, shape } = document;
  if (document.bits) {
    const data = Buffer.from(document.bits.join(""), "hex");
    return { dtype, shape, data: swap(data, SIZES[dtype]) };
  }
  const file = readFileSync(join(directory, document.file));
  const start = 8 + Number(file.readBigUInt64LE(0));
  const header = JSON.parse(file.toString("utf8", 8, start));
  const [begin, end] = header[document.tensor].data_offsets;
  return { dtype, shape, data: file.subarray(start + begin, start + end) };
}

// Elements most significant byte first, or back.
function swap(data, size) {
  const swapped = Buffer.from(data);
  for (let at = 0; at < swapped.length; at += size) swapped.subarray(at, at + size).reverse();
  return swapped;
}

function writeTensor(name, tensor, directory, id) {
  const { dtype, shape, data } = tensor;
  const size = SIZES[dtype];
  if (data.length / size <= 64) {
    const hex = swap(data, size).toString("hex");
    const bits = Array.from({ length: data.length / size }, (_, i) =>
      hex.slice(2 * size * i, 2 * size * (i + 1)));
    return { dtype, shape, bits };
  }
  const kind = /^(f4e2m1|[iu][24])$/.test(dtype) ? "U8"
    : dtype.toUpperCase().replace("F8E", "F8_E");
  const header = Buffer.from(
    JSON.stringify({ [name]: { dtype: kind, shape, data_offsets: [0, data.length] } }));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  const file = `out-${id}-${name}.safetensors`;
  writeFileSync(join(directory, file), Buffer.concat([length, header, data]));
  return { dtype, shape, file, tensor: name };
}

function run(request, directory) {
  const inputs = {};
  for (const [name, tensor] of Object.entries(request.inputs))
    inputs[name] = readTensor(tensor, directory);
  try {
    const outputs = {};
    for (const [name, tensor] of Object.entries(compute(request.attributes, inputs)))
      outputs[name] = writeTensor(name, tensor, directory, request.id);
    return { outputs };
  } catch (error) {
    return error instanceof Rejected ? { rejected: error.message || "rejected" }
      : { failed: `${error}` };
  }
}

let directory = ".";
for await (const text of createInterface({ input: process.stdin })) {
  const line = JSON.parse(text);
  let answer;
  if (line.hello) {
    directory = line.directory;
    answer = { name: "@NAME@", version: "0", operations: ["@OPERATION@"] };
  } else if (line.supports) {
    const why = supports(line.supports);
    answer = why ? { unsupported: why } : { supported: true };
  } else {
    answer = run(line.run, directory);
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
}
