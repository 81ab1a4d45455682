// Loads libneuralnetworks.so with dlopen, as Android clients do, so there is no link-time dependency.
#pragma once

#include "core/base/result.h"

#include <android/NeuralNetworks.h>
#include <android/NeuralNetworksNNRt.h>

#include <memory>
#include <string_view>

namespace nnrt::import {

#define NNRT_NNAPI_FUNCTIONS(X)                               \
  X(ANeuralNetworks_getDeviceCount)                           \
  X(ANeuralNetworks_getDevice)                                \
  X(ANeuralNetworksDevice_getName)                            \
  X(ANeuralNetworksDevice_getType)                            \
  X(ANeuralNetworksModel_create)                              \
  X(ANeuralNetworksModel_free)                                \
  X(ANeuralNetworksModel_addOperand)                          \
  X(ANeuralNetworksModel_setOperandValue)                     \
  X(ANeuralNetworksModel_setOperandSymmPerChannelQuantParams) \
  X(ANeuralNetworksModel_addOperation)                        \
  X(ANeuralNetworksModel_identifyInputsAndOutputs)            \
  X(ANeuralNetworksModel_relaxComputationFloat32toFloat16)    \
  X(ANeuralNetworksModel_finish)                              \
  X(ANeuralNetworksCompilation_create)                        \
  X(ANeuralNetworksCompilation_createForDevices)              \
  X(ANeuralNetworksCompilation_free)                          \
  X(ANeuralNetworksCompilation_finish)                        \
  X(ANeuralNetworksExecution_create)                          \
  X(ANeuralNetworksExecution_free)                            \
  X(ANeuralNetworksExecution_setInput)                        \
  X(ANeuralNetworksExecution_setOutput)                       \
  X(ANeuralNetworksExecution_compute)                         \
  X(ANeuralNetworksExecution_startCompute)                    \
  X(ANeuralNetworksExecution_getOutputOperandRank)            \
  X(ANeuralNetworksExecution_getOutputOperandDimensions)      \
  X(ANeuralNetworksEvent_wait)                                \
  X(ANeuralNetworksEvent_free)

// The functions, looked up by name.
struct Nnapi {
#define NNRT_NNAPI_MEMBER(name) decltype(&::name) name = nullptr;
  NNRT_NNAPI_FUNCTIONS(NNRT_NNAPI_MEMBER)
#undef NNRT_NNAPI_MEMBER
  decltype(&::ANeuralNetworksNNRt_getLastError) get_last_error = nullptr;  // null: not this implementation
};

// Loads the library at the first call; it is never unloaded. Fails if the library or a function is missing.
Result<const Nnapi*> open_nnapi();

// "BAD_DATA"
std::string_view nnapi_result_name(int code);
// The error of a call, with the reason if the library provides it.
Status nnapi_called(int code, std::string_view call);

// Owns the result of a _create function; calls the matching _free function.
template <typename T>
using NnapiHandle = std::unique_ptr<T, void (*)(T*)>;

}  // namespace nnrt::import
