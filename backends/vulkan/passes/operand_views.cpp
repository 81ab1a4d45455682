#include "backends/vulkan/passes/operand_views.h"

#include "backends/vulkan/lower/common/lowering_common.h"
#include "backends/vulkan/lower/common/matmul_operands.h"
#include "backends/vulkan/lower/data_movement/fused_copies.h"
#include "backends/vulkan/passes/fp16_pass.h"
#include "core/schema/schema.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace nnrt::vulkan {
namespace {

constexpr Buffer buffer_of(TensorId tensor) { return {Buffer::Space::tensor, tensor}; }

std::vector<const Node*> only_readers(const Graph& graph) {
  std::vector<const Node*> readers(graph.tensors.size());
  std::vector<size_t> reads(graph.tensors.size());
  for (const TensorId id : graph.outputs) reads[id] = 2;
  for (const Node& node : graph.nodes)
    for (const TensorId id : node.inputs) readers[id] = ++reads[id] == 1 ? &node : nullptr;
  return readers;
}

bool is_nhwc_of_nchw(const Graph& graph, const Node& node) {
  constexpr std::array<int32_t, 4> kOrder{0, 2, 3, 1};
  const Tensor& order = graph.tensors[node.inputs[1]];
  return order.dtype == DType::i32 && order.is_constant() && order.data->size() == sizeof kOrder &&
         std::memcmp(order.data->data(), kOrder.data(), sizeof kOrder) == 0;
}

// Excludes transposes that move nothing, and dtypes other than float.
bool moves_pixels(const Tensor& tensor, const Shape& nhwc) {
  const bool is_float = tensor.dtype == DType::f32 || tensor.dtype == DType::f16;
  return is_float && nhwc.size() == 4 && nhwc[3] > 1 && nhwc[1] * nhwc[2] > 1;
}

bool in_vec4(const Tensor& tensor, const Shape& shape) {
  return kFloat.contains(tensor.dtype) && is_static(shape) && !shape.empty() && shape.back() % 4 == 0;
}

bool joins_along_channels(const Node& node, const Graph& graph, std::span<const Shape> shapes) {
  if (node.op != Op::concat || node.diagnosis) return false;
  const TensorId result = node.outputs[0];
  if (!in_vec4(graph.tensors[result], shapes[result])) return false;
  const size_t rank = shapes[result].size();
  const auto axis = normalize_axis(node.attrs.integer(Attr::axis), rank);
  return axis.ok() && size_t(axis.value()) == rank - 1 && std::ranges::all_of(node.inputs, [&](TensorId id) {
           return in_vec4(graph.tensors[id], shapes[id]);
         });
}

}  // namespace

OperandViews::OperandViews(const Graph& graph, std::span<const Shape> shapes,
                           std::span<const std::byte* const> values, const DevicePlan& plan)
    : graph_(graph),
      shapes_(shapes),
      plan_(plan),
      copies_(graph, !plan.kernels.forbids(kDeferredCopies)),
      only_reader_(only_readers(graph)),
      is_written_(graph.tensors.size()),
      is_in_concat_(graph.tensors.size()) {
  if (!plan.kernels.forbids(kCastElision)) find_casts();
  if (!plan.kernels.forbids(kTransposeElision)) find_transposes();
  if (!plan.kernels.forbids(kConcatElision)) find_concats();
  if (!plan.kernels.forbids(kDeferredCopies)) find_heads(values);
}

// CASTs from with_fp16() need not round; a client's own CASTs are elided only if the results do not change.
void OperandViews::find_casts() {
  for (const Node& node : graph_.nodes) {
    if (node.op != Op::cast || node.diagnosis) continue;
    const TensorId from = node.inputs[0], to = node.outputs[0];
    const auto add = [&](std::map<TensorId, Elision>& elisions, TensorId fp16, TensorId floats) {
      const bool is_cast = graph_.tensors[fp16].dtype == DType::f16 && only_reader_[fp16] != nullptr &&
                           graph_.tensors[floats].dtype == DType::f32 &&
                           !graph_.tensors[floats].is_constant();
      if (!is_cast) return;
      Elision elision{.view = View::dense(buffer_of(floats), DType::f32, shapes_[floats])};
      elision.view.rounds = !is_fp16_form(graph_.tensors[fp16]);
      elision.kind = elision.view.rounds ? View::rounded : View::floats;
      elision.nodes = {&node};
      elisions.emplace(fp16, std::move(elision));
    };
    add(reads_, to, from);
    add(writes_, from, to);
  }
}

