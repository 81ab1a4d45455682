// Image networks with attention: ViT-B/16, MaxViT-T, MobileViT-S.
#include "networks/network_stack.h"

#include <algorithm>
#include <cmath>

namespace bench {
namespace {

constexpr double kBranchGain = 0.3;

// Sequences of rows, as [sequences * length, width].
struct Encoder {
  int32_t sequences, length, width, heads = 1, hidden = 0;
  OH_NN_OperationType activation = OH_NN_OPS_GELU;
  bool knows_positions = false;  // relative position bias, added to the query-key products
};

Value split_heads(Stack& stack, const Encoder& sizes, const Value& rows) {
  stack.back_to(rows);
  stack.reshape({sizes.sequences, sizes.length, sizes.heads, sizes.width / sizes.heads});
  stack.transpose({0, 2, 1, 3});
  return stack.top();
}

void attend(Stack& stack, const Encoder& sizes) {
  const Value from = stack.top();
  stack.layer_norm();
  stack.fully_connected(3 * sizes.width);
  const std::vector<Value> parts = stack.split_channels(3);
  const Value values = split_heads(stack, sizes, parts[2]), keys = split_heads(stack, sizes, parts[1]);
  split_heads(stack, sizes, parts[0]);
  stack.matmul(keys, true);
  stack.scale(1 / std::sqrt(float(sizes.width) / float(sizes.heads)));
  if (sizes.knows_positions) stack.add_random({sizes.heads, sizes.length, sizes.length});
  stack.softmax();
  stack.matmul(values, false);
  stack.transpose({0, 2, 1, 3});
  stack.reshape({sizes.sequences * sizes.length, sizes.width});
  stack.fully_connected(sizes.width);
  stack.add(from);
}

void encode(Stack& stack, const Encoder& sizes) {
  attend(stack, sizes);
  const Value attended = stack.top();
  stack.layer_norm();
  stack.fully_connected(sizes.hidden);
  stack.unary(sizes.activation);
  stack.fully_connected(sizes.width);
  stack.add(attended);
}

// A square image divided into blocks of `block` x `block` pixels: neighboring pixels, or with `is_grid`
// evenly spaced ones. Attention is computed within each block.
struct Blocks {
  int32_t batch, side, block;
  bool is_grid;

