// Networks without residuals: SqueezeNet 1.1, VGG-16, GoogLeNet.
#include "networks/network_stack.h"

namespace bench {
namespace {

void fire(Stack& stack, int32_t squeezed, int32_t expanded) {
  stack.convolve({.output = squeezed, .activation = Activation::relu});
  const Value from = stack.top();
  stack.convolve({.output = expanded, .activation = Activation::relu});
  const Value pointwise = stack.top();
  stack.back_to(from);
  stack.convolve({.output = expanded, .kernel = 3, .activation = Activation::relu});
  stack.concat_channels({pointwise, stack.top()});
}

conformance::Case squeezenet(Stack&& stack, const Scale& scale) {
  stack.convolve({.output = 64, .kernel = 3, .stride = 2, .activation = Activation::relu, .padding = 0});
  for (const int32_t squeezed : {16, 32}) {
    stack.pool_max({.ceil = true});
    for (int i = 0; i < 2; ++i) fire(stack, squeezed, 4 * squeezed);
  }
  stack.pool_max({.ceil = true});
  for (const int32_t squeezed : {48, 48, 64, 64}) fire(stack, squeezed, 4 * squeezed);
  stack.convolve_exactly(scale.classes, Activation::relu);
  stack.pool_globally();
  stack.reshape({scale.batch, scale.classes});
  return stack.add_classifier();
}

// Channels of a block's branches: 1x1, 3x3 after 1x1, 5x5 after 1x1, 1x1 after a pool.
struct Inception {
  int32_t pointwise, reduced_3, made_3, reduced_5, made_5, pooled;
};

void inception(Stack& stack, const Inception& block) {
  const Value from = stack.top();
  const auto branch = [&](int32_t reduced, int32_t made, int32_t kernel) {
    stack.back_to(from);
    if (reduced > 0) stack.convolve({.output = reduced, .activation = Activation::relu});
    stack.convolve({.output = made, .kernel = kernel, .activation = Activation::relu});
    return stack.top();
  };
  const Value pointwise = branch(0, block.pointwise, 1);
  const Value three = branch(block.reduced_3, block.made_3, 3);
  const Value five = branch(block.reduced_5, block.made_5, 5);
  stack.back_to(from);
  stack.pool_max({.kernel = 3, .stride = 1, .padding = 1});
  stack.convolve({.output = block.pooled, .activation = Activation::relu});
  stack.concat_channels({pointwise, three, five, stack.top()});
}

}  // namespace

conformance::Case squeezenet(const Scale& scale) {
  return squeezenet(Stack("squeezenet", scale, image(scale)), scale);
}

conformance::Case squeezenet_int8(const Scale& scale) {
  return squeezenet(Stack("squeezenet_int8", scale, image(scale), true), scale);
}

conformance::Case googlenet(const Scale& scale) {
  Stack stack("googlenet", scale, image(scale));
  stack.convolve({.output = 64, .kernel = 7, .stride = 2, .activation = Activation::relu});
  stack.pool_max({.ceil = true});
  stack.convolve({.output = 64, .activation = Activation::relu});
  stack.convolve({.output = 192, .kernel = 3, .activation = Activation::relu});
  const std::initializer_list<std::initializer_list<Inception>> stages{
      {{64, 96, 128, 16, 32, 32}, {128, 128, 192, 32, 96, 64}},
      {{192, 96, 208, 16, 48, 64},
       {160, 112, 224, 24, 64, 64},
       {128, 128, 256, 24, 64, 64},
       {112, 144, 288, 32, 64, 64},
       {256, 160, 320, 32, 128, 128}},
      {{256, 160, 320, 32, 128, 128}, {384, 192, 384, 48, 128, 128}}};
  for (const auto& stage : stages) {
    stack.pool_max({.ceil = true});
    for (const Inception& block : stage) inception(stack, block);
  }
  stack.pool_globally();
  return stack.classify();
}

conformance::Case vgg_16(const Scale& scale) {
  Stack stack("vgg_16", scale, image(scale));
  const std::initializer_list<std::pair<int32_t, int>> stages{
      {64, 2}, {128, 2}, {256, 3}, {512, 3}, {512, 3}};
  for (const auto& [channels, count] : stages) {
    for (int i = 0; i < count; ++i) {
      stack.convolve({.output = channels, .kernel = 3, .activation = Activation::relu});
    }
    stack.pool_max({.kernel = 2});
  }
  const Value& top = stack.top();
  stack.reshape({scale.batch, top.shape[1] * top.shape[2] * top.shape[3]});
  for (int i = 0; i < 2; ++i) stack.fully_connected(stack.channels(4096), Activation::relu);
  return stack.classify();
}

conformance::Case dense(const Scale& scale) {
  const int32_t width = 8192 / scale.divisor;
  Stack stack("dense", scale, {1, width});
  stack.fully_connected(width, Activation::relu);
  stack.fully_connected(width);
  return stack.finish();
}

}  // namespace bench
