// nnrt quantize raises models of opsets 7 to 9 to 10. ONNX Runtime loads the results, and computes the same with
// them as with the float models, and as nnrt does: node raised_opset_reference.js NNRT DEVICE NODE_MODULES.
'use strict';
const { spawnSync } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');

const [nnrt, device, modules] = process.argv.slice(2);
const { InferenceSession, Tensor } = require(path.join(modules, 'onnxruntime-node'));
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'nnrt_raised_'));
const file = (name) => path.join(folder, name);
const kFloat = 1, kInt64 = 7, kSamples = 8, kImage = [1, 2, 4, 6];

// Protocol buffers.
function varint(value) {
  const bytes = [];
  for (let rest = BigInt.asUintN(64, BigInt(value)); ; rest >>= 7n) {
    bytes.push(Number(rest & 127n) | (rest > 127n ? 128 : 0));
    if (rest <= 127n) return Buffer.from(bytes);
  }
}
const number = (field, value) => Buffer.concat([varint(field << 3), varint(value)]);
function message(field, ...parts) {
  const data = Buffer.concat(parts.map((part) => Buffer.from(part)));
  return Buffer.concat([varint(field << 3 | 2), varint(data.length), data]);
}
const real = (field, value) => Buffer.concat([varint(field << 3 | 5), Buffer.from(new Float32Array([value]).buffer)]);

function attribute(name, value) {
  if (typeof value === 'string') return message(5, message(1, name), message(4, value), number(20, 3));
  if (typeof value === 'number') return message(5, message(1, name), number(3, value), number(20, 2));
  if (value instanceof Float32Array)
    return message(5, message(1, name), ...Array.from(value, (each) => real(7, each)), number(20, 6));
  return message(5, message(1, name), ...value.map((each) => number(8, each)), number(20, 7));
}
const node = (type, inputs, outputs, attributes = {}) => message(
  1, ...inputs.map((name) => message(1, name)), ...outputs.map((name) => message(2, name)), message(4, type),
  ...Object.entries(attributes).map(([name, value]) => attribute(name, value)));
const constant = (name, shape, values) => message(
  5, ...shape.map((size) => number(1, size)), number(2, kFloat), message(8, name),
  message(9, Buffer.from(new Float32Array(values).buffer)));
const value = (field, name, type, shape) => message(
  field, message(1, name),
  message(2, message(1, number(1, type), message(2, ...shape.map((size) => message(1, number(1, size)))))));

// x through a 1x1 convolution from 2 to 3 channels, then the operator.
function model(opset, { nodes, constants = [], outputs }) {
  const weights = constant('w', [3, 2, 1, 1], [1, -0.5, 0.25, 0.75, -1, 0.125]);
  const graph = message(
    7, node('Conv', ['x', 'w'], ['c']), ...nodes, message(2, 'graph'), weights, ...constants,
    value(11, 'x', kFloat, kImage), value(11, 'w', kFloat, [3, 2, 1, 1]),
    ...outputs.map(([name, type, shape]) => value(12, name, type, shape)));
  return Buffer.concat([number(1, 3), graph, message(8, number(2, opset))]);
}

const one = (type, attributes, shape, inputs = ['c']) =>
  ({ nodes: [node(type, inputs, ['y'], attributes)], outputs: [['y', kFloat, shape]] });
