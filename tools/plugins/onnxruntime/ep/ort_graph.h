// OrtGraph as plain data.
#pragma once

#include "tools/plugins/onnxruntime/ep/ort_api.h"
#include "tools/plugins/onnxruntime/graph/plain_graph.h"

namespace nnrt::ep {

struct OrtGraphReading {
  HostGraph graph;
  std::vector<const OrtNode*> nodes;  // as the graph's
  bool is_body = false;               // of a node, as far as can be told
};

// The data of constants are those of ONNX Runtime: valid as long as `graph`.
Result<OrtGraphReading> read_graph(const OrtGraph* graph);

// Names of the inputs and outputs of a node, in its order.
Result<Boundary> boundary_of(const OrtNode* node);

Result<std::string> name_of(const OrtNode* node);

}  // namespace nnrt::ep
