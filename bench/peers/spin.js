// Computes in registers on command, like `turns`: node spin.js MILLISECONDS THREADS. A run does the same work on each thread and
// ends with the slowest one: its times show how steady the machine is.
'use strict';
const readline = require('readline');
const { isMainThread, Worker, workerData } = require('worker_threads');

const kStarted = 0, kDone = 1, kIterations = 2, kResult = 3;
const kSpins = 100000;  // before a thread without work sleeps

function compute(iterations) {
  let x = iterations;
  for (let i = 0; i < iterations; ++i) x = (Math.imul(x, 1664525) + 1013904223) | 0;
  return x;
}

function help(shared) {
  for (let run = 1; ; ++run) {
    for (let i = 0; Atomics.load(shared, kStarted) < run; ++i)
      if (i >= kSpins) Atomics.wait(shared, kStarted, run - 1);
    Atomics.add(shared, kResult, compute(shared[kIterations]));
    Atomics.add(shared, kDone, 1);
  }
}

function milliseconds(work) {
  const start = process.hrtime.bigint();
  work();
  return Number(process.hrtime.bigint() - start) / 1e6;
}

function median(values) {
  values.sort((a, b) => a - b);
  return values[values.length >> 1];
}

function iterationsFor(wanted) {
  const kProbe = 1000000;
  const times = Array.from({ length: 20 }, () => milliseconds(() => compute(kProbe)));
  return Math.max(1, Math.round(kProbe * wanted / median(times)));
}

function serve(wanted, threads) {
  const shared = new Int32Array(new SharedArrayBuffer(16));
  shared[kIterations] = iterationsFor(wanted);
  const workers = Array.from({ length: threads - 1 }, () => new Worker(__filename, { workerData: shared }));
  let runs = 0;
  const run = () => milliseconds(() => {
    Atomics.add(shared, kStarted, 1);
    Atomics.notify(shared, kStarted);
    Atomics.add(shared, kResult, compute(shared[kIterations]));
    for (++runs; Atomics.load(shared, kDone) < runs * workers.length;);
  });
  for (let i = 0; i < 3; ++i) run();
  console.log('ready');
  readline.createInterface({ input: process.stdin }).on('line', (line) => {
    const words = line.split(' ');
    const times = Array.from({ length: Math.max(1, Number(words[words.length - 1])) }, run);
    console.log(words[0] === 'times' ? times.join(' ') : median(times));
  }).on('close', () => process.exit());
}

if (isMainThread) {
  serve(Number(process.argv[2]), Number(process.argv[3]));
} else {
  help(workerData);
}
