#include "nnapi/base/client_call.h"
#include "nnapi/execution/client_execution.h"

#include <android/NeuralNetworks.h>

using namespace nnrt;
using namespace nnrt::nnapi;

namespace {

Outcome bind_buffer(ANeuralNetworksExecution* execution, bool is_input, int32_t index,
                    const ANeuralNetworksOperandType* type, const void* buffer, size_t length) {
  NNRT_TRY(require({{"execution", execution}}));
  if (length != 0) NNRT_TRY(require({{"buffer", buffer}}));
  auto* const bytes = static_cast<std::byte*>(const_cast<void*>(buffer));  // inputs are only read
  return execution->execution.bind(is_input, index, {type, bytes, nullptr, 0, length});
}

Outcome bind_memory(ANeuralNetworksExecution* execution, bool is_input, int32_t index,
                    const ANeuralNetworksOperandType* type, const ANeuralNetworksMemory* memory,
                    size_t offset, size_t length) {
  NNRT_TRY(require({{"execution", execution}, {"memory", memory}}));
  return execution->execution.bind(is_input, index, {type, nullptr, memory->memory, offset, length});
}

}  // namespace

int ANeuralNetworksExecution_create(ANeuralNetworksCompilation* compilation,
                                    ANeuralNetworksExecution** execution) {
  return guard(__func__, {{"execution", execution}}, [&]() -> Outcome {
    *execution = nullptr;
    NNRT_TRY(require({{"compilation", compilation}}));
    NNRT_TRY(compilation->compilation->require_ready());
    *execution = std::make_unique<ANeuralNetworksExecution>(compilation->compilation).release();
    return {};
  });
}

void ANeuralNetworksExecution_free(ANeuralNetworksExecution* execution) { free_handle(execution); }

int ANeuralNetworksExecution_setInput(ANeuralNetworksExecution* execution, int32_t index,
                                      const ANeuralNetworksOperandType* type, const void* buffer,
                                      size_t length) {
  return guard(__func__, [&] { return bind_buffer(execution, true, index, type, buffer, length); });
}

int ANeuralNetworksExecution_setInputFromMemory(ANeuralNetworksExecution* execution, int32_t index,
                                                const ANeuralNetworksOperandType* type,
                                                const ANeuralNetworksMemory* memory, size_t offset,
                                                size_t length) {
  return guard(__func__, [&] { return bind_memory(execution, true, index, type, memory, offset, length); });
}

int ANeuralNetworksExecution_setOutput(ANeuralNetworksExecution* execution, int32_t index,
                                       const ANeuralNetworksOperandType* type, void* buffer, size_t length) {
  return guard(__func__, [&] { return bind_buffer(execution, false, index, type, buffer, length); });
}

int ANeuralNetworksExecution_setOutputFromMemory(ANeuralNetworksExecution* execution, int32_t index,
                                                 const ANeuralNetworksOperandType* type,
                                                 const ANeuralNetworksMemory* memory, size_t offset,
                                                 size_t length) {
  return guard(__func__, [&] { return bind_memory(execution, false, index, type, memory, offset, length); });
}

int ANeuralNetworksExecution_enableInputAndOutputPadding(ANeuralNetworksExecution* execution, bool enable) {
  return guard(__func__, {{"execution", execution}},
               [&] { return execution->execution.enable_padding(enable); });
}

int ANeuralNetworksExecution_setReusable(ANeuralNetworksExecution* execution, bool reusable) {
  return guard(__func__, {{"execution", execution}},
               [&] { return execution->execution.set_reusable(reusable); });
}

int ANeuralNetworksExecution_setMeasureTiming(ANeuralNetworksExecution* execution, bool measure) {
  return guard(__func__, {{"execution", execution}},
               [&] { return execution->execution.set_measure(measure); });
}

int ANeuralNetworksExecution_setTimeout(ANeuralNetworksExecution* execution, uint64_t duration) {
  return guard(__func__, {{"execution", execution}},
               [&] { return execution->execution.set_timeout(duration); });
}

int ANeuralNetworksExecution_setLoopTimeout(ANeuralNetworksExecution* execution, uint64_t duration) {
  return guard(__func__, {{"execution", execution}},
               [&] { return execution->execution.set_loop_timeout(duration); });
}

int ANeuralNetworksExecution_getOutputOperandRank(ANeuralNetworksExecution* execution, int32_t index,
                                                  uint32_t* rank) {
  return guard(__func__, {{"execution", execution}, {"rank", rank}},
               [&] { return execution->execution.output_rank(index, *rank); });
}

int ANeuralNetworksExecution_getOutputOperandDimensions(ANeuralNetworksExecution* execution, int32_t index,
                                                        uint32_t* dimensions) {
  return guard(__func__, {{"execution", execution}, {"dimensions", dimensions}},
               [&] { return execution->execution.output_dimensions(index, dimensions); });
}

int ANeuralNetworksExecution_getDuration(const ANeuralNetworksExecution* execution, int32_t durationCode,
                                         uint64_t* duration) {
  return guard(__func__, {{"execution", execution}, {"duration", duration}},
               [&] { return execution->execution.duration(durationCode, *duration); });
}
