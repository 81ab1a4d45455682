// Networks of inverted residuals: MobileNetV2 and V3, MnasNet, EfficientNet-B0 and EfficientNetV2-S.
#include "networks/network_stack.h"

namespace bench {
namespace {

constexpr double kBranchGain = 0.3;

struct Block {
  int32_t kernel, expanded, output;  // expanded 0: no expansion
  int64_t stride = 1;
  Activation activation = Activation::relu;
  int32_t squeezed = 0;  // unscaled channels inside squeeze-and-excitation; 0: none
  Activation squeezed_activation = Activation::relu;
  OH_NN_OperationType gate = OH_NN_OPS_HARD_SIGMOID;
};

void inverted_residual(Stack& stack, const Block& block) {
  const Value from = stack.top();
  const bool adds = block.stride == 1 && from.shape[3] == stack.channels(block.output);
  if (block.expanded > 0) stack.convolve({.output = block.expanded, .activation = block.activation});
  stack.convolve_depthwise(block.kernel, block.stride, block.activation);
  if (block.squeezed > 0) {
    stack.squeeze_and_excite(stack.channels(block.squeezed), block.squeezed_activation, block.gate);
  }
  stack.convolve({.output = block.output, .gain = adds ? kBranchGain : 1});
  if (adds) stack.add(from);
}

// One convolution replaces the first two.
void fused_inverted_residual(Stack& stack, int32_t expanded, int32_t output, int64_t stride) {
  const Value from = stack.top();
  const bool adds = stride == 1 && from.shape[3] == stack.channels(output);
  stack.convolve({.output = expanded, .kernel = 3, .stride = stride, .activation = Activation::swish});
  if (expanded != output) stack.convolve({.output = output, .gain = adds ? kBranchGain : 1});
  if (adds) stack.add(from);
}

struct Stage {
  int32_t expansion, kernel, output;
  int blocks;
  int64_t stride;
};

conformance::Case finish(Stack& stack, int32_t features, Activation activation) {
  stack.convolve({.output = features, .activation = activation});
  stack.pool_globally();
  return stack.classify();
}

// `input`: the unscaled number of channels of the previous layer.
void stages(Stack& stack, int32_t input, std::initializer_list<Stage> list, Activation activation,
            bool excites) {
  for (const Stage& stage : list) {
    for (int i = 0; i < stage.blocks; ++i) {
      inverted_residual(stack, {.kernel = stage.kernel,
                                .expanded = stage.expansion > 1 ? stage.expansion * input : 0,
                                .output = stage.output,
                                .stride = i == 0 ? stage.stride : 1,
                                .activation = activation,
                                .squeezed = excites ? input / 4 : 0,
                                .squeezed_activation = Activation::swish,
                                .gate = OH_NN_OPS_SIGMOID});
      input = stage.output;
    }
  }
}

}  // namespace

conformance::Case mobilenet_v2(const Scale& scale) {
  Stack stack("mobilenet_v2", scale, image(scale));
  stack.convolve({.output = 32, .kernel = 3, .stride = 2, .activation = Activation::relu6});
  stages(stack, 32,
         {{1, 3, 16, 1, 1},
          {6, 3, 24, 2, 2},
          {6, 3, 32, 3, 2},
          {6, 3, 64, 4, 2},
          {6, 3, 96, 3, 1},
          {6, 3, 160, 3, 2},
          {6, 3, 320, 1, 1}},
         Activation::relu6, false);
  return finish(stack, 1280, Activation::relu6);
}

conformance::Case mnasnet(const Scale& scale) {
  Stack stack("mnasnet", scale, image(scale));
  stack.convolve({.output = 32, .kernel = 3, .stride = 2, .activation = Activation::relu});
  stages(stack, 32,
         {{1, 3, 16, 1, 1},
          {3, 3, 24, 3, 2},
          {3, 5, 40, 3, 2},
          {6, 5, 80, 3, 2},
          {6, 3, 96, 2, 1},
          {6, 5, 192, 4, 2},
          {6, 3, 320, 1, 1}},
         Activation::relu, false);
  return finish(stack, 1280, Activation::relu);
}

conformance::Case efficientnet_b0(const Scale& scale) {
  Stack stack("efficientnet_b0", scale, image(scale));
  stack.convolve({.output = 32, .kernel = 3, .stride = 2, .activation = Activation::swish});
  stages(stack, 32,
         {{1, 3, 16, 1, 1},
          {6, 3, 24, 2, 2},
          {6, 5, 40, 2, 2},
          {6, 3, 80, 3, 2},
          {6, 5, 112, 3, 1},
          {6, 5, 192, 4, 2},
          {6, 3, 320, 1, 1}},
         Activation::swish, true);
  return finish(stack, 1280, Activation::swish);
}

conformance::Case efficientnet_v2_s(const Scale& scale) {
  Stack stack("efficientnet_v2_s", scale, image(scale));
  stack.convolve({.output = 24, .kernel = 3, .stride = 2, .activation = Activation::swish});
  int32_t input = 24;
  for (const Stage& stage :
       std::initializer_list<Stage>{{1, 3, 24, 2, 1}, {4, 3, 48, 4, 2}, {4, 3, 64, 4, 2}}) {
    for (int i = 0; i < stage.blocks; ++i) {
      fused_inverted_residual(stack, stage.expansion * input, stage.output, i == 0 ? stage.stride : 1);
      input = stage.output;
    }
  }
  stages(stack, 64, {{4, 3, 128, 6, 2}, {6, 3, 160, 9, 1}, {6, 3, 256, 15, 2}}, Activation::swish, true);
  return finish(stack, 1280, Activation::swish);
}

conformance::Case mobilenet_v3(const Scale& scale) {
  constexpr Activation kRelu = Activation::relu, kHswish = Activation::hswish;
  Stack stack("mobilenet_v3", scale, image(scale));
  stack.convolve({.output = 16, .kernel = 3, .stride = 2, .activation = kHswish});
  for (const Block& block : std::initializer_list<Block>{{3, 0, 16, 1, kRelu},
                                                         {3, 64, 24, 2, kRelu},
                                                         {3, 72, 24, 1, kRelu},
                                                         {5, 72, 40, 2, kRelu, 24},
                                                         {5, 120, 40, 1, kRelu, 32},
                                                         {5, 120, 40, 1, kRelu, 32},
                                                         {3, 240, 80, 2, kHswish},
                                                         {3, 200, 80, 1, kHswish},
                                                         {3, 184, 80, 1, kHswish},
                                                         {3, 184, 80, 1, kHswish},
                                                         {3, 480, 112, 1, kHswish, 120},
                                                         {3, 672, 112, 1, kHswish, 168},
                                                         {5, 672, 160, 2, kHswish, 168},
                                                         {5, 960, 160, 1, kHswish, 240},
                                                         {5, 960, 160, 1, kHswish, 240}}) {
    inverted_residual(stack, block);
  }
  stack.convolve({.output = 960, .activation = kHswish});
  stack.pool_globally();
  stack.reshape({scale.batch, stack.width()});
  stack.fully_connected(stack.channels(1280), kHswish);
  return stack.classify();
}

}  // namespace bench
