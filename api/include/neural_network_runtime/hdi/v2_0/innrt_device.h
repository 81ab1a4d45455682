/**
 * @file innrt_device.h
 *
 * A driver's device: the 15 methods of OpenHarmony's ohos.hdi.nnrt.v2_0 in order. All return 0, an
 * NNRT_ReturnCode or a negative HDF error. Methods may be called concurrently. plugin.h describes how the
 * runtime obtains a device.
 *
 * File descriptors passed to a method (in Tensor::data, IOTensor::data and SharedBuffer) are duplicates made
 * for that call, one per buffer, as in a call from another process: the runtime closes them when the call
 * returns, and the method may close them earlier. Map or duplicate those that are needed longer. Don't rely
 * on their numbers; identify the file with fstat(). If the process is almost out of descriptors, the
 * constants of a model share one. Only ReleaseBuffer receives the number that AllocateBuffer returned.
 * Descriptors returned by a method (AllocateBuffer, ExportModelCache) remain owned by the driver: the runtime
 * duplicates them immediately and never closes them.
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

  /** Called when the device is registered and by each Build. OFFLINE and UNKNOWN devices cannot be used. */
  virtual int32_t GetDeviceStatus(DeviceStatus& status) = 0;

  /**
   * One entry per model.nodes, in order. Nodes after the last entry count as supported. Shapes or types of a
   * node may be inconsistent; the runtime trusts the answer.
   */
  virtual int32_t GetSupportedOperation(const Model& model, std::vector<bool>& ops) = 0;

  /** Reports whether a float32 model may be computed in float16. */
  virtual int32_t IsFloat16PrecisionSupported(bool& isSupported) = 0;
  virtual int32_t IsPerformanceModeSupported(bool& isSupported) = 0;
  virtual int32_t IsPrioritySupported(bool& isSupported) = 0;

  /** Called if a model input has a dimension of -1; devices that answer false do not get such models. */
  virtual int32_t IsDynamicInputSupported(bool& isSupported) = 0;

  /** Copy constants that are needed later: their memory is released when this returns. */
  virtual int32_t PrepareModel(const Model& model, const ModelConfig& config,
                               std::shared_ptr<IPreparedModel>& preparedModel) = 0;

  virtual int32_t IsModelCacheSupported(bool& isSupported) = 0;

  /** The buffers contain what ExportModelCache returned, in the same order. */
  virtual int32_t PrepareModelFromModelCache(const std::vector<SharedBuffer>& modelCache,
                                             const ModelConfig& config,
                                             std::shared_ptr<IPreparedModel>& preparedModel) = 0;

  /** A model in a vendor-specific format. */
  virtual int32_t PrepareOfflineModel(const std::vector<SharedBuffer>& models, const ModelConfig& config,
                                      std::shared_ptr<IPreparedModel>& preparedModel) = 0;

  /**
   * Memory of `length` bytes, offset 0, that the device can access directly. The device owns the fd and keeps
   * it open until ReleaseBuffer.
   */
  virtual int32_t AllocateBuffer(uint32_t length, SharedBuffer& buffer) = 0;

  /** Receives the fd of AllocateBuffer, to close it; offset 0 and bufferSize = dataSize = length. */
  virtual int32_t ReleaseBuffer(const SharedBuffer& buffer) = 0;

  /** 2.1: the device supports the nodes of V2_1; 2.0: it gets only V2_0 operators. */
  virtual int32_t GetVersion(uint32_t& majorVer, uint32_t& minorVer) {
    majorVer = 2;
    minorVer = 0;
    return NNRT_SUCCESS;
  }
};

}  // namespace nnrt::hdi::V2_0

#endif
