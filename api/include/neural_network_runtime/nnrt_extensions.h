/**
 * @file nnrt_extensions.h
 *
 * Functions of this runtime that OpenHarmony's API does not have. A program that must also run on other
 * implementations looks them up with dlsym in libneural_network_core.so. The general rules in
 * neural_network_core.h apply here too.
 */
#ifndef NNRT_EXTENSIONS_H
#define NNRT_EXTENSIONS_H

#include "neural_network_runtime_type.h"
#include "nnrt_operators.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/**
 * Describes a device as a JSON object. Every device has "id" (a decimal number in a string, because JSON
 * numbers may be limited to 53 bits), "name", "type" and "vendor"; further members such as "driver",
 * "memory_bytes" or "float16" appear where known. New members may be added later.
 *
 * @param deviceID the device; 0 is the first.
 * @param text receives the object as null-terminated UTF-8; may be NULL if capacity is 0.
 * @param capacity size of text in bytes.
 * @param length receives the length of the object in bytes without the terminator, even if it does not fit.
 * @return OH_NN_INVALID_PARAMETER: length is null, text is null though capacity is not 0, or
 *         0 < capacity <= *length (nothing is written to text). OH_NN_FAILED: no such device.
 */
OH_NN_ReturnCode OH_NNRt_DescribeDevice(size_t deviceID, char* text, size_t capacity, size_t* length);

/**
 * Finds the first device of a type, in the order of OH_NNDevice_GetAllDevicesID. Finding OH_NN_CPU, and using
 * that device, does not open any driver: such a client starts faster than one that lists all devices.
 *
 * @param deviceType the type.
 * @param deviceID receives the id.
 * @return OH_NN_INVALID_PARAMETER: deviceID is null, or no such type. OH_NN_FAILED: no such device.
 */
OH_NN_ReturnCode OH_NNRt_FindDevice(OH_NN_DeviceType deviceType, size_t* deviceID);

/**
 * Explains the result of OH_NNModel_GetAvailableOperations for all devices: a JSON array with one object per
 * operation, in model order. "operator" is its name; "devices" has one object per device of the list, with
 * "id" (a number in a string), "name", "supports", and, if "supports" is false, the "reason". NNRt auto
 * supports what any of its members does. New members may be added later.
 *
 * @param model a finished model.
 * @param text receives the array as null-terminated UTF-8; may be NULL if capacity is 0.
 * @param capacity size of text in bytes.
 * @param length receives the length of the array in bytes without the terminator, even if it does not fit.
 * @return OH_NN_INVALID_PARAMETER: model or length is null, text is null and capacity is not 0, or 0 <
 *         capacity <= *length (nothing is written to text). OH_NN_OPERATION_FORBIDDEN: the model is not
 *         finished.
 */
OH_NN_ReturnCode OH_NNRt_ExplainOperations(const OH_NNModel* model, char* text, size_t capacity,
                                           size_t* length);

/**
 * Sets the data of a constant like OH_NNModel_SetTensorData, but without copying it. Use it for large weights
 * whose memory is the caller's already, such as parts of a file that was read.
 *
 * If the call succeeds, the data must stay valid and unchanged until the runtime calls `release`. That
 * happens exactly once, as soon as nothing needs the data: during a Build that converts the data to a form of
 * its own, or at the latest when the model and all its compilations and executors are destroyed. The call may
 * come from any thread and must not call functions of this API. If this function fails, `release` is not
 * called.
 *
 * Data that is not aligned for its elements is copied, and released before this function returns.
 *
 * @param model a model that is not finished.
 * @param index the tensor.
 * @param data the data.
 * @param length the number of bytes, exactly what the tensor's description needs.
 * @param release called with `context` when the data is no longer needed; may be NULL if it lives as long as
 * the process.
 * @param context an argument for `release`.
 * @return as OH_NNModel_SetTensorData.
 */
OH_NN_ReturnCode OH_NNRt_LendTensorData(OH_NNModel* model, uint32_t index, const void* data, size_t length,
                                        void (*release)(void* context), void* context);

/**
 * Sets the data of a constant like OH_NNRt_LendTensorData, from data whose dimensions have another order:
 * dimension d of the tensor is dimension order[d] of the data. The result is the same as with transposed
 * data. CPU kernels pack FLOAT32 weights of a convolution (CONV2D) directly from the order {0, 2, 3, 1},
 * which is that of ONNX files. All other data is transposed once, when it is first needed.
 *
 * @param model a model that is not finished.
 * @param index the tensor.
 * @param data the data in the other order.
 * @param length the number of bytes, exactly what the tensor's description needs.
 * @param order a permutation of 0 ... rank - 1.
 * @param rank the number of dimensions of the tensor.
 * @param release called with `context` when the data is no longer needed; may be NULL.
 * @param context an argument for `release`.
 * @return as OH_NNRt_LendTensorData. OH_NN_INVALID_PARAMETER: also if order is null or no such permutation.
 */
