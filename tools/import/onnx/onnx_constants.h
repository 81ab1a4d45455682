// Tensors that an ONNX file stores.
#pragma once

#include "core/graph/graph.h"
#include "tools/import/onnx/onnx.pb.h"

#include <filesystem>
#include <vector>

namespace nnrt::import::onnx {

inline constexpr int kExternal = 1;  // the data location of a tensor whose data are in another file

// Fails for types that OH_NN does not have ("STRING").
Result<DType> dtype_of(int32_t data_type);
// The same for a name, as files before opset 6 have them ("FLOAT").
Result<DType> dtype_of(std::string_view name);

inline constexpr int32_t kUint4 = 21, kInt4 = 22;
constexpr bool is_four_bits(int32_t data_type) { return data_type == kUint4 || data_type == kInt4; }

// Where the external data of a model may be.
struct DataFolders {
  std::filesystem::path model;                  // paths in the model are relative to it; empty: none are read
  std::vector<std::filesystem::path> linked{};  // links below `model` may also point below these
};

// The tensor with its data, 4-bit elements widened to 8, from the message or an external file. The data have
// the size of the shape, which may have dimensions of 0.
Result<nnrt::Tensor> read_constant(const onnx_file::TensorProto& proto, const DataFolders& folders);

}  // namespace nnrt::import::onnx
