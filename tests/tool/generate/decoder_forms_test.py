"""nnrt generate on decoders in the forms that exporters write, beside NumPy: decoder_forms_test.py NNRT DEVICE PUBLISHED WRITER

PUBLISHED holds decoders with the tokens expected of them; it may be absent. WRITER is the folder of onnx_writer.py. The other decoders have
random weights and are written here, in every form alike: embeddings of tokens and positions, layers of attention and two products.
"""

import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
from dataclasses import dataclass

try:
    import numpy
    import onnx  # noqa: F401
except ImportError as error:
    print(f"Skipped: {error}.")
    sys.exit(0)

sys.path.insert(0, sys.argv[4])
from onnx_writer import OnnxModel  # noqa: E402

WIDTH, HEADS, SIZE, INNER, LAYERS, POSITIONS, VOCABULARY, BLOCK = 64, 4, 16, 64, 2, 512, 257, 32
PROMPT = "the quick brown fox"
LETTERS = b"abcdefghijklmnopqrstuvwxyz "


@dataclass
class Form:
    name: str
    cache: str = "concat"  # "joined" has keys and values in one tensor, "query" is GroupQueryAttention
    groups: int = HEADS
    weights: str = "float32"  # "float16" or "int4"
    lengths: bool = False  # seqlens_k and total_sequence_length instead of a mask
    merged: bool = False  # two branches, chosen by use_cache_branch


FORMS = [
    Form("concatenated"),
    Form("joined", cache="joined"),
    Form("merged", merged=True),
    Form("half", weights="float16"),
    Form("grouped", cache="query", groups=2),
    Form("lengths", cache="query", groups=2, lengths=True),
    Form("int4", cache="query", weights="int4"),
    Form("grouped_half", cache="query", groups=2, weights="float16"),
]


