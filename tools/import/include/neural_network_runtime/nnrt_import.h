/**
 * @file nnrt_import.h
 * Imports ONNX, TensorFlow Lite and MindSpore Lite (.ms) files as models of the C API. The functions are in
 * libnnrt_import.so.
 *
 * OH_NNRt_ImportModel reads a file and returns a finished OH_NNModel: pass it to
 * OH_NNCompilation_Construct, and use the regular API from there on.
 *
 * Shapes are in elements, outermost dimension first; -1 is a dynamic dimension. Strings are null-terminated
 * UTF-8.
 *
 * Files are verified before they are read, so they may come from untrusted sources. All functions are
 * thread-safe; an imported model is immutable and can be shared between threads. Returned pointers are owned
 * by the imported model and valid until it is destroyed.
 */
#ifndef NEURAL_NETWORK_RUNTIME_NNRT_IMPORT_H
#define NEURAL_NETWORK_RUNTIME_NNRT_IMPORT_H

#include <neural_network_runtime/neural_network_runtime_type.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The version of this header. Higher versions only add functions, and members at the end of structures. */
#define OH_NNRT_IMPORT_VERSION 3

/** A model imported from a file. */
typedef struct OH_NNRt_ImportedModel OH_NNRt_ImportedModel;

/** Overrides the shape of an input. */
typedef struct {
  /** Name of the input in the file; NULL: the only input. */
  const char* name;
  /** Dimensions, each positive or -1 (0 means -1 too). The rank must match the file's. */
  const int32_t* shape;
  /** The number of dimensions. */
  size_t rank;
} OH_NNRt_InputShape;

/** How a cache recognizes the files that a model was read from. */
typedef enum {
  /** The model has no cache note. */
  OH_NNRT_IDENTITY_NONE = 0,
  /** By path, size, inode, and the times of their last modification and status change. Nothing is read. */
  OH_NNRT_IDENTITY_FILE = 1,
  /** By a checksum of their contents, which are read once more: for files that are copied or restored. */
  OH_NNRT_IDENTITY_CONTENT = 2
} OH_NNRt_Identity;

/** Options for reading a file. */
typedef struct {
  /** sizeof(OH_NNRt_ImportOptions); tells the library which members exist. */
  size_t size;
  /** Shapes of some inputs; may be NULL if inputShapeCount is 0. */
  const OH_NNRt_InputShape* inputShapes;
  /** The number of shapes. */
  size_t inputShapeCount;
  /** An OH_NNRt_Identity, for OH_NNRt_ImportedModel_GetCacheNote and OH_NNRt_ImportFromCacheNote. Since
   * version 3. */
  int32_t identity;
  /** Options of the caller's build that a cached model depends on, such as "float16"; may be NULL. Since
   * version 3. */
  const char* variant;
} OH_NNRt_ImportOptions;

/** An input or output of a model, as declared in the file. */
typedef struct {
  /** Set by the caller to sizeof(OH_NNRt_TensorInfo); the function writes at most that many bytes. */
  size_t size;
  /** The name in the file; "" if it has none. */
  const char* name;
  /** The type of an element. */
  OH_NN_DataType dataType;
  /** The layout if the file specifies it, otherwise OH_NN_FORMAT_NONE. */
  OH_NN_Format format;
  /** Dimensions; -1 is dynamic. */
  const int32_t* shape;
  /** The number of dimensions; 0 for a scalar. */
  size_t rank;
  /** For quantized elements: value = scale * (element - zero point). */
  const double* scales;
  /** One per scale. */
  const int32_t* zeroPoints;
  /** 0: not quantized; 1: per tensor; otherwise one scale per channel. */
  size_t quantizationCount;
} OH_NNRt_TensorInfo;

#pragma GCC visibility push(default)

/**
 * Returns the version of the loaded library.
 *
 * @return its OH_NNRT_IMPORT_VERSION.
 */
uint32_t OH_NNRt_GetImportVersion(void);

/**
 * Returns the error message of the last failed call of these functions on this thread.
 *
 * @return one sentence, "" if no call failed; owned by the library and valid until this thread's next
 * failure.
 */
const char* OH_NNRt_GetImportError(void);

