#include "nnapi/base/client_call.h"
#include "nnapi/compilation/compilation.h"
#include "nnapi/device/device_list.h"

#include <android/NeuralNetworks.h>

using namespace nnrt;
using namespace nnrt::nnapi;

namespace {

void give(ANeuralNetworksCompilation** out, ModelPtr model, std::vector<Device*> devices) {
  auto made = std::make_unique<ANeuralNetworksCompilation>();
  made->compilation = std::make_shared<Compilation>(std::move(model), std::move(devices));
  *out = made.release();
}

// Returns the preferred alignment or padding of an input or output.
Outcome prefer(const ANeuralNetworksCompilation* compilation, std::string_view what,
               const std::vector<uint32_t> Model::*arguments, uint32_t index, uint32_t preferred,
               uint32_t* out) {
  NNRT_TRY(require({{"compilation", compilation}, {"result", out}}));
  NNRT_TRY(compilation->compilation->require_ready());
  NNRT_TRY(require_index(what, index, (compilation->compilation->model().*arguments).size()));
  *out = preferred;
  return {};
}

constexpr uint32_t kAlignment = 64;  // a cache line, and enough for every element
constexpr uint32_t kNoPadding = 1;

}  // namespace

int ANeuralNetworksModel_getSupportedOperationsForDevices(const ANeuralNetworksModel* model,
                                                          const ANeuralNetworksDevice* const* devices,
                                                          uint32_t numDevices, bool* supportedOps) {
  return guard(__func__, {{"model", model}, {"devices", devices}, {"supportedOps", supportedOps}},
               [&]() -> Outcome {
                 if (numDevices == 0) return bad_data("The list of devices is empty.");
                 NNRT_TRY(model->composer.require_finished());
                 std::vector<Device*> chosen;
                 NNRT_TRY(chosen_devices(devices, numDevices, chosen));
                 NNRT_ASSIGN(const auto supported, supported_operations(model->composer.finished(), chosen));
                 std::copy(supported.begin(), supported.end(), supportedOps);
                 return {};
               });
}

int ANeuralNetworksCompilation_create(ANeuralNetworksModel* model, ANeuralNetworksCompilation** compilation) {
  return guard(__func__, {{"compilation", compilation}}, [&]() -> Outcome {
    *compilation = nullptr;
    NNRT_TRY(require({{"model", model}}));
    NNRT_TRY(model->composer.require_finished());
    give(compilation, model->composer.finished(), {});
    return {};
  });
}

int ANeuralNetworksCompilation_createForDevices(ANeuralNetworksModel* model,
                                                const ANeuralNetworksDevice* const* devices,
                                                uint32_t numDevices,
                                                ANeuralNetworksCompilation** compilation) {
  return guard(__func__, {{"compilation", compilation}}, [&]() -> Outcome {
    *compilation = nullptr;
    NNRT_TRY(require({{"model", model}, {"devices", devices}}));
    std::vector<Device*> chosen;
    NNRT_TRY(chosen_devices(devices, numDevices, chosen));
    NNRT_TRY(model->composer.require_finished());
    give(compilation, model->composer.finished(), std::move(chosen));
    return {};
  });
}

void ANeuralNetworksCompilation_free(ANeuralNetworksCompilation* compilation) { free_handle(compilation); }

int ANeuralNetworksCompilation_setPreference(ANeuralNetworksCompilation* compilation, int32_t preference) {
  return guard(__func__, {{"compilation", compilation}},
               [&] { return compilation->compilation->set_preference(preference); });
}

int ANeuralNetworksCompilation_setCaching(ANeuralNetworksCompilation* compilation, const char* cacheDir,
                                          const uint8_t* token) {
  return guard(__func__, {{"compilation", compilation}, {"cacheDir", cacheDir}, {"token", token}},
               [&] { return compilation->compilation->set_caching(cacheDir, token); });
}

int ANeuralNetworksCompilation_setPriority(ANeuralNetworksCompilation* compilation, int priority) {
  return guard(__func__, {{"compilation", compilation}},
               [&] { return compilation->compilation->set_priority(priority); });
}

int ANeuralNetworksCompilation_setTimeout(ANeuralNetworksCompilation* compilation, uint64_t duration) {
  return guard(__func__, {{"compilation", compilation}},
               [&] { return compilation->compilation->set_timeout(duration); });
}

int ANeuralNetworksCompilation_finish(ANeuralNetworksCompilation* compilation) {
  return guard(__func__, {{"compilation", compilation}}, [&] { return compilation->compilation->finish(); });
}

int ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput(
    const ANeuralNetworksCompilation* compilation, uint32_t index, uint32_t* alignment) {
  return guard(__func__, [&]() -> Outcome {
    return prefer(compilation, "input", &Model::inputs, index, kAlignment, alignment);
  });
}

int ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput(
    const ANeuralNetworksCompilation* compilation, uint32_t index, uint32_t* padding) {
  return guard(__func__, [&]() -> Outcome {
    return prefer(compilation, "input", &Model::inputs, index, kNoPadding, padding);
  });
}

int ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput(
    const ANeuralNetworksCompilation* compilation, uint32_t index, uint32_t* alignment) {
  return guard(__func__, [&]() -> Outcome {
    return prefer(compilation, "output", &Model::outputs, index, kAlignment, alignment);
  });
}

int ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput(
    const ANeuralNetworksCompilation* compilation, uint32_t index, uint32_t* padding) {
  return guard(__func__, [&]() -> Outcome {
    return prefer(compilation, "output", &Model::outputs, index, kNoPadding, padding);
  });
}
