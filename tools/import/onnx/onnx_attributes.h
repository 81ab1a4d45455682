// Node attributes by name and type.
#pragma once

#include "core/writer/list.h"
#include "tools/import/onnx/messages/onnx_messages.h"

#include <optional>
#include <string>
#include <string_view>

namespace nnrt::import::onnx {

class Attributes {
 public:
  explicit Attributes(const onnx_file::NodeProto& node) : node_(&node) {}

  bool has(std::string_view name) const { return find(name) != nullptr; }
  int64_t integer(std::string_view name, int64_t fallback) const;
  bool flag(std::string_view name, bool fallback = false) const { return integer(name, fallback) != 0; }
  // A number of heads, groups or the like. Throws a ConversionError if it is negative or above 2^31 - 1, so
  // that products of two do not overflow.
  int64_t count(std::string_view name, int64_t fallback) const;
  float real(std::string_view name, float fallback) const;
  std::string text(std::string_view name, std::string_view fallback = {}) const;
  List<int64_t> integers(std::string_view name) const;  // empty if absent
  List<float> floats(std::string_view name) const;
  List<std::string> texts(std::string_view name) const;
  // Null if absent.
  const onnx_file::TensorProto* tensor(std::string_view name) const;
  const onnx_file::SparseTensor* sparse_tensor(std::string_view name) const;
  const onnx_file::GraphProto* graph(std::string_view name) const;

 private:
  const onnx_file::AttributeProto* find(std::string_view name) const;

  const onnx_file::NodeProto* node_;
};

}  // namespace nnrt::import::onnx
