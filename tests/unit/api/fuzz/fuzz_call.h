// One call of a fuzzed sequence, and its documented return codes.
#pragma once

#include "tests/unit/api/fuzz/fuzz_state.h"

#include <functional>
#include <set>
#include <string>

namespace api_tests {

using ReturnCodes = std::set<OH_NN_ReturnCode>;

inline const ReturnCodes kSimple = {OH_NN_SUCCESS, OH_NN_INVALID_PARAMETER};
inline const ReturnCodes kStateful = {OH_NN_SUCCESS, OH_NN_INVALID_PARAMETER, OH_NN_OPERATION_FORBIDDEN};
inline const ReturnCodes kSize = {OH_NN_SUCCESS, OH_NN_INVALID_PARAMETER, OH_NN_DYNAMIC_SHAPE};
inline const ReturnCodes kMayLackMemory = {OH_NN_SUCCESS, OH_NN_INVALID_PARAMETER, OH_NN_MEMORY_ERROR};
inline const ReturnCodes kCache = {OH_NN_SUCCESS, OH_NN_INVALID_PARAMETER, OH_NN_OPERATION_FORBIDDEN,
                                   OH_NN_UNSUPPORTED};
inline const ReturnCodes kBuild = {OH_NN_SUCCESS,     OH_NN_INVALID_PARAMETER, OH_NN_FAILED,
                                   OH_NN_UNSUPPORTED, OH_NN_MEMORY_ERROR,      OH_NN_INVALID_FILE,
                                   OH_NN_INVALID_PATH};
inline const ReturnCodes kRun = {OH_NN_SUCCESS, OH_NN_INVALID_PARAMETER, OH_NN_UNSUPPORTED,
                                 OH_NN_MEMORY_ERROR, OH_NN_FAILED};

struct Step {
  std::string function;
  ReturnCodes return_codes;
  std::function<OH_NN_ReturnCode(FuzzState&)> call;
};

inline OH_NN_ReturnCode pointer_code(const void* pointer) {
  return pointer == nullptr ? OH_NN_INVALID_PARAMETER : OH_NN_SUCCESS;
}

// Destroys through a function that returns nothing.
template <typename Handle>
auto without_code(void (*function)(Handle**)) {
  return [function](Handle** handle) {
    function(handle);
    return OH_NN_SUCCESS;
  };
}

}  // namespace api_tests
