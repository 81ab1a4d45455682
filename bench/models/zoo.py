"""Networks that applications run, with the sizes of their papers, and single operators. Transformers take embeddings as input."""
import dataclasses
import itertools
import math

from stack import Scale, Stack

BRANCH = 0.3  # gain of a residual branch
HEAD = 64     # width of a head of BERT and GPT-2
GROWTH = 32   # of DenseNet


def image(scale):
    return scale.batch, 3, scale.side, scale.side


# Networks without residuals: SqueezeNet 1.1, VGG-16, GoogLeNet

def fire(stack, squeezed, expanded):
    stack.convolve(squeezed, activation="Relu")
    start = stack.top
    stack.convolve(expanded, activation="Relu")
    pointwise, stack.top = stack.top, start
    stack.convolve(expanded, 3, activation="Relu")
    stack.concat_channels(pointwise, stack.top)


def squeezenet(scale, **options):
    stack = Stack(image(scale), scale, **options)
    stack.convolve(64, 3, 2, "Relu", padding=0)
    for squeezed in (16, 32):
        stack.pool_max(ceil=True)
        for _ in range(2):
            fire(stack, squeezed, 4 * squeezed)
    stack.pool_max(ceil=True)
    for squeezed in (48, 48, 64, 64):
        fire(stack, squeezed, 4 * squeezed)
    stack.convolve(scale.classes, activation="Relu", exact=True)
    stack.pool_globally()
    stack.flatten()
    return stack.probabilities()


def inception(stack, pointwise, *branches, pooled):
    """Branches of a 1x1 convolution and one of 3x3 or 5x5 after it: (reduced, made, kernel)."""
    start, parts = stack.top, []
    for reduced, made, kernel in [(0, pointwise, 1), *branches]:
        stack.top = start
        if reduced:
            stack.convolve(reduced, activation="Relu")
        stack.convolve(made, kernel, activation="Relu")
        parts.append(stack.top)
    stack.top = start
    stack.pool_max(3, 1, 1)
    stack.convolve(pooled, activation="Relu")
    stack.concat_channels(*parts, stack.top)


def googlenet(scale, **options):
    stack = Stack(image(scale), scale, **options)
    stack.convolve(64, 7, 2, "Relu")
    stack.pool_max(ceil=True)
    stack.convolve(64, activation="Relu")
    stack.convolve(192, 3, activation="Relu")
    stages = [[(64, 96, 128, 16, 32, 32), (128, 128, 192, 32, 96, 64)],
              [(192, 96, 208, 16, 48, 64), (160, 112, 224, 24, 64, 64), (128, 128, 256, 24, 64, 64), (112, 144, 288, 32, 64, 64),
               (256, 160, 320, 32, 128, 128)],
              [(256, 160, 320, 32, 128, 128), (384, 192, 384, 48, 128, 128)]]
    for stage in stages:
        stack.pool_max(ceil=True)
        for pointwise, reduced_3, made_3, reduced_5, made_5, pooled in stage:
            inception(stack, pointwise, (reduced_3, made_3, 3), (reduced_5, made_5, 5), pooled=pooled)
    stack.pool_globally()
    return stack.classify()


def vgg_16(scale, **options):
    stack = Stack(image(scale), scale, **options)
    for channels, count in ((64, 2), (128, 2), (256, 3), (512, 3), (512, 3)):
        for _ in range(count):
            stack.convolve(channels, 3, activation="Relu")
        stack.pool_max(2)
    stack.flatten()
    for _ in range(2):
        stack.connect(stack.channels(4096), "Relu")
    return stack.classify()


def dense(scale, **options):
    """Two large connected layers, for file formats that few networks can be written in."""
    width = 8192 // scale.divisor
    stack = Stack((1, width), scale, **options)
    stack.connect(width, "Relu")
    stack.connect(width)
    return stack.finish()


# Residual networks: ResNet-18 and -50

