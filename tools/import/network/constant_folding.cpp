#include "tools/import/network/constant_folding.h"

#include "backends/cpu/base/empty_nodes.h"
#include "backends/cpu/base/kernel.h"
#include "core/base/text.h"
#include "core/memory/pages.h"
#include "core/schema/data_movement/copy_regions.h"
#include "core/schema/infer.h"
#include "core/schema/schema.h"

#include <algorithm>
#include <cstring>

namespace nnrt::import {
namespace {

bool is_constant(const nnrt::Graph& graph, TensorId id) { return graph.tensors[id].is_constant(); }

template <typename T>
bool holds(ByteView bytes, T hidden) {
  for (size_t at = 0; at < bytes.size(); at += sizeof(T)) {
    if (std::memcmp(bytes.data() + at, &hidden, sizeof(T)) == 0) return true;
  }
  return false;
}

PartlyKnown partly_known(SharedBytes bytes, DType dtype, int64_t hidden) {
  const bool incomplete =
      dtype == DType::i64 ? holds(*bytes, hidden) : holds(*bytes, static_cast<int32_t>(hidden));
  return {std::move(bytes), !incomplete};
}

SharedBytes dimensions(const nnrt::Shape& shape, int64_t hidden) {
  Bytes bytes(shape.size() * sizeof(int32_t));
  for (size_t d = 0; d < shape.size(); ++d) {
    const auto dimension = static_cast<int32_t>(shape[d] == kUnknown ? hidden : shape[d]);
    std::memcpy(bytes.data() + d * sizeof(int32_t), &dimension, sizeof(int32_t));
  }
  return std::make_shared<const Bytes>(std::move(bytes));
}

// Returns whether the result has exactly the bytes of the first input: after a reshape, or a transpose that
// only moves dimensions of 1, as for weights of pointwise and depthwise convolutions.
bool shares_bytes(const NodeView& view) {
  if (!is_data_movement(view.op()) || view.input_count() == 0 || view.output_count() != 1) return false;
  const nnrt::Tensor &from = view.input(0), &to = view.output(0);
  const auto bytes = nnrt::byte_size(to.dtype, view.output_shape(0));
  if (from.dtype != to.dtype || from.quant != to.quant || bytes != from.data->size()) return false;
  if (only_reshapes(view.op())) return true;
  const Result<CopyProgram> copies = copy_program(view);
  if (!copies.ok() || copies.value().needs_fill || copies.value().regions.size() != 1) return false;
  const CopyRegion& region = copies.value().regions[0];
  return region.input == 0 && region.from_offset == 0 && region.to_offset == 0 &&
         region.from_strides == region.to_strides &&
         element_count(region.shape) == element_count(view.output_shape(0));
}

}  // namespace

bool worth_computing(const nnrt::Graph& graph, const nnrt::Node& node) {
  const Family family = schema(node.op).family;
  if (family == Family::gemm_conv || family == Family::pooling || family == Family::norm ||
      family == Family::special)
    return false;
  return std::ranges::all_of(node.outputs, [&](TensorId id) {
    return nnrt::byte_size(graph.tensors[id].dtype, graph.shapes[id]).has_value();
  });
}

Result<std::vector<SharedBytes>> evaluate(const nnrt::Graph& graph, const nnrt::Node& node) {
  const std::vector<const std::byte*> values = constant_values(graph);
  const NodeView view(graph, node, graph.shapes, values);
  if (shares_bytes(view)) return std::vector{graph.tensors[node.inputs[0]].data};
  std::vector<SharedBytes> results;
  std::vector<const std::byte*> in;
  std::vector<std::byte*> out;
  out.reserve(node.outputs.size());
  for (const TensorId id : node.inputs) in.push_back(values[id]);
  for (const TensorId id : node.outputs) {
    Pages pages = allocate_pages(nnrt::byte_size(graph.tensors[id].dtype, graph.shapes[id]).value_or(0));
    out.push_back(pages.get());
    results.push_back(shared(std::move(pages)));
  }
  if (cpu::has_empty_tensor(view)) {
    NNRT_ASSIGN(const cpu::EmptyNode handled, cpu::compute_empty_node(view, out));
    if (handled != cpu::EmptyNode::kernel) return results;
  }
  NNRT_TRY(cpu::kernel(node.op)({view, in, out, cpu::ThreadPool::shared()}));
  return results;
}

std::optional<PartlyKnown> evaluate_partly(const nnrt::Graph& graph, const nnrt::Node& node, int64_t hidden) {
  const DType dtype = graph.tensors[node.outputs[0]].dtype;
  if (node.outputs.size() != 1 || (dtype != DType::i32 && dtype != DType::i64)) return {};
  if (node.op == Op::shape)
    return partly_known(dimensions(graph.shapes[node.inputs[0]], hidden), dtype, hidden);
  const DType from = graph.tensors[node.inputs[0]].dtype;
  const bool combines = node.attrs.has(Attr::reduction) && node.attrs.integer(Attr::reduction) != 0;
  const bool moves = (schema(node.op).copy && !combines) ||
                     (node.op == Op::cast && (from == DType::i32 || from == DType::i64));
  const auto known = [&](TensorId id) { return is_constant(graph, id); };
  if (!moves || !std::ranges::all_of(node.inputs, known)) return {};
  const std::optional<size_t> bytes = nnrt::byte_size(dtype, graph.shapes[node.outputs[0]]);
  constexpr size_t kMaxBytesOfShapes = 4096;
  if (!bytes || *bytes > kMaxBytesOfShapes) return {};
  Result<std::vector<SharedBytes>> results = evaluate(graph, node);
  if (!results.ok()) return {};
  return partly_known(std::move(results.value()[0]), dtype, hidden);
}

}  // namespace nnrt::import
