// Runs the models of a folder in ONNX Runtime: node onnxruntime_reference.js NODE_MODULES FOLDER. Writes the outputs of each
// model to NAME.out, in order; results.json has their shapes or the error.
'use strict';
const fs = require('fs');
const path = require('path');

const [modules, folder] = process.argv.slice(2);
const { InferenceSession, Tensor } = require(path.join(modules, 'onnxruntime-node'));

const kArrays = {
  float32: Float32Array, float16: Uint16Array, uint8: Uint8Array, int8: Int8Array, int32: Int32Array,
  int64: BigInt64Array,
};

function readInput(name, input) {
  const bytes = new Uint8Array(fs.readFileSync(path.join(folder, `${name}.${input.name}.bin`)));
  return new Tensor(input.type, new kArrays[input.type](bytes.buffer), input.shape);
}

async function run(model) {
  const session = await InferenceSession.create(path.join(folder, `${model.name}.onnx`), {
    graphOptimizationLevel: 'disabled', executionMode: 'sequential', intraOpNumThreads: 1, interOpNumThreads: 1,
    logSeverityLevel: 3,
  });
  const feeds = {};
  for (const input of model.inputs) feeds[input.name] = readInput(model.name, input);
  const results = await session.run(feeds);
  const tensors = model.outputs.map((output) => results[output]);
  fs.writeFileSync(path.join(folder, `${model.name}.out`),
    Buffer.concat(tensors.map(({ data }) => Buffer.from(data.buffer, data.byteOffset, data.byteLength))));
  await session.release();
  return { shapes: tensors.map((tensor) => Array.from(tensor.dims)) };
}

async function main() {
  const results = {};
  for (const model of JSON.parse(fs.readFileSync(path.join(folder, 'index.json'), 'utf8'))) {
    try {
      results[model.name] = await run(model);
    } catch (error) {
      results[model.name] = { error: String(error.message || error) };
    }
  }
  fs.writeFileSync(path.join(folder, 'results.json'), JSON.stringify(results));
}

main();