def end_block(stack, start, channels, stride):
    if stride > 1 or start.shape[1] != stack.width:
        branch, stack.top = stack.top, start
        stack.convolve(channels, stride=stride)
        start, stack.top = stack.top, branch
    stack.add(start, "Relu")


def basic_block(stack, channels, stride):
    start = stack.top
    stack.convolve(channels, 3, stride, "Relu")
    stack.convolve(channels, 3, gain=BRANCH)
    end_block(stack, start, channels, stride)


def bottleneck(stack, channels, stride):
    start = stack.top
    stack.convolve(channels, activation="Relu")
    stack.convolve(channels, 3, stride, "Relu")
    stack.convolve(4 * channels, gain=BRANCH)
    end_block(stack, start, 4 * channels, stride)


def resnet(scale, blocks, block, **options):
    stack = Stack(image(scale), scale, **options)
    stack.convolve(64, 7, 2, "Relu")
    stack.pool_max(padding=1)
    channels = 64
    for count in blocks:
        for i in range(count):
            block(stack, channels, 2 if channels > 64 and i == 0 else 1)
        channels *= 2
    stack.pool_globally()
    return stack.classify()


# Networks of inverted residuals: MobileNetV2 and V3, MnasNet, EfficientNet-B0 and EfficientNetV2-S

def inverted_residual(stack, kernel, expanded, output, stride, activation, squeezed=0, inner="Relu", gate="HardSigmoid"):
    """Without expansion if `expanded` is 0; `squeezed` channels inside squeeze-and-excitation, 0: none."""
    start = stack.top
    adds = stride == 1 and stack.width == stack.channels(output)
    if expanded:
        stack.convolve(expanded, activation=activation)
    stack.convolve_depthwise(kernel, stride, activation)
    if squeezed:
        stack.squeeze_and_excite(stack.channels(squeezed), inner, gate)
    stack.convolve(output, gain=BRANCH if adds else 1)
    if adds:
        stack.add(start)


def fused_inverted_residual(stack, expanded, output, stride):
    """One convolution replaces the first two."""
    start = stack.top
    adds = stride == 1 and stack.width == stack.channels(output)
    stack.convolve(expanded, 3, stride, "Silu")
    if expanded != output:
        stack.convolve(output, gain=BRANCH if adds else 1)
    if adds:
        stack.add(start)


