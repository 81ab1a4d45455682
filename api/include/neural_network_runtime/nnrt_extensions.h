/**
 * @file nnrt_extensions.h
 *
 * What this runtime offers beyond OpenHarmony's API. Another implementation of the API lacks these functions:
 * a program that should run with any finds them with dlsym in libneural_network_core.so. The rules of
 * neural_network_core.h hold here as well.
 */
#ifndef NNRT_EXTENSIONS_H
#define NNRT_EXTENSIONS_H

#include "neural_network_runtime_type.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/**
 * Describes a device as a JSON object: "id", "name", "type" and "vendor", which every device has, and what is
 * known besides, such as "driver", "memory_bytes" or "float16". Members may be added with time.
 *
 * @param deviceID the device; 0 is the first.
 * @param text receives the object in UTF-8, with a 0 behind it; may be NULL if capacity is 0.
 * @param capacity bytes that text has room for.
 * @param length receives the bytes of the object without the 0, whether or not they fit.
 * @return OH_NN_INVALID_PARAMETER: length is null, text is null though capacity is not 0, or
 *         0 < capacity <= *length (nothing is written to text). OH_NN_FAILED: no such device.
 */
OH_NN_ReturnCode OH_NNRt_DescribeDevice(size_t deviceID, char* text, size_t capacity, size_t* length);

/*
 * Extension configs that OH_NNCompilation_AddExtensionConfig takes for this runtime; each value is text.
 *
 * "nnrt.fallback"   "off": nothing falls back to the CPU; Build fails if the chosen device refuses an
 *                   operation. "on" is the default.
 * "nnrt.placement"  a file to which Build appends what runs where and why, or "-" for standard output.
 * "nnrt.trace"      a file for a trace of all that happens until the compilation and its executors are
 *                   destroyed.
 */

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