/**
 * Reads an ONNX, TensorFlow Lite or MindSpore Lite file. The format is detected by the first bytes, then by
 * the extension. External data is read from the file's folder.
 *
 * @param path the file.
 * @param options import options; NULL: defaults.
 * @param model receives the model, to be destroyed with OH_NNRt_ImportedModel_Destroy; *model must be NULL on
 *        entry and stays NULL on failure.
 * @return OH_NN_INVALID_PARAMETER: null pointer, *model not NULL, or options that are invalid or do not match
 *         the model. OH_NN_INVALID_PATH: the file cannot be read. OH_NN_INVALID_FILE: it is damaged or has
 *         none of the formats. OH_NN_UNSUPPORTED: it has operators that the API cannot express; the error
 *         names them. OH_NN_MEMORY_ERROR: out of memory.
 */
OH_NN_ReturnCode OH_NNRt_ImportModel(const char* path, const OH_NNRt_ImportOptions* options,
                                     OH_NNRt_ImportedModel** model);

/**
 * Like OH_NNRt_ImportModel, from memory, e.g. an application asset. The format is ONNX unless the bytes have
 * the signature of another format. The buffer is not used after the call.
 *
 * @param buffer the bytes.
 * @param size their number.
 * @param folder the folder of the model's external data; NULL: models with external data are rejected.
 * @param options import options; NULL: defaults.
 * @param model see OH_NNRt_ImportModel.
 * @return see OH_NNRt_ImportModel.
 */
OH_NN_ReturnCode OH_NNRt_ImportModelFromBuffer(const void* buffer, size_t size, const char* folder,
                                               const OH_NNRt_ImportOptions* options,
                                               OH_NNRt_ImportedModel** model);

/**
 * Destroys an imported model, including its OH_NNModel, and sets *model to NULL. Built compilations remain
 * valid; one that is constructed but not built must be built or destroyed first.
 *
 * @param model the model; NULL or a pointer to NULL is ignored.
 */
void OH_NNRt_ImportedModel_Destroy(OH_NNRt_ImportedModel** model);

/**
 * Returns the finished C API model. It is owned by the imported model: do not call OH_NNModel_Destroy.
 *
 * @param model the imported model.
 * @param nnModel receives the model for OH_NNCompilation_Construct.
 * @return OH_NN_INVALID_PARAMETER: null pointer. OH_NN_OPERATION_FORBIDDEN: only a description was read.
 */
OH_NN_ReturnCode OH_NNRt_ImportedModel_GetModel(const OH_NNRt_ImportedModel* model,
                                                const OH_NNModel** nnModel);

/**
 * Returns the number of inputs and outputs. They are numbered as in OH_NNExecutor_RunSync.
 *
 * @param model the imported model.
 * @param inputs receives the number of inputs; may be NULL.
 * @param outputs receives the number of outputs; may be NULL.
 * @return OH_NN_INVALID_PARAMETER: no model.
 */
OH_NN_ReturnCode OH_NNRt_ImportedModel_GetCounts(const OH_NNRt_ImportedModel* model, size_t* inputs,
                                                 size_t* outputs);

/**
 * Describes an input.
 *
 * @param model the imported model.
 * @param index the input; 0 is the first.
 * @param info receives the description; set info->size first.
 * @return OH_NN_INVALID_PARAMETER: null pointer, no such input, or an info->size of no known version.
 */
OH_NN_ReturnCode OH_NNRt_ImportedModel_GetInput(const OH_NNRt_ImportedModel* model, size_t index,
                                                OH_NNRt_TensorInfo* info);

/**
 * Describes an output.
 *
 * @param model the imported model.
 * @param index the output; 0 is the first.
 * @param info receives the description; set info->size first.
 * @return OH_NN_INVALID_PARAMETER: null pointer, no such output, or an info->size of no known version.
 */
OH_NN_ReturnCode OH_NNRt_ImportedModel_GetOutput(const OH_NNRt_ImportedModel* model, size_t index,
                                                 OH_NNRt_TensorInfo* info);

/**
 * Returns the number of API operations in the model. Placements and traces use the same numbering.
 *
 * @param model the imported model.
 * @param count receives the number.
 * @return OH_NN_INVALID_PARAMETER: null pointer.
 */
OH_NN_ReturnCode OH_NNRt_ImportedModel_GetOperationCount(const OH_NNRt_ImportedModel* model, size_t* count);

/**
 * Names the file operator that an API operation comes from.
 *
 * @param model the imported model.
 * @param index the operation; 0 is the first.
 * @param name receives the name, such as "Conv /features/0/conv + Relu".
 * @return OH_NN_INVALID_PARAMETER: null pointer, or no such operation.
 */
OH_NN_ReturnCode OH_NNRt_ImportedModel_GetOperationName(const OH_NNRt_ImportedModel* model, size_t index,
                                                        const char** name);

