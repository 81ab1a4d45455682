/**
 * @file plugin.h
 *
 * Makes a driver written against OpenHarmony's interface a device of this runtime: as a shared library that
 * NNRT_PLUGINS names (a colon-separated list of paths), or as an object that a program registers itself.
 * C++17, the standard library only; plugin and runtime must be built with the same standard library.
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

namespace nnrt::hdi {

/**
 * The version of these headers in the upper half. The lower half has sizes in it, so that another standard
 * library, or another mode of the same, is another version.
 */
inline constexpr uint32_t kPluginAbi =
    (2u << 16) | ((sizeof(V2_0::Node) + 3 * sizeof(V2_0::Tensor) + 7 * sizeof(V2_0::ModelConfig) +
                   11 * sizeof(std::string) + 13 * sizeof(std::shared_ptr<int>)) &
                  0xffffu);

/** Reports of a device beyond OpenHarmony's interface: it derives from this as well. */
class IDeviceTraits {
 public:
  virtual ~IDeviceTraits() = default;

  /** true: a model that the device supports in part fails to build, instead of running in part on the CPU. */
  virtual bool IsExclusive() { return false; }

  /** Fills node.nodeAttr in the driver's own format from node.attr; false: the device needs no bytes. */
  virtual bool WriteNodeAttr(V2_0::Node& node) {
    static_cast<void>(node);
    return false;
  }

  /**
   * Reports the inputs and outputs of a model of PrepareOfflineModel, in their order: names, types,
   * dimensions (-1: any) and formats. OpenHarmony's interface does not report them; without this such a model
   * cannot be used. @return 0, or a code.
   */
  virtual int32_t DescribeOfflineModel(V2_0::IPreparedModel& model, std::vector<V2_0::IOTensor>& inputs,
                                       std::vector<V2_0::IOTensor>& outputs) {
    static_cast<void>(model), static_cast<void>(inputs), static_cast<void>(outputs);
    return V2_0::NNRT_NOT_SUPPORT;
  }
};

}  // namespace nnrt::hdi

#pragma GCC visibility push(default)
extern "C" {

/** The version of the header that the plugin was built with. */
uint32_t NNRtPlugin_GetAbi();

/** A new device; null: there is none of this index. `abi` is the runtime's version. */
nnrt::hdi::V2_0::INnrtDevice* NNRtPlugin_CreateDevice(uint32_t abi, uint32_t index);

void NNRtPlugin_DestroyDevice(nnrt::hdi::V2_0::INnrtDevice* device);

/** In libneural_network_core.so: see nnrt::hdi::RegisterDevice. */
int32_t OH_NNRt_RegisterDevice(uint32_t abi, const std::shared_ptr<nnrt::hdi::V2_0::INnrtDevice>* device);
}
#pragma GCC visibility pop

namespace nnrt::hdi {

/**
 * Adds a device behind those of NNRT_PLUGINS, before any other function of the runtime is called: the list of
 * devices never changes once somebody has seen it.
 * @return an OH_NN_ReturnCode. OH_NN_OPERATION_FORBIDDEN: the list was made already.
 *         OH_NN_INVALID_PARAMETER: null, or another version of these headers. OH_NN_UNAVAILABLE_DEVICE: the
 *         device does not report its names.
 */
inline int32_t RegisterDevice(const std::shared_ptr<V2_0::INnrtDevice>& device) {
  return OH_NNRt_RegisterDevice(kPluginAbi, &device);
}

}  // namespace nnrt::hdi

/** Defines the functions that the runtime looks for; `create` makes the device of an index, or null. */
#define NNRT_EXPORT_PLUGIN(create)                                                                 \
  extern "C" uint32_t NNRtPlugin_GetAbi() { return nnrt::hdi::kPluginAbi; }                        \
  extern "C" nnrt::hdi::V2_0::INnrtDevice* NNRtPlugin_CreateDevice(uint32_t, uint32_t nnrtIndex) { \
    return (create)(nnrtIndex);                                                                    \
  }                                                                                                \
  extern "C" void NNRtPlugin_DestroyDevice(nnrt::hdi::V2_0::INnrtDevice* device) { delete device; }

#endif
