#include "tools/plugins/onnxruntime/run/group_import.h"

#include "core/base/text.h"
#include "tools/plugins/base/supported_operations.h"

#include <algorithm>
#include <array>

namespace nnrt::ep {
namespace {

struct Type {
  OH_NN_DataType type;
  int32_t onnx;
};
constexpr std::array<Type, 12> kTypes{{{OH_NN_FLOAT32, 1},
                                       {OH_NN_UINT8, 2},
                                       {OH_NN_INT8, 3},
                                       {OH_NN_UINT16, 4},
                                       {OH_NN_INT16, 5},
                                       {OH_NN_INT32, 6},
                                       {OH_NN_INT64, 7},
                                       {OH_NN_BOOL, 9},
                                       {OH_NN_FLOAT16, 10},
                                       {OH_NN_FLOAT64, 11},
                                       {OH_NN_UINT32, 12},
                                       {OH_NN_UINT64, 13}}};

int32_t declared_type(const HostGraph& graph, const std::string& name) {
  const auto found = graph.values.find(name);
  return found == graph.values.end() ? 0 : found->second.info.type().tensor_type().elem_type();
}

// Puts the tensors in the order of the names. Fails if one is missing, or has another type than in the
// framework.
Status order(const HostGraph& graph, const Network& network, const std::vector<std::string>& names,
             std::vector<import::TensorId>& ids) {
  std::vector<import::TensorId> ordered;
  for (const std::string& name : names) {
    const auto found =
        std::ranges::find(ids, name, [&](import::TensorId id) { return network.tensors[id].name; });
    if (found == ids.end()) return Error{Code::unsupported, cat("The value ", name, " is not a tensor.")};
    const import::Tensor& tensor = network.tensors[*found];
    const int32_t declared = declared_type(graph, name);
    if (onnx_type(tensor.type) != declared)
      return Error{Code::unsupported,
                   cat("The value ", name, " has the type ", declared, ", which OH_NN lacks.")};
    ordered.push_back(*found);
  }
  ids = std::move(ordered);
  return {};
}

// The framework reports values of unknown rank as scalars.
Status check_ranks(const HostGraph& graph, const Boundary& boundary) {
  for (const std::string& name : boundary.inputs) {
    if (graph.values.at(name).may_have_rank)
      return Error{Code::unsupported, cat("The rank of the value ", name, " is not known.")};
  }
  return {};
}

// Nodes of the group whose bodies read values that no node of the group takes as an input: the framework does
// not pass those to a fused node.
std::vector<int> with_hidden_reads(const HostGraph& graph, const Group& group) {
  std::set<std::string> known;
  for (const int position : group) {
    const auto& proto = graph.nodes[static_cast<size_t>(position)].proto;
    known.insert(proto.input().begin(), proto.input().end());
    known.insert(proto.output().begin(), proto.output().end());
  }
  std::vector<int> found;
  for (size_t i = 0; i < group.size(); ++i) {
    const auto& reads = graph.nodes[static_cast<size_t>(group[i])].outer_reads;
    const bool is_hidden = std::ranges::any_of(reads, [&](const std::string& name) {
      return !known.contains(name) && !graph.values.at(name).is_constant;
    });
    if (is_hidden) found.push_back(static_cast<int>(i));
  }
  return found;
}

void set_inferred_shapes(HostGraph& graph, const Network& network) {
  for (const import::Tensor& tensor : network.tensors) {
    const auto found = graph.values.find(tensor.name);
    if (found == graph.values.end() || !found->second.may_have_rank) continue;
    auto& shape = *found->second.info.mutable_type()->mutable_tensor_type()->mutable_shape();
    shape.clear_dim();
    for (const int32_t length : tensor.shape) {
      auto& dimension = *shape.add_dim();
      if (length >= 0) dimension.set_dim_value(length);
    }
    found->second.may_have_rank = false;
    found->second.is_inferred = true;
  }
}

std::vector<int> declined_by(const Network& network, const std::vector<bool>& supported) {
  std::set<int> nodes;
  for (size_t i = 0; i < std::min(supported.size(), network.operations.size()); ++i) {
    const auto& layer = network.operations[i].layer;
    if (!supported[i] && layer) nodes.insert(network.layers[*layer].node);
  }
  nodes.erase(-1);
  return {nodes.begin(), nodes.end()};
}

}  // namespace

int32_t onnx_type(OH_NN_DataType type) {
  const auto* const found = std::ranges::find(kTypes, type, &Type::type);
  return found == kTypes.end() ? 0 : found->onnx;
}

Result<Network> import_group(const HostGraph& graph, const Group& group, const Boundary& boundary,
                             import::Constants constants, int& failed) {
  failed = -1;
  NNRT_TRY(check_ranks(graph, boundary));
  NNRT_ASSIGN(Network network, import::read_onnx(model_of(graph, group, boundary), constants, failed));
  NNRT_TRY(order(graph, network, boundary.inputs, network.inputs));
  NNRT_TRY(order(graph, network, boundary.outputs, network.outputs));
  return network;
}

GroupSupport ask_device(HostGraph& graph, const Group& group, const plugins::PluginDevice& device,
                        const plugins::PluginOptions& options) {
  if (auto hidden = with_hidden_reads(graph, group); !hidden.empty())
    return {false, std::move(hidden), "Its body reads values that ONNX Runtime does not pass."};
  int failed = -1;
  const auto network = import_group(graph, group, boundary_of(graph, group), import::Constants::lent, failed);
  if (!network.ok()) {
    GroupSupport no{false, {}, network.error().message};
    if (failed >= 0) no.declined.push_back(failed);
    return no;
  }
  set_inferred_shapes(graph, network.value());
  const auto supported = plugins::supported_operations(network.value(), device, options);
  if (!supported.ok()) return {false, {}, supported.error().message};
  if (std::ranges::find(supported.value(), false) == supported.value().end()) return {};
  return {false, declined_by(network.value(), supported.value()),
          cat("The device ", device.name, " declines it.")};
}

}  // namespace nnrt::ep
