#include "tests/frameworks/onnxruntime/ort_arrays.h"

#include "core/base/fp16.h"
#include "tests/frameworks/onnxruntime/ort_client.h"

#include <set>

namespace nnrt::test {
namespace {

constexpr int64_t kOpenBatch = 2;  // lengths of open dimensions: the first, and others
constexpr int64_t kOpen = 32;

// Values of make(), one after another.
template <typename Make>
void fill(std::string& bytes, size_t count, const Make& make) {
  for (size_t i = 0; i < count; ++i) {
    const auto value = make();
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
}

void fill(Array& array, std::mt19937& random) {
  const size_t count = count_of(array);
  std::normal_distribution<double> normal;
  const auto integers = [&]<typename T>(T) { fill(array.bytes, count, [&] { return T(random() % 2); }); };
  switch (array.type) {
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT:
      return fill(array.bytes, count, [&] { return static_cast<float>(normal(random)); });
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16:
      return fill(array.bytes, count, [&] { return to_half(normal(random)); });
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE:
      return fill(array.bytes, count, [&] { return normal(random); });
    default: break;
  }
  switch (size_of(array.type)) {
    case 2: return integers(uint16_t{});
    case 4: return integers(uint32_t{});
    case 8: return integers(uint64_t{});
    default: return integers(uint8_t{});
  }
}

std::optional<Array> declared(const OrtSession* session, size_t input) {
  OrtTypeInfo* info = nullptr;
  const OrtTensorTypeAndShapeInfo* tensor = nullptr;
  NNRT_ORT(SessionGetInputTypeInfo(session, input, &info));
  NNRT_ORT(CastTypeInfoToTensorInfo(info, &tensor));
  std::optional<Array> array;
  if (tensor != nullptr) {
    array.emplace();
    size_t rank = 0;
    NNRT_ORT(GetTensorElementType(tensor, &array->type));
    NNRT_ORT(GetDimensionsCount(tensor, &rank));
    array->shape.resize(rank);
    NNRT_ORT(GetDimensions(tensor, array->shape.data(), rank));
    for (size_t d = 0; d < rank; ++d)
      if (array->shape[d] <= 0) array->shape[d] = d == 0 ? kOpenBatch : kOpen;
    if (size_of(array->type) == 0) array.reset();
  }
  ort->ReleaseTypeInfo(info);
  return array;
}

template <typename Name>
std::vector<const char*> names_of(const OrtSession* session, size_t count, Name name) {
  OrtAllocator* allocator = nullptr;
  NNRT_ORT(GetAllocatorWithDefaultOptions(&allocator));
  std::vector<const char*> names;
  for (size_t i = 0; i < count; ++i) {
    char* made = nullptr;
    check(name(session, i, allocator, &made), "the name of an input or output");
    static std::set<std::string> known;
    names.push_back(known.emplace(made).first->c_str());
    NNRT_ORT(AllocatorFree(allocator, made));
  }
  return names;
}

}  // namespace

Array header_of(const OrtValue* tensor) {
  Array array;
  OrtTensorTypeAndShapeInfo* info = nullptr;
  size_t rank = 0;
  NNRT_ORT(GetTensorTypeAndShape(tensor, &info));
  NNRT_ORT(GetTensorElementType(info, &array.type));
  NNRT_ORT(GetDimensionsCount(info, &rank));
  array.shape.resize(rank);
  NNRT_ORT(GetDimensions(info, array.shape.data(), rank));
  ort->ReleaseTensorTypeAndShapeInfo(info);
  return array;
}

size_t count_of(const Array& array) {
  size_t count = 1;
  for (const int64_t length : array.shape) count *= static_cast<size_t>(length);
  return count;
}

size_t size_of(ONNXTensorElementDataType type) {
  switch (type) {
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8:
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8:
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL: return 1;
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16:
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16:
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16: return 2;
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32:
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32:
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT: return 4;
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64:
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64:
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE: return 8;
    default: return 0;
  }
}

std::optional<Array> random_input(const OrtSession* session, size_t input, std::mt19937& random) {
  std::optional<Array> array = declared(session, input);
  if (array) fill(*array, random);
  return array;
}

std::vector<const char*> input_names(const OrtSession* session) {
  size_t count = 0;
  NNRT_ORT(SessionGetInputCount(session, &count));
  return names_of(session, count, ort->SessionGetInputName);
}

std::vector<const char*> output_names(const OrtSession* session) {
  size_t count = 0;
  NNRT_ORT(SessionGetOutputCount(session, &count));
  return names_of(session, count, ort->SessionGetOutputName);
}

}  // namespace nnrt::test
