// Builds an ONNX graph node by node.
#pragma once

#include "tools/import/onnx/messages/onnx_messages.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

// As in TensorProto.DataType.
enum class OnnxType : int32_t { f32 = 1, u8 = 2, i8 = 3, i32 = 6, i64 = 7 };

class OnnxGraph {
 public:
  explicit OnnxGraph(const std::string& name);

  // Adds attributes to the last node.
  class Node {
   public:
    explicit Node(nnrt::onnx_file::NodeProto& proto) : proto_(proto) {}
    Node& set(const char* name, int64_t value);
    Node& set(const char* name, float value);
    Node& set(const char* name, const std::vector<int64_t>& values);

   private:
    nnrt::onnx_file::AttributeProto& attribute(const char* name, int32_t type);
    nnrt::onnx_file::NodeProto& proto_;
  };
  Node node(std::string_view type, const std::vector<std::string>& inputs,
            const std::vector<std::string>& outputs);

  void constant(const std::string& name, OnnxType type, const std::vector<int64_t>& shape, std::string bytes);
  std::string integers(const std::string& name, const std::vector<int64_t>& values);
  void input(const std::string& name, OnnxType type, const std::vector<int64_t>& shape);
  void output(const std::string& name, OnnxType type, const std::vector<int64_t>& shape);
  std::string fresh(std::string_view what);

  // Moves large constants to `data`, the bytes of a file of external data named `location`.
  OnnxGraph& externalize(const std::string& location, std::string& data);

  std::string serialize() const { return model_.serialize(); }

 private:
  nnrt::onnx_file::ModelProto model_;
  int made_ = 0;
};

}  // namespace bench
