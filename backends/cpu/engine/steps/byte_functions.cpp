#include "backends/cpu/engine/steps/step_passes.h"
#include "backends/cpu/engine/steps/tensor_uses.h"
#include "core/schema/schema.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace nnrt::cpu {
namespace {

constexpr int64_t kCodes = 256;

bool is_byte(const Tensor& tensor) { return tensor.dtype == DType::i8 || tensor.dtype == DType::u8; }

class ByteFunctions {
 public:
  ByteFunctions(Program& program, ThreadPool& pool)
      : program_(program),
        graph_(*program.graph),
        pool_(pool),
        uses_(*program.graph),
        functions_(graph_.tensors.size()) {
    for (size_t code = 0; code < codes_.size(); ++code) codes_[code] = std::byte(code);
  }

  void run() {
    for (NodeId id = 0; id < graph_.nodes.size(); ++id) {
      std::optional<TensorId> source = source_of(id, false);
      if (!source) source = source_of(id, true);
      if (source) evaluate(id, *source);
    }
    for (NodeId id = NodeId(graph_.nodes.size()); id-- > 0;) apply(id);
  }

 private:
  // The values of a tensor for each byte of `source`, in order.
  struct Function {
    TensorId source;
    Bytes values;
  };

  bool reads_only(TensorId tensor, NodeId reader) const {
    return uses_.are_readers(tensor, [&](NodeId id) { return id == reader; });
  }

  // The tensor of bytes that determines an operand's values: a stored operand determines its own, unless
  // `through` asks for its source.
  std::optional<TensorId> source_of(TensorId operand, NodeId reader, bool through) const {
    const bool is_stored = is_byte(graph_.tensors[operand]) && !reads_only(operand, reader);
    if (functions_[operand] && (through || !is_stored)) return functions_[operand]->source;
    return is_byte(graph_.tensors[operand]) ? std::optional(operand) : std::nullopt;
  }

  // The only tensor that the node's result depends on, elementwise.
  std::optional<TensorId> source_of(NodeId id, bool through) const {
    const Node& node = graph_.nodes[id];
    const OpSchema& row = schema(node.op);
    if (!row.is_elementwise() || row.layout_dependent || node.outputs.size() != 1) return {};
    if (graph_.tensors[node.outputs[0]].quant.scales.size() > 1) return {};
    std::optional<TensorId> source;
    for (const TensorId input : node.inputs) {
      const Tensor& tensor = graph_.tensors[input];
      if (tensor.quant.scales.size() > 1) return {};
      if (tensor.is_constant() && element_count(graph_.shapes[input]) == 1) continue;
      const std::optional<TensorId> found =
          tensor.is_constant() ? std::nullopt : source_of(input, id, through);
      if (!found || (source && *source != *found)) return {};
      source = found;
    }
    return source;
  }

  // Runs the node on all codes.
  void evaluate(NodeId id, TensorId source) {
    const Node& node = graph_.nodes[id];
    const TensorId output = node.outputs[0];
    std::vector<Shape> shapes = graph_.shapes;
    std::vector<const std::byte*> values = program_.constants, in;
    for (const TensorId input : node.inputs) {
      if (!graph_.tensors[input].is_constant()) {
        shapes[input] = {kCodes};
        values[input] = input == source ? codes_.data() : functions_[input]->values.data();
      }
      in.push_back(values[input]);
    }
    shapes[output] = {kCodes};
    Function function{source, Bytes(size_t(kCodes) * size_of(graph_.tensors[output].dtype))};
    std::byte* const out[] = {function.values.data()};
    Scratch scratch(pool_.threads());
    const NodeView view(graph_, node, shapes, values);
    if (!kernel(node.op)({view, in, out, pool_, nullptr, &scratch, false, &program_.kernels}).ok()) return;
    for (const PostOpNode& step : program_.steps[id].post_ops) {
      const NodeView post_op(graph_, step.node, shapes, values);
      if (!run_post_op(step, post_op, in, out[0], pool_).ok()) return;
    }
    functions_[output] = std::move(function);
  }

  // Readers come before the node.
  void apply(NodeId id) {
    Program::Step& step = program_.steps[id];
    const TensorId output = graph_.nodes[id].outputs[0];
    const std::optional<Function>& function = functions_[output];
    if (!function || step.is<Program::View>()) return;
    const bool is_unread = !uses_.readers[output].empty() && uses_.are_readers(output, [&](NodeId reader) {
      const std::optional<Function>& next = functions_[graph_.nodes[reader].outputs[0]];
      const Program::Step& reading = program_.steps[reader];
      return next && next->source != output &&
             (reading.is<Program::Table>() || reading.is<Program::Folded>());
    });
    if (is_unread) {
      const NodeId reader = uses_.readers[output].front();
      const auto* const folded = std::get_if<Program::Folded>(&program_.steps[reader].method);
      step.method = Program::Folded{folded != nullptr ? folded->into : reader};
    } else if (is_byte(graph_.tensors[output])) {
      Program::Table table{function->source, {}};
      std::memcpy(table.values.data(), function->values.data(), table.values.size());
      step.method = table;
    }
  }

  Program& program_;
  const Graph& graph_;
  ThreadPool& pool_;
  const TensorUses uses_;
  std::vector<std::optional<Function>> functions_;  // by tensor
  std::array<std::byte, size_t(kCodes)> codes_{};
};

}  // namespace

void find_byte_functions(Program& program, ThreadPool& pool) { ByteFunctions(program, pool).run(); }

}  // namespace nnrt::cpu