OH_NN_ReturnCode OH_NNRt_LendTransposedData(OH_NNModel* model, uint32_t index, const void* data,
                                            size_t length, const uint32_t* order, size_t rank,
                                            void (*release)(void* context), void* context);

/**
 * Describes an offline model made by this runtime (OH_NNCompilation_ExportCacheToBuffer, nnrt compile) as a
 * JSON object: "device_id" (a number in a string) and "device" identify the only device that can run it;
 * "float16" says whether it uses float16. Any other file, for example one in a plugin's private format, gives
 * an empty object. New members may be added later.
 *
 * @param modelPath the file.
 * @param text receives the object as null-terminated UTF-8; may be NULL if capacity is 0.
 * @param capacity size of text in bytes.
 * @param length receives the length of the object in bytes without the terminator, even if it does not fit.
 * @return OH_NN_INVALID_PARAMETER: modelPath or length is null, text is null and capacity is not 0, or 0 <
 *         capacity <= *length (nothing is written to text). OH_NN_INVALID_FILE: the file cannot be read or is
 *         damaged. OH_NN_MEMORY_ERROR: out of memory.
 */
OH_NN_ReturnCode OH_NNRt_DescribeOfflineModel(const char* modelPath, char* text, size_t capacity,
                                              size_t* length);

/**
 * Attaches a note to the model that OH_NNCompilation_ExportCacheToBuffer writes, and that Build writes to the
 * directory of OH_NNCompilation_SetCache: bytes that the runtime keeps but does not read. The tool nnrt and
 * the Python module store names, quantization and attached files in it
 * (OH_NNRt_ImportedModel_GetDescription), and in caches also the identity of the model's files
 * (OH_NNRt_ImportedModel_GetCacheNote).
 *
 * A Build without a model (OH_NNCompilation_ConstructForCache) only restores a cache with the same note,
 * unless the compilation has none. A Build with a model that restores a cache with another note replaces the
 * note.
 *
 * @param compilation the compilation, before or after its Build.
 * @param note the bytes; may be NULL if size is 0.
 * @param size the number of bytes; 0 removes the note.
 * @return OH_NN_INVALID_PARAMETER: null pointer. OH_NN_MEMORY_ERROR: out of memory.
 */
OH_NN_ReturnCode OH_NNRt_SetModelNote(OH_NNCompilation* compilation, const void* note, size_t size);

/**
 * Reads the note of an offline model or of a cache.
 *
 * @param modelPath the file; of a cache <ModelName>0.nncache.
 * @param note receives the bytes; may be NULL if capacity is 0.
 * @param capacity bytes that note has room for.
 * @param size receives the size of the note, whether or not it fits; 0 if the file has none, or is in a
 * format that only a plugin knows.
 * @return OH_NN_INVALID_PARAMETER: modelPath or size is null, note is null though capacity is not 0, or
 *         0 < capacity < *size (nothing is written to note). OH_NN_INVALID_FILE: the file cannot be read, or
 *         is damaged. OH_NN_MEMORY_ERROR: out of memory.
 */
OH_NN_ReturnCode OH_NNRt_GetModelNote(const char* modelPath, void* note, size_t capacity, size_t* size);

/**
 * Says whether an output may share the memory of an input, so that it becomes the input of the next run
 * without a copy: a decoder's KV cache, the state of a recurrent network. Pass the same NN_Tensor, or two
 * tensors at the same address, as that input and that output. If the run fails, the contents are unspecified.
 * A run with shared memory where this function says false returns OH_NN_INVALID_PARAMETER.
 *
 * @param executor the executor.
 * @param inputIndex the input; 0 is the first.
 * @param outputIndex the output; 0 is the first.
 * @param may receives the answer. If shapes depend on the run, it holds for the shapes of earlier runs.
 * @return OH_NN_INVALID_PARAMETER: null pointer, or no such input or output.
 */
OH_NN_ReturnCode OH_NNRt_MayShareMemory(const OH_NNExecutor* executor, size_t inputIndex, size_t outputIndex,
                                        bool* may);

