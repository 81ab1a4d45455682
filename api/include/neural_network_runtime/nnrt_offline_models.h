/**
 * @file nnrt_offline_models.h
 *
 * Beside nnrt_extensions.h: what this runtime knows of offline models. Another implementation of the API
 * lacks this function: a program that should run with any finds it with dlsym in libneural_network_core.so.
 */
#ifndef NNRT_OFFLINE_MODELS_H
#define NNRT_OFFLINE_MODELS_H

#include "neural_network_runtime_type.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/**
 * Describes an offline model that this runtime made (OH_NNCompilation_ExportCacheToBuffer, nnrt compile) as a
 * JSON object: "device_id" and "device", the id (a number in a string) and the name of the device for which
 * it was made and on which alone it runs, and "float16". A file that is none of these, and may be in a format
 * that only a plugin knows, is an empty object. Members may be added with time.
 *
 * @param modelPath the file.
 * @param text receives the object in UTF-8, with a 0 behind it; may be NULL if capacity is 0.
 * @param capacity bytes that text has room for.
 * @param length receives the bytes of the object without the 0, whether or not they fit.
 * @return OH_NN_INVALID_PARAMETER: modelPath or length is null, text is null though capacity is not 0, or
 *         0 < capacity <= *length (nothing is written to text). OH_NN_INVALID_FILE: the file cannot be read,
 *         or is damaged. OH_NN_MEMORY_ERROR: out of memory.
 */
OH_NN_ReturnCode OH_NNRt_DescribeOfflineModel(const char* modelPath, char* text, size_t capacity,
                                              size_t* length);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
