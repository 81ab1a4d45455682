#include "core/passes/check_rewrite.h"

#include "core/base/text.h"
#include "core/graph/data_flow.h"
#include "core/passes/normalize.h"
#include "core/platform/log.h"
#include "core/platform/settings.h"
#include "core/schema/infer.h"
#include "core/schema/rules.h"
#include "core/schema/schema.h"
#include "core/schema/validate.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

namespace nnrt {
namespace {

enum class Checks : uint8_t { off, on, abort };

Checks checks() {
  if (const auto choice = setting_choice(Setting::check_graphs)) return Checks(*choice);
#ifdef NDEBUG
  return Checks::off;
#else
  return Checks::on;
#endif
}

std::string describe(const Graph& graph, TensorId id) {
  return cat("tensor ", id, " (", graph.tensors[id].name, ")");
}

bool same_data(const SharedBytes& a, const SharedBytes& b) {
  if (!a || !b) return !a == !b;
  if (a->data() == b->data() && a->size() == b->size()) return true;
  return std::ranges::equal(*a, *b);
}

// Tensors that are not quantized may have scales that are NaN.
bool same_quant(const Quant& a, const Quant& b) {
  const auto same = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
  return a.zero_points == b.zero_points && std::ranges::equal(a.scales, b.scales, same);
}

// A post-op as a separate node that reads and writes the result.
Node node_of(const Node& fused, const PostOp& post_op) {
  Node node;
  node.op = post_op.op;
  node.inputs = node.outputs = fused.outputs;
  if (post_op.other) node.inputs.push_back(fused.inputs[*post_op.other]);
  if (post_op.swapped) std::swap(node.inputs.front(), node.inputs.back());
  node.attrs = post_op.attrs;
  node.position = fused.position;
  return node;
}

class RewriteCheck {
 public:
  RewriteCheck(const Graph& before, const Graph& after, const RewriteRights& rights)
      : before_(before), after_(after), rights_(rights), values_(constant_values(after)) {
    for (const Node& node : before.nodes) nodes_before_.emplace(key(node), &node);
  }

  Status run(std::string_view pass) {
    if (Status status = check_tensors(); !status.ok())
      return std::move(status).error().during(cat("checking the graph after ", pass));
    if (rights_.dequantized) as_quantized();
    DataFlow flow(graph());
    Status fed = flow.feed(after_.inputs);
    for (const Node& node : after_.nodes) {
      if (!fed.ok()) break;
      if (Status status = check_node(node, flow); !status.ok())
        return std::move(status).error().during(
            cat("checking ", name(node.op), " (operation ", node.position, ") after ", pass));
    }
    Status taken = fed.ok() ? flow.take(written_outputs()) : std::move(fed);
    if (!taken.ok()) return std::move(taken).error().during(cat("checking the graph after ", pass));
    return {};
  }

 private:
  static std::pair<uint32_t, Op> key(const Node& node) { return {node.position, node.op}; }

  // Excludes outputs that no node wrote before either: inputs returned as outputs, or results of an offline
  // model.
  std::vector<TensorId> written_outputs() const {
    std::vector<bool> is_written(before_.tensors.size(), false);
    for (const Node& node : before_.nodes) {
      for (const TensorId id : node.outputs) is_written[id] = true;
    }
    std::vector<TensorId> outputs;
    std::ranges::copy_if(after_.outputs, std::back_inserter(outputs),
                         [&](TensorId id) { return is_written[id]; });
    return outputs;
  }

  // Dequantized tensors follow the rules of quantized ones.
  const Graph& graph() const { return quantized_ ? *quantized_ : after_; }
  bool is_dequantized(TensorId id) const {
    return rights_.dequantized && id < before_.tensors.size() && before_.tensors[id].dtype == DType::i8 &&
           after_.tensors[id].dtype == DType::f32;
  }
  // A conversion inserted by the pass, which gives its readers the original quantized values.
  bool makes_quantized_values(const Node& node) const {
    return node.op == Op::quant_dtype_cast && is_dequantized(node.inputs[0]);
  }
  void as_quantized() {
    quantized_ = after_;
    for (TensorId id = 0; id < before_.tensors.size(); ++id) {
      if (is_dequantized(id)) quantized_->tensors[id].dtype = DType::i8;
    }
  }

