// A model as a list of C API calls, possibly invalid, and its runs.
#pragma once

#include "tests/fuzz/small_graph.h"
#include "tools/import/nn_handles.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace nnrt::test {

struct ApiModel {
  struct Operation {
    int type = 0;
    std::vector<uint32_t> params{}, inputs{}, outputs{};
  };
  std::vector<Tensor> tensors;  // constants have data
  std::vector<Bytes> contents;  // per tensor: its value if it is an input
  std::vector<Operation> operations;
  std::vector<uint32_t> inputs, outputs;
};

std::string describe(const ApiModel& model);

// Makes the same calls on core's builder; null if finish() fails.
GraphPtr graph_of(const ApiModel& model);

// Ignores failing calls, as a careless client would. Null if Finish fails.
nnrt::import::ModelHandle make(const ApiModel& model);

// The first device of a type, if any.
std::optional<size_t> device_of(OH_NN_DeviceType type);

struct Outcome {
  OH_NN_ReturnCode build = OH_NN_FAILED, run = OH_NN_FAILED;
  std::vector<Shape> shapes{};
  std::vector<Bytes> outputs{};
};

// Builds on the device and runs once. Inputs are fed in model order; contents are repeated or truncated to
// the input's size.
Outcome build_and_run(OH_NNCompilation* compilation, size_t device, std::span<const Bytes> fed);

}  // namespace nnrt::test
