#include "api/base/api_enums.h"

#include "core/base/text.h"
#include "core/graph/op.h"

namespace nnrt {
namespace {

template <typename A, typename B>
constexpr bool same(A a, B b) {
  return static_cast<int>(a) == static_cast<int>(b);
}

static_assert(same(Code::failed, OH_NN_FAILED) && same(Code::invalid_parameter, OH_NN_INVALID_PARAMETER) &&
              same(Code::memory, OH_NN_MEMORY_ERROR) && same(Code::forbidden, OH_NN_OPERATION_FORBIDDEN) &&
              same(Code::invalid_file, OH_NN_INVALID_FILE) && same(Code::invalid_path, OH_NN_INVALID_PATH) &&
              same(Code::timeout, OH_NN_TIMEOUT) && same(Code::unsupported, OH_NN_UNSUPPORTED) &&
              same(Code::connection, OH_NN_CONNECTION_EXCEPTION) &&
              same(Code::save_cache, OH_NN_SAVE_CACHE_EXCEPTION) &&
              same(Code::dynamic_shape, OH_NN_DYNAMIC_SHAPE) &&
              same(Code::unavailable_device, OH_NN_UNAVAILABLE_DEVICE));

static_assert(same(DType::unknown, OH_NN_UNKNOWN) && same(DType::boolean, OH_NN_BOOL) &&
              same(DType::i8, OH_NN_INT8) && same(DType::i16, OH_NN_INT16) && same(DType::i32, OH_NN_INT32) &&
              same(DType::i64, OH_NN_INT64) && same(DType::u8, OH_NN_UINT8) &&
              same(DType::u16, OH_NN_UINT16) && same(DType::u32, OH_NN_UINT32) &&
              same(DType::u64, OH_NN_UINT64) && same(DType::f16, OH_NN_FLOAT16) &&
              same(DType::f32, OH_NN_FLOAT32) && same(DType::f64, OH_NN_FLOAT64));

static_assert(same(Format::none, OH_NN_FORMAT_NONE) && same(Format::nchw, OH_NN_FORMAT_NCHW) &&
              same(Format::nhwc, OH_NN_FORMAT_NHWC) && same(Format::nd, OH_NN_FORMAT_ND));

static_assert(same(DeviceType::others, OH_NN_OTHERS) && same(DeviceType::cpu, OH_NN_CPU) &&
              same(DeviceType::gpu, OH_NN_GPU) && same(DeviceType::accelerator, OH_NN_ACCELERATOR));

static_assert(same(PerformanceMode::none, OH_NN_PERFORMANCE_NONE) &&
              same(PerformanceMode::extreme, OH_NN_PERFORMANCE_EXTREME) &&
              same(Priority::none, OH_NN_PRIORITY_NONE) && same(Priority::high, OH_NN_PRIORITY_HIGH));

static_assert(same(Activation::none, OH_NN_FUSED_NONE) && same(Activation::relu, OH_NN_FUSED_RELU) &&
              same(Activation::relu6, OH_NN_FUSED_RELU6));

template <typename T>
Result<T> convert(std::string_view what, int value, T last) {
  if (value >= 0 && value <= static_cast<int>(last)) return static_cast<T>(value);
  return invalid(what, " (", value, ") is outside [0, ", static_cast<int>(last), "].");
}

}  // namespace

Result<DType> dtype_from(int value) { return convert("Data type", value, DType::f64); }
Result<Format> format_from(int value) { return convert("Format", value, Format::nd); }
Result<PerformanceMode> performance_from(int value) {
  return convert("Performance mode", value, PerformanceMode::extreme);
}
Result<Priority> priority_from(int value) { return convert("Priority", value, Priority::high); }

}  // namespace nnrt