  Status check_tensors() const {
    if (after_.tensors.size() < before_.tensors.size() || after_.shapes.size() != after_.tensors.size()) {
      return invalid("There are ", after_.tensors.size(), " tensors with ", after_.shapes.size(),
                     " shapes, and there were ", before_.tensors.size(), " tensors.");
    }
    for (TensorId id = 0; id < before_.tensors.size(); ++id) NNRT_TRY(check_tensor(id));
    if (after_.inputs != before_.inputs) return invalid("The inputs have changed.");
    if (after_.outputs != before_.outputs) return invalid("The outputs have changed.");
    return {};
  }

  Status check_tensor(TensorId id) const {
    const Tensor& before = before_.tensors[id];
    const Tensor& after = after_.tensors[id];
    const auto changed = [&](std::string_view what) {
      return invalid("The ", what, " of ", describe(before_, id), " has changed.");
    };
    if (before.dtype != after.dtype && !is_dequantized(id)) return changed("dtype");
    if (before.format != after.format) return changed("format");
    if (before.shape != after.shape || before_.shapes[id] != after_.shapes[id]) return changed("shape");
    if (!same_quant(before.quant, after.quant)) return changed("quantization");
    if (before.role != after.role) return changed("role");
    const bool same =
        rights_.data ? before.is_constant() == after.is_constant() : same_data(before.data, after.data);
    if (!same) return changed("constant");
    return {};
  }

  Status check_node(const Node& node, DataFlow& flow) const {
    NNRT_TRY(flow.pass(node));
    if (node.diagnosis) return check_diagnosis(node);
    NNRT_TRY(check_rules(node));
    if (!makes_quantized_values(node)) NNRT_TRY(check_before(node));
    if (!rights_.layout || is_normalized(after_, node)) return {};
    return invalid("Its data, ", describe(after_, node.inputs[0]), ", is still NCHW.");
  }

  // A plugin may support invalid nodes, but they must be unchanged.
  Status check_diagnosis(const Node& node) const {
    const auto [first, last] = nodes_before_.equal_range(key(node));
    const bool known = std::any_of(first, last, [&](const auto& entry) {
      const Node& before = *entry.second;
      return before.diagnosis && before.inputs == node.inputs && before.outputs == node.outputs;
    });
    if (known) return {};
    return invalid("It is invalid (", node.diagnosis->message, "), and was valid before.");
  }

  Status check_rules(const Node& node) const {
    if (makes_quantized_values(node)) return check_shapes(node, {shape(node.inputs[0])});
    const size_t own_inputs = node.own_inputs();
    for (const PostOp& post_op : node.post_ops) {
      if (post_op.other && (*post_op.other < own_inputs || *post_op.other >= node.inputs.size()))
        return invalid("A step reads input ", *post_op.other, ", which is not one of its inputs.");
    }
    Node own = node;
    own.post_ops.clear();
    own.inputs.resize(own_inputs);
    NNRT_TRY(check_operation(schema(own.op), graph().tensors, own));
    NNRT_TRY(check_inferred(own));
    for (const PostOp& post_op : node.post_ops) {
      if (post_op.op == Op::quant_dtype_cast) continue;  // rounds floats to quantized values
      if (Status status = check_inferred(node_of(node, post_op)); !status.ok())
        return std::move(status).error().during(cat("checking its step ", name(post_op.op)));
    }
    return {};
  }

  const Shape& shape(TensorId id) const { return after_.shapes[id]; }

  Status check_inferred(const Node& node) const {
    NNRT_ASSIGN(const std::vector<Shape> inferred,
                infer_node(NodeView(graph(), node, after_.shapes, values_)));
    return check_shapes(node, inferred);
  }