/** Direction of the copy in OH_NNRt_SyncTensor. */
typedef enum {
  /** Copies the result of the last run to the tensor's memory. The device keeps its copy. */
  OH_NNRT_SYNC_TO_HOST = 0,
  /** The client has written to the tensor's memory: the next run reads that. */
  OH_NNRT_SYNC_FROM_HOST = 1,
} OH_NNRt_SyncDirection;

/**
 * Keeps the contents of a tensor on the device from the next run until the tensor is destroyed, so that state
 * passed from run to run, such as a decoder's KV cache, is never copied to the host. "nnrt.device_local"
 * selects the devices that do so; on others this call has no effect. The first run reads the tensor's memory.
 * After that the memory is valid only after OH_NNRt_SyncTensor, both for the client and for other tensors in
 * the same file. Runs on another device, and parts of a run that fall back to the CPU, synchronize
 * automatically.
 *
 * Such a tensor may be both input and output of a run where OH_NNRt_MayShareMemory allows it; both must be
 * this NN_Tensor. If the device is lost, the contents are lost too: write new ones with
 * OH_NNRT_SYNC_FROM_HOST.
 *
 * @param tensor the tensor; no run may be using it.
 * @return OH_NN_INVALID_PARAMETER: null pointer, or read-only memory.
 */
OH_NN_ReturnCode OH_NNRt_KeepOnDevice(NN_Tensor* tensor);

/**
 * Lets a run reallocate the tensor's memory if its result does not fit, instead of failing: for outputs whose
 * size is only known at run time. After such a run OH_NNTensor_GetDataBuffer, OH_NNTensor_GetFd and
 * OH_NNTensor_GetSize return the new memory; pointers and descriptors obtained before are invalid.
 *
 * @param tensor a tensor made by OH_NNTensor_Create or OH_NNTensor_CreateWithSize; no run may be using it.
 * @return OH_NN_INVALID_PARAMETER: null pointer, caller-owned memory, or a tensor kept on a device.
 */
OH_NN_ReturnCode OH_NNRt_GrowInRuns(NN_Tensor* tensor);

/**
 * Synchronizes the tensor's memory with the device. No effect unless the tensor is kept on a device.
 *
 * @param tensor the tensor; no run may be using it.
 * @param direction which side has the current contents.
 * @return OH_NN_INVALID_PARAMETER: null pointer or invalid direction. OH_NN_UNAVAILABLE_DEVICE: the device
 *         was lost. OH_NN_MEMORY_ERROR: out of memory.
 */
OH_NN_ReturnCode OH_NNRt_SyncTensor(NN_Tensor* tensor, OH_NNRt_SyncDirection direction);

/**
 * Returns the reason for the last failure on this thread, as logged after the function's name: complete
 * sentences in UTF-8. In the callbacks of an asynchronous run it is the reason of that run.
 *
 * @param text receives the null-terminated text; may be NULL if capacity is 0.
 * @param capacity size of text in bytes.
 * @param length receives the length of the text in bytes without the terminator, even if it does not fit; 0
 *        if no call has failed on this thread.
 * @return OH_NN_INVALID_PARAMETER: length is null, text is null and capacity is not 0, or 0 < capacity <=
 *         *length (nothing is written to text). This error is not logged and does not replace the last one.
 */
OH_NN_ReturnCode OH_NNRt_GetLastError(char* text, size_t capacity, size_t* length);

/*
 * Extension configs of this runtime for OH_NNCompilation_AddExtensionConfig; all values are text.
 *
 * - "nnrt.fallback": "on" (default), or "off": no fallback to the CPU; Build fails if the chosen device
 *   refuses an operation.
 * - "nnrt.placement": a file to which Build appends the placement report (which device runs which operation,
 *   and why), or "-" for standard output.
 * - "nnrt.trace": a file that receives a trace of everything up to the destruction of the compilation and its
 *   executors.
 * - "nnrt.device_local": whether OH_NNRt_KeepOnDevice keeps tensors in GPU memory: "on", "off", or "auto"
 *   (default), which does so if kernels access host memory more slowly than device memory.
 * - "nnrt.threads": the largest number of threads of the CPU device that runs of this compilation use. All
 *   models of a process share its threads: one per core, or NNRT_THREADS.
 * - "nnrt.export": "on" (default), or "off": OH_NNCompilation_ExportCacheToBuffer is refused, so Build frees
 *   each weight as soon as the device has packed it, if the model was destroyed before.
 * - "nnrt.cache": "required" (default), or "optional": Build warns, once per process, and continues if the
 *   directory of OH_NNCompilation_SetCache does not exist or cannot be written.
 */

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
