// Vendor extensions (there are none), and this runtime's own function.
#include "core/base/call_error.h"
#include "nnapi/base/client_call.h"
#include "nnapi/execution/client_execution.h"

#include <android/NeuralNetworksExtensions.h>
#include <android/NeuralNetworksNNRt.h>

using namespace nnrt;
using namespace nnrt::nnapi;

namespace {

Failure no_extension(const char* name) { return bad_data("No device has the extension ", name, "."); }

}  // namespace

int ANeuralNetworksDevice_getExtensionSupport(const ANeuralNetworksDevice* device, const char* extensionName,
                                              bool* isExtensionSupported) {
  return guard(
      __func__,
      {{"device", device}, {"extensionName", extensionName}, {"isExtensionSupported", isExtensionSupported}},
      [&] { *isExtensionSupported = false; });
}

int ANeuralNetworksModel_getExtensionOperandType(ANeuralNetworksModel* model, const char* extensionName,
                                                 uint16_t, int32_t* type) {
  return guard(__func__, {{"model", model}, {"extensionName", extensionName}, {"type", type}},
               [&] { return no_extension(extensionName); });
}

int ANeuralNetworksModel_getExtensionOperationType(ANeuralNetworksModel* model, const char* extensionName,
                                                   uint16_t, ANeuralNetworksOperationType* type) {
  return guard(__func__, {{"model", model}, {"extensionName", extensionName}, {"type", type}},
               [&] { return no_extension(extensionName); });
}

int ANeuralNetworksModel_setOperandExtensionData(ANeuralNetworksModel* model, int32_t index, const void* data,
                                                 size_t length) {
  return guard(__func__, {{"model", model}}, [&]() -> Outcome {
    if (length != 0) NNRT_TRY(require({{"data", data}}));
    return model->composer.set_extension_data(index);
  });
}

int ANeuralNetworksCompilation_addExtensionAttribute(ANeuralNetworksCompilation* compilation,
                                                     const char* extensionName, uint16_t, const void* data,
                                                     size_t) {
  return guard(__func__, {{"compilation", compilation}, {"extensionName", extensionName}, {"data", data}},
               [&]() -> Outcome {
                 NNRT_TRY(compilation->compilation->require_open());
                 return no_extension(extensionName);
               });
}

int ANeuralNetworksExecution_addExtensionAttribute(ANeuralNetworksExecution* execution,
                                                   const char* extensionName, uint16_t, const void* data,
                                                   size_t) {
  return guard(__func__, {{"execution", execution}, {"extensionName", extensionName}, {"data", data}},
               [&]() -> Outcome {
                 NNRT_TRY(execution->execution.require_open());
                 return no_extension(extensionName);
               });
}

// Cannot throw, and does not change the last error.
int ANeuralNetworksNNRt_getLastError(char* text, size_t capacity, size_t* length) {
  if (length == nullptr || (text == nullptr && capacity > 0)) return ANEURALNETWORKS_UNEXPECTED_NULL;
  return copy_call_error(text, capacity, length) ? ANEURALNETWORKS_NO_ERROR : ANEURALNETWORKS_BAD_DATA;
}
