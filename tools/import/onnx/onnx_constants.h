// Tensors that an ONNX file stores.
#pragma once

#include "core/graph/graph.h"
#include "tools/import/onnx/onnx.pb.h"

#include <filesystem>

namespace nnrt::import::onnx {

inline constexpr int kExternal = 1;  // the data location of a tensor whose data are in another file

// Fails for types that OH_NN does not have ("STRING").
Result<DType> dtype_of(int32_t data_type);
// The same for a name, as files before opset 6 have them ("FLOAT").
Result<DType> dtype_of(std::string_view name);

inline constexpr int32_t kUint4 = 21, kInt4 = 22;
constexpr bool is_four_bits(int32_t data_type) { return data_type == kUint4 || data_type == kInt4; }

// The tensor with its data, of 4 bits as one of 8, from the message or from a file below `folder`. The data
// have the size of the shape, which may have dimensions of 0.
Result<nnrt::Tensor> read_constant(const onnx_file::TensorProto& proto, const std::filesystem::path& folder);

}  // namespace nnrt::import::onnx