  Status check_shapes(const Node& node, const std::vector<Shape>& inferred) const {
    for (size_t i = 0; i < inferred.size(); ++i) {
      if (compatible(shape(node.outputs[i]), inferred[i])) continue;
      return invalid("Its output ", i, ", ", describe(after_, node.outputs[i]), ", has the shape ",
                     to_string(shape(node.outputs[i])), ", and should have ", to_string(inferred[i]), ".");
    }
    return {};
  }

  // Compares with the original node, if there is one. (Transposes added by normalize() have the position of
  // the node that needs them, so there may be several candidates.)
  Status check_before(const Node& node) const {
    const auto [first, last] = nodes_before_.equal_range(key(node));
    Status status;
    for (auto entry = first; entry != last; ++entry) {
      status = check_same(*entry->second, node);
      if (status.ok()) return status;
    }
    return status;
  }

  Status check_same(const Node& before, const Node& after) const {
    if (schema(after.op).layout_dependent) {
      const Format was = before_.format_of(before), is = after_.format_of(after);
      const bool is_allowed = rights_.layout && was == Format::nchw && is == Format::nhwc;
      if (was != is && !is_allowed) {
        return invalid("Its data, ", describe(after_, after.inputs[0]), ", is read as ", name(is),
                       ", and was read as ", name(was), " from ", describe(before_, before.inputs[0]), ".");
      }
    }
    const size_t inputs = std::min(before.own_inputs(), after.own_inputs());
    for (size_t i = 0; i < inputs; ++i) NNRT_TRY(check_same_values(after, before.inputs[i], after.inputs[i]));
    const size_t outputs = std::min(before.outputs.size(), after.outputs.size());
    for (size_t i = 0; i < outputs; ++i)
      NNRT_TRY(check_same_values(after, before.outputs[i], after.outputs[i]));
    return {};
  }

  Status check_same_values(const Node& node, TensorId was, TensorId is) const {
    const Tensor& before = before_.tensors[was];
    const Tensor& after = graph().tensors[is];
    const bool halved = rights_.fp16 && before.dtype == DType::f32 && after.dtype == DType::f16;
    const bool widened = rights_.widened && before.dtype == DType::f16 && after.dtype == DType::f32;
    // Index constants are recreated, with either integer dtype.
    const bool reported = before.is_constant() && after.is_constant() && kIndex.contains(before.dtype) &&
                          kIndex.contains(after.dtype);
    if (before.dtype != after.dtype && !halved && !widened && !reported) {
      return invalid("It has ", describe(after_, is), " of ", name(after.dtype), " where ",
                     describe(before_, was), " of ", name(before.dtype), " was.");
    }
    const OpSchema& row = schema(node.op);
    if (before.quant == after.quant ||
        !(has_quantized_values(row, before) || has_quantized_values(row, after)))
      return {};
    return invalid("It has ", describe(after_, is), " where ", describe(before_, was),
                   " of another quantization was.");
  }

  const Graph& before_;
  const Graph& after_;
  const RewriteRights rights_;
  const std::vector<const std::byte*> values_;
  std::multimap<std::pair<uint32_t, Op>, const Node*> nodes_before_;
  std::optional<Graph> quantized_;
};

}  // namespace

Status find_fault(std::string_view pass, const Graph& before, const Graph& after,
                  const RewriteRights& rights) {
  Status status = RewriteCheck(before, after, rights).run(pass);
  if (status.ok()) return status;
  return Error{Code::failed, std::move(status).error().message};
}

Status check_rewrite(std::string_view pass, const Graph& before, const Graph& after,
                     const RewriteRights& rights) {
  const Checks wanted = checks();
  if (wanted == Checks::off) return {};
  Status status = find_fault(pass, before, after, rights);
  if (!status.ok() && wanted == Checks::abort) {
    log(LogLevel::error, status.error().message);
    std::abort();
  }
  return status;
}

}  // namespace nnrt
