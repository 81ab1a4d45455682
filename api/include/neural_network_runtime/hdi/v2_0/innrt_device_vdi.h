/**
 * @file innrt_device_vdi.h
 *
 * A driver library as OpenHarmony's generic service loads it, libnnrt_vdi_impl.z.so: the methods of
 * INnrtDevice in the same order, without the version, and two functions. For services that are the driver's
 * own class, there is a third.
 *
 * With NNRT_BOARD_HDI_MINOR, 0 or 1, the types are those of the headers that OpenHarmony's build generates
 * for V2_0 or V2_1; otherwise this project's.
 */
#ifndef NNRT_HDI_V2_0_INNRT_DEVICE_VDI_H
#define NNRT_HDI_V2_0_INNRT_DEVICE_VDI_H

#ifndef NNRT_BOARD_HDI_MINOR
#include "../v1_0/innrt_device.h"
#include "innrt_device.h"
#define NNRT_HDI_NAMESPACE nnrt::hdi::V2_0
#define NNRT_HDI_SPTR std::shared_ptr
#else
#if NNRT_BOARD_HDI_MINOR == 0
#include <v2_0/innrt_device.h>
#define NNRT_HDI_NAMESPACE OHOS::HDI::Nnrt::V2_0
#else
#include <v2_1/innrt_device.h>
#define NNRT_HDI_NAMESPACE OHOS::HDI::Nnrt::V2_1
#endif
#define NNRT_HDI_SPTR ::OHOS::sptr
#endif

namespace NNRT_HDI_NAMESPACE {

class INnrtDeviceVdi {
 public:
  virtual ~INnrtDeviceVdi() = default;
  virtual int32_t GetDeviceName(std::string& name) = 0;
  virtual int32_t GetVendorName(std::string& name) = 0;
  virtual int32_t GetDeviceType(DeviceType& deviceType) = 0;
  virtual int32_t GetDeviceStatus(DeviceStatus& status) = 0;
  virtual int32_t GetSupportedOperation(const Model& model, std::vector<bool>& ops) = 0;
  virtual int32_t IsFloat16PrecisionSupported(bool& isSupported) = 0;
  virtual int32_t IsPerformanceModeSupported(bool& isSupported) = 0;
  virtual int32_t IsPrioritySupported(bool& isSupported) = 0;
  virtual int32_t IsDynamicInputSupported(bool& isSupported) = 0;
  virtual int32_t PrepareModel(const Model& model, const ModelConfig& config,
                               NNRT_HDI_SPTR<IPreparedModel>& preparedModel) = 0;
  virtual int32_t IsModelCacheSupported(bool& isSupported) = 0;
  virtual int32_t PrepareModelFromModelCache(const std::vector<SharedBuffer>& modelCache,
                                             const ModelConfig& config,
                                             NNRT_HDI_SPTR<IPreparedModel>& preparedModel) = 0;
  virtual int32_t PrepareOfflineModel(const std::vector<SharedBuffer>& models, const ModelConfig& config,
                                      NNRT_HDI_SPTR<IPreparedModel>& preparedModel) = 0;
  virtual int32_t AllocateBuffer(uint32_t length, SharedBuffer& buffer) = 0;
  virtual int32_t ReleaseBuffer(const SharedBuffer& buffer) = 0;
};

}  // namespace NNRT_HDI_NAMESPACE

#pragma GCC visibility push(default)
extern "C" {

/** A new object for the same driver; null if it has no device. */
NNRT_HDI_NAMESPACE::INnrtDeviceVdi* CreateNnrtDeviceVdi();

void DestroyNnrtDeviceVdi(NNRT_HDI_NAMESPACE::INnrtDeviceVdi* device);

/** The driver as INnrtDevice, which the caller deletes; null likewise. */
NNRT_HDI_NAMESPACE::INnrtDevice* NnrtDeviceImplGetInstance();

#ifndef NNRT_BOARD_HDI_MINOR
/** The same for V1_0, whose services look up NnrtDeviceImplGetInstance as well, in a library of their own. */
nnrt::hdi::V1_0::INnrtDevice* CreateNnrtDeviceV1_0();
#endif
}
#pragma GCC visibility pop

#endif
