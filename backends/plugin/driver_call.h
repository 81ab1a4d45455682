// Calls into a driver, converting its exceptions and return codes to errors.
#pragma once

#include "core/base/result.h"
#include "core/base/text.h"

#include <cstdint>
#include <exception>
#include <new>
#include <string_view>

namespace nnrt::plugin {

enum class Phase : uint8_t { build, run, other };

struct Method {
  std::string_view name;
  Code on_error;  // for driver error codes without a specific meaning
  Phase phase = Phase::other;
};

inline constexpr Method kGetDeviceName{"GetDeviceName", Code::unavailable_device};
inline constexpr Method kGetVendorName{"GetVendorName", Code::unavailable_device};
inline constexpr Method kGetVersion{"GetVersion", Code::unavailable_device};
inline constexpr Method kGetDeviceType{"GetDeviceType", Code::unavailable_device};
inline constexpr Method kGetDeviceStatus{"GetDeviceStatus", Code::unavailable_device};
inline constexpr Method kGetSupportedOperation{"GetSupportedOperation", Code::unavailable_device};
inline constexpr Method kIsFloat16{"IsFloat16PrecisionSupported", Code::unavailable_device};
inline constexpr Method kIsPerformance{"IsPerformanceModeSupported", Code::failed};
inline constexpr Method kIsPriority{"IsPrioritySupported", Code::unavailable_device};
inline constexpr Method kIsDynamic{"IsDynamicInputSupported", Code::unavailable_device};
inline constexpr Method kIsCache{"IsModelCacheSupported", Code::unavailable_device};
inline constexpr Method kPrepareModel{"PrepareModel", Code::failed, Phase::build};
inline constexpr Method kPrepareFromCache{"PrepareModelFromModelCache", Code::invalid_file, Phase::build};
inline constexpr Method kPrepareOffline{"PrepareOfflineModel", Code::failed, Phase::build};
inline constexpr Method kDescribeOffline{"DescribeOfflineModel", Code::failed, Phase::build};
inline constexpr Method kAllocateBuffer{"AllocateBuffer", Code::memory};
inline constexpr Method kReleaseBuffer{"ReleaseBuffer", Code::failed};
inline constexpr Method kExportCache{"ExportModelCache", Code::save_cache};
inline constexpr Method kGetRanges{"GetInputDimRanges", Code::unavailable_device};
inline constexpr Method kRun{"Run", Code::unavailable_device, Phase::run};

// The error for a method that returned `code`, which must not be 0.
Error error_of(const Method& method, int32_t code);

template <typename Body>
Status call(const Method& method, const Body& body) {
  try {
    const int32_t code = body();
    return code == 0 ? Status() : error_of(method, code);
  } catch (const std::bad_alloc&) {
    return Error{Code::memory, cat(method.name, " of the plugin ran out of memory.")};
  } catch (const std::exception& exception) {
    return Error{Code::unavailable_device,
                 cat(method.name, " of the plugin threw an exception: ", exception.what(), ".")};
  } catch (...) {
    return Error{Code::unavailable_device, cat(method.name, " of the plugin threw an exception.")};
  }
}

}  // namespace nnrt::plugin
