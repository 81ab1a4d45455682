/**
 * @file nnrt_extensions.h
 *
 * The functions of this runtime beyond OpenHarmony's API. Another implementation of the API lacks them:
 * a program that should run with any finds them with dlsym in libneural_network_core.so. The rules of
 * neural_network_core.h hold here as well.
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
 * Describes a device as a JSON object: "id", "name", "type" and "vendor", which every device has (ids are
 * numbers in a string, for readers whose numbers have 53 bits), and what is known besides, such as "driver",
 * "memory_bytes" or "float16". Members may be added with time.
 *
 * @param deviceID the device; 0 is the first.
 * @param text receives the object in UTF-8, with a 0 behind it; may be NULL if capacity is 0.
 * @param capacity bytes that text has room for.
 * @param length receives the bytes of the object without the 0, whether or not they fit.
 * @return OH_NN_INVALID_PARAMETER: length is null, text is null though capacity is not 0, or
 *         0 < capacity <= *length (nothing is written to text). OH_NN_FAILED: no such device.
 */
OH_NN_ReturnCode OH_NNRt_DescribeDevice(size_t deviceID, char* text, size_t capacity, size_t* length);

/**
 * Explains what OH_NNModel_GetAvailableOperations answers, for all devices: a JSON array with an object for
 * each operation of the model, in their order. "operator" is its name, "devices" has an object for each
 * device, with its "id" and "name", "supports", and where that is false "reason", the device's sentence. The
 * members of NNRt auto answer for it. Members may be added with time.
 *
 * @param model a finished model.
 * @param text receives the array in UTF-8, with a 0 behind it; may be NULL if capacity is 0.
 * @param capacity bytes that text has room for.
 * @param length receives the bytes of the array without the 0, whether or not they fit.
 * @return OH_NN_INVALID_PARAMETER: model or length is null, text is null though capacity is not 0, or
 *         0 < capacity <= *length (nothing is written to text). OH_NN_OPERATION_FORBIDDEN: the model is not
 * finished.
 */
OH_NN_ReturnCode OH_NNRt_ExplainOperations(const OH_NNModel* model, char* text, size_t capacity,
                                           size_t* length);

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

/**
 * Attaches a note to the model that OH_NNCompilation_ExportCacheToBuffer writes: bytes that the runtime keeps
 * but does not read. The tool nnrt and the Python module store names, quantization and attached files in it
 * (OH_NNRt_ImportedModel_GetDescription).
 *
 * @param compilation the compilation, before or after its Build.
 * @param note the bytes; may be NULL if size is 0.
 * @param size the number of bytes; 0 removes the note.
 * @return OH_NN_INVALID_PARAMETER: null pointer. OH_NN_MEMORY_ERROR: out of memory.
 */
OH_NN_ReturnCode OH_NNRt_SetModelNote(OH_NNCompilation* compilation, const void* note, size_t size);

/**
 * Reads the note of an offline model.
 *
 * @param modelPath the file.
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
 * Says whether an output of a run may be in the memory of an input, so that it is the input of the next run
 * and no byte of it moves: a decoder's cache, the state of a recurrent network. Such a run gets the same
 * NN_Tensor, or two at the same address, as that input and that output. If it fails, the contents are
 * unspecified. Runs that get such tensors where this says false answer OH_NN_INVALID_PARAMETER.
 *
 * @param executor the executor.
 * @param inputIndex the input; 0 is the first.
 * @param outputIndex the output; 0 is the first.
 * @param may receives the answer. With shapes that only runs know, it is about the shapes of runs before.
 * @return OH_NN_INVALID_PARAMETER: null pointer, or no such input or output.
 */
OH_NN_ReturnCode OH_NNRt_MayShareMemory(const OH_NNExecutor* executor, size_t inputIndex, size_t outputIndex,
                                        bool* may);

