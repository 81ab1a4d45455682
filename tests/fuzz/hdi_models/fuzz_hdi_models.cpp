// Models as clients of the driver send them, and their runs. A random node of a valid model is drawn, with
// the bytes of its attributes, then anything in it is changed. The driver answers with a code.
#include "api/driver/driver_methods.h"
#include "backends/cpu/engine/cpu_device.h"
#include "backends/plugin/hdi_to_model.h"
#include "core/passes/normalize.h"
#include "tests/fuzz/choices.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/attr_writer.h"
#include "tests/support/random/random_node.h"

#include <neural_network_runtime/hdi/v2_0/innrt_device_vdi.h>

#include <algorithm>
#include <numeric>

namespace nnrt::test {
namespace {

namespace hdi = ::nnrt::hdi::V2_0;

using Device = driver::DriverMethods<hdi::INnrtDeviceVdi>;

struct Sent {
  std::shared_ptr<SharedMemory> memory;
  hdi::Model model;
};

Sent draw(Choices& choices) {
  const auto rows = plugin::all_rows();
  size_t refused = 0;
  const RandomNode node = valid_node(rows[choices.below(rows.size())].op, choices.byte(), refused);
  const GraphPtr graph = normalize(graph_of(node).value());
  const plugin::ConstantPlan plan = plugin::plan_constants(*graph);
  Sent sent;
  hdi::SharedBuffer buffer;
  if (plan.bytes > 0) {
    sent.memory = SharedMemory::create(plan.bytes).value();
    plugin::copy_constants(*graph, plan, sent.memory->data());
    buffer = {sent.memory->fd(), static_cast<uint32_t>(plan.bytes), 0, 0};
  }
  sent.model = plugin::to_model(*graph, plan, buffer, 1);
  for (hdi::Node& one : sent.model.nodes) {
    one.nodeAttr = attr_bytes(one.attr, choices.of<size_t>({8, 4}));
    one.attr = std::monostate();
  }
  return sent;
}

template <typename T>
T* chosen(std::vector<T>& values, Choices& choices) {
  return values.empty() ? nullptr : &values[choices.below(values.size())];
}

void edit_indices(std::vector<uint32_t>& indices, Choices& choices) {
  const auto value = static_cast<uint32_t>(choices.of<int>({0, 1, 2, 3, 4, 5, 1000, -1}));
  if (choices.one_in(4)) return indices.push_back(value);
  if (choices.one_in(8)) return indices.clear();
  if (uint32_t* const index = chosen(indices, choices)) *index = value;
}

void edit_bytes(std::vector<int8_t>& bytes, Choices& choices) {
  if (choices.one_in(4)) return bytes.resize(choices.byte(), static_cast<int8_t>(choices.byte()));
  if (int8_t* const byte = chosen(bytes, choices)) *byte = static_cast<int8_t>(choices.byte());
}

void edit_buffer(hdi::SharedBuffer& buffer, Choices& choices) {
  uint32_t& number = *choices.of({&buffer.bufferSize, &buffer.offset, &buffer.dataSize});
  number = static_cast<uint32_t>(choices.integer());
  if (choices.one_in(4)) buffer.fd = choices.of({-1, 1 << 20, 0});
}

void edit_tensor(hdi::Tensor& tensor, Choices& choices) {
  switch (choices.below(5)) {
    case 0: tensor.dataType = static_cast<hdi::DataType>(choices.below(48)); return;
    case 1: {
      if (int32_t* const dim = chosen(tensor.dims, choices)) *dim = static_cast<int32_t>(choices.integer());
      return;
    }
    case 2: {
      const std::vector<int64_t> shape = choices.shape(true);
      tensor.dims.assign(shape.begin(), shape.end());
      return;
    }
    case 3:
      tensor.quantParams.push_back({choices.of({8, 4, 0}), int32_t(choices.integer()), choices.real()});
      return;
    default: return edit_buffer(tensor.data, choices);
  }
}

void edit(hdi::Model& model, Choices& choices) {
  hdi::Node* const node = chosen(model.nodes, choices);
  switch (choices.below(node == nullptr ? 3 : 8)) {
    case 0: return edit_indices(choices.one_in(2) ? model.inputIndex : model.outputIndex, choices);
    case 1: return model.nodes.push_back(model.nodes.empty() ? hdi::Node() : model.nodes[0]);
    case 2: {
      if (hdi::Tensor* const tensor = chosen(model.allTensors, choices)) edit_tensor(*tensor, choices);
      return;
    }
    case 3: node->nodeType = static_cast<hdi::NodeType>(choices.below(200)); return;
    case 4: return edit_indices(node->inputIndex, choices);
    case 5: return edit_indices(node->outputIndex, choices);
    case 6: return model.subGraph.clear();
    default: return edit_bytes(node->nodeAttr, choices);
  }
}

// Adds the buffer, as it was allocated, to `allocated`.
hdi::IOTensor io_tensor(Device& device, const hdi::Tensor& tensor, Choices& choices,
                        std::vector<hdi::SharedBuffer>& allocated) {
  hdi::IOTensor made{tensor.name, tensor.dataType, tensor.dims, tensor.format, {}};
  static_cast<void>(device.AllocateBuffer(choices.of<uint32_t>({4096, 1, 65536, 64}), made.data));
  allocated.push_back(made.data);
  for (int32_t& dim : made.dimensions)
    if (dim < 0 || choices.one_in(16)) dim = static_cast<int32_t>(choices.integer());
  if (choices.one_in(8)) edit_buffer(made.data, choices);
  return made;
}

void run(Device& device, const hdi::Model& model, hdi::IPreparedModel& prepared, Choices& choices) {
  std::vector<std::vector<uint32_t>> smallest, largest;
  static_cast<void>(prepared.GetInputDimRanges(smallest, largest));
  std::vector<hdi::IOTensor> inputs, outputs;
  std::vector<hdi::SharedBuffer> allocated;
  for (const uint32_t index : model.inputIndex)
    inputs.push_back(io_tensor(device, model.allTensors[index], choices, allocated));
  for (const uint32_t index : model.outputIndex)
    outputs.push_back(io_tensor(device, model.allTensors[index], choices, allocated));
  std::vector<std::vector<int32_t>> dims;
  static_cast<void>(prepared.Run(inputs, outputs, dims));
  for (const hdi::SharedBuffer& buffer : allocated) static_cast<void>(device.ReleaseBuffer(buffer));
}

}  // namespace
}  // namespace nnrt::test

FUZZ_TARGET(hdi_models)(const uint8_t* data, size_t size) {
  using namespace nnrt::test;
  static Device& device =
      *std::make_unique<Device>(std::make_shared<nnrt::driver::Driver>(std::vector{nnrt::cpu::make_device()}))
           .release();
  Choices choices(std::span(data, size));
  Sent sent = draw(choices);
  for (size_t edits = choices.below(4); edits > 0; --edits) edit(sent.model, choices);
  std::vector<bool> supported;
  static_cast<void>(device.GetSupportedOperation(sent.model, supported));
  nnrt::driver::ModelPtr prepared;
  static_cast<void>(device.PrepareModel(sent.model, {}, prepared));
  if (prepared != nullptr) run(device, sent.model, *prepared, choices);
  return 0;
}
