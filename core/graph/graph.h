// A model as the runtime sees it: tensors, and nodes in an order in which they can run.
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

// The numbers are those of OH_NN_Format.
enum class Format : uint8_t { none, nchw, nhwc, nd };

std::string_view name(Format format);  // "NHWC"

// Nothing where a dimension is unknown or the number does not fit in 63 bits.
std::optional<size_t> byte_size(DType dtype, const Shape& shape);

// float = scale * (value - zero_point); one entry for the tensor or one for each channel. Always 8 bits.
struct Quant {
  std::vector<double> scales;
  std::vector<int32_t> zero_points;
  // The operation that writes the tensor rounds so (R12); what values mean does not depend on it.
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
  Shape shape;  // as declared; Graph::shapes has what inference made of it
  Quant quant;
  int role = 0;      // 0: data; otherwise the OH_NN_TensorType of the parameter it is
  SharedBytes data;  // set for a constant

  bool is_constant() const { return data != nullptr; }
};

// An elementwise operator that is computed on a node's result before that is stored. Only fuse()
// (core/passes/fuse.h) makes them, for the device that asked for them: graphs of clients, caches and
// partitions have none.
struct PostOp {
  Op op{};
  Attrs attrs;                    // without an activation: that is a step of its own
  std::optional<uint32_t> other;  // index in Node::inputs of the second operand, if the operator has two
  bool swapped = false;           // `other` is the first operand: other - result

  bool operator==(const PostOp&) const = default;
};

struct Node {
  Op op{};
  std::vector<TensorId>
      inputs;  // optional inputs that are absent are simply not there: they are always the last
  std::vector<TensorId> outputs;
  Attrs attrs;
  uint32_t position = 0;  // among the AddOperation calls of the client
  // Says why this node makes no sense in dtypes, shapes or values, if so. Our devices refuse it; a plugin is
  // asked.
  std::optional<Error> diagnosis;
  // In the order in which they are computed. The operands of post-ops stand in `inputs` behind the operator's
  // own; `outputs` has the result of the last post-op.
  std::vector<PostOp> post_ops = {};
  // The format in which the node reads its data, input 0, and writes its outputs, whatever those tensors say:
  // where a node in between went, it may read a tensor of another format, as bytes that mean what it read
  // before. Only simplify() (core/passes/simplify.h) sets this, for the device that asked for it, on every
  // node that depends on the layout: graphs of clients, caches and partitions have none, and their tensors
  // say it.
  std::optional<Format> format = {};
  // The other operations of the client that the node computes as well, by their positions in ascending order.
  // Only rewrites for a device set this, so that reports can name what a kernel computes.
  std::vector<uint32_t> fused_positions = {};

  // `gone` is a part of this node from now on.
  void absorb(const Node& gone);
  // Returns how many of `inputs` are the operator's.
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
  std::vector<Shape> shapes;  // for each tensor: declared, sharpened by inference; -1 if known only in a run

  // Returns the format in which the node reads its data.
  Format format_of(const Node& node) const { return node.format.value_or(tensors[node.inputs[0]].format); }
};

using GraphPtr = std::shared_ptr<const Graph>;

}  // namespace nnrt
