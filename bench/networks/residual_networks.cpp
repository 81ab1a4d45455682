// Residual networks: ResNet-18 and -50.
#include "networks/network_stack.h"

namespace bench {
namespace {

constexpr double kBranchGain = 0.3;

void end_block(Stack& stack, const Value& from, int32_t channels, int64_t stride) {
  if (stride == 1 && from.shape[3] == stack.width()) return stack.add_relu(from);
  const Value branch = stack.top();
  stack.back_to(from);
  stack.convolve({.output = channels, .stride = stride});
  const Value shortcut = stack.top();
  stack.back_to(branch);
  stack.add_relu(shortcut);
}

void basic_block(Stack& stack, int32_t channels, int64_t stride) {
  const Value from = stack.top();
  stack.convolve({.output = channels, .kernel = 3, .stride = stride, .activation = Activation::relu});
  stack.convolve({.output = channels, .kernel = 3, .gain = kBranchGain});
  end_block(stack, from, channels, stride);
}

void bottleneck(Stack& stack, int32_t channels, int64_t stride) {
  const Value from = stack.top();
  stack.convolve({.output = channels, .activation = Activation::relu});
  stack.convolve({.output = channels, .kernel = 3, .stride = stride, .activation = Activation::relu});
  stack.convolve({.output = 4 * channels, .gain = kBranchGain});
  end_block(stack, from, 4 * channels, stride);
}

conformance::Case resnet(Stack&& stack, std::initializer_list<int> blocks,
                         void (*block)(Stack&, int32_t, int64_t)) {
  stack.convolve({.output = 64, .kernel = 7, .stride = 2, .activation = Activation::relu});
  stack.pool_max({.padding = 1});
  int32_t channels = 64;
  for (const int count : blocks) {
    for (int i = 0; i < count; ++i) block(stack, channels, channels > 64 && i == 0 ? 2 : 1);
    channels *= 2;
  }
  stack.pool_globally();
  return stack.classify();
}

}  // namespace

conformance::Case resnet_18(const Scale& scale) {
  return resnet(Stack("resnet_18", scale, image(scale)), {2, 2, 2, 2}, basic_block);
}

conformance::Case resnet_18_int8(const Scale& scale) {
  return resnet(Stack("resnet_18_int8", scale, image(scale), true), {2, 2, 2, 2}, basic_block);
}

conformance::Case resnet_50(const Scale& scale) {
  return resnet(Stack("resnet_50", scale, image(scale)), {3, 4, 6, 3}, bottleneck);
}

}  // namespace bench
