/**
 * @file innrt_device.h
 *
 * The device of a driver: the 15 methods of OpenHarmony's ohos.hdi.nnrt.v2_0 in their order. All return 0, an
 * NNRT_ReturnCode or a negative HDF error. Methods may be called from several threads at once. plugin.h says
 * how the runtime gets a device.
 *
 * File descriptors that a method is given (in Tensor::data, IOTensor::data and SharedBuffer) are duplicates
 * that the runtime makes for that call, one for each buffer, as the call of another process would bring them:
 * it closes them when the call returns, and the method may close them before. Map or duplicate those that
 * shall be there longer. Their numbers mean nothing; fstat() identifies the file. If the process has hardly
 * any descriptors left, constants of one model share one. ReleaseBuffer alone gets the number that
 * AllocateBuffer gave. Those that a method gives (AllocateBuffer, ExportModelCache) stay the driver's: the
 * runtime duplicates them at once and closes none.
 */
#ifndef NNRT_HDI_V2_0_INNRT_DEVICE_H
#define NNRT_HDI_V2_0_INNRT_DEVICE_H

#include "iprepared_model.h"
#include "model_types.h"
#include "nnrt_types.h"

#include <memory>

namespace nnrt::hdi::V2_0 {

class INnrtDevice {
 public:
  virtual ~INnrtDevice() = default;

  /** Clients see `<device>_<vendor>_v<major>_<minor>`. */
  virtual int32_t GetDeviceName(std::string& name) = 0;
  virtual int32_t GetVendorName(std::string& name) = 0;
  virtual int32_t GetDeviceType(DeviceType& deviceType) = 0;

  /** Asked when the device is registered and by each Build. OFFLINE and UNKNOWN: it cannot be used. */
  virtual int32_t GetDeviceStatus(DeviceStatus& status) = 0;

  /**
   * One answer for each of model.nodes, in their order. Nodes behind the last answer count as supported.
   * A node may make no sense in shapes or types: what the device claims is believed.
   */
  virtual int32_t GetSupportedOperation(const Model& model, std::vector<bool>& ops) = 0;

  /** Reports whether a float32 model may be computed in float16. */
  virtual int32_t IsFloat16PrecisionSupported(bool& isSupported) = 0;
  virtual int32_t IsPerformanceModeSupported(bool& isSupported) = 0;
  virtual int32_t IsPrioritySupported(bool& isSupported) = 0;

  /** Asked where an input of the model has a dimension of -1; such models are kept from devices that say no.
   */
  virtual int32_t IsDynamicInputSupported(bool& isSupported) = 0;

  /** Constants that are kept must be copied: their memory goes when this returns. */
  virtual int32_t PrepareModel(const Model& model, const ModelConfig& config,
                               std::shared_ptr<IPreparedModel>& preparedModel) = 0;

  virtual int32_t IsModelCacheSupported(bool& isSupported) = 0;

  /** The buffers hold what ExportModelCache gave, in its order. */
  virtual int32_t PrepareModelFromModelCache(const std::vector<SharedBuffer>& modelCache,
                                             const ModelConfig& config,
                                             std::shared_ptr<IPreparedModel>& preparedModel) = 0;

  /** A model in a format of the vendor's own. */
  virtual int32_t PrepareOfflineModel(const std::vector<SharedBuffer>& models, const ModelConfig& config,
                                      std::shared_ptr<IPreparedModel>& preparedModel) = 0;

  /**
   * Memory of `length` bytes, offset 0, that the device can use directly. The fd stays the device's, open
   * until ReleaseBuffer gets it.
   */
  virtual int32_t AllocateBuffer(uint32_t length, SharedBuffer& buffer) = 0;

  /** Gets the fd of AllocateBuffer, to close it; offset 0 and bufferSize = dataSize = length. */
  virtual int32_t ReleaseBuffer(const SharedBuffer& buffer) = 0;

  /** 2.1: the device knows the nodes of V2_1; 2.0: only the operators that V2_0 has are sent to it. */
  virtual int32_t GetVersion(uint32_t& majorVer, uint32_t& minorVer) {
    majorVer = 2;
    minorVer = 0;
    return NNRT_SUCCESS;
  }
};

}  // namespace nnrt::hdi::V2_0

#endif
