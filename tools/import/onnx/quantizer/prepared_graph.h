// A float ONNX model prepared for quantization: nodes in topological order, all constants as initializers,
// and batch normalization folded into convolutions.
#pragma once

#include "core/base/result.h"
#include "tools/import/onnx/onnx_constants.h"
#include "tools/import/quantizer/value_coding.h"

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace nnrt::import::onnx {

inline constexpr int32_t kFloat32Type = 1, kInt8Type = 3, kInt32Type = 6;  // as in TensorProto.DataType

class PreparedGraph {
 public:
  // Embeds external data.
  static Result<PreparedGraph> prepare(onnx_file::ModelProto model, const DataFolders& folders);

  const onnx_file::ModelProto& model() const { return model_; }
  const onnx_file::GraphProto& graph() const { return model_.graph(); }
  int64_t opset() const { return opset_; }

  bool is_constant(const std::string& value) const { return constants_.contains(value); }
  // Empty if the value is not a FLOAT32 constant.
  std::optional<FloatConstant> floats(const std::string& value) const;
  // Returns whether the value is FLOAT32, as far as inputs, constants and operators tell.
  bool is_float(const std::string& value) const { return floats_.contains(value); }

 private:
  Status fold_batch_norms();
  void index_constants();
  void find_floats();

  onnx_file::ModelProto model_;
  int64_t opset_ = 0;
  std::unordered_map<std::string, int> constants_;  // initializer index
  std::unordered_set<std::string> floats_;
};

// Sets the elements of an initializer.
inline constexpr int32_t kInt64Type = 7;  // as in TensorProto.DataType

void set_floats(onnx_file::TensorProto& tensor, const std::vector<float>& values);

}  // namespace nnrt::import::onnx
