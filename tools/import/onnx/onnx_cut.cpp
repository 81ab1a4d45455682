#include "tools/import/onnx/onnx_cut.h"

#include "core/base/text.h"
#include "tools/import/onnx/onnx_constants.h"
#include "tools/import/onnx/onnx_conversion.h"
#include "tools/import/onnx/onnx_reader.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace nnrt::import {

using namespace onnx;

namespace {

using onnx_file::GraphProto;
using onnx_file::NodeProto;
using onnx_file::ValueInfo;
using Names = std::vector<std::string>;

// Including what bodies read from outside; names within bodies do no harm.
void add_reads(const NodeProto& node, Names& names) {
  for (const std::string& input : node.input())
    if (!input.empty()) names.push_back(input);
  for (const auto& attribute : node.attribute()) {
    if (!attribute.has_g()) continue;
    for (const NodeProto& inner : attribute.g().node()) add_reads(inner, names);
    for (const ValueInfo& output : attribute.g().output()) names.push_back(output.name());
  }
}

class GraphValues {
 public:
  explicit GraphValues(const GraphProto& graph) : graph_(graph) {
    for (const auto& constant : graph.initializer()) constants_.insert(constant.name());
    for (const auto& constant : graph.sparse_initializer()) constants_.insert(constant.values().name());
    for (const ValueInfo& input : graph.input())
      if (!constants_.contains(input.name())) inputs_.insert(input.name());
    for (int i = 0; i < graph.node_size(); ++i)
      for (const std::string& output : graph.node(i).output()) writers_.emplace(output, i);
  }

  bool is_input(const std::string& value) const { return inputs_.contains(value); }
  bool is_constant(const std::string& value) const {
    const int writer = writer_of(value);
    return constants_.contains(value) || (writer >= 0 && graph_.node(writer).op_type() == "Constant");
  }
  // -1: none
  int writer_of(const std::string& value) const {
    const auto found = writers_.find(value);
    return found == writers_.end() ? -1 : found->second;
  }

  // The values themselves, or those of the nodes that have these names.
  Result<Names> named(std::span<const std::string> names, bool as_inputs) const {
    Names values;
    for (const std::string& name : names) {
      if (is_input(name) || is_constant(name) || writer_of(name) >= 0) {
        values.push_back(name);
        continue;
      }
      const auto node =
          std::ranges::find(graph_.node(), name, [](const NodeProto& each) { return each.name(); });
      if (node == graph_.node().end()) return invalid("The model has no value and no node named ", name, ".");
      for (const std::string& value : as_inputs ? node->input() : node->output())
        if (!value.empty() && !(as_inputs && is_constant(value))) values.push_back(value);
    }
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
  }

 private:
  const GraphProto& graph_;
  std::unordered_set<std::string> constants_, inputs_;
  std::unordered_map<std::string, int> writers_;
};

// What is needed to compute values from others.
struct Part {
  std::vector<bool> nodes;                 // by position
  std::unordered_set<std::string> values;  // read or written
};

Part part_of(const GraphProto& graph, const GraphValues& values, const Names& from, const Names& to) {
  Part part{std::vector<bool>(size_t(graph.node_size()), false), {}};
  for (Names open = to; !open.empty();) {
    const std::string value = std::move(open.back());
    open.pop_back();
    const int writer = values.writer_of(value);
    const bool is_new = part.values.insert(value).second;
    if (!is_new || writer < 0 || std::ranges::binary_search(from, value)) continue;
    if (part.nodes[size_t(writer)]) continue;
    part.nodes[size_t(writer)] = true;
    add_reads(graph.node(writer), open);
  }
  return part;
}

// The types and shapes of values: those of a model whose outputs they are.
Result<std::vector<Tensor>> described(onnx_file::ModelProto model, const Names& values,
                                      const std::filesystem::path& folder, const Options& options) {
  model.mutable_graph()->clear_output();
  for (const std::string& value : values) model.mutable_graph()->add_output()->set_name(value);
  const std::string bytes = model.serialize();
  NNRT_ASSIGN(const Network network, read_onnx(std::as_bytes(std::span(bytes)), folder, options));
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < values.size(); ++i) {
    tensors.push_back(network.tensors[network.outputs[i]]);
    tensors.back().name = values[i];
    tensors.back().data = {};
  }
  return tensors;
}