def stages(stack, channels, table, activation, excites=False):
    """Rows of expansion, kernel, output, blocks, stride; `channels` are the unscaled ones of the previous layer."""
    for expansion, kernel, output, blocks, stride in table:
        for i in range(blocks):
            inverted_residual(stack, kernel, expansion * channels if expansion > 1 else 0, output, stride if i == 0 else 1, activation,
                              channels // 4 if excites else 0, "Silu", "Sigmoid")
            channels = output


def features(stack, channels, activation):
    stack.convolve(channels, activation=activation)
    stack.pool_globally()


def mobilenet_v2(scale, **options):
    stack = Stack(image(scale), scale, **options)
    stack.convolve(32, 3, 2, "Clip")
    stages(stack, 32, [(1, 3, 16, 1, 1), (6, 3, 24, 2, 2), (6, 3, 32, 3, 2), (6, 3, 64, 4, 2), (6, 3, 96, 3, 1), (6, 3, 160, 3, 2),
                       (6, 3, 320, 1, 1)], "Clip")
    features(stack, 1280, "Clip")
    return stack.classify()


def detector(scale, **options):
    """MobileNetV2 with 12 anchors a cell, and the selection of the best of their boxes, whose count depends on the values: no GPU runs it."""
    anchors, classes, boxes = 12, 20, 4
    stack = Stack(image(scale), scale, **options)
    stack.convolve(32, 3, 2, "Clip")
    stages(stack, 32, [(1, 3, 16, 1, 1), (6, 3, 24, 2, 2), (6, 3, 32, 3, 2), (6, 3, 64, 4, 2), (6, 3, 96, 3, 1)], "Clip")
    start, cells = stack.top, stack.shape[2] * stack.shape[3]
    stack.convolve(anchors * classes, exact=True)
    stack.reshape(scale.batch, classes, anchors * cells)
    scores = stack.unary("Sigmoid")
    stack.top = start
    stack.convolve(anchors * boxes, exact=True)
    stack.reshape(scale.batch, anchors * cells, boxes)
    limits = [stack.integers([20]), stack.floats([0.5]), stack.floats([0.5])]
    stack.node("NonMaxSuppression", [stack.top.name, scores.name, *limits], (None, 3))
    stack.unary("Cast", to=1)  # FLOAT, as the outputs of all networks
    return stack.finish()


def mnasnet(scale, **options):
    stack = Stack(image(scale), scale, **options)
    stack.convolve(32, 3, 2, "Relu")
    stages(stack, 32, [(1, 3, 16, 1, 1), (3, 3, 24, 3, 2), (3, 5, 40, 3, 2), (6, 5, 80, 3, 2), (6, 3, 96, 2, 1), (6, 5, 192, 4, 2),
                       (6, 3, 320, 1, 1)], "Relu")
    features(stack, 1280, "Relu")
    return stack.classify()


def efficientnet_b0(scale, **options):
    stack = Stack(image(scale), scale, **options)
    stack.convolve(32, 3, 2, "Silu")
    stages(stack, 32, [(1, 3, 16, 1, 1), (6, 3, 24, 2, 2), (6, 5, 40, 2, 2), (6, 3, 80, 3, 2), (6, 5, 112, 3, 1), (6, 5, 192, 4, 2),
                       (6, 3, 320, 1, 1)], "Silu", True)
    features(stack, 1280, "Silu")
    return stack.classify()


def efficientnet_v2_s(scale, **options):
    stack = Stack(image(scale), scale, **options)
    stack.convolve(24, 3, 2, "Silu")
    channels = 24
    for expansion, output, blocks, stride in ((1, 24, 2, 1), (4, 48, 4, 2), (4, 64, 4, 2)):
        for i in range(blocks):
            fused_inverted_residual(stack, expansion * channels, output, stride if i == 0 else 1)
            channels = output
    stages(stack, 64, [(4, 3, 128, 6, 2), (6, 3, 160, 9, 1), (6, 3, 256, 15, 2)], "Silu", True)
    features(stack, 1280, "Silu")
    return stack.classify()


def mobilenet_v3(scale, **options):
    stack = Stack(image(scale), scale, **options)
    stack.convolve(16, 3, 2, "HardSwish")
    for kernel, expanded, output, stride, activation, squeezed in (
            (3, 0, 16, 1, "Relu", 0), (3, 64, 24, 2, "Relu", 0), (3, 72, 24, 1, "Relu", 0), (5, 72, 40, 2, "Relu", 24),
            (5, 120, 40, 1, "Relu", 32), (5, 120, 40, 1, "Relu", 32), (3, 240, 80, 2, "HardSwish", 0), (3, 200, 80, 1, "HardSwish", 0),
            (3, 184, 80, 1, "HardSwish", 0), (3, 184, 80, 1, "HardSwish", 0), (3, 480, 112, 1, "HardSwish", 120),
            (3, 672, 112, 1, "HardSwish", 168), (5, 672, 160, 2, "HardSwish", 168), (5, 960, 160, 1, "HardSwish", 240),
            (5, 960, 160, 1, "HardSwish", 240)):
        inverted_residual(stack, kernel, expanded, output, stride, activation, squeezed)
    features(stack, 960, "HardSwish")
    stack.flatten()
    stack.connect(stack.channels(1280), "HardSwish")
    return stack.classify()


# ShuffleNetV2: half of the channels bypass a block; afterwards both halves are shuffled

def shuffle_branch(stack, channels, stride):
    stack.convolve(channels, activation="Relu")
    stack.convolve_depthwise(3, stride)
    stack.convolve(channels, activation="Relu")


def shuffle_block(stack, channels, shrinks):
    if shrinks:
        start = stack.top
        stack.convolve_depthwise(3, 2)
        stack.convolve(channels, activation="Relu")
        side, stack.top = stack.top, start
    else:
        side, stack.top = stack.split_channels(2)
    shuffle_branch(stack, channels, 2 if shrinks else 1)
    stack.concat_channels(side, stack.top)
    stack.shuffle(2)


def shufflenet_v2(scale, **options):
    stack = Stack(image(scale), scale, **options)
    stack.convolve(24, 3, 2, "Relu")
    stack.pool_max(padding=1)
    for channels, blocks in ((58, 4), (116, 8), (232, 4)):
        for i in range(blocks):
            shuffle_block(stack, channels, i == 0)
    features(stack, 1024, "Relu")
    return stack.classify()


# DenseNet-121: each layer reads all previous results of its block. Batch norms precede activations, so those of shared inputs cannot be folded

def norm_relu(stack):
    stack.batch_norm()
    stack.unary("Relu")


def dense_layer(stack):
    start = stack.top
    norm_relu(stack)
    stack.convolve(4 * GROWTH, activation="Relu")
    stack.convolve(GROWTH, 3)
    stack.concat_channels(start, stack.top)


def densenet_121(scale, **options):
    stack = Stack(image(scale), scale, **options)
    stack.convolve(64, 7, 2, "Relu")
    stack.pool_max(padding=1)
    for i, layers in enumerate((6, 12, 24, 16)):
        if i > 0:
            norm_relu(stack)
            stack.convolve(stack.width // 2, exact=True)
            stack.pool_average(2)
        for _ in range(layers):
            dense_layer(stack)
    norm_relu(stack)
    stack.pool_globally()
    return stack.classify()


# Transformers: BERT-base, GPT-2 small, ViT-B/16

@dataclasses.dataclass
class Encoder:
    """Sequences of rows, as [sequences * length, width]."""
    length: int
    width: int
    heads: int = 1
    hidden: int = 0
    sequences: int = 0        # 0: one, without a dimension of its own
    activation: str = "Gelu"
    positions: bool = False   # relative position bias, added to the products of queries and keys
    causal: bool = False
    past: int = 0             # earlier positions, whose keys and values are network inputs

    def split_heads(self, stack, rows):
        stack.top = rows
        sequences = [self.sequences] if self.sequences else []
        first = len(sequences)
        stack.reshape(*sequences, self.length, self.heads, self.width // self.heads)
        stack.transpose([*range(first), first + 1, first, first + 2])
        return stack.top

    def attend(self, stack, keys, values):
        """Queries are on top."""
        stack.matmul(keys, True)
        stack.rescale(1 / math.sqrt(self.width / self.heads))
        if self.positions:
            stack.add_random((self.heads, self.length, self.length))
        if self.causal:
            stack.mask_future()
        stack.softmax()
        stack.matmul(values)
        first = 1 if self.sequences else 0
        stack.transpose([*range(first), first + 1, first, first + 2])
        stack.reshape(max(self.sequences, 1) * self.length, self.width)
        stack.connect(self.width)

    def attend_to_itself(self, stack):
        """One product for queries, keys and values."""
        stack.connect(3 * self.width)
        queries, keys, values = stack.split_channels(3)
        heads = []
        for part in (values, keys):
            self.split_heads(stack, part)
            if self.past:
                stack.append_to_state(1, self.past)
            heads.append(stack.top)
        self.split_heads(stack, queries)
        self.attend(stack, heads[1], heads[0])

    def feed_forward(self, stack):
        stack.connect(self.hidden)
        stack.activate(self.activation)
        stack.connect(self.width)

    def add_layer(self, stack):
        """Pre-norm."""
        for part in (self.attend_to_itself, self.feed_forward):
            start = stack.top
            stack.layer_norm()
            part(stack)
            stack.add(start)

    def add_bert_layer(self, stack):
        """Post-norm, with three separate products for values, keys and queries."""
        start, parts = stack.top, []
        for _ in range(3):
            stack.top = start
            stack.connect(self.width)
            parts.append(self.split_heads(stack, stack.top))
        self.attend(stack, parts[1], parts[0])
        stack.add(start)
        stack.layer_norm()
        attended = stack.top
        self.feed_forward(stack)
        stack.add(attended)
        stack.layer_norm()


def transformer(scale, length=128, **options):
    """The sizes of BERT-base and GPT-2 small, and their number of layers."""
    is_full = scale.divisor == 1
    heads = 12 if is_full else 2
    return Encoder(length if is_full else 16, heads * HEAD, heads, 4 * heads * HEAD, **options), 12 if is_full else 2


def bert(scale, layers=None, **options):
    encoder, all_layers = transformer(scale)
    stack = Stack((encoder.length, encoder.width), scale, **options)
    for _ in range(layers or all_layers):
        encoder.add_bert_layer(stack)
    return stack.finish()


def gpt2_small(scale, length=128, **options):
    encoder, layers = transformer(scale, length, causal=True)
    stack = Stack((encoder.length, encoder.width), scale, **options)
    for _ in range(layers):
        encoder.add_layer(stack)
    stack.layer_norm()
    return stack.finish()


def gpt2_decode(scale, **options):
    """One token after others, with the logits."""
    encoder, layers = transformer(scale)
    encoder.length, encoder.past = 1, encoder.length
    stack = Stack((1, encoder.width), scale, **options)
    for _ in range(layers):
        encoder.add_layer(stack)
    stack.layer_norm()
    stack.connect(50257 if scale.divisor == 1 else scale.classes)
    return stack.finish()


def lstm(scale, **options):
    width = 256 // scale.divisor
    stack = Stack((32 // scale.divisor, 1, width), scale, **options)
    stack.lstm(width)
    return stack.finish()


# Image networks with attention: ViT-B/16, MaxViT-T, MobileViT-S

def vit_b16(scale, **options):
    is_full = scale.divisor == 1
    patches = (scale.side // 16) ** 2
    width, heads = (768, 12) if is_full else (64, 2)
    encoder = Encoder(patches + 1, width, heads, 3072 if is_full else 128, scale.batch)
    stack = Stack(image(scale), scale, **options)
    stack.convolve(width, 16, 16, padding=0, exact=True)
    stack.as_rows(scale.batch, patches, width)
    stack.prepend(stack.draw((scale.batch, 1, width)), 1)
    stack.add_random((1, encoder.length, width))
    stack.reshape(scale.batch * encoder.length, width)
    for _ in range(12 if is_full else 2):
        encoder.add_layer(stack)
    stack.layer_norm()
    stack.reshape(scale.batch, encoder.length, width)
    stack.take_first_row()
    return stack.classify()


class Blocks:
    """A square image divided into blocks of `block` x `block` pixels: neighboring pixels, or with `is_grid` evenly spaced ones. Attention is
    computed within each block."""

    def __init__(self, value, block, is_grid):
        self.batch, self.channels, self.side, _ = value.shape
        self.block, self.count, self.is_grid = block, self.side // block, is_grid

    def encoder(self, **options):
        return Encoder(self.block ** 2, self.channels, sequences=self.batch * self.count ** 2, **options)

    def enter(self, stack):
        """To rows of pixels, block by block."""
        first, second = (self.block, self.count) if self.is_grid else (self.count, self.block)
        stack.as_rows(self.batch, first, second, first, second, self.channels)
        stack.transpose([0, 2, 4, 1, 3, 5] if self.is_grid else [0, 1, 3, 2, 4, 5])
        stack.reshape(self.batch * self.side ** 2, self.channels)

    def leave(self, stack):
        stack.reshape(self.batch, self.count, self.count, self.block, self.block, self.channels)
        stack.transpose([0, 3, 1, 4, 2, 5] if self.is_grid else [0, 1, 3, 2, 4, 5])
        stack.as_image(self.batch, self.side, self.side, self.channels)


def maxvit_convolution(stack, output, stride):
    """An inverted residual with GELU, whose first batch norm is folded into the following layer."""
    start = stack.top
    stack.convolve(4 * output)
    stack.unary("Gelu")
    stack.convolve_depthwise(3, stride)
    stack.unary("Gelu")
    stack.squeeze_and_excite(stack.channels(output // 4), "Silu", "Sigmoid")
    stack.convolve(output, gain=BRANCH)
    branch, stack.top = stack.top, start
    if stride > 1:
        stack.pool_average(stride)
        stack.convolve(output)
    stack.add(branch)


def maxvit_block(stack, output, stride):
    maxvit_convolution(stack, output, stride)
    for is_grid in (False, True):
        side = stack.shape[2]
        blocks = Blocks(stack.top, 7 if side % 7 == 0 else min(side, 4), is_grid)
        blocks.enter(stack)
        blocks.encoder(heads=max(1, stack.width // 32), hidden=4 * stack.width, positions=True).add_layer(stack)
        blocks.leave(stack)


def maxvit_t(scale, **options):
    stack = Stack(image(scale), scale, **options)
    stack.convolve(64, 3, 2)
    stack.unary("Gelu")
    stack.convolve(64, 3)
    for channels, blocks in ((64, 2), (128, 2), (256, 5), (512, 2)):
        for i in range(blocks):
            maxvit_block(stack, channels, 2 if i == 0 else 1)
    stack.pool_globally()
    stack.flatten()
    stack.layer_norm()
    stack.connect(stack.width)
    stack.unary("Tanh")
    return stack.classify()


def mobilevit_convolution(stack, output, stride):
    start = stack.top
    adds = stride == 1 and stack.width == stack.channels(output)
    stack.convolve(4 * stack.width, activation="Silu", exact=True)
    stack.convolve_depthwise(3, stride, "Silu")
    stack.convolve(output, gain=BRANCH if adds else 1)
    if adds:
        stack.add(start)


def mobilevit_block(stack, inner, layers):
    """Pixels at the same position of all 2 x 2 blocks form a sequence."""
    start, channels = stack.top, stack.width
    stack.convolve(channels, 3, activation="Silu", exact=True)
    stack.convolve(inner)
    blocks = Blocks(stack.top, stack.shape[2] // 2, True)
    encoder = blocks.encoder(heads=4, hidden=2 * stack.width, activation="Silu")
    blocks.enter(stack)
    for _ in range(layers):
        encoder.add_layer(stack)
    stack.layer_norm()
    blocks.leave(stack)
    stack.convolve(channels, activation="Silu", exact=True)
    stack.concat_channels(start, stack.top)
    stack.convolve(channels, 3, activation="Silu", exact=True)


def mobilevit_s(scale, **options):
    if scale.divisor == 1:
        scale = dataclasses.replace(scale, side=256)
    stack = Stack(image(scale), scale, **options)
    stack.convolve(16, 3, 2, "Silu")
    mobilevit_convolution(stack, 32, 1)
    for stride in (2, 1, 1):
        mobilevit_convolution(stack, 64, stride)
    mobilevit_convolution(stack, 96, 2)
    mobilevit_block(stack, 144, 2)
    mobilevit_convolution(stack, 128, 2)
    mobilevit_block(stack, 192, 4)
    mobilevit_convolution(stack, 160, 2)
    mobilevit_block(stack, 240, 3)
    features(stack, 640, "Silu")
    return stack.classify()


# Each makes a model of a Scale and options of Stack.
NETWORKS = {
    "squeezenet": squeezenet,
    "mobilenet_v2": mobilenet_v2,
    "mobilenet_v3": mobilenet_v3,  # large
    "shufflenet_v2": shufflenet_v2,  # 1.0
    "mnasnet": mnasnet,  # B1, 1.0
    "efficientnet_b0": efficientnet_b0,
    "resnet_18": lambda scale, **options: resnet(scale, (2, 2, 2, 2), basic_block, **options),
    "googlenet": googlenet,  # without LRN
    "resnet_50": lambda scale, **options: resnet(scale, (3, 4, 6, 3), bottleneck, **options),
    "vgg_16": vgg_16,
    "bert_layer": lambda scale, **options: bert(scale, 1, **options),  # sequence 128, width 768, 12 heads
    "bert_base": bert,
    "gpt2_small": gpt2_small,
    "gpt2_small_64": lambda scale, **options: gpt2_small(scale, 64, **options),
    "gpt2_decode": gpt2_decode,
    "vit_b16": vit_b16,
    "efficientnet_v2_s": efficientnet_v2_s,
    "densenet_121": densenet_121,
    "maxvit_t": maxvit_t,
    "mobilevit_s": mobilevit_s,
    "lstm": lstm,
    "squeezenet_int8": lambda scale, **options: squeezenet(scale, int8=True, **options),
    "resnet_18_int8": lambda scale, **options: resnet(scale, (2, 2, 2, 2), basic_block, int8=True, **options),
}


# Single operators

class Operator:
    """A model of calls on a stack. `large` ones take seconds except on GPUs."""

    def __init__(self, shape, *calls, image=False, int8=False, large=False):
        self.shape, self.calls, self.image, self.int8, self.large = shape, calls, image, int8, large

    def stack(self, channels_last=False, **options):
        """With `channels_last`, images are NHWC outside of the operator: an engine with this order has nothing to transpose."""
        batch, channels, *sides = self.shape
        turns = self.image and channels_last
        stack = Stack((batch, *sides, channels) if turns else self.shape, int8=self.int8, image=self.image and not turns, **options)
        if turns:
            stack.transpose([0, 3, 1, 2])
            stack.top = dataclasses.replace(stack.top, image=True)
        for call in self.calls:
            call(stack)
        if turns:
            stack.transpose([0, 2, 3, 1])
        return stack


def convolution(size, channels, output, kernel, stride=1, activation="Relu", int8=False):
    return Operator((1, channels, size, size), lambda stack: stack.convolve(output, kernel, stride, activation), image=True, int8=int8)


def depthwise(size, channels, kernel, stride=1, activation="Clip"):
    return Operator((1, channels, size, size), lambda stack: stack.convolve_depthwise(kernel, stride, activation), image=True)


def product(batch, rows, inner, columns, large=False):
    return Operator((batch, rows, inner), lambda stack: stack.matmul(stack.add_input((batch, inner, columns))), large=large)


def attention(heads, rows, keys):
    """64 channels in each head."""
    def attend(stack):
        right, values = (stack.add_input((heads, keys, HEAD)) for _ in range(2))
        stack.matmul(right, True)
        stack.rescale(0.125)
        stack.softmax()
        stack.matmul(values)
    return Operator((heads, rows, HEAD), attend, large=rows > 1000)


def gemms():
    for batch, rows, inner, columns in ((1, 512, 512, 512), (1, 1023, 1023, 1023), *((1, size, size, size) for size in (1024, 4096, 4099)),
                                        (12, 128, 64, 128), (12, 197, 64, 197)):
        name = "x".join(map(str, [batch][batch == 1:] + [rows, inner, columns]))
        yield f"matmul/{name}", product(batch, rows, inner, columns, rows > 1023)
    for rows, inner, columns in ((512, 512, 512), (128, 768, 768), (128, 768, 3072), (128, 3072, 768), (64, 4608, 512), (197, 768, 2304),
                                 (1, 2048, 1000), (1, 1023, 4099), (8, 768, 3072)):
        yield f"connect/{rows}x{inner}x{columns}", Operator((rows, inner), lambda stack, n=columns: stack.connect(n))


def convolutions():
    yield "conv/7x7_3_64_224_s2", convolution(224, 3, 64, 7, 2)
    for size, channels, output, kernel in ((56, 64, 64, 3), (28, 128, 128, 3), (14, 256, 256, 3), (7, 512, 512, 3), (56, 64, 256, 1),
                                           (28, 512, 128, 1), (14, 1024, 256, 1), (7, 512, 2048, 1), (112, 16, 96, 1), (56, 144, 24, 1),
                                           (14, 64, 384, 1), (7, 320, 1280, 1), (13, 197, 211, 3), (27, 99, 101, 1), (1, 480, 120, 1)):
        yield f"conv/{kernel}x{kernel}_{channels}_{output}_{size}", convolution(size, channels, output, kernel)
    yield "conv_int8/3x3_128_128_28", convolution(28, 128, 128, 3, int8=True)
    yield "conv_int8/1x1_512_128_28", convolution(28, 512, 128, 1, int8=True)
    for size, channels, kernel, stride in ((112, 96, 3, 2), (56, 144, 3, 1), (14, 384, 3, 1), (14, 672, 5, 1)):
        yield f"depthwise/{kernel}x{kernel}_{channels}_{size}" + ("_s2" if stride > 1 else ""), depthwise(size, channels, kernel, stride)
    yield "swish/conv_1x1_16_96_112", convolution(112, 16, 96, 1, activation="Silu")
    yield "swish/depthwise_3x3_144_56", depthwise(56, 144, 3, activation="Silu")
    yield "swish/depthwise_5x5_672_14", depthwise(14, 672, 5, activation="Silu")


def others():
    large = (1, 256, 256, 64)  # 16 MB per tensor: larger than the caches
    for name, op in (("relu", "Relu"), ("hswish", "HardSwish"), ("sigmoid", "Sigmoid"), ("gelu", "Gelu")):
        yield f"elementwise/{name}", Operator(large, lambda stack, op=op: stack.unary(op))
    yield "elementwise/add", Operator(large, lambda stack: stack.add(stack.add_input(large)))
    yield "elementwise/mul_channels", Operator(large, lambda stack: stack.multiply(stack.add_input((1, 1, 1, 64))))
    for shape in ((1, 1000), (12, 128, 128), (4096, 1000), (4099, 1023), (197, 197)):
        yield f"norm/softmax_{'x'.join(map(str, shape))}", Operator(shape, Stack.softmax)
    for shape in ((128, 768), (4096, 768), (197, 1023)):
        yield f"norm/layer_norm_{'x'.join(map(str, shape))}", Operator(shape, Stack.layer_norm)
    yield "pool/max_3x3_64_112", Operator((1, 64, 112, 112), lambda stack: stack.pool_max(padding=1), image=True)
    yield "pool/global_7x7_2048", Operator((1, 2048, 7, 7), Stack.pool_globally, image=True)
    for rows, columns in ((2048, 2048), (1023, 4099)):
        yield f"move/transpose_{rows}x{columns}", Operator((rows, columns), lambda stack: stack.transpose([1, 0]))
    yield "move/transpose_heads_197x12x64", Operator((197, 12, 64), lambda stack: stack.transpose([1, 0, 2]))
    half = (1, 256, 256, 32)
    yield "move/concat_channels", Operator(half, lambda stack: stack.concat_channels(stack.top, stack.add_input(half)))
    yield "move/shuffle_channels", Operator(large, lambda stack: stack.shuffle(2))
    yield "move/shuffle_58_channels", Operator((1, 128, 128, 58), lambda stack: stack.shuffle(2))
    for heads, rows, keys in ((12, 128, 128), (12, 197, 197), (12, 1, 1023), (12, 1024, 1024), (12, 4096, 4096)):
        yield f"attention/{heads}x{rows}x{keys}", attention(heads, rows, keys)
    for steps, batch, width in ((32, 1, 256), (32, 8, 256), (33, 1, 197)):
        yield f"recurrent/lstm_{steps}x{batch}x{width}", Operator((steps, batch, width), lambda stack, width=width: stack.lstm(width))


OPERATORS = dict(itertools.chain(gemms(), convolutions(), others()))
