// Generates text with a decoder in ONNX Runtime, like `nnrt generate` without a prefill model, and prints tokens per second:
// node onnxruntime_text.js NODE_MODULES MODEL PROMPT TOKENS THREADS
'use strict';
const [modules, model, prompt, tokens, threads] = process.argv.slice(2);
const ort = require(`${modules}/onnxruntime-node`);

// The first most likely token.
function likeliest(logits) {
  let best = 0;
  for (let i = 1; i < logits.length; ++i) {
    if (logits[i] > logits[best]) best = i;
  }
  return best;
}

function numbers(value, shape) {
  return new ort.Tensor('int64', BigInt64Array.from([BigInt(value)]), shape);
}

async function main() {
  const session = await ort.InferenceSession.create(model, {intraOpNumThreads: Number(threads)});
  const shape = session.inputMetadata.find((input) => input.name === 'cache').shape;
  const count = shape.reduce((product, size) => product * size, 1);
  let cache = new ort.Tensor('float32', new Float32Array(count), shape);
  let position = 0;
  const step = async (token) => {
    const outputs = await session.run({
      token: numbers(token, [1, 1]),
      position: numbers(position++, [1]),
      cache,
    });
    cache = outputs.new_cache;
    return outputs.logits.data;
  };
  let logits;
  for (const token of Buffer.from(prompt)) logits = await step(token);
  const text = [];
  const start = process.hrtime.bigint();
  for (let i = 0; i < Number(tokens); ++i) {
    text.push(likeliest(logits));
    if (i + 1 < Number(tokens)) logits = await step(text[i]);
  }
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  process.stdout.write(`${prompt}${Buffer.from(text)}\n`);
  process.stderr.write(`${((text.length - 1) / seconds).toFixed(1)} tokens a second\n`);
}

main();