// From NCHW to NHWC, for a convolution.
void OperandViews::find_transposes() {
  for (const Node& node : graph_.nodes) {
    if (node.op != Op::transpose || node.diagnosis || graph_.tensors[node.inputs[0]].is_constant()) continue;
    const TensorId to = node.outputs[0];
    const Node* const reader = only_reader_[to];
    const bool is_image = reader != nullptr && reader->inputs[0] == to &&
                          (reader->op == Op::conv2d || reader->op == Op::conv2d_transpose);
    if (!is_image || !is_nhwc_of_nchw(graph_, node) || !moves_pixels(graph_.tensors[to], shapes_[to]))
      continue;
    const Shape& nhwc = shapes_[to];
    const auto plane = uint32_t(nhwc[1] * nhwc[2]);
    const View view{.buffer = buffer_of(node.inputs[0]),
                    .stored = graph_.tensors[to].dtype,
                    .strides = {uint32_t(nhwc[3]) * plane, uint32_t(nhwc[2]), 1, plane}};
    reads_.emplace(to, Elision{view, View::planes, {&node}});
  }
}

// Inputs of a CONCAT along the last dimension (image channels, for example) that are multiples of vec4. Skips
// results that are only moved further, because they may never be stored.
void OperandViews::find_concats() {
  std::vector<bool> is_computed_with(graph_.tensors.size()), is_input(graph_.tensors.size());
  for (const TensorId id : graph_.inputs) is_input[id] = true;
  for (const TensorId id : graph_.outputs) is_computed_with[id] = true;
  for (const Node& node : graph_.nodes) {
    if (is_data_movement(node.op)) continue;
    for (const TensorId id : node.inputs) is_computed_with[id] = true;
  }
  for (const Node& node : graph_.nodes) {
    if (!joins_along_channels(node, graph_, shapes_) || !is_computed_with[node.outputs[0]]) continue;
    const auto row = uint32_t(shapes_[node.outputs[0]].back());
    uint32_t first = 0;
    for (const TensorId id : node.inputs) {
      View view = View::rows(buffer_of(node.outputs[0]), row);
      view.stored = graph_.tensors[id].dtype;
      view.offset = first;
      if (only_reader_[id] != nullptr && !graph_.tensors[id].is_constant() && !is_input[id])
        writes_.emplace(id, Elision{view, View::slice, {}});
      first += uint32_t(shapes_[id].back());
    }
  }
}

// Results of ATTENTION that are read only by a TRANSPOSE that keeps rows contiguous, possibly behind
// RESHAPEs.
void OperandViews::find_heads(std::span<const std::byte* const> values) {
  for (const Node& node : graph_.nodes) {
    if (node.op != Op::attention || node.diagnosis) continue;
    const TensorId heads = node.outputs[0];
    Elision elision{.view = {}, .kind = View::heads, .nodes = {}};
    std::vector<CopiedRegion> way;
    TensorId tensor = heads;
    bool is_transposed = false;
    while (!is_transposed) {
      const Node* const reader = only_reader_[tensor];
      const bool is_movement =
          reader != nullptr && (only_reshapes(reader->op) || reader->op == Op::transpose);
      if (!is_movement || reader->diagnosis || reader->inputs[0] != tensor) break;
      if (graph_.tensors[reader->outputs[0]].dtype != graph_.tensors[heads].dtype) break;
      const Result<CopyProgram> program = copy_program({graph_, *reader, shapes_, values});
      if (!program.ok() || program.value().needs_fill || program.value().regions.size() != 1) break;
      const CopyRegion& region = program.value().regions[0];
      auto next = way.empty() ? std::vector{CopiedRegion{heads, region}} : through(region, way);
      if (!next || next->size() != 1) break;
      way = *std::move(next);
      elision.nodes.push_back(reader);
      tensor = reader->outputs[0];
      is_transposed = reader->op == Op::transpose;
    }
    const auto rows = is_transposed ? rows_copied_to(way[0].region, shapes_[heads]) : std::nullopt;
    const auto view = rows ? heads_at(tensor, *rows, shapes_[heads]) : std::nullopt;
    if (!view || view->offset != 0) continue;
    elision.view = *view;
    writes_.emplace(heads, std::move(elision));
  }
}

