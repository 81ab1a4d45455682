#include "api/tensor/nn_tensor_desc.h"

#include "api/base/api_enums.h"
#include "api/base/boundary.h"
#include "core/platform/compat.h"

#include <neural_network_runtime/neural_network_core.h>

#include <algorithm>

namespace nnrt {
namespace {

constexpr size_t kMaxDimensions = 10;

Status require_shape(const NN_TensorDesc& desc) {
  if (desc.shape.empty()) return invalid("The description has no shape.");
  return {};
}

// Sets `size`, to 0 on error.
Status answer(const NN_TensorDesc& desc, size_t& size, Result<size_t> (*measure)(const NN_TensorDesc&)) {
  size = 0;
  NNRT_TRY(require_shape(desc));
  NNRT_ASSIGN(size, measure(desc));
  return {};
}

}  // namespace

Result<size_t> element_count(const NN_TensorDesc& desc) {
  const auto is_unknown = [](int32_t dimension) { return dimension <= 0; };
  if (std::any_of(desc.shape.begin(), desc.shape.end(), is_unknown)) {
    return Error{Code::dynamic_shape, cat("Shape ", to_string(shape_of(desc)), " is dynamic.")};
  }
  size_t count = 1;
  for (const int32_t dimension : desc.shape) {
    if (__builtin_mul_overflow(count, static_cast<size_t>(dimension), &count)) {
      return invalid("Shape ", to_string(shape_of(desc)), " has too many elements.");
    }
  }
  return count;
}

Result<size_t> byte_size(const NN_TensorDesc& desc) {
  NNRT_ASSIGN(size_t bytes, element_count(desc));
  if (desc.dtype == DType::unknown) return invalid("The data type is unknown.");
  if (__builtin_mul_overflow(bytes, size_of(desc.dtype), &bytes)) {
    return invalid("Shape ", to_string(shape_of(desc)), " has too many bytes.");
  }
  return bytes;
}

Shape shape_of(const NN_TensorDesc& desc) { return {desc.shape.begin(), desc.shape.end()}; }

std::vector<int32_t> dimensions_of(const Shape& shape) {
  std::vector<int32_t> dimensions(shape.size());
  std::transform(shape.begin(), shape.end(), dimensions.begin(),
                 [](int64_t dimension) { return static_cast<int32_t>(dimension); });
  return dimensions;
}

}  // namespace nnrt

using namespace nnrt;

NN_TensorDesc* OH_NNTensorDesc_Create() {
  return guard_new(
      __func__, []() -> Result<std::unique_ptr<NN_TensorDesc>> { return std::make_unique<NN_TensorDesc>(); });
}

OH_NN_ReturnCode OH_NNTensorDesc_Destroy(NN_TensorDesc** tensorDesc) {
  return guard(__func__, [&] { return destroy("tensorDesc", tensorDesc); });
}

OH_NN_ReturnCode OH_NNTensorDesc_SetName(NN_TensorDesc* tensorDesc, const char* name) {
  return guard(__func__, {{"tensorDesc", tensorDesc}, {"name", name}}, [&] { tensorDesc->name = name; });
}

OH_NN_ReturnCode OH_NNTensorDesc_GetName(const NN_TensorDesc* tensorDesc, const char** name) {
  return guard(__func__, {{"tensorDesc", tensorDesc}}, [&]() -> Status {
    NNRT_TRY(require_empty("name", name));
    *name = tensorDesc->name.c_str();
    return {};
  });
}

OH_NN_ReturnCode OH_NNTensorDesc_SetDataType(NN_TensorDesc* tensorDesc, OH_NN_DataType dataType) {
  return guard(__func__, {{"tensorDesc", tensorDesc}}, [&]() -> Status {
    NNRT_ASSIGN(tensorDesc->dtype, dtype_from(number_of(dataType)));
    return {};
  });
}

OH_NN_ReturnCode OH_NNTensorDesc_GetDataType(const NN_TensorDesc* tensorDesc, OH_NN_DataType* dataType) {
  return guard(__func__, {{"tensorDesc", tensorDesc}, {"dataType", dataType}},
               [&] { *dataType = to_c(tensorDesc->dtype); });
}

OH_NN_ReturnCode OH_NNTensorDesc_SetShape(NN_TensorDesc* tensorDesc, const int32_t* shape,
                                          size_t shapeLength) {
  return guard(__func__, {{"tensorDesc", tensorDesc}, {"shape", shape}}, [&]() -> Status {
    if (shapeLength == 0 || shapeLength > kMaxDimensions) {
      return invalid("The number of dimensions (", shapeLength, ") is outside [1, ", kMaxDimensions, "].");
    }
    // `shape` may alias tensorDesc->shape (from GetShape).
    tensorDesc->shape = std::vector<int32_t>(shape, shape + shapeLength);
    return {};
  });
}

OH_NN_ReturnCode OH_NNTensorDesc_GetShape(const NN_TensorDesc* tensorDesc, int32_t** shape,
                                          size_t* shapeLength) {
  return guard(__func__, {{"tensorDesc", tensorDesc}, {"shapeLength", shapeLength}}, [&]() -> Status {
    NNRT_TRY(require_empty("shape", shape));
    // The C API lacks const here; the description itself is never const.
    if (!tensorDesc->shape.empty()) *shape = const_cast<int32_t*>(tensorDesc->shape.data());
    *shapeLength = tensorDesc->shape.size();
    return {};
  });
}

OH_NN_ReturnCode OH_NNTensorDesc_SetFormat(NN_TensorDesc* tensorDesc, OH_NN_Format format) {
  return guard(__func__, {{"tensorDesc", tensorDesc}}, [&]() -> Status {
    NNRT_ASSIGN(tensorDesc->format, format_from(number_of(format)));
    return {};
  });
}

OH_NN_ReturnCode OH_NNTensorDesc_GetFormat(const NN_TensorDesc* tensorDesc, OH_NN_Format* format) {
  return guard(__func__, {{"tensorDesc", tensorDesc}, {"format", format}},
               [&] { *format = to_c(tensorDesc->format); });
}

OH_NN_ReturnCode OH_NNTensorDesc_GetElementCount(const NN_TensorDesc* tensorDesc, size_t* elementCount) {
  return guard(__func__, {{"tensorDesc", tensorDesc}, {"elementCount", elementCount}},
               [&] { return answer(*tensorDesc, *elementCount, element_count); });
}

OH_NN_ReturnCode OH_NNTensorDesc_GetByteSize(const NN_TensorDesc* tensorDesc, size_t* byteSize) {
  return guard(__func__, [&]() -> Status {
    if (byteSize != nullptr) *byteSize = 0;  // on every error
    NNRT_TRY(require({{"tensorDesc", tensorDesc}, {"byteSize", byteSize}}));
    Status status = answer(*tensorDesc, *byteSize, byte_size);
    const bool is_dynamic = !status.ok() && status.error().code == Code::dynamic_shape;
    if (is_dynamic && compat::dynamic_byte_size_succeeds()) return {};
    return status;
  });
}
