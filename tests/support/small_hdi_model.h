// A client's model for a driver: relu(input + constant), of two floats each, or of any number.
#pragma once

#include "core/platform/shared_memory.h"

#include <neural_network_runtime/hdi/v2_0/model_types.h>

#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace nnrt::test {

namespace hdi = ::nnrt::hdi::V2_0;

inline hdi::Tensor float_tensor(std::vector<int32_t> dims) {
  return {"t", hdi::DATA_TYPE_FLOAT32, std::move(dims), hdi::FORMAT_NHWC, {}, {}};
}

inline hdi::Node hdi_node(hdi::NodeType type, hdi::NodeAttr attr, std::vector<uint32_t> inputs,
                          std::vector<uint32_t> outputs) {
  return {"n", type, {}, std::move(inputs), std::move(outputs), hdi::QUANT_TYPE_NONE, std::move(attr)};
}

struct SmallHdiModel {
  // The constant [1, -5] is at byte 8; if `is_dynamic`, only the 1.
  explicit SmallHdiModel(bool is_dynamic = false) {
    const float constant[] = {1, -5};
    std::memcpy(memory->data() + 8, constant, sizeof constant);
    const int32_t dim = is_dynamic ? -1 : 2;
    model.allTensors = {float_tensor({dim}), float_tensor({is_dynamic ? 1 : 2}), float_tensor({dim}),
                        float_tensor({dim})};
    model.allTensors[1].data = {memory->fd(), 16, 8, is_dynamic ? 4u : 8u};
    model.inputIndex = {0};
    model.outputIndex = {3};
    model.nodes = {hdi_node(hdi::NODE_TYPE_ADD_FUSION, hdi::AddFusion{}, {0, 1}, {2}),
                   hdi_node(hdi::NODE_TYPE_ACTIVATION, hdi::Activation{hdi::ACTIVATION_TYPE_RELU}, {2}, {3})};
    model.subGraph = {{"main", {0}, {3}, {0, 1}}};
  }

  std::shared_ptr<SharedMemory> memory = SharedMemory::create(16).value();
  hdi::Model model;
};

}  // namespace nnrt::test
