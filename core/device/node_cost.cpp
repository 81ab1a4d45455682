#include "core/device/node_cost.h"

#include "core/schema/schema.h"

#include <algorithm>
#include <limits>

namespace nnrt {
namespace {

class Counter {
 public:
  Counter(const Graph& graph, const Node& node, std::span<const Shape> shapes)
      : graph_(graph), node_(node), shapes_(shapes) {}

  std::optional<uint64_t> bytes() const;
  uint64_t flops() const;  // of the operator alone
  uint64_t post_ops() const { return node_.post_ops.size() * output_count(); }

 private:
  const Shape& shape(TensorId id) const { return shapes_[id]; }
  uint64_t count(TensorId id) const { return static_cast<uint64_t>(element_count(shape(id)).value_or(0)); }
  uint64_t input_count(size_t i) const { return i < node_.inputs.size() ? count(node_.inputs[i]) : 0; }
  uint64_t output_count() const { return count(node_.outputs[0]); }
  static uint64_t last(const Shape& shape) {
    return shape.empty() ? 1 : std::max<uint64_t>(static_cast<uint64_t>(shape.back()), 1);
  }
  std::optional<uint64_t> bytes_of(std::span<const TensorId> tensors, size_t most) const;
  uint64_t products() const;
  uint64_t spatial() const;
  uint64_t samples() const;

  const Graph& graph_;
  const Node& node_;
  const std::span<const Shape> shapes_;
};

// Whether the node reads only a part of a tensor, as large as what it writes, such as a few rows of a table.
bool reads_a_part(Op op) {
  switch (op) {
    case Op::gather:
    case Op::gather_nd:
    case Op::gather_elements:
    case Op::slice:
    case Op::strided_slice:
    case Op::crop:
    case Op::shape:
    case Op::rank: return true;
    default: return false;
  }
}

// At most `most` of each tensor.
std::optional<uint64_t> Counter::bytes_of(std::span<const TensorId> tensors, size_t most) const {
  uint64_t sum = 0;
  for (const TensorId id : tensors) {
    const auto bytes = byte_size(graph_.tensors[id].dtype, shape(id));
    if (!bytes) return std::nullopt;
    sum += std::min(*bytes, most);
  }
  return sum;
}

std::optional<uint64_t> Counter::bytes() const {
  constexpr auto kAll = std::numeric_limits<size_t>::max();
  const auto written = bytes_of(node_.outputs, kAll);
  if (!written) return std::nullopt;
  const auto read = bytes_of(node_.inputs, reads_a_part(node_.op) ? *written : kAll);
  return read ? std::optional(*read + *written) : std::nullopt;
}

// Multiply-adds of the linear operators.
uint64_t Counter::products() const {
  const Shape& x = shape(node_.inputs[0]);
  const Shape& y = shape(node_.outputs[0]);
  switch (node_.op) {
    case Op::matmul: {
      const bool transposed = node_.attrs.has(Attr::transpose_a) && node_.attrs.flag(Attr::transpose_a);
      const size_t back = transposed ? 2 : 1;
      return x.size() < back ? 0 : output_count() * static_cast<uint64_t>(x[x.size() - back]);
    }
    // Every input element is multiplied with all weights of its channel.
    case Op::conv2d_transpose: return input_count(0) * (input_count(1) / last(x));
    // Every output element is multiplied with all weights of its channel, which may not be the last
    // dimension.
    case Op::conv3d: return output_count() * product(shape(node_.inputs[1]), 1, 5);
    case Op::lstm:
    case Op::gru:
    case Op::rnn: return x.size() < 2 ? 0 : product(x, 0, 2) * (input_count(1) + input_count(2));
    // Four gates, each with input and recurrent weights.
    case Op::quantized_16bit_lstm:
    case Op::quantized_lstm: return x.empty() ? 0 : 4 * uint64_t(x[0]) * (input_count(2) + input_count(6));
    case Op::rotary_embedding: return output_count();
    // Every query and every row of the output meets all keys.
    case Op::attention: return (input_count(0) + output_count()) * product(shape(node_.inputs[1]), 2, 3);
    case Op::matmul_nbits: return output_count() * last(x);
    // Every output element is multiplied with all weights of its channel.
    case Op::conv2d:
    case Op::depthwise_conv2d_native:
    case Op::full_connection: return output_count() * (input_count(1) / last(y));
    default: return 0;
  }
}

// Input elements read by a pooling operator per output element.
uint64_t Counter::spatial() const {
  const Shape& x = shape(node_.inputs[0]);
  const bool is_global = node_.attrs.has(Attr::global) && node_.attrs.flag(Attr::global);
  if (is_global || !node_.attrs.has(Attr::kernel)) return x.size() == 4 ? product(x, 1, 3) : 1;
  uint64_t taps = 1;
  for (const int64_t size : node_.attrs.integers(Attr::kernel)) taps *= static_cast<uint64_t>(size);
  return std::min(taps, input_count(0));  // a pooling window may extend far beyond the input
}

// Input elements read per output element by resampling operators.
uint64_t Counter::samples() const {
  constexpr uint64_t kLinear = 4, kCubic = 16;
  switch (node_.op) {
    case Op::resize_bilinear:
    case Op::roi_pooling:
    case Op::roi_align: return kLinear * output_count();
    case Op::resize:
    case Op::grid_sample: return (node_.attrs.integer(Attr::mode) == 2 ? kCubic : kLinear) * output_count();
    case Op::col2im: return input_count(0);
    default: return output_count() * spatial();
  }
}

uint64_t Counter::flops() const {
  switch (schema(node_.op).family) {
    case Family::gemm_conv: return 2 * products();
    case Family::pooling: return samples();
    case Family::reduce:
    case Family::norm: return input_count(0);
    case Family::unary:
    case Family::binary:
    case Family::affine:
    case Family::cast: return output_count();
    case Family::data_movement:
    case Family::index:
    case Family::creation:
    case Family::special: break;
  }
  return 0;
}

}  // namespace

std::optional<Cost> cost_of(const Graph& graph, const Node& node, std::span<const Shape> shapes) {
  const Counter counter(graph, node, shapes);
  const auto bytes = counter.bytes();
  if (!bytes) return std::nullopt;
  return Cost{counter.flops() + counter.post_ops(), *bytes};
}

}  // namespace nnrt