int32_t data_type_of(OH_NN_DataType type) {
  constexpr int32_t kTypes = 32;
  for (int32_t i = 1; i < kTypes; ++i) {
    const auto dtype = dtype_of(i);
    if (dtype.ok() && OH_NN_DataType(dtype.value()) == type) return i;
  }
  return 0;
}

void describe(ValueInfo& info, const Tensor& tensor) {
  info.set_name(tensor.name);
  auto& type = *info.mutable_type()->mutable_tensor_type();
  type.set_elem_type(data_type_of(tensor.type));
  auto& shape = *type.mutable_shape();
  for (const int32_t size : tensor.shape) {
    auto& dimension = *shape.add_dim();
    if (size >= 0) dimension.set_dim_value(size);
  }
}

template <typename List, typename IsNeeded>
void keep(List& list, const IsNeeded& is_needed) {
  List kept;
  for (auto& item : list)
    if (is_needed(item)) kept.add(std::move(item));
  list.swap(kept);
}

void keep(GraphProto& graph, const Part& part, const GraphValues& values, const Names& from) {
  const auto is_needed = [&](const std::string& value) {
    return part.values.contains(value) && !std::ranges::binary_search(from, value);
  };
  keep(*graph.mutable_input(), [&](const ValueInfo& input) {
    return part.values.contains(input.name()) &&
           (values.is_input(input.name()) || !std::ranges::binary_search(from, input.name()));
  });
  keep(*graph.mutable_initializer(), [&](const auto& constant) { return is_needed(constant.name()); });
  keep(*graph.mutable_sparse_initializer(),
       [&](const auto& constant) { return is_needed(constant.values().name()); });
  size_t position = 0;
  keep(*graph.mutable_node(), [&](const NodeProto&) { return part.nodes[position++]; });
}

}  // namespace

Result<OnnxCut> cut_onnx(std::span<const std::byte> file, const std::filesystem::path& folder,
                         const Options& options, std::span<const std::string> from,
                         std::span<const std::string> to) {
  NNRT_ASSIGN(onnx_file::ModelProto model, parse_onnx(file));
  GraphProto& graph = *model.mutable_graph();
  const GraphProto whole = graph;
  const GraphValues values(whole);
  NNRT_ASSIGN(const Names begins, values.named(from, true));
  NNRT_ASSIGN(Names ends, values.named(to, false));
  if (to.empty())
    for (const ValueInfo& output : whole.output()) ends.push_back(output.name());
  const Part part = part_of(whole, values, begins, ends);
  for (const std::string& value : begins)
    if (!part.values.contains(value)) return invalid("The values of --to do not depend on ", value, ".");
  for (const std::string& value : ends)
    if (std::ranges::binary_search(begins, value))
      return invalid("Value ", value, " is named by both --from and --to.");

  Names asked = begins;
  asked.insert(asked.end(), ends.begin(), ends.end());
  NNRT_ASSIGN(const std::vector<Tensor> tensors, described(model, asked, folder, options));
  OnnxCut cut;
  cut.all_nodes = size_t(whole.node_size());
  cut.nodes = size_t(std::ranges::count(part.nodes, true));
  keep(graph, part, values, begins);
  graph.clear_output();
  for (size_t i = 0; i < tensors.size(); ++i) {
    const bool is_input = i < begins.size();
    if (is_input && values.is_input(tensors[i].name)) continue;
    describe(is_input ? *graph.add_input() : *graph.add_output(), tensors[i]);
  }
  TensorData data({folder, options.external_folders, nullptr});
  NNRT_TRY(embed_external_data(graph, data));
  cut.file = model.serialize();
  Options reading;
  for (const auto& [name, shape] : options.input_shapes)
    if (name.empty() || part.values.contains(name)) reading.input_shapes.emplace(name, shape);
  auto network = read_onnx(std::as_bytes(std::span(cut.file)), {}, reading);
  if (!network.ok()) return std::move(network).error().during("reading the part that was cut");
  const auto& read = network.value();
  for (const TensorId id : read.inputs) cut.inputs.push_back(read.tensors[id]);
  for (const TensorId id : read.outputs) cut.outputs.push_back(read.tensors[id]);
  return cut;
}

}  // namespace nnrt::import