  int32_t count() const { return side / block; }  // per side
};

// Reshapes to rows of pixels, block by block.
void enter_blocks(Stack& stack, const Blocks& cut) {
  const int32_t channels = stack.width();
  if (cut.is_grid) {
    stack.reshape({cut.batch, cut.block, cut.count(), cut.block, cut.count(), channels});
    stack.transpose({0, 2, 4, 1, 3, 5});
  } else {
    stack.reshape({cut.batch, cut.count(), cut.block, cut.count(), cut.block, channels});
    stack.transpose({0, 1, 3, 2, 4, 5});
  }
  stack.reshape({cut.batch * cut.side * cut.side, channels});
}

void leave_blocks(Stack& stack, const Blocks& cut) {
  const int32_t channels = stack.width();
  stack.reshape({cut.batch, cut.count(), cut.count(), cut.block, cut.block, channels});
  if (cut.is_grid)
    stack.transpose({0, 3, 1, 4, 2, 5});
  else
    stack.transpose({0, 1, 3, 2, 4, 5});
  stack.reshape_to_image({cut.batch, cut.side, cut.side, channels});
}

Encoder encoder_of(const Blocks& cut, int32_t width) {
  return {
      .sequences = cut.batch * cut.count() * cut.count(), .length = cut.block * cut.block, .width = width};
}

// An inverted residual with GELU, whose first batch norm is folded into the following layer.
void maxvit_convolution(Stack& stack, int32_t output, int64_t stride) {
  const Value from = stack.top();
  stack.convolve({.output = 4 * output});
  stack.unary(OH_NN_OPS_GELU);
  stack.convolve_depthwise(3, stride, Activation::none);
  stack.unary(OH_NN_OPS_GELU);
  stack.squeeze_and_excite(stack.channels(output / 4), Activation::swish, OH_NN_OPS_SIGMOID);
  stack.convolve({.output = output, .gain = kBranchGain});
  const Value branch = stack.top();
  stack.back_to(from);
  if (stride > 1) {
    stack.pool_average(stride);
    stack.convolve({.output = output});
  }
  stack.add(branch);
}

void maxvit_block(Stack& stack, int32_t output, int64_t stride) {
  maxvit_convolution(stack, output, stride);
  for (const bool is_grid : {false, true}) {
    const conformance::Shape shape = stack.top().shape;
    const Blocks cut{shape[0], shape[1], shape[1] % 7 == 0 ? 7 : std::min(shape[1], 4), is_grid};
    Encoder sizes = encoder_of(cut, stack.width());
    sizes.heads = std::max(1, sizes.width / 32);
    sizes.hidden = 4 * sizes.width;
    sizes.knows_positions = true;
    enter_blocks(stack, cut);
    encode(stack, sizes);
    leave_blocks(stack, cut);
  }
}

void mobilevit_convolution(Stack& stack, int32_t output, int64_t stride) {
  const Value from = stack.top();
  const bool adds = stride == 1 && from.shape[3] == stack.channels(output);
  stack.convolve_exactly(4 * from.shape[3], Activation::swish);
  stack.convolve_depthwise(3, stride, Activation::swish);
  stack.convolve({.output = output, .gain = adds ? kBranchGain : 1});
  if (adds) stack.add(from);
}

// Pixels at the same position of all 2 x 2 blocks form a sequence.
void mobilevit_block(Stack& stack, int32_t inner, int layers) {
  const Value from = stack.top();
  const int32_t channels = from.shape[3];
  const Blocks cut{from.shape[0], from.shape[1], from.shape[1] / 2, true};
  stack.convolve_exactly(channels, Activation::swish, 3);
  stack.convolve({.output = inner});
  Encoder sizes = encoder_of(cut, stack.width());
  sizes.heads = 4;
  sizes.hidden = 2 * sizes.width;
  sizes.activation = OH_NN_OPS_SWISH;
  enter_blocks(stack, cut);
  for (int i = 0; i < layers; ++i) encode(stack, sizes);
  stack.layer_norm();
  leave_blocks(stack, cut);
  stack.convolve_exactly(channels, Activation::swish);
  stack.concat_channels({from, stack.top()});
  stack.convolve_exactly(channels, Activation::swish, 3);
}

}  // namespace

conformance::Case vit_b16(const Scale& scale) {
  const bool is_full = scale.divisor == 1;
  const int32_t patches = (scale.side / 16) * (scale.side / 16);
  const Encoder sizes{.sequences = scale.batch,
                      .length = patches + 1,
                      .width = is_full ? 768 : 64,
                      .heads = is_full ? 12 : 2,
                      .hidden = is_full ? 3072 : 128};
  Stack stack("vit_b16", scale, image(scale));
  stack.convolve({.output = is_full ? 768 : 64 * scale.divisor, .kernel = 16, .stride = 16, .padding = 0});
  stack.reshape({scale.batch, patches, sizes.width});
  stack.prepend_random(1, 1);
  stack.add_random({1, sizes.length, sizes.width});
  stack.reshape({scale.batch * sizes.length, sizes.width});
  for (int i = 0; i < (is_full ? 12 : 2); ++i) encode(stack, sizes);
  stack.layer_norm();
  stack.reshape({scale.batch, sizes.length, sizes.width});
  stack.take_first_row();
  return stack.classify();
}

conformance::Case maxvit_t(const Scale& scale) {
  Stack stack("maxvit_t", scale, image(scale));
  stack.convolve({.output = 64, .kernel = 3, .stride = 2});
  stack.unary(OH_NN_OPS_GELU);
  stack.convolve({.output = 64, .kernel = 3});
  for (const auto& [channels, blocks] :
       std::initializer_list<std::pair<int32_t, int>>{{64, 2}, {128, 2}, {256, 5}, {512, 2}}) {
    for (int i = 0; i < blocks; ++i) maxvit_block(stack, channels, i == 0 ? 2 : 1);
  }
  stack.pool_globally();
  stack.reshape({scale.batch, stack.width()});
  stack.layer_norm();
  stack.fully_connected(stack.width());
  stack.unary(OH_NN_OPS_TANH);
  return stack.classify();
}

conformance::Case mobilevit_s(const Scale& given) {
  Scale scale = given;
  if (scale.divisor == 1) scale.side = 256;
  Stack stack("mobilevit_s", scale, image(scale));
  stack.convolve({.output = 16, .kernel = 3, .stride = 2, .activation = Activation::swish});
  mobilevit_convolution(stack, 32, 1);
  for (const int64_t stride : {2, 1, 1}) mobilevit_convolution(stack, 64, stride);
  mobilevit_convolution(stack, 96, 2);
  mobilevit_block(stack, 144, 2);
  mobilevit_convolution(stack, 128, 2);
  mobilevit_block(stack, 192, 4);
  mobilevit_convolution(stack, 160, 2);
  mobilevit_block(stack, 240, 3);
  stack.convolve({.output = 640, .activation = Activation::swish});
  stack.pool_globally();
  return stack.classify();
}

}  // namespace bench
