// Tensors stored in an ONNX file.
#pragma once

#include "core/graph/graph.h"
#include "tools/import/network/budget.h"
#include "tools/import/network/elements/narrow_float.h"
#include "tools/import/onnx/file/onnx_strings.h"
#include "tools/import/onnx/file/onnx_tensor_data.h"
#include "tools/import/onnx/messages/onnx_messages.h"

#include <span>
#include <string_view>

namespace nnrt::import::onnx {

inline constexpr int kExternal = 1;  // data_location of a tensor in an external file

// Fails for types OH_NN lacks ("STRING").
Result<DType> dtype_of(int32_t data_type);
// By name, as in files before opset 6 ("FLOAT").
Result<DType> dtype_of(std::string_view name);

// BFLOAT16 and FLOAT8; null for other types.
const NarrowFloat* narrow_float(int32_t data_type);
// The type that stores the values: FLOAT32 for BFLOAT16 and FLOAT8.
Result<DType> stored_dtype_of(int32_t data_type);

inline constexpr int32_t kString = 8;

// The bits of an integer type of less than a byte; 0 for other types.
constexpr int packed_bits(int32_t data_type) {
  constexpr int32_t kUint4 = 21, kInt4 = 22, kUint2 = 25, kInt2 = 26;
  if (data_type == kUint4 || data_type == kInt4) return 4;
  return data_type == kUint2 || data_type == kInt2 ? 2 : 0;
}
// The type of a byte that such an element is widened to.
constexpr DType widened_type(int32_t data_type) { return data_type % 2 == 0 ? DType::i8 : DType::u8; }

// The tensor with its data, inline or external. Elements of 2 and 4 bits are widened to 8, BFLOAT16 and
// FLOAT8 to FLOAT32. The data size matches the shape, which may have dimensions of 0.
Result<nnrt::Tensor> read_constant(const onnx_file::TensorProto& proto, TensorData& data);
// With all elements; those that the file omits are 0.
Result<nnrt::Tensor> read_constant(const onnx_file::SparseTensor& proto, TensorData& data,
                                   ConstantBudget& budget);
// The numbers of a STRING tensor's elements.
Result<nnrt::Tensor> read_strings(const onnx_file::TensorProto& proto, Strings& strings);
// Reads data of the constants that are not in their messages, with several threads.
void read_ahead(std::span<const onnx_file::TensorProto* const> constants, TensorData& data);
// Replaces the data of external files by data in the messages, also in bodies.
Status embed_external_data(onnx_file::GraphProto& graph, TensorData& data);
// With all data in the message.
Result<nnrt::Tensor> read_constant(const onnx_file::TensorProto& proto);

}  // namespace nnrt::import::onnx