// nullopt if kernels cannot bind the rows, or not read them as whole vectors.
std::optional<View> OperandViews::heads_at(TensorId tensor, const CopiedRows& rows,
                                           const Shape& shape) const {
  const DType dtype = graph_.tensors[tensor].dtype;
  const int64_t size = shape.back();
  const bool by_matrices = dtype == DType::f16 && plan_.matrices.fp16.rows > 0;
  const int64_t unit = by_matrices && size % kFp16PerVector == 0 ? kFp16PerVector : size % 4 == 0 ? 4 : 1;
  const Result<uint32_t> count = count_of(shapes_[tensor]);
  const uint64_t from = uint64_t(rows.offset) * size_of(dtype);
  if (!count.ok() || from % plan_.storage_alignment != 0 || rows.offset >= count.value()) return std::nullopt;
  View view{.buffer = buffer_of(tensor), .stored = dtype, .offset = uint32_t(rows.offset)};
  view.strides[3] = 1;
  for (size_t d = 0; d < rows.strides.size(); ++d) {
    if (rows.strides[d] % unit != 0) return std::nullopt;
    view.strides[d] = uint32_t(rows.strides[d]);
  }
  return view;
}

std::optional<View> OperandViews::heads_read_from(TensorId tensor) const {
  const auto source = copies_.source_of(tensor);
  const auto rows = source ? rows_copied_from(source->region, shapes_[tensor]) : std::nullopt;
  return rows ? heads_at(source->source, *rows, shapes_[tensor]) : std::nullopt;
}

bool OperandViews::skip(const NodeView& view) {
  const Node& node = view.node();
  if (std::ranges::any_of(node.outputs, [&](TensorId id) { return bool(is_written_[id]); })) return true;
  if (reads_.contains(node.outputs[0])) {
    waiting_.insert(node.outputs[0]);
    return true;
  }
  return copies_.defer(view);
}

std::vector<DeferredCopies::PendingNode> OperandViews::needed_by(TensorId tensor) {
  if (waiting_.erase(tensor) > 0) return {{reads_.at(tensor).nodes[0], {}}};
  return copies_.needed_by(std::array{tensor});
}

View OperandViews::read(const View& own, View::Takes takes) {
  if (is_in_concat_[own.buffer.id]) return writes_.at(own.buffer.id).view;
  if ((takes & View::heads) != 0) {
    if (const auto heads = heads_read_from(own.buffer.id)) return *heads;
  }
  View view = own;
  for (;;) {
    const auto found = reads_.find(view.buffer.id);
    const bool is_taken = found != reads_.end() && (found->second.kind & takes) != 0;
    if (!is_taken || waiting_.erase(found->first) == 0) return view;
    const View& behind = found->second.view;
    if (found->second.kind == View::planes) view.strides = behind.strides;
    view.buffer = behind.buffer;
    view.stored = behind.stored;
    view.rounds = behind.rounds;
  }
}

View OperandViews::write(const View& own, View::Takes takes) {
  const auto found = writes_.find(own.buffer.id);
  if (found == writes_.end() || (found->second.kind & takes) == 0) return own;
  for (const Node* node : found->second.nodes) is_written_[node->outputs[0]] = true;
  if (found->second.kind == View::slice) is_in_concat_[own.buffer.id] = true;
  return found->second.view;
}

std::optional<Buffer> OperandViews::holder_of(TensorId tensor) const {
  return is_in_concat_[tensor] ? std::optional(writes_.at(tensor).view.buffer) : std::nullopt;
}

}  // namespace nnrt::vulkan
