// A model inside the runtime: tensors, and nodes in execution order.
#pragma once

#include "core/base/bytes.h"
#include "core/base/dtype.h"
#include "core/base/result.h"
#include "core/base/shape.h"
#include "core/graph/attrs.h"
#include "core/graph/op.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nnrt {

using TensorId = uint32_t;
using NodeId = uint32_t;  // index in Graph::nodes

// Values as in OH_NN_Format.
enum class Format : uint8_t { none, nchw, nhwc, nd };

std::string_view name(Format format);  // "NHWC"

// Empty if a dimension is unknown or the size overflows 63 bits.
std::optional<size_t> byte_size(DType dtype, const Shape& shape);

// float = scale * (value - zero_point); one entry per tensor or one per channel. Always 8 bits.
struct Quant {
  std::vector<double> scales;
  std::vector<int32_t> zero_points;
  // Rounding mode of the operation that writes the tensor (R12); does not affect the meaning of values.
  bool ties_to_even = false;

  bool empty() const { return scales.empty(); }
  bool operator==(const Quant& other) const {
    return scales == other.scales && zero_points == other.zero_points;
  }
};

struct Tensor {
  std::string name;
  DType dtype = DType::unknown;
  Format format = Format::none;
  Shape shape;  // as declared; Graph::shapes has the inferred ones
  Quant quant;
  int role = 0;      // 0: data; otherwise the OH_NN_TensorType of a parameter
  SharedBytes data;  // set for a constant

  bool is_constant() const { return data != nullptr; }
};

// An elementwise operator fused into a node, applied before the result is stored. Created only by fuse()
// (core/passes/fuse.h) for the device that requested it; graphs of clients, caches and partitions have none.
struct PostOp {
  Op op{};
  Attrs attrs;                    // without an activation, which is a post-op of its own
  std::optional<uint32_t> other;  // index in Node::inputs of the second operand, if any
  bool swapped = false;           // true: other - result

  bool operator==(const PostOp&) const = default;
};

struct Node {
  Op op{};
  std::vector<TensorId> inputs;  // absent optional inputs are omitted; they are always the last
  std::vector<TensorId> outputs;
  Attrs attrs;
  uint32_t position = 0;  // index among the client's AddOperation calls
  // The reason why the node's dtypes, shapes or values are invalid, if they are. Built-in devices refuse such
  // a node; plugins are queried.
  std::optional<Error> diagnosis;
  // In order of execution. Their operands follow the operator's own in `inputs`; `outputs` holds the result
  // of the last post-op.
  std::vector<PostOp> post_ops = {};
  // The format in which the node reads input 0 and writes its outputs, overriding the tensors' formats: if a
  // node in between was removed, the input tensor may have another format with the same bytes. Set only by
  // simplify() (core/passes/simplify.h), for the device that requested it, on every layout-dependent node;
  // graphs of clients, caches and partitions rely on the tensors.
  std::optional<Format> format = {};
  // Positions of the client's other operations computed by this node, ascending. Set only by device-specific
  // rewrites, for reports.
  std::vector<uint32_t> fused_positions = {};

  // Records that this node now also computes `gone`.
  void absorb(const Node& gone);
  // Number of `inputs` used by the operator itself.
  size_t own_inputs() const {
    size_t count = inputs.size();
    for (const PostOp& post_op : post_ops) count -= post_op.other ? 1 : 0;
    return count;
  }
};

// Immutable once it is a GraphPtr.
struct Graph {
  std::vector<Tensor> tensors;
  std::vector<Node> nodes;  // topological
  std::vector<TensorId> inputs;
  std::vector<TensorId> outputs;
  std::vector<Shape> shapes;  // per tensor: declared, refined by inference; -1 if only known at run time

  // The format in which the node reads its data.
  Format format_of(const Node& node) const { return node.format.value_or(tensors[node.inputs[0]].format); }
};

using GraphPtr = std::shared_ptr<const Graph>;

}  // namespace nnrt