const kScales = new Float32Array([1, 1, 2, 3]);
const topK = (attributes, shape) => ({
  nodes: [node('TopK', ['c'], ['y', 'at'], attributes)],
  outputs: [['y', kFloat, shape], ['at', kInt64, shape]],
});
const norm = {
  ...one('BatchNormalization', { spatial: 1 }, [1, 3, 4, 6], ['c', 'scale', 'shift', 'mean', 'variance']),
  constants: [constant('scale', [3], [1, 2, 3]), constant('shift', [3], [0, 1, -1]), constant('mean', [3], [0.5, 0, 1]),
    constant('variance', [3], [1, 4, 0.25])],
};
const kCases = [
  ['upsample', 7, one('Upsample', { mode: 'nearest', scales: kScales }, [1, 3, 8, 18])],
  ['upsample', 8, one('Upsample', { mode: 'nearest', scales: kScales }, [1, 3, 8, 18])],
  ['upsample', 9, {
    ...one('Upsample', { mode: 'nearest' }, [1, 3, 8, 18], ['c', 'scales']),
    constants: [constant('scales', [4], kScales)],
  }],
  ['slice', 7, one('Slice', { axes: [2, 3], starts: [1, -4], ends: [3, 100] }, [1, 3, 2, 4])],
  ['slice_without_axes', 9, one('Slice', { starts: [0, 1], ends: [1, 3] }, [1, 2, 4, 6])],
  ['top_k', 7, topK({ axis: -1, k: 2 }, [1, 3, 4, 2])],
  ['top_k', 9, topK({ axis: 1, k: 1 }, [1, 1, 4, 6])],
  ['batch_normalization', 7, norm],
  ['batch_normalization', 8, norm],
];

// Distinct values in [-1, 1), so that TopK does not depend on rounding much.
function samples() {
  const count = kImage.reduce((a, b) => a * b);
  return Array.from({ length: kSamples }, (_, seed) =>
    Float32Array.from({ length: count }, (__, i) => ((i * 29 + seed * 17) % 96) / 48 - 1));
}

function run(...options) {
  const made = spawnSync(nnrt, options, { encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`nnrt ${options.join(' ')} ended with ${made.status}: ${made.stderr}`);
}

function readFloats(name) {
  const bytes = fs.readFileSync(name);
  const begin = 10 + bytes.readUInt16LE(8);
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset + begin, bytes.byteOffset + bytes.length));
}

async function inOnnxRuntime(name, x) {
  const session = await InferenceSession.create(file(name), { intraOpNumThreads: 1, logSeverityLevel: 3 });
  const result = await session.run({ x: new Tensor('float32', x, kImage) });
  await session.release();
  return result.y;
}

const largestDifference = (a, b) => a.reduce((largest, each, i) => Math.max(largest, Math.abs(each - b[i])), 0);

async function check([name, opset, description]) {
  const title = `${name}_${opset}`, all = samples();
  fs.writeFileSync(file(`${title}.onnx`), model(opset, description));
  run('quantize', file(`${title}.onnx`), '--calibrate', file('samples'), '-o', file(`${title}_int8.onnx`));
  run('run', file(`${title}_int8.onnx`), '-d', device, '--input', `x=${file('samples/0.bin')}`, '-o', file(title));
  const floats = await inOnnxRuntime(`${title}.onnx`, all[0]), quantized = await inOnnxRuntime(`${title}_int8.onnx`, all[0]);
  const ours = readFloats(file(`${title}/0_y.npy`));
  const range = floats.data.reduce((largest, each) => Math.max(largest, Math.abs(each)), 0);
  const fromFloats = largestDifference(floats.data, quantized.data) / range;
  const fromOurs = largestDifference(ours, quantized.data) / range;
  console.log(`${title}: ${fromFloats.toFixed(4)} from the float model, ${fromOurs.toFixed(4)} from nnrt`);
  if (String(floats.dims) !== String(quantized.dims)) throw new Error(`${title} has another shape`);
  if (ours.length !== quantized.data.length) throw new Error(`${title} has ${ours.length} results in nnrt`);
  if (!(fromFloats < 0.03) || !(fromOurs < 0.01)) throw new Error(`${title} has other results`);
}

async function main() {
  fs.mkdirSync(file('samples'));
  samples().forEach((x, i) => fs.writeFileSync(file(`samples/${i}.bin`), Buffer.from(x.buffer)));
  for (const each of kCases) await check(each);
}

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
}).finally(() => fs.rmSync(folder, { recursive: true }));
