// Chooses the range represented by the 256 quantized values of a tensor.
#pragma once

#include "core/base/result.h"
#include "tools/import/model_quantizer.h"
#include "tools/nnrt/quantize/histogram.h"

#include <string_view>

namespace nnrt::tool {

enum class RangeMethod {
  min_max,     // the full observed range
  percentile,  // without the outermost 0.01 % on either side
  mse,         // minimizes the mean square error of rounding and clipping
};

// "minmax", "percentile" or "mse".
Result<RangeMethod> parse_range_method(std::string_view text);

nnrt::import::ValueRange choose_range(const Histogram& histogram, RangeMethod method);

}  // namespace nnrt::tool
