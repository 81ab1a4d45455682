// ShuffleNetV2: half of the channels bypass a block; afterwards both halves are shuffled.
#include "networks/network_stack.h"

namespace bench {
namespace {

void main_branch(Stack& stack, int32_t channels, int64_t stride) {
  stack.convolve({.output = channels, .activation = Activation::relu});
  stack.convolve_depthwise(3, stride, Activation::none);
  stack.convolve({.output = channels, .activation = Activation::relu});
}

void shrink(Stack& stack, int32_t channels) {
  const Value from = stack.top();
  stack.convolve_depthwise(3, 2, Activation::none);
  stack.convolve({.output = channels, .activation = Activation::relu});
  const Value side = stack.top();
  stack.back_to(from);
  main_branch(stack, channels, 2);
  stack.concat_channels({side, stack.top()});
  stack.shuffle(2);
}

void keep(Stack& stack, int32_t channels) {
  const std::vector<Value> branches = stack.split_channels(2);
  stack.back_to(branches[1]);
  main_branch(stack, channels, 1);
  stack.concat_channels({branches[0], stack.top()});
  stack.shuffle(2);
}

}  // namespace

conformance::Case shufflenet_v2(const Scale& scale) {
  Stack stack("shufflenet_v2", scale, image(scale));
  stack.convolve({.output = 24, .kernel = 3, .stride = 2, .activation = Activation::relu});
  stack.pool_max({.padding = 1});
  for (const auto& [channels, blocks] :
       std::initializer_list<std::pair<int32_t, int>>{{58, 4}, {116, 8}, {232, 4}}) {
    shrink(stack, channels);
    for (int i = 1; i < blocks; ++i) keep(stack, channels);
  }
  stack.convolve({.output = 1024, .activation = Activation::relu});
  stack.pool_globally();
  return stack.classify();
}

}  // namespace bench
