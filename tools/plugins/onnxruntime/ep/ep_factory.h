// Creates execution providers, and lists devices.
#pragma once

#include "tools/plugins/onnxruntime/ep/execution_provider.h"
#include "tools/plugins/onnxruntime/ep/host_allocator.h"
#include "tools/plugins/onnxruntime/run/device_facts.h"

namespace nnrt::ep {

class EpFactory : public OrtEpFactory {
 public:
  EpFactory();

 private:
  static const char* ORT_API_CALL name(const OrtEpFactory*) noexcept { return kEpName; }
  static const char* ORT_API_CALL vendor(const OrtEpFactory*) noexcept { return "NNRt"; }
  static uint32_t ORT_API_CALL vendor_id(const OrtEpFactory*) noexcept { return kVendorId; }
  static const char* ORT_API_CALL version(const OrtEpFactory*) noexcept;
  static OrtStatus* ORT_API_CALL get_supported_devices(OrtEpFactory* self,
                                                       const OrtHardwareDevice* const* hardware,
                                                       size_t hardware_count, OrtEpDevice** devices,
                                                       size_t capacity, size_t* count) noexcept;
  static OrtStatus* ORT_API_CALL create_ep(OrtEpFactory* self, const OrtHardwareDevice* const* hardware,
                                           const OrtKeyValuePairs* const* metadata, size_t count,
                                           const OrtSessionOptions* session, const OrtLogger* logger,
                                           OrtEp** ep) noexcept;
  static void ORT_API_CALL release_ep(OrtEpFactory*, OrtEp* ep) noexcept;
  static OrtStatus* ORT_API_CALL create_allocator(OrtEpFactory* self, const OrtMemoryInfo* memory,
                                                  const OrtKeyValuePairs*, OrtAllocator** allocator) noexcept;
  static void ORT_API_CALL release_allocator(OrtEpFactory*, OrtAllocator* allocator) noexcept;
  static OrtStatus* ORT_API_CALL create_data_transfer(OrtEpFactory*, OrtDataTransferImpl** transfer) noexcept;
  static bool ORT_API_CALL is_stream_aware(const OrtEpFactory*) noexcept { return false; }

  Result<Released<OrtEpDevice>> make_device(const plugins::PluginDevice& device, Facts facts,
                                            const OrtHardwareDevice* hardware);
  static Result<std::unique_ptr<ExecutionProvider>> make_ep(const OrtKeyValuePairs* const* metadata,
                                                            size_t count, const OrtSessionOptions* session,
                                                            const OrtLogger* logger);

  Released<OrtMemoryInfo> memory_;
};

}  // namespace nnrt::ep
