// Node attributes by name and type.
#pragma once

#include "core/writer/list.h"
#include "tools/import/onnx/messages/onnx_messages.h"

#include <string>
#include <string_view>

namespace nnrt::import::onnx {

class Attributes {
 public:
  explicit Attributes(const onnx_file::NodeProto& node) : node_(&node) {}

  bool has(std::string_view name) const { return find(name).has_name(); }
  int64_t integer(std::string_view name, int64_t fallback) const {
    const auto& found = find(name);
    return found.has_i() ? found.i() : fallback;
  }
  bool flag(std::string_view name, bool fallback = false) const { return integer(name, fallback) != 0; }
  // A number of heads, groups or the like. Throws a ConversionError if it is negative or above 2^31 - 1, so
  // that products of two do not overflow.
  int64_t count(std::string_view name, int64_t fallback) const;
  float real(std::string_view name, float fallback) const {
    const auto& found = find(name);
    return found.has_f() ? found.f() : fallback;
  }
  std::string text(std::string_view name, std::string_view fallback = {}) const {
    const auto& found = find(name);
    return found.has_s() ? found.s() : std::string(fallback);
  }
  // Empty if absent.
  List<int64_t> integers(std::string_view name) const { return find(name).ints(); }
  List<float> floats(std::string_view name) const { return find(name).floats(); }
  List<std::string> texts(std::string_view name) const { return find(name).strings(); }
  // Null if absent.
  const onnx_file::TensorProto* tensor(std::string_view name) const {
    const auto& found = find(name);
    return found.has_t() ? &found.t() : nullptr;
  }
  const onnx_file::SparseTensor* sparse_tensor(std::string_view name) const {
    const auto& found = find(name);
    return found.has_sparse_tensor() ? &found.sparse_tensor() : nullptr;
  }
  const onnx_file::GraphProto* graph(std::string_view name) const {
    const auto& found = find(name);
    return found.has_g() ? &found.g() : nullptr;
  }

 private:
  // One without any value if there is none of this name.
  const onnx_file::AttributeProto& find(std::string_view name) const;

  const onnx_file::NodeProto* node_;
};

}  // namespace nnrt::import::onnx
