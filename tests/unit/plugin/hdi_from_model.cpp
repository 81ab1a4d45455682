#include "tests/unit/plugin/hdi_from_model.h"

#include "backends/plugin/hdi_enums.h"
#include "backends/plugin/node_table.h"
#include "core/base/text.h"
#include "core/platform/shared_memory.h"
#include "core/schema/infer.h"
#include "core/schema/validate.h"

namespace nnrt::plugin {
namespace {

Result<SharedBytes> constant_of(const hdi::SharedBuffer& buffer) {
  const uint64_t end = uint64_t{buffer.offset} + buffer.dataSize;
  if (end > buffer.bufferSize)
    return invalid("Data at [", buffer.offset, ", ", end, ") are outside their buffer (", buffer.bufferSize,
                   ").");
  NNRT_ASSIGN(const auto memory, SharedMemory::adopt(buffer.fd, buffer.bufferSize));
  const std::byte* data = memory->data() + buffer.offset;
  return SharedBytes(std::make_shared<const Bytes>(data, data + buffer.dataSize));
}

Result<nnrt::Tensor> tensor_of(const hdi::Tensor& tensor) {
  nnrt::Tensor made;
  made.name = tensor.name;
  made.dtype = from_hdi(tensor.dataType);
  made.format = from_hdi(tensor.format);
  made.shape = {tensor.dims.begin(), tensor.dims.end()};
  NNRT_TRY(check_dimensions(made));
  for (const hdi::QuantParam& param : tensor.quantParams) {
    made.quant.scales.push_back(param.scale);
    made.quant.zero_points.push_back(param.zeroPoint);
  }
  if (tensor.data.fd < 0) return made;
  NNRT_ASSIGN(made.data, constant_of(tensor.data));
  if (byte_size(made.dtype, made.shape) == made.data->size()) return made;
  return invalid("Tensor ", tensor.name, " cannot have ", made.data->size(), " bytes of data.");
}

Result<nnrt::Node> node_of(const hdi::Model& model, const hdi::Node& node, uint32_t position) {
  const NodeRow* row = find_row(model, node);
  if (row == nullptr)
    return unsupported("Node ", node.name, " of type ", node.nodeType, " matches no operator.");
  nnrt::Node made;
  made.op = row->op;
  made.inputs = node.inputIndex;
  made.outputs = node.outputIndex;
  made.attrs = attrs_of(*row, node.attr);
  made.position = position;
  return made;
}

Status check_indices(const hdi::Model& model, const std::vector<uint32_t>& indices) {
  for (const uint32_t index : indices) {
    if (index >= model.allTensors.size()) return invalid("Tensor (", index, ") does not exist.");
  }
  return {};
}

}  // namespace

Result<Graph> to_graph(const hdi::Model& model) {
  Graph graph;
  NNRT_TRY(check_indices(model, model.inputIndex));
  NNRT_TRY(check_indices(model, model.outputIndex));
  graph.inputs = model.inputIndex;
  graph.outputs = model.outputIndex;
  for (const hdi::Tensor& tensor : model.allTensors) {
    NNRT_ASSIGN(nnrt::Tensor made, tensor_of(tensor));
    graph.tensors.push_back(std::move(made));
  }
  for (const hdi::Node& node : model.nodes) {
    NNRT_TRY(check_indices(model, node.inputIndex));
    NNRT_TRY(check_indices(model, node.outputIndex));
    NNRT_ASSIGN(nnrt::Node made, node_of(model, node, static_cast<uint32_t>(graph.nodes.size())));
    NNRT_TRY(check_operation(schema(made.op), graph.tensors, made));
    graph.nodes.push_back(std::move(made));
  }
  infer(graph);
  return graph;
}

}  // namespace nnrt::plugin