/**
 * Returns the number of files attached to the model: a TensorFlow Lite model may carry a zip archive, often
 * with its class labels. Files that are damaged, or compressed with anything but deflate, are skipped.
 *
 * @param model the imported model.
 * @param count receives the number.
 * @return OH_NN_INVALID_PARAMETER: null pointer.
 */
OH_NN_ReturnCode OH_NNRt_ImportedModel_GetFileCount(const OH_NNRt_ImportedModel* model, size_t* count);

/**
 * Returns a file attached to the model.
 *
 * @param model the imported model.
 * @param index the file; 0 is the first.
 * @param name receives its name, such as "labelmap.txt".
 * @param data receives its contents, which are untrusted.
 * @param size receives the number of bytes.
 * @return OH_NN_INVALID_PARAMETER: null pointer, or no such file.
 */
OH_NN_ReturnCode OH_NNRt_ImportedModel_GetFile(const OH_NNRt_ImportedModel* model, size_t index,
                                               const char** name, const void** data, size_t* size);

/**
 * Returns a serialized description of the model's inputs, outputs and attached files. Pass it to
 * OH_NNRt_SetModelNote to store it in an offline model. Since version 2.
 *
 * @param model the imported model.
 * @param data receives the bytes.
 * @param size receives the number of bytes.
 * @return OH_NN_INVALID_PARAMETER: null pointer.
 */
OH_NN_ReturnCode OH_NNRt_ImportedModel_GetDescription(const OH_NNRt_ImportedModel* model, const void** data,
                                                      size_t* size);

/**
 * Reads a description, for example from OH_NNRt_GetModelNote. The imported model has inputs, outputs and
 * attached files, but no operations and no OH_NNModel: OH_NNRt_ImportedModel_GetModel returns
 * OH_NN_OPERATION_FORBIDDEN. Since version 2.
 *
 * @param data the bytes; not used after the call.
 * @param size the number of bytes.
 * @param model as for OH_NNRt_ImportModel.
 * @return OH_NN_INVALID_PARAMETER: null pointer, or *model not NULL. OH_NN_INVALID_FILE: not a
 *         description. OH_NN_MEMORY_ERROR: out of memory.
 */
OH_NN_ReturnCode OH_NNRt_ImportDescription(const void* data, size_t size, OH_NNRt_ImportedModel** model);

/**
 * Returns a note for OH_NNRt_SetModelNote that identifies the files of the model (OH_NNRt_Identity), the
 * options it was read with and this library, followed by the description and the names of the operations. A
 * later start passes the note of the cache to OH_NNRt_ImportFromCacheNote instead of reading the files:
 *
 * @code
 * OH_NNRt_GetModelNote("DIRECTORY/NAME0.nncache", note, capacity, &size);
 * OH_NNRt_ImportFromCacheNote(path, &options, note, size, &imported);  // if it fails, import and build
 * compilation = OH_NNCompilation_ConstructForCache();
 * OH_NNCompilation_SetCache(compilation, "DIRECTORY", version);
 * OH_NNCompilation_AddExtensionConfig(compilation, "ModelName", "NAME", 4);
 * OH_NNRt_SetModelNote(compilation, note, size);  // Build fails if the cache has another note by now
 * @endcode
 *
 * Since version 3.
 *
 * @param model the imported model.
 * @param data receives the bytes.
 * @param size receives their number; 0 if the options had no identity, the model was read from memory, or a
 *        file was changed while it was read or less than about 0.1 s before (2 s on file systems that store
 *        seconds): a change within that time may not show in its time stamps.
 * @return OH_NN_INVALID_PARAMETER: null pointer.
 */
OH_NN_ReturnCode OH_NNRt_ImportedModel_GetCacheNote(const OH_NNRt_ImportedModel* model, const void** data,
                                                    size_t* size);

/**
 * Like OH_NNRt_ImportDescription, from a cache note, if that was made for the same path, options and build of
 * this library, and none of the files has changed since. Operations have names. Since version 3.
 *
 * @param path the model file.
 * @param options as given to OH_NNRt_ImportModel, with an identity.
 * @param note the bytes; not used after the call.
 * @param size the number of bytes.
 * @param model as for OH_NNRt_ImportModel.
 * @return OH_NN_INVALID_PARAMETER: null pointer, *model not NULL, or options without an identity.
 *         OH_NN_INVALID_FILE: the note does not apply. OH_NN_MEMORY_ERROR: out of memory.
 */
OH_NN_ReturnCode OH_NNRt_ImportFromCacheNote(const char* path, const OH_NNRt_ImportOptions* options,
                                             const void* note, size_t size, OH_NNRt_ImportedModel** model);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
