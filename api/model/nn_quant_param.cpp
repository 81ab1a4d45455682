#include "api/base/api_handles.h"
#include "api/base/boundary.h"
#include "api/base/runtime_table.h"

namespace nnrt {
namespace {

NN_QuantParam* create() {
  return guard_new("OH_NNQuantParam_Create", []() -> Result<std::unique_ptr<NN_QuantParam>> {
    return std::make_unique<NN_QuantParam>();
  });
}

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

OH_NN_ReturnCode set_scales(NN_QuantParam* params, const double* scales, size_t count) {
  return set_list("OH_NNQuantParam_SetScales", params, &NN_QuantParam::scales, "scales", scales, count);
}

OH_NN_ReturnCode set_zero_points(NN_QuantParam* params, const int32_t* zero_points, size_t count) {
  return set_list("OH_NNQuantParam_SetZeroPoints", params, &NN_QuantParam::zero_points, "zeroPoints",
                  zero_points, count);
}

OH_NN_ReturnCode set_num_bits(NN_QuantParam* params, const uint32_t* bits, size_t count) {
  return set_list("OH_NNQuantParam_SetNumBits", params, &NN_QuantParam::bits, "numBits", bits, count);
}

OH_NN_ReturnCode destroy_params(NN_QuantParam** params) {
  return guard("OH_NNQuantParam_Destroy", [&] { return destroy("quantParams", params); });
}

}  // namespace

const QuantParamFunctions kQuantParamFunctions = {create, set_scales, set_zero_points, set_num_bits,
                                                  destroy_params};

}  // namespace nnrt
