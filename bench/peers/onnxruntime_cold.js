// Measures the first inference of ONNX Runtime from a file, once, in a fresh process: node onnxruntime_cold.js NODE_MODULES FILE THREADS
// Prints the phases as JSON like cold_file. Time and memory exclude node's own: both count from here.
'use strict';
const fs = require('fs');
const path = require('path');

const milliseconds = () => Number(process.hrtime.bigint()) / 1e6;
const cpu = () => { const used = process.cpuUsage(); return (used.user + used.system) / 1e3; };
const megabytes = (row) => Number(new RegExp(row + ':\\s+(\\d+)').exec(fs.readFileSync('/proc/self/status', 'utf8'))[1]) * 1024 / 1e6;

const start = milliseconds(), cpuStart = cpu(), base = megabytes('VmRSS');
const [modules, file, threads] = process.argv.slice(2);
const { binding, initOrt } = require(path.join(modules, 'onnxruntime-node/dist/binding.js'));
const { Tensor } = require(path.join(modules, 'onnxruntime-common'));
initOrt();
const opened = milliseconds();
const model = new binding.InferenceSession();
model.loadModel(file, {
  intraOpNumThreads: Number(threads), interOpNumThreads: 1, executionMode: 'sequential', graphOptimizationLevel: 'all',
});
const loaded = milliseconds();

const kFloat = 1;
const feeds = {}, fetches = {};
for (const meta of model.inputMetadata) {
  const count = meta.shape.reduce((product, size) => product * size, 1);
  feeds[meta.name] = meta.type === kFloat
    ? new Tensor('float32', Float32Array.from({ length: count }, (_, i) => ((i * 7919) % 2001) / 1000 - 1), meta.shape)
    : new Tensor('uint8', Uint8Array.from({ length: count }, (_, i) => (i * 131) % 256), meta.shape);
}
for (const meta of model.outputMetadata) fetches[meta.name] = null;
const filled = milliseconds(); // inputs are not counted, as in cold_file
model.run(feeds, fetches, {});
const ran = milliseconds();
const result = {
  start_ms: opened - start, import_ms: 0, build_ms: loaded - opened, run_ms: ran - filled, total_ms: ran - filled + loaded - start, cpu_ms: cpu() - cpuStart,
  peak_mb: megabytes('VmHWM') - base,
};
const second = milliseconds();
model.run(feeds, fetches, {});
result.second_run_ms = milliseconds() - second;
result.steady_mb = megabytes('VmRSS') - base;
console.log(JSON.stringify(result));
