// DenseNet-121: each layer reads all previous results of its block. Batch norms precede activations, so those
// of shared inputs cannot be folded.
#include "networks/network_stack.h"

namespace bench {
namespace {

constexpr int32_t kGrowth = 32;

void norm_relu(Stack& stack) {
  stack.batch_norm();
  stack.unary(OH_NN_OPS_RELU);
}

void dense_layer(Stack& stack) {
  const Value from = stack.top();
  norm_relu(stack);
  stack.convolve({.output = 4 * kGrowth, .activation = Activation::relu});
  stack.convolve({.output = kGrowth, .kernel = 3});
  stack.concat_channels({from, stack.top()});
}

void transition(Stack& stack) {
  norm_relu(stack);
  stack.convolve_exactly(stack.width() / 2, Activation::none);
  stack.pool_average(2);
}

}  // namespace

conformance::Case densenet_121(const Scale& scale) {
  Stack stack("densenet_121", scale, image(scale));
  stack.convolve({.output = 64, .kernel = 7, .stride = 2, .activation = Activation::relu});
  stack.pool_max({.padding = 1});
  bool is_first = true;
  for (const int layers : {6, 12, 24, 16}) {
    if (!is_first) transition(stack);
    is_first = false;
    for (int i = 0; i < layers; ++i) dense_layer(stack);
  }
  norm_relu(stack);
  stack.pool_globally();
  return stack.classify();
}

}  // namespace bench