/** The way of a tensor's contents in OH_NNRt_SyncTensor. */
typedef enum {
  /** The tensor's memory gets what the last run wrote. The device has it as well. */
  OH_NNRT_SYNC_TO_HOST = 0,
  /** The client wrote to the tensor's memory: the next run begins with that. */
  OH_NNRT_SYNC_FROM_HOST = 1,
} OH_NNRt_SyncDirection;

/**
 * Lets the contents of a tensor stay on the device, from the next run on until the tensor is destroyed: state
 * that one run writes and the next reads, such as a decoder's cache, crosses no bus. Which devices do so is
 * up to "nnrt.device_local"; where none does, nothing changes. The first run takes what the tensor's memory
 * has. From then on that memory is valid only behind OH_NNRt_SyncTensor, for the client and for other tensors
 * in the same file. A run on another device, or a part of a run on the CPU, synchronizes by itself.
 *
 * A tensor that stays may be input and output of a run where OH_NNRt_MayShareMemory says so; both must be
 * this NN_Tensor. If its device is lost, so are its contents: OH_NNRT_SYNC_FROM_HOST begins anew.
 *
 * @param tensor the tensor; no run may be using it.
 * @return OH_NN_INVALID_PARAMETER: null pointer, or memory that is read-only.
 */
OH_NN_ReturnCode OH_NNRt_KeepOnDevice(NN_Tensor* tensor);

/**
 * Lets runs that write more into the tensor than its memory holds give it a larger memory, instead of
 * failing: for outputs whose sizes only runs know. OH_NNTensor_GetDataBuffer, OH_NNTensor_GetFd and
 * OH_NNTensor_GetSize answer for the new memory behind such a run; what they said before is gone with the old
 * one.
 *
 * @param tensor the tensor, of OH_NNTensor_Create or OH_NNTensor_CreateWithSize; no run may be using it.
 * @return OH_NN_INVALID_PARAMETER: null pointer, memory of the client's, or a tensor that stays on a device.
 */
OH_NN_ReturnCode OH_NNRt_GrowInRuns(NN_Tensor* tensor);

/**
 * Makes the tensor's memory and device agree. Does nothing for a tensor that does not stay on a device.
 *
 * @param tensor the tensor; no run may be using it.
 * @param direction which of them has the contents.
 * @return OH_NN_INVALID_PARAMETER: null pointer, or no such direction. OH_NN_UNAVAILABLE_DEVICE: the device
 *         was lost. OH_NN_MEMORY_ERROR: out of memory.
 */
OH_NN_ReturnCode OH_NNRt_SyncTensor(NN_Tensor* tensor, OH_NNRt_SyncDirection direction);

/**
 * Gives why the last call of this thread that failed did so, as the log has it behind the function's name:
 * whole sentences in UTF-8. The callbacks of an asynchronous run get the run's own.
 *
 * @param text receives the sentences with a 0 behind them; may be NULL if capacity is 0.
 * @param capacity bytes that text has room for.
 * @param length receives the bytes of the sentences without the 0, whether or not they fit; 0 where no call
 *        of this thread has failed.
 * @return OH_NN_INVALID_PARAMETER: length is null, text is null though capacity is not 0, or
 *         0 < capacity <= *length (nothing is written to text). This error is neither logged nor the last
 * one.
 */
OH_NN_ReturnCode OH_NNRt_GetLastError(char* text, size_t capacity, size_t* length);

/*
 * Extension configs that OH_NNCompilation_AddExtensionConfig takes for this runtime; each value is text.
 *
 * "nnrt.fallback"   "off": nothing falls back to the CPU; Build fails if the chosen device refuses an
 *                   operation. "on" is the default.
 * "nnrt.placement"  a file to which Build appends what runs where and why, or "-" for standard output.
 * "nnrt.trace"      a file for a trace of the process, from Build until the compilation and its executors
 *                   are destroyed.
 * "nnrt.device_local" says whether tensors of OH_NNRt_KeepOnDevice stay in the memory of a GPU: "on", "off",
 *                   or "auto" (the default): where kernels reach the host's memory slower than their own.
 */

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
