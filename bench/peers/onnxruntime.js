// Runs a network in ONNX Runtime on command, like `turns`: node onnxruntime.js NODE_MODULES FILE THREADS. Calls the binding
// directly, because the package's run() waits for a turn of node's event loop first.
'use strict';
const path = require('path');
const readline = require('readline');

const [modules, file, threads] = process.argv.slice(2);
const { binding, initOrt } = require(path.join(modules, 'onnxruntime-node/dist/binding.js'));
const { Tensor } = require(path.join(modules, 'onnxruntime-common'));

const kFloat = 1, kUint8 = 2;

function makeTensor(meta) {
  const shape = meta.shape.map((size) => (size < 0 ? 1 : size)); // open dimensions are -1
  const count = shape.reduce((product, size) => product * size, 1);
  if (meta.type === kUint8) return new Tensor('uint8', Uint8Array.from({ length: count }, (_, i) => (i * 131) % 256), shape);
  if (meta.type !== kFloat) throw new Error('An input is neither FLOAT nor UINT8.');
  return new Tensor('float32', Float32Array.from({ length: count }, (_, i) => ((i * 7919) % 2001) / 1000 - 1), shape);
}

function median(values) {
  values.sort((a, b) => a - b);
  const middle = values.length >> 1;
  return values.length % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

initOrt();
const model = new binding.InferenceSession();
model.loadModel(file, {
  intraOpNumThreads: Number(threads), interOpNumThreads: 1, executionMode: 'sequential', graphOptimizationLevel: 'all',
});
const feeds = {}, fetches = {};
for (const meta of model.inputMetadata) feeds[meta.name] = makeTensor(meta);
for (const meta of model.outputMetadata) fetches[meta.name] = null;
const run = () => {
  const start = process.hrtime.bigint();
  model.run(feeds, fetches, {});
  return Number(process.hrtime.bigint() - start) / 1e6;
};
for (let i = 0; i < 2; ++i) run();
console.log('ready');
readline.createInterface({ input: process.stdin }).on('line', (line) => {
  const words = line.split(' ');
  const times = Array.from({ length: Math.max(1, Number(words[words.length - 1])) }, run);
  console.log(words[0] === 'times' ? times.join(' ') : median(times));
});
