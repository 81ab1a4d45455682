// nnrt quantizes a classifier of digits, and ONNX Runtime agrees with what nnrt makes of the file:
// node quantized_reference.js NNRT MODEL DIGITS DEVICE [NODE_MODULES]. DIGITS has images.bin and labels.bin. Without
// NODE_MODULES the labels alone are compared.
'use strict';
const { spawnSync } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');

const [nnrt, model, digits, device, modules] = process.argv.slice(2);
const kPixels = 64, kClasses = 10, kSamples = 64;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'nnrt_quantized_'));
const file = (name) => path.join(folder, name);

function run(...options) {
  const made = spawnSync(nnrt, options, { encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`nnrt ${options.join(' ')} ended with ${made.status}: ${made.stderr}`);
}

// The scores that follow the header of an .npy file.
function readScores(name) {
  const bytes = fs.readFileSync(name);
  const begin = 10 + bytes.readUInt16LE(8);
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset + begin, bytes.byteOffset + bytes.length));
}

function classes(scores) {
  const found = [];
  for (let i = 0; i < scores.length; i += kClasses) {
    const row = Array.from(scores.subarray(i, i + kClasses));
    found.push(row.indexOf(Math.max(...row)));
  }
  return found;
}

const differing = (a, b) => a.filter((value, i) => value !== b[i]).length;

function check(holds, sentence) {
  if (!holds) throw new Error(sentence);
  console.log(sentence);
}

async function main() {
  const images = Float32Array.from(fs.readFileSync(path.join(digits, 'images.bin')));
  const labels = Array.from(fs.readFileSync(path.join(digits, 'labels.bin')));
  const count = labels.length;
  const bytes = Buffer.from(images.buffer);
  fs.mkdirSync(file('samples'));
  for (let i = 0; i < kSamples; ++i)
    fs.writeFileSync(file(`samples/${i}.bin`), bytes.subarray(4 * kPixels * i, 4 * kPixels * (i + 1)));
  fs.writeFileSync(file('images.bin'), bytes);
  run('quantize', model, '--calibrate', file('samples'), '-o', file('int8.onnx'));
  run('run', file('int8.onnx'), '-d', device, '--shape', `image=${count},1,8,8`, '--input', `image=${file('images.bin')}`,
    '-o', file('out'));
  const scores = readScores(file('out/0_probabilities.npy'));
  const wrong = differing(classes(scores), labels);
  check(wrong <= 1, `${wrong} of ${count} digits are wrong`);
  if (!modules) return;

  const { InferenceSession, Tensor } = require(path.join(modules, 'onnxruntime-node'));
  const session = await InferenceSession.create(file('int8.onnx'), { intraOpNumThreads: 1, logSeverityLevel: 3 });
  const result = await session.run({ image: new Tensor('float32', images, [count, 1, 8, 8]) });
  const others = result.probabilities.data;
  const apart = differing(classes(scores), classes(others));
  let largest = 0;
  for (let i = 0; i < scores.length; ++i) largest = Math.max(largest, Math.abs(scores[i] - others[i]));
  check(apart === 0, `${apart} digits are others in ONNX Runtime`);
  check(largest < 0.02, `scores are ${largest.toFixed(5)} from those of ONNX Runtime`);
}

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
}).finally(() => fs.rmSync(folder, { recursive: true }));
