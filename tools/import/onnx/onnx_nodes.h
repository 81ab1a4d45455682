// The nodes of an ONNX graph that its outputs need, in an order in which they can be converted.
#pragma once

#include "core/base/result.h"
#include "tools/import/onnx/onnx.pb.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace nnrt::import::onnx {

class Nodes {
 public:
  // Fails where a name has two sources, or where nodes wait for each other.
  static Result<Nodes> read(const onnx_file::GraphProto& graph);

  // Positions in the file. Constants come first.
  const std::vector<int>& order() const { return order_; }
  // Returns how many inputs of needed nodes and outputs of the graph are the value. A node with a body reads
  // what the body reads from outside.
  int readers(std::string_view value) const;
  // The only node that reads the value; -1 if there is none such, or if the value is an output of the graph.
  int only_reader(std::string_view value) const;

 private:
  struct Use {
    int source = -1;  // the node
    int readers = 0;
    int reader = -1;
    bool is_output = false;
  };

  void find_reads(const onnx_file::GraphProto& graph);
  Status find_sources(const onnx_file::GraphProto& graph);
  Status find_needed(const onnx_file::GraphProto& graph);
  Status sort(const onnx_file::GraphProto& graph);

  std::unordered_map<std::string_view, Use> uses_;    // names live in the graph
  std::vector<std::vector<std::string_view>> reads_;  // one list for each node
  std::vector<bool> needed_;
  std::vector<int> order_;
};

// "Conv /layer1/conv (node 12)"
std::string describe(const onnx_file::NodeProto& node, int position);

}  // namespace nnrt::import::onnx
