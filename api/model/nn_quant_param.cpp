#include "api/base/api_handles.h"
#include "api/base/boundary.h"

#include <neural_network_runtime/neural_network_runtime.h>

namespace nnrt {
namespace {

// Copies one of the three lists.
template <typename T>
OH_NN_ReturnCode set_list(const char* function, NN_QuantParam* params, std::vector<T> NN_QuantParam::*list,
                          std::string_view name, const T* values, size_t count) {
  return guard(function, [&]() -> Status {
    NNRT_TRY(require({{"quantParams", params}, {name, values}}));
    if (count == 0) return invalid("The number of ", name, " is 0.");
    params->*list = std::vector<T>(values, values + count);
    return {};
  });
}

}  // namespace
}  // namespace nnrt

using namespace nnrt;

NN_QuantParam* OH_NNQuantParam_Create() {
  return guard_new(
      __func__, []() -> Result<std::unique_ptr<NN_QuantParam>> { return std::make_unique<NN_QuantParam>(); });
}

OH_NN_ReturnCode OH_NNQuantParam_SetScales(NN_QuantParam* params, const double* scales, size_t count) {
  return set_list(__func__, params, &NN_QuantParam::scales, "scales", scales, count);
}

OH_NN_ReturnCode OH_NNQuantParam_SetZeroPoints(NN_QuantParam* params, const int32_t* zero_points,
                                               size_t count) {
  return set_list(__func__, params, &NN_QuantParam::zero_points, "zeroPoints", zero_points, count);
}

OH_NN_ReturnCode OH_NNQuantParam_SetNumBits(NN_QuantParam* params, const uint32_t* bits, size_t count) {
  return set_list(__func__, params, &NN_QuantParam::bits, "numBits", bits, count);
}

OH_NN_ReturnCode OH_NNQuantParam_Destroy(NN_QuantParam** params) {
  return guard(__func__, [&] { return destroy("quantParams", params); });
}
