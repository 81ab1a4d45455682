#include "api/model/quantization_params.h"

#include "core/base/text.h"

namespace nnrt {

Result<Quant> quant_from(std::span<const double> scales, std::span<const int32_t> zero_points,
                         std::span<const uint32_t> bits) {
  if (scales.size() != zero_points.size() || scales.size() != bits.size()) {
    return invalid("The numbers of scales (", scales.size(), "), zero points (", zero_points.size(),
                   ") and bits (", bits.size(), ") differ.");
  }
  for (const uint32_t number : bits) {
    if (number != 8) return invalid("The number of bits (", number, ") is not 8.");
  }
  return Quant{{scales.begin(), scales.end()}, {zero_points.begin(), zero_points.end()}};
}

}  // namespace nnrt
