#include "tools/plugins/onnxruntime/ep/execution_provider.h"

#include "core/base/text.h"
#include "core/platform/log.h"
#include "tools/plugins/onnxruntime/ep/context_nodes.h"
#include "tools/plugins/onnxruntime/ep/node_compute.h"

#include <algorithm>

namespace nnrt::ep {
namespace {

constexpr int kDistinctNames = 25;  // first version that names the groups of a session differently

}  // namespace

ExecutionProvider::ExecutionProvider(plugins::PluginDevice device, plugins::PluginOptions options,
                                     ContextModels contexts, const OrtLogger* logger)
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

std::vector<Group> ExecutionProvider::groups_of(OrtGraphReading& reading) const {
  const auto ask = [&](HostGraph& graph, const Group& group) {
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
  NNRT_ASSIGN(OrtGraphReading reading, read_graph(outer));
  const auto position = static_cast<int>(std::ranges::find(reading.nodes, parent) - reading.nodes.begin());
  return std::ranges::any_of(groups_of(reading),
                             [&](const Group& group) { return std::ranges::binary_search(group, position); });
}

Status ExecutionProvider::get_capability(const OrtGraph* graph, OrtEpGraphSupportInfo* support) {
  NNRT_ASSIGN(const bool is_inner, is_in_taken_node(graph));
  if (is_inner) return {};
  NNRT_ASSIGN(OrtGraphReading reading, read_graph(graph));
  if (tables().minor_version < kDistinctNames && (reading.is_body || has_compiled_)) {
    log(ORT_LOGGING_LEVEL_INFO,
        "ONNX Runtime before 1.25 gives groups in several graphs the same name: this graph is skipped.");
    return {};
  }
  std::vector<Group> groups = groups_of(reading);
  for (const auto& [name, value] : reading.graph.values)
    if (value.is_inferred) inferred_.insert_or_assign(name, value);
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

Result<plugins::CompiledNetwork> ExecutionProvider::compile(const OrtGraph* graph,
                                                            const OrtNode* fused) const {
  NNRT_ASSIGN(OrtGraphReading reading, read_graph(graph));
  for (auto& [name, value] : reading.graph.values) {
    const auto known = inferred_.find(name);
    const bool has_no_rank = value.info.type().tensor_type().shape().dim_size() == 0;  // as far as is known
    if (known != inferred_.end() && has_no_rank && !value.is_constant) value = known->second;
  }
  NNRT_ASSIGN(const std::string name, name_of(fused));
  const std::vector<HostNode>& nodes = reading.graph.nodes;
  if (nodes.size() == 1 && is_context(nodes[0].proto)) {
    NNRT_ASSIGN(Bytes model, model_of_context(nodes[0].proto, graph));
    return plugins::CompiledNetwork::restore(std::move(model), device_, options_);
  }
  Group group(nodes.size());
  for (size_t i = 0; i < group.size(); ++i) group[i] = static_cast<int>(i);
  NNRT_ASSIGN(const Boundary boundary, boundary_of(fused));
  int failed = -1;
  NNRT_ASSIGN(Network network,
              import_group(reading.graph, group, boundary, import::Constants::copied, failed));
  return plugins::CompiledNetwork::build(std::move(network), device_, options_, name, contexts_.is_enabled);
}

OrtStatus* ExecutionProvider::compile(OrtEp* self, const OrtGraph** graphs, const OrtNode** fused,
                                      size_t count, OrtNodeComputeInfo** computes,
                                      OrtNode** contexts) noexcept {
  auto* const provider = static_cast<ExecutionProvider*>(self);
  return guarded([&]() -> Status {
    provider->has_compiled_ = true;
    std::vector<std::unique_ptr<NodeCompute>> made;
    std::vector<Released<OrtNode>> nodes;
    for (size_t i = 0; i < count; ++i) {
      auto model = provider->compile(graphs[i], fused[i]);
      if (!model.ok()) return std::move(model).error().during(cat("compiling for ", provider->device_.name));
      NNRT_ASSIGN(auto group, CompiledGroup::create(std::move(model).value()));
      if (provider->contexts_.is_enabled) {
        NNRT_ASSIGN(auto node, make_context_node(group->model(), graphs[i], fused[i], provider->contexts_));
        nodes.push_back(std::move(node));
      }
      made.push_back(std::make_unique<NodeCompute>(std::move(group)));
    }
    for (size_t i = 0; i < count; ++i) computes[i] = made[i].release();
    for (size_t i = 0; i < nodes.size(); ++i) contexts[i] = nodes[i].release();
    return {};
  });
}

void ExecutionProvider::release_computes(OrtEp*, OrtNodeComputeInfo** computes, size_t count) noexcept {
  for (size_t i = 0; i < count; ++i) {
    const std::unique_ptr<NodeCompute> compute(static_cast<NodeCompute*>(computes[i]));
    if (compute == nullptr) continue;
    // The session's logger no longer exists.
    best_effort([&] {
      const CompiledGroup& group = compute->group();
      nnrt::log(LogLevel::info,
                cat("Group ", i, " copied ", group.copied_bytes(), " bytes in ", group.runs(), " runs."));
    });
  }
}

}  // namespace nnrt::ep
