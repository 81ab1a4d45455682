#include "backends/cpu/base/empty_nodes.h"

#include "core/base/fp16.h"
#include "core/base/text.h"
#include "core/schema/data_movement/copy_regions.h"
#include "core/schema/rules.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace nnrt::cpu {
namespace {

// The first empty input whose elements the operator reads. Inputs that only set shapes may be empty.
std::optional<size_t> empty_input(const NodeView& node) {
  const std::vector<InputRow>& rows = node.schema().inputs;
  for (size_t i = 0; i < node.input_count(); ++i) {
    if (is_empty(node.shape(i)) && !rows[std::min(i, rows.size() - 1)].value) return i;
  }
  return {};
}

bool writes_nothing(const NodeView& node) {
  for (size_t i = 0; i < node.output_count(); ++i) {
    if (!is_empty(node.output_shape(i))) return false;
  }
  return true;
}

// Returns whether the kernel handles an empty input itself, because it only copies regions or reads shapes,
// or has a result for it.
bool reads_only_parts(Op op) {
  switch (op) {
    case Op::concat:
    case Op::dynamic_quantize:
    case Op::pad:
    case Op::rank:
    case Op::shape:
    case Op::split: return true;
    default: return false;
  }
}

// The result of a reduction over zero elements (its identity, or what the operator derives from it).
template <typename T>
std::optional<T> of_nothing(Op op) {
  using Limits = std::numeric_limits<T>;
  switch (op) {
    case Op::matmul:
    case Op::reduce_l2:
    case Op::reduce_sum: return T(0);
    case Op::reduce_all:
    case Op::all:
    case Op::reduce_prod: return T(1);
    case Op::reduce_max: return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    case Op::reduce_min: return Limits::has_infinity ? Limits::infinity() : Limits::max();
    case Op::reduce_mean:
      if (Limits::has_quiet_NaN) return Limits::quiet_NaN();
      return {};
    default: return {};
  }
}

template <typename T>
bool fill(const NodeView& node, std::byte* out) {
  const std::optional<T> value = of_nothing<T>(node.op());
  if (value) std::fill_n(reinterpret_cast<T*>(out), size_t(*element_count(node.output_shape())), *value);
  return value.has_value();
}

bool fill_half(const NodeView& node, std::byte* out) {
  const std::optional<float> value = of_nothing<float>(node.op());
  if (value)
    std::fill_n(reinterpret_cast<Half*>(out), size_t(*element_count(node.output_shape())), to_half(*value));
  return value.has_value();
}

// A coefficient other than 1 scales the result of the reduction.
bool has_coefficient(const NodeView& node) {
  return node.attrs().has(Attr::coeff) && node.attrs().real(Attr::coeff) != 1;
}

bool fill_output(const NodeView& node, std::byte* out) {
  if (node.output_count() != 1 || has_coefficient(node) ||
      has_quantized_values(node.schema(), node.output(0)))
    return false;
  switch (node.output(0).dtype) {
    case DType::boolean: return fill<uint8_t>(node, out);
    case DType::i8: return fill<int8_t>(node, out);
    case DType::u8: return fill<uint8_t>(node, out);
    case DType::i32: return fill<int32_t>(node, out);
    case DType::i64: return fill<int64_t>(node, out);
    case DType::f16: return fill_half(node, out);
    case DType::f32: return fill<float>(node, out);
    case DType::f64: return fill<double>(node, out);
    default: return false;
  }
}

// A scatter with no updates: a copy of the data, or a tensor of fill values.
bool write_without_updates(const NodeView& node, std::byte* out) {
  const size_t count = size_t(*element_count(node.output_shape())), each = size_of(node.output(0).dtype);
  if (node.op() == Op::scatter_elements || node.op() == Op::scatter_nd_update) {
    if (is_empty(node.shape(0)) || requantizes(node.schema(), node.input(0), node.output(0))) return false;
    std::copy_n(node.data(0), count * each, out);
    return true;
  }
  if (node.op() != Op::scatter_nd && node.op() != Op::sparse_to_dense) return false;
  const Bytes element = fill_element(node);
  for (size_t i = 0; i < count; ++i) std::ranges::copy(element, out + i * each);
  return true;
}

// FULL_CONNECTION with an empty inner dimension: each row is the bias, or 0.
bool write_biases(const NodeView& node, std::byte* out) {
  const Attrs& attrs = node.attrs();
  const bool is_activated = attrs.has(Attr::activation) && attrs.integer(Attr::activation) != 0;
  if (node.op() != Op::full_connection || !kFloat.contains(node.output(0).dtype) || is_activated)
    return false;
  const size_t bytes = size_t(*element_count(node.output_shape())) * size_of(node.output(0).dtype);
  std::fill_n(out, bytes, std::byte{0});
  if (node.input_count() < 3) return true;
  const size_t row = size_t(*element_count(node.shape(2))) * size_of(node.output(0).dtype);
  for (size_t at = 0; at < bytes; at += row) std::copy_n(node.data(2), row, out + at);
  return true;
}

}  // namespace

bool has_empty_tensor(const NodeView& node) {
  for (size_t i = 0; i < node.input_count(); ++i)
    if (is_empty(node.shape(i))) return true;
  for (size_t i = 0; i < node.output_count(); ++i)
    if (is_empty(node.output_shape(i))) return true;
  return false;
}

Result<EmptyNode> compute_empty_node(const NodeView& node, std::span<std::byte* const> out) {
  if (writes_nothing(node)) return EmptyNode::done;
  const std::optional<size_t> input = empty_input(node);
  if (!input || reads_only_parts(node.op())) return EmptyNode::kernel;
  if (fill_output(node, out[0]) || write_without_updates(node, out[0]) || write_biases(node, out[0]))
    return EmptyNode::filled;
  return invalid("The operation needs elements, and ", describe_input(node, *input), " of shape ",
                 to_string(node.shape(*input)), " has none.");
}

}  // namespace nnrt::cpu
