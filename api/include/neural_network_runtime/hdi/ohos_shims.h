/**
 * @file ohos_shims.h
 *
 * The parts of OpenHarmony's base libraries used by its drivers besides the interface: HDF return codes and
 * logs, bounds-checked memory and string functions, and device lookup. With this header after ohos_names.h,
 * driver sources compile with few changes. Include it only in plugins: it defines macros and global names.
 */
#ifndef NNRT_HDI_OHOS_SHIMS_H
#define NNRT_HDI_OHOS_SHIMS_H

#include "ohos_names.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/** HDF return codes, which device methods return in addition to NNRT_ReturnCode. */
enum : int32_t {
  HDF_SUCCESS = 0,
  HDF_FAILURE = -1,
  HDF_ERR_NOT_SUPPORT = -2,
  HDF_ERR_INVALID_PARAM = -3,
  HDF_ERR_INVALID_OBJECT = -4,
  HDF_ERR_MALLOC_FAIL = -6,
  HDF_ERR_TIMEOUT = -7,
};

/** Writes a line to standard error, with printf's format. Debug lines are compiled but not written. */
#define NNRT_SHIM_LOG(level, ...)    \
  do {                               \
    fprintf(stderr, "[" level "] "); \
    fprintf(stderr, __VA_ARGS__);    \
    fputc('\n', stderr);             \
  } while (0)
#define HDF_LOGE(...) NNRT_SHIM_LOG("error", __VA_ARGS__)
#define HDF_LOGW(...) NNRT_SHIM_LOG("warning", __VA_ARGS__)
#define HDF_LOGI(...) NNRT_SHIM_LOG("info", __VA_ARGS__)
#define HDF_LOGD(...)                        \
  do {                                       \
    if (false) fprintf(stderr, __VA_ARGS__); \
  } while (0)
#define HDF_LOGV(...) HDF_LOGD(__VA_ARGS__)

#ifndef EOK
#define EOK 0
#endif
using errno_t = int;

/** memcpy, or ERANGE without copying if the target is too small. EINVAL: null pointer. */
inline errno_t memcpy_s(void* target, size_t room, const void* source, size_t count) {
  if (count > room) return ERANGE;
  if (count == 0) return EOK;
  if (target == nullptr || source == nullptr) return EINVAL;
  memmove(target, source, count);
  return EOK;
}

/** As memcpy_s, for overlapping ranges. */
inline errno_t memmove_s(void* target, size_t room, const void* source, size_t count) {
  return memcpy_s(target, room, source, count);
}

/** memset, or ERANGE without writing if the target is too small. EINVAL: null pointer. */
inline errno_t memset_s(void* target, size_t room, int value, size_t count) {
  if (count > room) return ERANGE;
  if (count == 0) return EOK;
  if (target == nullptr) return EINVAL;
  memset(target, value, count);
  return EOK;
}

/** strcpy, or ERANGE and an empty string if the target is too small. EINVAL: null pointer. */
inline errno_t strcpy_s(char* target, size_t room, const char* source) {
  if (target == nullptr || source == nullptr || room == 0) return EINVAL;
  const size_t size = strlen(source) + 1;
  if (size > room) {
    target[0] = 0;
    return ERANGE;
  }
  memcpy(target, source, size);
  return EOK;
}

/**
 * Exports the device of a driver that provides `Device::Get()`, as HDI drivers do. Use it instead of
 * NNRT_EXPORT_PLUGIN; `Get` returns a std::shared_ptr, and the device lives as long as the process.
 */
#define NNRT_EXPORT_PLUGIN_OF_GET(Device)                                                        \
  extern "C" uint32_t NNRtPlugin_GetAbi() { return nnrt::hdi::kPluginAbi; }                      \
  extern "C" nnrt::hdi::V2_0::INnrtDevice* NNRtPlugin_CreateDevice(uint32_t, uint32_t index) {   \
    if (index != 0) return nullptr;                                                              \
    static const std::shared_ptr<nnrt::hdi::V2_0::INnrtDevice>& kept = *new auto(Device::Get()); \
    return kept.get();                                                                           \
  }                                                                                              \
  extern "C" void NNRtPlugin_DestroyDevice(nnrt::hdi::V2_0::INnrtDevice*) {}

#endif
