// Compiled models of the example: a list of steps over numbered tensors. Plain numbers throughout, so that a
// cache is just these lists in sequence.
#pragma once

#include <neural_network_runtime/hdi/plugin.h>

#include <array>
#include <optional>
#include <tuple>
#include <vector>

namespace npu {

namespace hdi = nnrt::hdi::V2_0;

enum class Kernel : uint32_t { add, sub, mul, activation, product, conv2d, max_pool, softmax };

struct Tensor {
  std::array<int64_t, 4> dims;  // padded with leading ones
  uint64_t elements;
  int64_t constant;  // offset of its data among the constants, or -1
  uint64_t rank;
};

// [height, width] of kernels.
struct SpatialParams {
  std::array<int64_t, 2> kernel, stride, dilation, before;
};

struct Step {
  Kernel kernel;
  uint32_t activation;  // hdi::ActivationType, applied to the result
  std::array<uint32_t, 3> inputs;
  uint32_t output;
  uint64_t input_count, transpose_a, transpose_b;
  SpatialParams spatial;
};

struct Program {
  std::vector<Tensor> tensors;
  std::vector<Step> steps;
  std::vector<float> constants;
  std::vector<uint32_t> inputs, outputs;  // tensor numbers

  auto lists() { return std::tie(tensors, steps, constants, inputs, outputs); }
};

// Empty if the device does not support the node.
std::optional<Step> compile(const hdi::Model& model, const hdi::Node& node);
// Compiles a model of supported nodes; false if the constants cannot be read.
bool compile(const hdi::Model& model, Program& program);

// `data` has an entry for each tensor.
void run(const Step& step, const std::vector<Tensor>& tensors, const std::vector<float*>& data);

}  // namespace npu
