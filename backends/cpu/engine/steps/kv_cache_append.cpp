#include "backends/cpu/engine/steps/step_passes.h"
#include "backends/cpu/engine/steps/tensor_uses.h"

#include <algorithm>

namespace nnrt::cpu {
namespace {

class CacheAppends {
 public:
  explicit CacheAppends(Program& program)
      : program_(program), graph_(*program.graph), uses_(*program.graph) {}

  void run() {
    for (NodeId id = 0; id < graph_.nodes.size(); ++id) {
      if (!joins_rows(id)) continue;
      const std::optional<Reader> reader = reader_of(graph_.nodes[id].outputs[0]);
      if (!reader || program_.deferred[reader->node]) continue;
      Program::Step& attention = program_.steps[reader->node];
      if (attention.is<Program::OwnKernel>()) attention.method = Program::CacheAppends{};
      std::get<Program::CacheAppends>(attention.method).concats[reader->input - 1] = id;
      program_.steps[id].method = Program::Appended{reader->node};
    }
  }

 private:
  struct Reader {
    NodeId node;
    size_t input;
  };

  bool is_plain(TensorId id, DType dtype) const {
    return graph_.tensors[id].dtype == dtype && graph_.tensors[id].quant.empty();
  }

  // Returns whether the node concatenates two tensors of floats along the last dimension but one.
  bool joins_rows(NodeId id) const {
    const Node& node = graph_.nodes[id];
    if (node.op != Op::concat || node.inputs.size() != 2 || !node.post_ops.empty() || !program_.is_alone(id))
      return false;
    const DType dtype = graph_.tensors[node.outputs[0]].dtype;
    const auto rank = int64_t(graph_.shapes[node.outputs[0]].size());
    const int64_t axis = node.attrs.integer(Attr::axis);
    if (rank < 3 || (axis != rank - 2 && axis != -2)) return false;
    if (dtype != DType::f32 && dtype != DType::f16) return false;
    return is_plain(node.outputs[0], dtype) && is_plain(node.inputs[0], dtype) &&
           is_plain(node.inputs[1], dtype);
  }

  // The ATTENTION whose keys or values this tensor is, directly or in another shape, if nothing else reads
  // it.
  std::optional<Reader> reader_of(TensorId tensor) const {
    const std::vector<NodeId>& readers = uses_.readers[tensor];
    if (readers.size() != 1) return {};
    const Node& node = graph_.nodes[readers[0]];
    if (program_.steps[readers[0]].is<Program::View>()) return reader_of(node.outputs[0]);
    if (node.op != Op::attention) return {};
    for (const size_t input : {1, 2})
      if (node.inputs[input] == tensor) return Reader{readers[0], input};
    return {};
  }

  Program& program_;
  const Graph& graph_;
  const TensorUses uses_;
};

}  // namespace

void find_cache_appends(Program& program, ThreadPool&) { CacheAppends(program).run(); }

AppendedInputs appended_inputs(const Program& program, const RunContext& context, const Program::Step& step,
                               const NodeView& view) {
  AppendedInputs inputs;
  const auto* const caches = std::get_if<Program::CacheAppends>(&step.method);
  if (caches == nullptr || !can_append_and_attend(view)) return {};
  for (size_t i = 0; i < caches->concats.size(); ++i) {
    if (caches->concats[i] == kNowhere) continue;
    const Node& concat = program.graph->nodes[caches->concats[i]];
    const Shape &first = context.shapes[concat.inputs[0]], &whole = context.shapes[concat.outputs[0]];
    const Shape& read = view.shape(1 + i);
    const size_t rows = whole.size() - 2;
    if (whole[rows] != read[2] || whole[rows + 1] != read[3]) return {};  // reshaped to other rows
    inputs[i] = {context.values[concat.inputs[0]], context.values[concat.inputs[1]], first[rows],
                 const_cast<std::byte*>(context.values[concat.outputs[0]])};
  }
  return inputs;
}

}  // namespace nnrt::cpu
