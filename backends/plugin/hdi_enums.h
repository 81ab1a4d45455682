// The driver interface's data types and formats.
#pragma once

#include "core/graph/graph.h"

#include <neural_network_runtime/hdi/v2_0/nnrt_types.h>

#include <algorithm>
#include <iterator>

namespace nnrt::plugin {

namespace hdi = ::nnrt::hdi::V2_0;

// Indexed by DType.
inline constexpr hdi::DataType kDataTypes[kDTypeCount] = {
    hdi::DATA_TYPE_UNKNOWN, hdi::DATA_TYPE_BOOL,   hdi::DATA_TYPE_INT8,    hdi::DATA_TYPE_INT16,
    hdi::DATA_TYPE_INT32,   hdi::DATA_TYPE_INT64,  hdi::DATA_TYPE_UINT8,   hdi::DATA_TYPE_UINT16,
    hdi::DATA_TYPE_UINT32,  hdi::DATA_TYPE_UINT64, hdi::DATA_TYPE_FLOAT16, hdi::DATA_TYPE_FLOAT32,
    hdi::DATA_TYPE_FLOAT64};

inline hdi::DataType to_hdi(DType dtype) { return kDataTypes[static_cast<size_t>(dtype)]; }
inline DType from_hdi(hdi::DataType type) {
  const auto* found = std::find(std::begin(kDataTypes), std::end(kDataTypes), type);
  return found == std::end(kDataTypes) ? DType::unknown : static_cast<DType>(found - std::begin(kDataTypes));
}

// For a run's inputs and outputs.
inline hdi::Format to_hdi(Format format) {
  if (format == Format::nchw) return hdi::FORMAT_NCHW;
  return format == Format::nhwc ? hdi::FORMAT_NHWC : hdi::FORMAT_NONE;
}
inline Format from_hdi(hdi::Format format) {
  if (format == hdi::FORMAT_NCHW) return Format::nchw;
  return format == hdi::FORMAT_NHWC ? Format::nhwc : Format::none;
}

}  // namespace nnrt::plugin
