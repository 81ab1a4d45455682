// Tensors stored in an ONNX file.
#pragma once

#include "core/graph/graph.h"
#include "tools/import/network/source_files.h"
#include "tools/import/onnx/onnx.pb.h"

#include <filesystem>
#include <vector>

namespace nnrt::import::onnx {

inline constexpr int kExternal = 1;  // data_location of a tensor in an external file

// Fails for types OH_NN lacks ("STRING").
Result<DType> dtype_of(int32_t data_type);
// By name, as in files before opset 6 ("FLOAT").
Result<DType> dtype_of(std::string_view name);

inline constexpr int32_t kUint4 = 21, kInt4 = 22;
constexpr bool is_four_bits(int32_t data_type) { return data_type == kUint4 || data_type == kInt4; }

// Where a model's external data may be.
struct DataFolders {
  std::filesystem::path model;  // paths are relative to it; if empty, external data is rejected
  std::vector<std::filesystem::path> linked{};  // symlinks below `model` may also point into these
  SourceFiles* sources = nullptr;               // records opened files
};

// The tensor with its data (4-bit elements widened to 8), from the message or an external file. The data size
// matches the shape, which may have dimensions of 0.
Result<nnrt::Tensor> read_constant(const onnx_file::TensorProto& proto, const DataFolders& folders);

}  // namespace nnrt::import::onnx
