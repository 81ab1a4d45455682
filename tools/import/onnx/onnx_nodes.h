// The nodes of an ONNX graph that its outputs need, in topological order.
#pragma once

#include "core/base/result.h"
#include "tools/import/onnx/messages/onnx_messages.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace nnrt::import::onnx {

class Nodes {
 public:
  // Fails if a name has two sources, or if the nodes form a cycle.
  static Result<Nodes> read(const onnx_file::GraphProto& graph);

  // Positions in the file; constants first.
  const std::vector<int>& order() const { return order_; }
  // The number of reads of a value, by inputs of needed nodes and by graph outputs. A node with a body reads
  // whatever the body reads from outside.
  int readers(std::string_view value) const;
  // The value's only reader; -1 if there are several, or if it is a graph output.
  int only_reader(std::string_view value) const;

 private:
  struct Use {
    int source = -1;  // node position
    int readers = 0;
    int reader = -1;
    bool is_output = false;
  };

  void find_reads(const onnx_file::GraphProto& graph);
  Status find_sources(const onnx_file::GraphProto& graph);
  Status find_needed(const onnx_file::GraphProto& graph);
  Status sort(const onnx_file::GraphProto& graph);

  std::unordered_map<std::string_view, Use> uses_;    // names are owned by the graph
  std::vector<std::vector<std::string_view>> reads_;  // per node
  std::vector<bool> needed_;
  std::vector<int> order_;
};

// "Conv /layer1/conv (node 12)"
std::string describe(const onnx_file::NodeProto& node, int position);

}  // namespace nnrt::import::onnx
