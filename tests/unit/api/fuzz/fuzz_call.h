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

// Calls a function with arguments that are drawn.
template <typename Function, typename... Draws>
Step step(std::string name, ReturnCodes codes, Function function, Draws... draws) {
  return {std::move(name), std::move(codes),
          [=](FuzzState& w) { return function(std::invoke(draws, w)...); }};
}
// The same for a function that makes a handle.
template <typename Owned, typename Function, typename... Draws>
Step making(std::string name, std::vector<Owned> FuzzState::*pool, Function function, Draws... draws) {
  return {std::move(name), kSimple,
          [=](FuzzState& w) { return w.keep(w.*pool, function(std::invoke(draws, w)...)); }};
}
template <typename Owned, typename Code>
Step destroying(std::string name, std::vector<Owned> FuzzState::*pool,
                Code (*function)(typename Owned::pointer*)) {
  return {std::move(name), kSimple, [=](FuzzState& w) {
            return w.destroy(w.*pool, [&](typename Owned::pointer* handle) {
              if constexpr (!std::is_void_v<Code>) return function(handle);
              function(handle);
              return OH_NN_SUCCESS;
            });
          }};
}

inline OH_NN_ReturnCode pointer_code(const void* pointer) {
  return pointer == nullptr ? OH_NN_INVALID_PARAMETER : OH_NN_SUCCESS;
}

}  // namespace api_tests
