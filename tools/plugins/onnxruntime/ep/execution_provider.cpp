#include "tools/plugins/onnxruntime/ep/execution_provider.h"

#include "core/base/text.h"
#include "tools/plugins/onnxruntime/ep/context_nodes.h"
#include "tools/plugins/onnxruntime/ep/node_compute.h"

#include <algorithm>

namespace nnrt::ep {
namespace {

constexpr int kDistinctNames = 25;  // first version that names the groups of a session differently

}  // namespace

ExecutionProvider::ExecutionProvider(Device device, Options options, ContextModels contexts,
                                     const OrtLogger* logger)
    : OrtEp{},
      device_(std::move(device)),
      options_(std::move(options)),
      contexts_(std::move(contexts)),
      logger_(logger) {
  ort_version_supported = ORT_API_VERSION;
  GetName = name;
  GetCapability = get_capability;
  Compile = compile;
  ReleaseNodeComputeInfos = release_computes;
}

void ExecutionProvider::log(OrtLoggingLevel level, const std::string& message) const {
  static_cast<void>(
      taken(ort().Logger_LogMessage(logger_, level, message.c_str(), __FILE__, __LINE__, kEpName)));
}

OrtStatus* ExecutionProvider::get_capability(OrtEp* self, const OrtGraph* graph,
                                             OrtEpGraphSupportInfo* support) noexcept {
  return guarded([&] { return static_cast<ExecutionProvider*>(self)->get_capability(graph, support); });
}

Result<std::vector<Group>> ExecutionProvider::groups_of(const OrtGraphReading& reading) const {
  const auto ask = [&](const HostGraph& graph, const Group& group) {
    return ask_device(graph, group, device_, options_);
  };
  const auto declined = [&](int position, const std::string& reason) {
    const auto& node = reading.graph.nodes[static_cast<size_t>(position)].proto;
    log(ORT_LOGGING_LEVEL_INFO, cat("Node ", node.name(), " (", node.op_type(), ") is left: ", reason));
  };
  return accepted_groups(reading.graph, ask, declined);
}

Result<bool> ExecutionProvider::is_in_taken_node(const OrtGraph* graph) const {
  const OrtNode* parent = nullptr;
  NNRT_TRY(taken(ort().Graph_GetParentNode(graph, &parent)));
  if (parent == nullptr) return false;
  const OrtGraph* outer = nullptr;
  NNRT_TRY(taken(ort().Node_GetGraph(parent, &outer)));
  if (outer == nullptr) return false;
  NNRT_ASSIGN(const bool is_deeper, is_in_taken_node(outer));
  if (is_deeper) return true;
  NNRT_ASSIGN(const OrtGraphReading reading, read_graph(outer));
  const auto position = static_cast<int>(std::ranges::find(reading.nodes, parent) - reading.nodes.begin());
  NNRT_ASSIGN(const auto groups, groups_of(reading));
  return std::ranges::any_of(groups,
                             [&](const Group& group) { return std::ranges::binary_search(group, position); });
}

Status ExecutionProvider::get_capability(const OrtGraph* graph, OrtEpGraphSupportInfo* support) {
  NNRT_ASSIGN(const bool is_inner, is_in_taken_node(graph));
  if (is_inner) return {};
  NNRT_ASSIGN(const OrtGraphReading reading, read_graph(graph));
  if (tables().minor_version < kDistinctNames && (reading.is_body || has_compiled_)) {
    log(ORT_LOGGING_LEVEL_INFO,
        "ONNX Runtime before 1.25 gives groups in several graphs the same name: this graph is left.");
    return {};
  }
  NNRT_ASSIGN(std::vector<Group> groups, groups_of(reading));
  for (int i = 0; i < static_cast<int>(reading.graph.nodes.size()); ++i)
    if (is_context(reading.graph.nodes[static_cast<size_t>(i)].proto)) groups.push_back({i});
  OrtNodeFusionOptions fusion{};
  fusion.ort_version_supported = ORT_API_VERSION;
  fusion.drop_constant_initializers = true;  // the compiled model has them
  size_t count = 0;
  for (const Group& group : groups) {
    std::vector<const OrtNode*> nodes;
    for (const int position : group) nodes.push_back(reading.nodes[static_cast<size_t>(position)]);
    NNRT_TRY(
        taken(tables().ep->EpGraphSupportInfo_AddNodesToFuse(support, nodes.data(), nodes.size(), &fusion)));
    count += nodes.size();
  }
  log(ORT_LOGGING_LEVEL_INFO, cat(count, " of ", reading.nodes.size(), " nodes run on ", device_.name, " in ",
                                  groups.size(), " groups."));
  return {};
}

Result<std::shared_ptr<CompiledGroup>> ExecutionProvider::compile(const OrtGraph* graph,
                                                                  const OrtNode* fused) const {
  NNRT_ASSIGN(const OrtGraphReading reading, read_graph(graph));
  NNRT_ASSIGN(const std::string name, name_of(fused));
  const std::vector<HostNode>& nodes = reading.graph.nodes;
  if (nodes.size() == 1 && is_context(nodes[0].proto)) {
    NNRT_ASSIGN(const Bytes model, model_of_context(nodes[0].proto, graph));
    return CompiledGroup::restore(model, device_, options_);
  }
  Group group(nodes.size());
  for (size_t i = 0; i < group.size(); ++i) group[i] = static_cast<int>(i);
  NNRT_ASSIGN(const Boundary boundary, boundary_of(fused));
  int failed = -1;
  NNRT_ASSIGN(Network network,
              import_group(reading.graph, group, boundary, import::Constants::copied, failed));
  return CompiledGroup::build(std::move(network), device_, options_, name, contexts_.is_enabled);
}

OrtStatus* ExecutionProvider::compile(OrtEp* self, const OrtGraph** graphs, const OrtNode** fused,
                                      size_t count, OrtNodeComputeInfo** computes,
                                      OrtNode** contexts) noexcept {
  auto* const provider = static_cast<ExecutionProvider*>(self);
  return guarded([&]() -> Status {
    provider->has_compiled_ = true;
    std::vector<std::unique_ptr<NodeCompute>> made;
    for (size_t i = 0; i < count; ++i) {
      auto group = provider->compile(graphs[i], fused[i]);
      if (!group.ok()) return std::move(group).error().during(cat("compiling for ", provider->device_.name));
      if (provider->contexts_.is_enabled) {
        NNRT_ASSIGN(contexts[i], make_context_node(*group.value(), fused[i], provider->contexts_));
      }
      made.push_back(std::make_unique<NodeCompute>(std::move(group).value()));
    }
    for (size_t i = 0; i < count; ++i) computes[i] = made[i].release();
    return {};
  });
}

void ExecutionProvider::release_computes(OrtEp*, OrtNodeComputeInfo** computes, size_t count) noexcept {
  for (size_t i = 0; i < count; ++i) delete static_cast<NodeCompute*>(computes[i]);
}

}  // namespace nnrt::ep
