// A model as calls of the C API make it, one that makes no sense too, and its runs.
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
  std::vector<Tensor> tensors;  // constants have their data
  std::vector<Bytes> contents;  // one for each tensor: its feed where it is an input
  std::vector<Operation> operations;
  std::vector<uint32_t> inputs, outputs;
};

std::string describe(const ApiModel& model);

// Makes the same calls of core's builder; null if finish() refuses it.
GraphPtr graph_of(const ApiModel& model);

// Calls that are refused are passed over, as a careless client would. Null where Finish refuses the model.
nnrt::import::ModelHandle make(const ApiModel& model);

// The first device of a type; none where there is none.
std::optional<size_t> device_of(OH_NN_DeviceType type);

struct Outcome {
  OH_NN_ReturnCode build = OH_NN_FAILED, run = OH_NN_FAILED;
  std::vector<Shape> shapes{};
  std::vector<Bytes> outputs{};
};

// Builds on the device, runs once. Inputs are fed in the order of the model's; where contents are not as long
// as the input, they are repeated or cut.
Outcome build_and_run(OH_NNCompilation* compilation, size_t device, std::span<const Bytes> fed);

}  // namespace nnrt::test
