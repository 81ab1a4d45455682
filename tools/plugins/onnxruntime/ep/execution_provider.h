// The execution provider of a session.
#pragma once

#include "tools/plugins/onnxruntime/ep/ort_graph.h"
#include "tools/plugins/onnxruntime/run/compiled_group.h"
#include "tools/plugins/onnxruntime/run/group_import.h"

#include <map>
#include <optional>

namespace nnrt::ep {

struct ContextModels {
  bool is_enabled = false;  // ep.context_enable: write compiled models
  bool is_embedded = true;  // in the nodes, not in files
  std::string path;         // of the model that ONNX Runtime writes
};

class ExecutionProvider : public OrtEp {
 public:
  ExecutionProvider(plugins::PluginDevice device, plugins::PluginOptions options, ContextModels contexts,
                    const OrtLogger* logger);

 private:
  static const char* ORT_API_CALL name(const OrtEp*) noexcept { return kEpName; }
  static OrtStatus* ORT_API_CALL get_capability(OrtEp* self, const OrtGraph* graph,
                                                OrtEpGraphSupportInfo* support) noexcept;
  static OrtStatus* ORT_API_CALL compile(OrtEp* self, const OrtGraph** graphs, const OrtNode** fused,
                                         size_t count, OrtNodeComputeInfo** computes,
                                         OrtNode** contexts) noexcept;
  static void ORT_API_CALL release_computes(OrtEp*, OrtNodeComputeInfo** computes, size_t count) noexcept;

  Status get_capability(const OrtGraph* graph, OrtEpGraphSupportInfo* support);
  // Whether the node that has `graph` as a body is taken as a whole.
  Result<bool> is_in_taken_node(const OrtGraph* graph) const;
  std::vector<Group> groups_of(OrtGraphReading& reading) const;
  Result<plugins::CompiledNetwork> compile(const OrtGraph* graph, const OrtNode* fused) const;
  void log(OrtLoggingLevel level, const std::string& message) const;

  plugins::PluginDevice device_;
  plugins::PluginOptions options_;
  ContextModels contexts_;
  const OrtLogger* logger_;
  bool has_compiled_ = false;  // groups of some graph
  // Values whose shape the framework does not know, found by get_capability() for compile().
  std::map<std::string, HostValue> inferred_;
};

}  // namespace nnrt::ep