class Weights:
    """By name; `made` are those of the model's file, `values` the same in double."""

    def __init__(self, form):
        draw = numpy.random.default_rng(7)
        kind = numpy.float16 if form.weights == "float16" else numpy.float32
        shapes = {"tokens": (VOCABULARY, WIDTH), "positions": (POSITIONS, WIDTH), "head": (WIDTH, VOCABULARY)}
        kept = form.groups * SIZE
        for layer in range(LAYERS):
            shapes.update({f"q{layer}": (WIDTH, HEADS * SIZE), f"k{layer}": (WIDTH, kept), f"v{layer}": (WIDTH, kept),
                           f"o{layer}": (HEADS * SIZE, WIDTH), f"u{layer}": (WIDTH, INNER), f"d{layer}": (INNER, WIDTH)})
        self.made, self.values, self.blocks = {}, {}, {}
        for name, shape in shapes.items():
            scale = 1 if name in ("tokens", "positions") else 1.5 / math.sqrt(shape[0])
            values = (draw.standard_normal(shape) * scale).astype(kind)
            if form.weights == "int4" and name[-1].isdigit():
                values = self._coded(name, values)
            self.made[name], self.values[name] = values, values.astype(numpy.float64)
        bias = numpy.full(VOCABULARY, -1e4, kind)
        bias[list(LETTERS)] = 0
        self.made["bias"], self.values["bias"] = bias, bias.astype(numpy.float64)

    def _coded(self, name, values):
        blocks = values.T.reshape(values.shape[1], -1, BLOCK)
        scales = abs(blocks).max(2, keepdims=True) / 7
        codes = (numpy.round(blocks / scales) + 8).clip(0, 15).astype(numpy.uint8)
        self.blocks[name] = codes[..., ::2] | codes[..., 1::2] << 4, scales.astype(numpy.float32).reshape(-1)
        return ((codes - 8.0) * scales).reshape(values.shape[1], -1).T.astype(numpy.float32)

    def logits(self, tokens):
        """Of the last token."""
        w, count = self.values, len(tokens)
        x = w["tokens"][tokens] + w["positions"][:count]
        for layer in range(LAYERS):
            q, k, v = ((x @ w[f"{part}{layer}"]).reshape(count, -1, SIZE).swapaxes(0, 1) for part in "qkv")
            k, v = (numpy.repeat(part, HEADS // len(part), 0) for part in (k, v))
            scores = numpy.where(numpy.tri(count, dtype=bool), q @ k.swapaxes(1, 2) / math.sqrt(SIZE), -numpy.inf)
            scores = numpy.exp(scores - scores.max(-1, keepdims=True))
            x = x + (scores / scores.sum(-1, keepdims=True) @ v).swapaxes(0, 1).reshape(count, -1) @ w[f"o{layer}"]
            x = x + numpy.maximum(x @ w[f"u{layer}"], 0) @ w[f"d{layer}"]
        return x[-1] @ w["head"] + w["bias"]

    def text(self, prompt, count):
        """The likeliest tokens, each at a distance to the second that no rounding covers."""
        tokens = list(prompt.encode())
        for _ in range(count):
            logits = self.logits(tokens)
            first, second = numpy.sort(logits)[[-1, -2]]
            assert first - second > 0.02, f"the weights leave the choice open by {first - second}"
            tokens.append(int(logits.argmax()))
        return bytes(tokens[len(prompt):]).decode()


class Decoder:
    """Nodes of one graph, or of a branch whose names end in `suffix`."""

    def __init__(self, model, form, weights, suffix="", has_past=True, is_masked=True):
        self.model, self.form, self.weights, self.suffix = model, form, weights, suffix
        self.has_past, self.is_masked, self.count = has_past, is_masked, 0

    def add(self, op, *inputs, output=None, **attributes):
        self.count += 1
        output = output or f"n{self.count}{self.suffix}"
        self.model.node(op, list(inputs), [output], **attributes)
        return output

    def product(self, x, name):
        if name not in self.weights.blocks:
            return self.add("MatMul", x, name)
        k, n = self.weights.made[name].shape
        return self.add("MatMulNBits", x, f"{name}_codes", f"{name}_scales", domain="com.microsoft", K=k, N=n, bits=4, block_size=BLOCK)

    def mask(self):
        """[new, all]: the columns that a row sees, by their places in the cache."""
        total = self.add("Gather", self.add("Shape", "attention_mask" if self.has_past else "input_ids"), "one")
        new = self.add("Gather", self.add("Shape", "input_ids"), "one")
        columns = self.add("Range", "zero", total, "one")
        rows = self.add("Unsqueeze", self.add("Range", self.add("Sub", total, new), total, "one"), "axis1")
        seen = self.add("LessOrEqual", columns, rows)
        if not self.has_past:
            return seen
        return self.add("And", seen, self.add("Unsqueeze", self.add("Cast", "attention_mask", to=9), "axes12"))

    def heads(self, x):
        return self.add("Transpose", self.add("Reshape", x, "by_head"), perm=[0, 2, 1, 3])

    def attention(self, x, layer, mask):
        q, k, v = (self.product(x, f"{part}{layer}") for part in "qkv")
        past, present = ([f"{name}.{layer}.{part}" for part in ("key", "value")] for name in ("past_key_values", "present"))
        if self.form.cache == "query":
            self.model.node("GroupQueryAttention", [q, k, v, *past, "last", "total"], [f"a{layer}", *present], domain="com.microsoft",
                            num_heads=HEADS, kv_num_heads=self.form.groups)
            return self.product(f"a{layer}", f"o{layer}")
        q, k, v = self.heads(q), self.heads(k), self.heads(v)
        if self.form.cache == "joined":
            past = [self.add("Gather", f"past_{layer}", index, axis=0) for index in ("zero", "one")]
            k, v = (self.add("Concat", before, new, axis=2) for before, new in zip(past, (k, v)))
            self.add("Concat", self.add("Unsqueeze", k, "axis0"), self.add("Unsqueeze", v, "axis0"), output=f"present_{layer}", axis=0)
        elif self.has_past:
            k, v = (self.add("Concat", before, new, output=after + self.suffix, axis=2) for before, new, after in zip(past, (k, v), present))
        else:
            k, v = (self.add("Identity", new, output=after + self.suffix) for new, after in zip((k, v), present))
        scores = self.add("Mul", self.add("MatMul", q, self.add("Transpose", k, perm=[0, 1, 3, 2])), "scale")
        if mask:
            scores = self.add("Where", mask, scores, "low")
        mixed = self.add("Transpose", self.add("MatMul", self.add("Softmax", scores, axis=-1), v), perm=[0, 2, 1, 3])
        return self.product(self.add("Reshape", mixed, "flat"), f"o{layer}")

    def all(self):
        mask = self.mask() if self.is_masked and self.form.cache != "query" else None
        x = self.add("Add", self.add("Gather", "tokens", "input_ids"), self.add("Gather", "positions", "position_ids"))
        for layer in range(LAYERS):
            x = self.add("Add", x, self.attention(x, layer, mask))
            x = self.add("Add", x, self.product(self.add("Relu", self.product(x, f"u{layer}")), f"d{layer}"))
        self.add("Add", self.add("MatMul", x, "head"), "bias", output="logits" + self.suffix)


def states(form):
    """Names and shapes of the cache's inputs and outputs."""
    if form.cache == "joined":
        return [(f"past_{layer}", f"present_{layer}", [2, None, HEADS, None, SIZE]) for layer in range(LAYERS)]
    return [(f"past_key_values.{layer}.{part}", f"present.{layer}.{part}", [None, form.groups, None, SIZE])
            for layer in range(LAYERS) for part in ("key", "value")]


def model_of(form, weights):
    kind = "float16" if form.weights == "float16" else "float32"
    model = OnnxModel(17).input("input_ids", [None, None], "int64").input("position_ids", [None, None], "int64")
    for name, values in weights.made.items():
        if name in weights.blocks:
            codes, scales = weights.blocks[name]
            model.constant(f"{name}_codes", codes).constant(f"{name}_scales", scales)
        else:
            model.constant(name, values)
    for name, values in (("zero", 0), ("one", 1), ("axis0", [0]), ("axis1", [1]), ("axes12", [1, 2]), ("by_head", [0, 0, -1, SIZE]),
                         ("flat", [0, 0, HEADS * SIZE])):
        model.constant(name, numpy.array(values, numpy.int64))
    model.constant("scale", numpy.array(1 / math.sqrt(SIZE), kind)).constant("low", numpy.array(-6e4, kind))
    if form.lengths:
        model.input("seqlens_k", [None], "int32").input("total_sequence_length", [], "int32")
        model.node("Identity", ["seqlens_k"], ["last"]).node("Identity", ["total_sequence_length"], ["total"])
    else:
        model.input("attention_mask", [None, None], "int64")
    if form.cache == "query" and not form.lengths:
        model.node("ReduceSum", ["attention_mask", "axis1"], ["sum"], keepdims=0).node("Sub", ["sum", "one"], ["last64"])
        model.node("Cast", ["last64"], ["last"], to=6)
        model.node("Shape", ["attention_mask"], ["size"]).node("Gather", ["size", "one"], ["total64"]).node("Cast", ["total64"], ["total"], to=6)
    for before, _, shape in states(form):
        model.input(before, shape, kind)
    outputs = [("logits", [None, None, VOCABULARY]), *((after, shape) for _, after, shape in states(form))]
    if form.merged:
        model.input("use_cache_branch", [1], "bool")
        branches = {}
        for branch, has_past in (("then_branch", True), ("else_branch", False)):
            body = OnnxModel(17)
            # Traced with one token: the branch with a past has no mask.
            Decoder(body, form, weights, f"_{branch}", has_past, is_masked=not has_past).all()
            for name, shape in outputs:
                body.output(f"{name}_{branch}", shape, kind)
            branches[branch] = body
        model.node("If", ["use_cache_branch"], [name for name, _ in outputs], **branches)
    else:
        Decoder(model, form, weights).all()
    for name, shape in outputs:
        model.output(name, shape, kind)
    return model


def tokenizer():
    """A token for each byte, by the characters that stand for bytes in such files, and an added one."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = iter(range(256, 512))
    characters = [chr(byte if byte in shown else next(others)) for byte in range(256)]
    return {"model": {"type": "BPE", "vocab": {character: byte for byte, character in enumerate(characters)}, "merges": []},
            "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "use_regex": True},
            "decoder": {"type": "ByteLevel"},
            "added_tokens": [{"id": 256, "content": "<eos>", "special": True}]}


def generate(nnrt, device, model, *arguments):
    done = subprocess.run([nnrt, "generate", model, "-d", device, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{model} {arguments} ended with {done.returncode}: {done.stderr}"
    return done.stdout


def compare(what, text, expected):
    assert text == expected, f"{what}: nnrt wrote\n{text!r}\ninstead of\n{expected!r}"
    print(f"{what}: {text!r}")


def check_published(nnrt, device, folder):
    expected = json.loads((folder / "expected.json").read_text())
    text = generate(nnrt, device, folder, "-p", expected["prompt"], "-n", str(len(expected["tokens"])), "--json")
    compare(folder, json.loads(text)["text"], expected["text"])


def check_form(nnrt, device, folder, form):
    weights = Weights(form)
    folder.mkdir()
    (folder / "model.onnx").write_bytes(model_of(form, weights).bytes())
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer()))
    expected = weights.text(PROMPT, 24)
    written = json.loads(generate(nnrt, device, folder, "-p", PROMPT, "-n", "24", "--json"))
    compare(form.name, written["text"], expected)
    assert written["end"] == "tokens", written
    return weights, expected


def check_ends(nnrt, device, folder, expected):
    """The text ends before a token that the configuration names, wherever that is."""
    end = max(expected, key=expected.index)
    for name, config in (("generation_config.json", {"eos_token_id": [256, ord(end)]}), ("genai_config.json", {"model": {"eos_token_id": ord(end)}})):
        (folder / name).write_text(json.dumps(config))
        written = json.loads(generate(nnrt, device, folder, "-p", PROMPT, "--json"))
        compare(f"end in {name}", written["text"], expected[:expected.index(end)])
        assert written["end"] == "token", written
        (folder / name).unlink()


def check_long_prompt(nnrt, device, folder, weights):
    """More tokens than one run reads, and more than the cache has room for at first."""
    prompt = (PROMPT + " ") * 15
    compare("long prompt", generate(nnrt, device, folder, "-p", prompt, "-n", "8"), prompt + weights.text(prompt, 8) + "\n")


def check_sampling(nnrt, device, folder, expected):
    """generation_config.json samples where no option says otherwise."""
    (folder / "generation_config.json").write_text(json.dumps({"do_sample": True, "temperature": 1.5, "top_k": 9, "top_p": 0.9}))
    sampled = generate(nnrt, device, folder, "-p", PROMPT, "-n", "24", "--json")
    compare("greedy by option", json.loads(generate(nnrt, device, folder, "-p", PROMPT, "-n", "24", "--json", "--temperature", "0"))["text"], expected)
    (folder / "generation_config.json").write_text(json.dumps({"temperature": 1.5}))
    compare("greedy", json.loads(generate(nnrt, device, folder, "-p", PROMPT, "-n", "24", "--json"))["text"], expected)
    (folder / "generation_config.json").unlink()
    options = ["--temperature", "1.5", "--top-k", "9", "--top-p", "0.9"]
    compare("sampled", json.loads(generate(nnrt, device, folder, "-p", PROMPT, "-n", "24", "--json", *options))["text"], json.loads(sampled)["text"])
    assert json.loads(sampled)["text"] != expected


def check_chat(nnrt, device, folder, weights):
    """Each turn reads what the template adds to the text, not the text before."""
    template = "{% for m in messages %}{{ m.role[0] }} {{ m.content }}{{ eos_token }}{% endfor %}{% if add_generation_prompt %}a {% endif %}"
    (folder / "tokenizer_config.json").write_text(json.dumps({"eos_token": {"content": "."}, "chat_template": [{"name": "default", "template": template}]}))
    turns, count = ["the quick brown", "fox", "jumps"], 8
    done = subprocess.run([nnrt, "generate", folder, "-d", device, "--chat", "-n", str(count)], input="\n\n".join(turns), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    prompt, answers, added = "", [], []
    for turn in turns:
        before = len(prompt)
        prompt += f"{'.' if answers else ''}u {turn}.a "
        added.append(len(prompt) - before)
        answers.append(weights.text(prompt, count))
        prompt += answers[-1]
    compare("chat", done.stdout, "\n".join(answers) + "\n")
    # The last token of an answer has not been read either.
    read = [int(line.split()[0]) for line in done.stderr.splitlines() if "tokens of the prompt" in line]
    assert read == [added[0], *(n + 1 for n in added[1:])], (read, added)
    (folder / "tokenizer_config.json").unlink()
    (folder / "chat_template.jinja").write_text("{{ messages[0].content }}")
    done = subprocess.run([nnrt, "generate", folder, "-d", device, "--chat", "-n", "4", "-p", PROMPT], input="", capture_output=True, text=True, check=False)
    compare("template alone", done.stdout, weights.text(PROMPT, 4) + "\n")
    (folder / "chat_template.jinja").unlink()
    done = subprocess.run([nnrt, "generate", folder, "-d", device, "--chat"], input="", capture_output=True, text=True, check=False)
    assert done.returncode != 0 and "There is no chat template beside the model" in done.stderr, done.stderr


def check_folders(nnrt, device, folder):
    """As onnx-community lays out its files."""
    (folder / "onnx").mkdir()
    for place, end in (("model.onnx", 0), ("onnx/decoder_model_merged.onnx", 1), ("onnx/other.onnx", 2)):
        os.rename(folder / ("model.onnx", "model.onnx", "onnx/decoder_model_merged.onnx")[end], folder / place)
        for given in (folder, folder / place):
            text = generate(nnrt, device, given, "-p", PROMPT, "-n", "1")
            assert text.startswith(PROMPT) and len(text) == len(PROMPT) + 2, text


def check_refusal(nnrt, device, folder):
    model = OnnxModel(17).input("input_ids", [None, None], "int64").input("encoder_hidden_states", [None, None, 8])
    model.node("Cast", ["input_ids"], ["logits"], to=1).output("logits", [None, None]).node("Relu", ["encoder_hidden_states"], ["y"])
    model.output("y", [None, None, None, 8])
    (folder / "refused.onnx").write_bytes(model.bytes())
    done = subprocess.run([nnrt, "generate", folder / "refused.onnx", "-d", device, "-p", "a"], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "The graph takes `encoder_hidden_states` (FLOAT32 [?, ?, 8]), which generate cannot fill." in done.stderr, done.stderr


def main():
    nnrt, device, published = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    for folder in sorted(published.glob("*/expected.json")):
        check_published(nnrt, device, folder.parent)
    if not list(published.glob("*/expected.json")):
        print(f"{published} has no decoders")
    with tempfile.TemporaryDirectory() as temporary:
        for form in FORMS:
            folder = pathlib.Path(temporary, form.name)
            weights, expected = check_form(nnrt, device, folder, form)
            if form.name in ("concatenated", "grouped"):
                check_ends(nnrt, device, folder, expected)
                check_long_prompt(nnrt, device, folder, weights)
                check_chat(nnrt, device, folder, weights)
                check_sampling(nnrt, device, folder, expected)
        check_folders(nnrt, device, pathlib.Path(temporary, "concatenated"))
        check_refusal(nnrt, device, pathlib.Path(temporary))


main()
