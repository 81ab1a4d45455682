#include "api/base/runtime_table.h"

const nnrt::RuntimeTable* OH_NNRt_RuntimeTable_1() noexcept {
  static constexpr nnrt::RuntimeTable kTable = {&nnrt::kQuantParamFunctions, &nnrt::kModelFunctions,
                                                &nnrt::kLegacyFunctions};
  return &kTable;
}
