// The range of numbers that the 256 quantized values of a tensor spread over.
#pragma once

#include "core/base/result.h"
#include "tools/import/quantizer/model_quantizer.h"
#include "tools/nnrt/quantize/histogram.h"

#include <string_view>

namespace nnrt::tool {

enum class RangeMethod {
  min_max,     // everything that was seen
  percentile,  // without the largest 0.01 % on either side
  mse,         // the smallest mean square of the error of rounding and clipping together
};

// "minmax", "percentile" or "mse".
Result<RangeMethod> parse_range_method(std::string_view text);

nnrt::import::ValueRange choose_range(const Histogram& histogram, RangeMethod method);

}  // namespace nnrt::tool
