#include "tools/import/onnx/quantizer/constant_nodes.h"

#include "core/base/bytes.h"
#include "tools/import/onnx/onnx_attributes.h"
#include "tools/import/onnx/onnx_constants.h"
#include "tools/import/onnx/quantizer/prepared_graph.h"

#include <algorithm>
#include <cstring>

namespace nnrt::import::onnx {
namespace {

using onnx_file::GraphProto;
using onnx_file::NodeProto;
using onnx_file::TensorProto;

class ConstantNodes {
 public:
  explicit ConstantNodes(GraphProto& graph) : graph_(graph) {
    for (const TensorProto& tensor : graph.initializer()) aliases_.emplace(tensor.name(), tensor.name());
    for (int i = 0; i < graph.initializer_size(); ++i) positions_.emplace(graph.initializer(i).name(), i);
  }

  void run() {
    onnx_file::Messages<NodeProto> others;
    for (NodeProto& node : *graph_.mutable_node()) {
      for (std::string& input : *node.mutable_input()) {
        if (const auto found = aliases_.find(input); found != aliases_.end()) input = found->second;
      }
      // Identity nodes stay, since model outputs and bodies may read them; without readers they are dropped
      // later.
      const bool is_constant = node.output_size() == 1 && add_constant(node);
      if (!is_constant) others.add(std::move(node));
    }
    graph_.mutable_node()->swap(others);
  }

 private:
  const TensorProto* constant(const NodeProto& node, int i) const {
    if (i >= node.input_size()) return nullptr;
    const auto found = positions_.find(node.input(i));
    return found == positions_.end() ? nullptr : &graph_.initializer(found->second);
  }

  void add(TensorProto tensor, const std::string& name) {
    tensor.set_name(name);
    positions_.emplace(name, graph_.initializer_size());
    aliases_.emplace(name, name);
    *graph_.add_initializer() = std::move(tensor);
  }

  // Returns whether the node is no longer needed.
  bool add_constant(const NodeProto& node) {
    if (!node.domain().empty()) return false;
    const std::string& type = node.op_type();
    if (type == "Constant") {
      const TensorProto* const value = Attributes(node).tensor("value");
      if (value == nullptr) return false;
      add(*value, node.output(0));
      return true;
    }
    const TensorProto* const source = constant(node, 0);
    if (source == nullptr) return false;
    if (type == "Identity") {
      aliases_.emplace(node.output(0), source->name());
      return false;
    }
    if (type == "Reshape") return add_reshaped(node, *source);
    return type == "Transpose" && add_transposed(node, *source);
  }

  bool add_reshaped(const NodeProto& node, const TensorProto& source) {
    const TensorProto* const target = constant(node, 1);
    if (target == nullptr || target->data_type() != kInt64Type) return false;
    const auto read = read_constant(*target);
    if (!read.ok()) return false;
    std::vector<int64_t> shape(read.value().data->size() / sizeof(int64_t));
    std::memcpy(shape.data(), read.value().data->data(), shape.size() * sizeof(int64_t));
    if (!resolve(shape, source)) return false;
    TensorProto made = source;
    made.clear_dims();
    for (const int64_t length : shape) made.add_dims(length);
    add(std::move(made), node.output(0));
    return true;
  }

  // Resolves 0 (copy from the source) and -1 (inferred).
  static bool resolve(std::vector<int64_t>& shape, const TensorProto& source) {
    int64_t count = 1, known = 1;
    for (const int64_t length : source.dims()) count *= length;
    for (size_t d = 0; d < shape.size(); ++d) {
      if (shape[d] == 0 && d < static_cast<size_t>(source.dims_size()))
        shape[d] = source.dims(static_cast<int>(d));
      if (shape[d] > 0) known *= shape[d];
    }
    for (int64_t& length : shape) {
      if (length < 0 && known > 0) length = count / known;
    }
    int64_t made = 1;
    for (const int64_t length : shape) made *= length;
    return count > 0 && made == count;
  }

  // A FLOAT32 matrix.
  bool add_transposed(const NodeProto& node, const TensorProto& source) {
    const std::vector<int64_t> order = Attributes(node).integers("perm");
    if (source.data_type() != kFloat32Type || source.dims_size() != 2 ||
        !(order.empty() || order == std::vector<int64_t>{1, 0}))
      return false;
    const auto read = read_constant(source);
    if (!read.ok()) return false;
    const auto rows = static_cast<size_t>(source.dims(0)), columns = static_cast<size_t>(source.dims(1));
    std::vector<float> from(rows * columns), to(from.size());
    std::memcpy(from.data(), read.value().data->data(), from.size() * sizeof(float));
    for (size_t i = 0; i < from.size(); ++i) to[i % columns * rows + i / columns] = from[i];
    TensorProto made;
    made.add_dims(source.dims(1));
    made.add_dims(source.dims(0));
    set_floats(made, to);
    add(std::move(made), node.output(0));
    return true;
  }

  GraphProto& graph_;
  std::unordered_map<std::string, std::string> aliases_;  // initializer name by the names of its copies
  std::unordered_map<std::string, int> positions_;
};

void add_reads(const onnx_file::GraphProto& graph, std::unordered_set<std::string>& read) {
  for (const auto& output : graph.output()) read.insert(output.name());
  for (const NodeProto& node : graph.node()) {
    read.insert(node.input().begin(), node.input().end());
    for (const auto& attribute : node.attribute()) {
      if (attribute.has_g()) add_reads(attribute.g(), read);
    }
  }
}

}  // namespace

void gather_constants(GraphProto& graph) {
  ConstantNodes(graph).run();
  std::unordered_set<std::string> names;
  for (const TensorProto& tensor : graph.initializer()) names.insert(tensor.name());
  auto& inputs = *graph.mutable_input();
  inputs.erase(std::remove_if(inputs.begin(), inputs.end(),
                              [&](const auto& input) { return names.contains(input.name()); }),
               inputs.end());
}

void remove_unread_constants(GraphProto& graph) {
  std::unordered_set<std::string> read;
  add_reads(graph, read);
  auto& constants = *graph.mutable_initializer();
  constants.erase(std::remove_if(constants.begin(), constants.end(),
                                 [&](const TensorProto& tensor) { return !read.contains(tensor.name()); }),
                  constants.end());
}

}  // namespace nnrt::import::onnx
