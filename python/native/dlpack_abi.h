// DLPack's ABI: version 1.0, and the one before it without a version.
#pragma once

#include <cstdint>

namespace nnrt::python {

inline constexpr int32_t kDlCpu = 1;  // kDLCPU
inline constexpr uint32_t kDlMajor = 1;
inline constexpr uint64_t kDlReadOnly = 1, kDlIsCopied = 2;  // flags

struct DlDevice {
  int32_t type, id;
};
struct DlDataType {
  uint8_t code, bits;
  uint16_t lanes;
};
struct DlTensor {
  void* data;
  DlDevice device;
  int32_t rank;
  DlDataType type;
  int64_t *shape, *strides;  // in elements; strides may be null if contiguous
  uint64_t byte_offset;
};

// Consumers rename the capsules.
struct DlManagedTensor {
  static constexpr const char *kName = "dltensor", *kUsedName = "used_dltensor";

  DlTensor tensor;
  void* context;
  void (*deleter)(DlManagedTensor*);  // may be null
};
struct DlManagedTensorVersioned {
  static constexpr const char *kName = "dltensor_versioned", *kUsedName = "used_dltensor_versioned";

  uint32_t major, minor;
  void* context;
  void (*deleter)(DlManagedTensorVersioned*);  // may be null
  uint64_t flags;
  DlTensor tensor;
};

}  // namespace nnrt::python
