#include "tools/plugins/tflite/plan_report.h"

#include "core/base/counted.h"
#include "core/base/text.h"

namespace nnrt::tflite_plugin {

std::string plan_report(const HostGraph& graph, size_t partitions, const std::string& device) {
  std::string text = cat("NNRt runs ", taken_nodes(graph).size(), " of ", counted(graph.nodes.size(), "node"),
                         " in ", counted(partitions, "partition"), " on ", device, ".\n");
  for (const HostNode& node : graph.nodes)
    if (!node.fault.empty()) text += cat("  ", name_of(node), ": ", node.fault, "\n");
  return text;
}

}  // namespace nnrt::tflite_plugin
