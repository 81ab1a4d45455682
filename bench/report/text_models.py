"""A decoder in the manner of Llama with random weights, as an ONNX model and as a GGUF file with the same weights.

text_models.py DIRECTORY [--layers N] [--past N]... [--only KIND]...: NAME_N.onnx (one token after N others, by default 128), NAME_prompt.onnx
(64 tokens) and NAME.gguf for weights of 16, 8 and 4 bits (blocks of 32). The ONNX models start after the embedding and omit the rotary embedding
of queries and keys."""
import argparse
import math
import pathlib
import struct
import sys

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tests/python"))
from onnx_writer import OnnxModel  # noqa: E402

WIDTH, HEADS, INNER, VOCABULARY, PAST, PROMPT, BLOCK = 768, 12, 2048, 32000, 128, 64, 32
KINDS = ("half", "int8", "int4")
_GGUF_TYPES = {"float32": 0, "half": 1, "int4": 2, "int8": 8}


class Weight:
    """A matrix [columns, inner] as halves, or quantized in blocks whose scales are halves."""

    def __init__(self, kind, columns, inner, seed):
        values = numpy.random.default_rng(seed).standard_normal((columns, inner), numpy.float32) / math.sqrt(inner)
        self.kind, self.columns, self.inner = kind, columns, inner
        if kind == "half":
            self.values = values.astype(numpy.float16)
            return
        blocks = values.reshape(-1, BLOCK)
        largest = 127 if kind == "int8" else 7
        self.scales = (abs(blocks).max(1) / largest).astype(numpy.float16)
        codes = numpy.round(blocks / self.scales.astype(numpy.float32)[:, None]).clip(-largest - 1, largest).astype(numpy.int8)
        self.codes = codes

    def gguf(self):
        if self.kind == "half":
            return self.values.tobytes()
        codes = self.codes if self.kind == "int8" else self._pairs(slice(0, BLOCK // 2), slice(BLOCK // 2, BLOCK))
        return numpy.concatenate([self.scales.view(numpy.uint8).reshape(-1, 2), codes.view(numpy.uint8)], 1).tobytes()

    def _pairs(self, low, high):
        unsigned = (self.codes + 8).astype(numpy.uint8)
        return unsigned[:, low] | unsigned[:, high] << 4

    def add_product(self, model, x, y, level):
        if self.kind == "half":
            model.constant(f"w_{y}", self.values.astype(numpy.float32).T).node("MatMul", [x, f"w_{y}"], [y])
            return
        bits = 8 if self.kind == "int8" else 4
        codes = (self.codes.astype(numpy.int16) + 128).astype(numpy.uint8) if bits == 8 else self._pairs(slice(0, None, 2), slice(1, None, 2))
        model.constant(f"w_{y}", codes.reshape(self.columns, self.inner // BLOCK, -1)).constant(f"s_{y}", self.scales.astype(numpy.float32))
        model.node("MatMulNBits", [x, f"w_{y}", f"s_{y}"], [y], domain="com.microsoft", K=self.inner, N=self.columns, bits=bits,
                   block_size=BLOCK, accuracy_level=level)


def weights_of(kind, layers):
    """By their names in GGUF files."""
    def make(name, columns, inner):
        made[name] = Weight(kind, columns, inner, len(made))
    made = {}
    for i in range(layers):
        for name, columns, inner in (("attn_q", WIDTH, WIDTH), ("attn_k", WIDTH, WIDTH), ("attn_v", WIDTH, WIDTH), ("attn_output", WIDTH, WIDTH),
                                     ("ffn_gate", INNER, WIDTH), ("ffn_up", INNER, WIDTH), ("ffn_down", WIDTH, INNER)):
            make(f"blk.{i}.{name}.weight", columns, inner)
    make("output.weight", VOCABULARY, WIDTH)
    return made


def _string(text):
    return struct.pack("<Q", len(text)) + text.encode()


def gguf(kind, layers, weights):
    def number(key, value):
        return _string(key) + (struct.pack("<If", 6, value) if isinstance(value, float) else struct.pack("<II", 4, value))

    def text(key, value):
        return _string(key) + struct.pack("<I", 8) + _string(value)
    entries = [text("general.architecture", "llama"), number("llama.context_length", 1024), number("llama.embedding_length", WIDTH),
               number("llama.block_count", layers), number("llama.feed_forward_length", INNER), number("llama.attention.head_count", HEADS),
               number("llama.attention.layer_norm_rms_epsilon", 1e-5), number("llama.rope.dimension_count", WIDTH // HEADS),
               number("llama.vocab_size", VOCABULARY), text("tokenizer.ggml.model", "no_vocab")]
    norms = ["output_norm.weight"] + [f"blk.{i}.{name}_norm.weight" for i in range(layers) for name in ("attn", "ffn")]
    tensors = [(name, [WIDTH], "float32", numpy.ones(WIDTH, numpy.float32).tobytes()) for name in norms]
    tensors.append(("token_embd.weight", [WIDTH, VOCABULARY], kind, weights["output.weight"].gguf()))
    tensors += [(name, [weight.inner, weight.columns], kind, weight.gguf()) for name, weight in weights.items()]
    infos, data = b"", bytearray()
    for name, shape, dtype, content in tensors:
        infos += _string(name) + struct.pack("<I", len(shape)) + struct.pack(f"<{len(shape)}Q", *shape)
        infos += struct.pack("<IQ", _GGUF_TYPES[dtype], len(data))
        data += content + bytes(-len(content) % 32)
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(entries)) + b"".join(entries) + infos
    return head + bytes(-len(head) % 32) + bytes(data)


class _Graph:
    def __init__(self, length, past):
        self.model, self.length, self.past, self._made = OnnxModel(17), length, past, 0
        self.model.input("x", [1, length, WIDTH])
        self._constant("eps", numpy.array(1e-5, numpy.float32))
        self._constant("one", numpy.ones(WIDTH, numpy.float32))
        self._constant("scale", numpy.array(math.sqrt(HEADS / WIDTH), numpy.float32))
        self._constant("split", numpy.array([1, length, HEADS, WIDTH // HEADS], numpy.int64))
        self._constant("joined", numpy.array([1, length, WIDTH], numpy.int64))
        self._constant("mask", numpy.triu(numpy.full((length, length), -1e9, numpy.float32), 1))

    def _constant(self, name, value):
        self.model.constant(name, value)

    def node(self, op, *inputs, out=None, **attributes):
        self._made += 1
        out = out or f"v{self._made}"
        self.model.node(op, list(inputs), [out], **attributes)
        return out

    def norm(self, x):
        mean = self.node("ReduceMean", self.node("Mul", x, x), axes=[-1])
        return self.node("Mul", self.node("Div", x, self.node("Sqrt", self.node("Add", mean, "eps"))), "one")

    def heads(self, x):
        return self.node("Transpose", self.node("Reshape", x, "split"), perm=[0, 2, 1, 3])

    def grown(self, kind, layer, new):
        if self.past == 0:
            return new
        shape = [1, HEADS, self.past, WIDTH // HEADS]
        self.model.input(f"past_{kind}{layer}", shape)
        name = self.node("Concat", f"past_{kind}{layer}", new, out=f"present_{kind}{layer}", axis=2)
        self.model.output(name, [1, HEADS, self.past + self.length, WIDTH // HEADS])
        return name

    def attention(self, layer, q, k, v):
        keys = self.grown("k", layer, self.heads(k))
        scores = self.node("Mul", self.node("MatMul", self.heads(q), self.node("Transpose", keys, perm=[0, 1, 3, 2])), "scale")
        if self.length > 1:
            scores = self.node("Add", scores, "mask")
        mixed = self.node("MatMul", self.node("Softmax", scores, axis=-1), self.grown("v", layer, self.heads(v)))
        return self.node("Reshape", self.node("Transpose", mixed, perm=[0, 2, 1, 3]), "joined")


def onnx(layers, weights, length, past, level=0):
    graph = _Graph(length, past)

    def product(name, x, out=None):
        graph._made += 1
        out = out or f"v{graph._made}"
        weights[name].add_product(graph.model, x, out, level)
        return out
    x = "x"
    for i in range(layers):
        h = graph.norm(x)
        q, k, v = (product(f"blk.{i}.attn_{part}.weight", h) for part in "qkv")
        x = graph.node("Add", x, product(f"blk.{i}.attn_output.weight", graph.attention(i, q, k, v)))
        h = graph.norm(x)
        gate, up = (product(f"blk.{i}.ffn_{part}.weight", h) for part in ("gate", "up"))
        gated = graph.node("Mul", graph.node("Mul", gate, graph.node("Sigmoid", gate)), up)
        x = graph.node("Add", x, product(f"blk.{i}.ffn_down.weight", gated))
    product("output.weight", graph.norm(x), "logits")
    return graph.model.output("logits", [1, length, VOCABULARY]).bytes()


def write(folder, layers, kinds=KINDS, pasts=(PAST,)):
    for kind in kinds:
        weights = weights_of(kind, layers)
        (folder / f"{kind}.gguf").write_bytes(gguf(kind, layers, weights))
        for level in (0,) if kind == "half" else (0, 4):
            name = kind if level == 0 else f"{kind}_level{level}"
            for past in pasts:
                (folder / f"{name}_{past}.onnx").write_bytes(onnx(layers, weights, 1, past, level))
            (folder / f"{name}_prompt.onnx").write_bytes(onnx(layers, weights, PROMPT, 0, level))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--past", type=int, action="append")
    parser.add_argument("--only", choices=KINDS, action="append")
    arguments = parser.parse_args()
    arguments.directory.mkdir(parents=True, exist_ok=True)
    write(arguments.directory, arguments.layers, arguments.only or KINDS, arguments.past or [PAST])
