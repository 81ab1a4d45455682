/**
 * @file plugin.h
 *
 * Turns a driver written against OpenHarmony's interface into a device of this runtime: as a shared library
 * listed in NNRT_PLUGINS (colon-separated paths), or as an object that a program registers. C++17, standard
 * library only; plugin and runtime must be built with the same standard library.
 *
 *     #include <neural_network_runtime/hdi/plugin.h>
 *     class MyDevice final : public nnrt::hdi::V2_0::INnrtDevice { ... };
 *     NNRT_EXPORT_PLUGIN([](uint32_t index) { return index == 0 ? new MyDevice : nullptr; })
 */
#ifndef NNRT_HDI_PLUGIN_H
#define NNRT_HDI_PLUGIN_H

#include "v1_0/innrt_device.h"
#include "v2_0/innrt_device.h"
#include "v2_1/innrt_device.h"

#include <chrono>

namespace nnrt::hdi {

/**
 * Version of these headers in the upper half. The lower half depends on type sizes, so that a different
 * standard library, or a different mode of it, gives a different version.
 */
inline constexpr uint32_t kPluginAbi =
    (2u << 16) | ((sizeof(V2_0::Node) + 3 * sizeof(V2_0::Tensor) + 7 * sizeof(V2_0::ModelConfig) +
                   11 * sizeof(std::string) + 13 * sizeof(std::shared_ptr<int>)) &
                  0xffffu);

/** Optional properties of a device beyond OpenHarmony's interface: derive from this class too. */
class IDeviceTraits {
 public:
  virtual ~IDeviceTraits() = default;

  /**
   * true: a model that the device supports only partly fails to build, instead of partly running on the CPU.
   */
  virtual bool IsExclusive() { return false; }

  /** Fills node.nodeAttr in the driver's own format from node.attr; false: the device needs no bytes. */
  virtual bool WriteNodeAttr(V2_0::Node& node) {
    static_cast<void>(node);
    return false;
  }

  /**
   * Reports the inputs and outputs of a model loaded by PrepareOfflineModel, in order: names, types,
   * dimensions (-1: any) and formats. OpenHarmony's interface has no such call; without it offline models
   * cannot be used. @return 0, or an error code.
   */
  virtual int32_t DescribeOfflineModel(V2_0::IPreparedModel& model, std::vector<V2_0::IOTensor>& inputs,
                                       std::vector<V2_0::IOTensor>& outputs) {
    static_cast<void>(model), static_cast<void>(inputs), static_cast<void>(outputs);
    return V2_0::NNRT_NOT_SUPPORT;
  }
};

/**
 * A device that derives from this too closes no descriptor of its arguments. It gets the runtime's own ones,
 * which saves a duplicate for each buffer of each call.
 */
class IDescriptorBorrower {
 public:
  virtual ~IDescriptorBorrower() = default;
};

/**
 * A prepared model that derives from this too ends runs at a deadline. The others continue on a thread of the
 * runtime's after the client got its timeout.
 */
class ITimedModel {
 public:
  virtual ~ITimedModel() = default;

  /** As Run; returns NNRT_TIME_OUT after the deadline, when nothing accesses the buffers any more. */
  virtual int32_t RunUntil(const std::vector<V2_0::IOTensor>& inputs,
                           const std::vector<V2_0::IOTensor>& outputs,
                           std::chrono::steady_clock::time_point deadline,
                           std::vector<std::vector<int32_t>>& outputDims) = 0;
};

}  // namespace nnrt::hdi

#pragma GCC visibility push(default)
extern "C" {

/** Version of the header that the plugin was built with. */
uint32_t NNRtPlugin_GetAbi();

/** Creates a device; null if there is none with this index. `abi` is the runtime's version. */
nnrt::hdi::V2_0::INnrtDevice* NNRtPlugin_CreateDevice(uint32_t abi, uint32_t index);

void NNRtPlugin_DestroyDevice(nnrt::hdi::V2_0::INnrtDevice* device);

/**
 * Implements nnrt::hdi::RegisterDevice; in libneural_network_core.so.
 *
 * @param abi kPluginAbi of the plugin's header.
 * @param device the device; the registry keeps a copy of the pointer.
 * @return as nnrt::hdi::RegisterDevice.
 */
int32_t OH_NNRt_RegisterDevice(uint32_t abi, const std::shared_ptr<nnrt::hdi::V2_0::INnrtDevice>* device);
}
#pragma GCC visibility pop

namespace nnrt::hdi {

/**
 * Adds a device after those of NNRT_PLUGINS. Call it before any other function of the runtime: the device
 * list is fixed once it has been read.
 * @return an OH_NN_ReturnCode. OH_NN_OPERATION_FORBIDDEN: the list is already fixed. OH_NN_INVALID_PARAMETER:
 *         null, or another version of these headers. OH_NN_UNAVAILABLE_DEVICE: the device does not report its
 *         names.
 */
inline int32_t RegisterDevice(const std::shared_ptr<V2_0::INnrtDevice>& device) {
  return OH_NNRt_RegisterDevice(kPluginAbi, &device);
}

}  // namespace nnrt::hdi

/** Defines the functions that the runtime looks up; `create` returns the device with an index, or null. */
#define NNRT_EXPORT_PLUGIN(create)                                                                 \
  extern "C" uint32_t NNRtPlugin_GetAbi() { return nnrt::hdi::kPluginAbi; }                        \
  extern "C" nnrt::hdi::V2_0::INnrtDevice* NNRtPlugin_CreateDevice(uint32_t, uint32_t nnrtIndex) { \
    return (create)(nnrtIndex);                                                                    \
  }                                                                                                \
  extern "C" void NNRtPlugin_DestroyDevice(nnrt::hdi::V2_0::INnrtDevice* device) { delete device; }

#endif
