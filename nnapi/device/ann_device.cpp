#include "nnapi/base/client_call.h"
#include "nnapi/device/device_list.h"

#include <android/NeuralNetworks.h>

using namespace nnrt;
using namespace nnrt::nnapi;

int64_t ANeuralNetworks_getRuntimeFeatureLevel() { return ANEURALNETWORKS_FEATURE_LEVEL_8; }
uint64_t ANeuralNetworks_getDefaultLoopTimeout() { return 2'000'000'000; }
uint64_t ANeuralNetworks_getMaximumLoopTimeout() { return 15'000'000'000; }

int ANeuralNetworks_getDeviceCount(uint32_t* numDevices) {
  return guard(__func__, {{"numDevices", numDevices}},
               [&] { *numDevices = static_cast<uint32_t>(all_devices().size()); });
}

int ANeuralNetworks_getDevice(uint32_t devIndex, ANeuralNetworksDevice** device) {
  return guard(__func__, {{"device", device}}, [&]() -> Outcome {
    *device = nullptr;
    NNRT_TRY(require_index("device", devIndex, all_devices().size()));
    *device = const_cast<ANeuralNetworksDevice*>(all_devices()[devIndex].get());
    return {};
  });
}

int ANeuralNetworksDevice_getName(const ANeuralNetworksDevice* device, const char** name) {
  return guard(__func__, {{"device", device}, {"name", name}}, [&] { *name = device->name.c_str(); });
}

int ANeuralNetworksDevice_getType(const ANeuralNetworksDevice* device, int32_t* type) {
  return guard(__func__, {{"device", device}, {"type", type}}, [&] { *type = device->type; });
}

int ANeuralNetworksDevice_getVersion(const ANeuralNetworksDevice* device, const char** version) {
  return guard(__func__, {{"device", device}, {"version", version}},
               [&] { *version = device->version.c_str(); });
}

int ANeuralNetworksDevice_getFeatureLevel(const ANeuralNetworksDevice* device, int64_t* featureLevel) {
  return guard(__func__, {{"device", device}, {"featureLevel", featureLevel}}, [&] {
    *featureLevel = ANEURALNETWORKS_FEATURE_LEVEL_8;  // devices only claim operations that they run
  });
}

int ANeuralNetworksDevice_wait(const ANeuralNetworksDevice* device) {
  return guard(__func__, {{"device", device}}, [&]() -> Outcome {
    if (device->device->status() != DeviceStatus::lost) return {};
    return Failure{ANEURALNETWORKS_DEAD_OBJECT, cat("Device ", device->name, " is lost.")};
  });
}
