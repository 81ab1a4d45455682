/**
 * @file nnrt_import.h
 * Models of the C API from TensorFlow Lite and ONNX files. The functions are in libnnrt_import.so.
 *
 * OH_NNRt_ImportModel reads a file. The OH_NNModel that it makes is finished: it goes to
 * OH_NNCompilation_Construct, and everything after that, such as devices, configs and runs, is the ordinary
 * API.
 *
 * Shapes are in elements, the outermost dimension first; -1 stands for a dimension that the file leaves open
 * and a run decides. Text is UTF-8 with a 0 behind it.
 *
 * Files may come from anybody: they are verified before they are read. All functions may be called from any
 * thread; an imported model never changes, so that threads may share it. Pointers that a function gives
 * belong to the imported model and are valid until it is destroyed.
 */
#ifndef NEURAL_NETWORK_RUNTIME_NNRT_IMPORT_H
#define NEURAL_NETWORK_RUNTIME_NNRT_IMPORT_H

#include <neural_network_runtime/neural_network_runtime_type.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The version of this header. What it has remains; a higher one adds functions, and members behind the last
   of a structure. */
#define OH_NNRT_IMPORT_VERSION 2

/** A model that was read from a file. */
typedef struct OH_NNRt_ImportedModel OH_NNRt_ImportedModel;

/** The shape that an input shall have instead of that in the file. */
typedef struct {
  /** The name of the input in the file; NULL: the only input. */
  const char* name;
  /** Dimensions, each positive or -1, as which 0 counts too; as many as the file says. */
  const int32_t* shape;
  /** The number of dimensions. */
  size_t rank;
} OH_NNRt_InputShape;

/** Options for reading a file. */
typedef struct {
  /** sizeof(OH_NNRt_ImportOptions), by which the library knows which members there are. */
  size_t size;
  /** Shapes of some of the inputs; may be NULL if inputShapeCount is 0. */
  const OH_NNRt_InputShape* inputShapes;
  /** The number of shapes. */
  size_t inputShapeCount;
} OH_NNRt_ImportOptions;

/** An input or an output of a model, as the file has it. */
typedef struct {
  /** Set by the caller to sizeof(OH_NNRt_TensorInfo): no more bytes than that are written. */
  size_t size;
  /** The name in the file; "" if it has none. */
  const char* name;
  /** The type of an element. */
  OH_NN_DataType dataType;
  /** The order of dimensions as far as the file says it, else OH_NN_FORMAT_NONE. */
  OH_NN_Format format;
  /** Dimensions, -1 for one that is open. */
  const int32_t* shape;
  /** The number of dimensions; 0 for a scalar. */
  size_t rank;
  /** For quantized elements: the number is scale * (element - zero point). */
  const double* scales;
  /** As many as scales. */
  const int32_t* zeroPoints;
  /** 0: not quantized; 1: one scale for the tensor; else one for each channel. */
  size_t quantizationCount;
} OH_NNRt_TensorInfo;

#pragma GCC visibility push(default)

/**
 * Returns OH_NNRT_IMPORT_VERSION of the library that is loaded.
 */
uint32_t OH_NNRt_GetImportVersion(void);

/**
 * Returns why the last call of a function of this header that failed in this thread did so, in whole
 * sentences; "" if none did. Valid until the next such call of this thread.
 */
const char* OH_NNRt_GetImportError(void);

/**
 * Reads a TensorFlow Lite or ONNX file; its first bytes, then its extension say which. Data that an ONNX file
 * keeps outside of itself is read from the file's folder.
 *
 * @param path the file.
 * @param options how to read it; NULL: as it is.
 * @param model receives the model, which the caller gives to OH_NNRt_ImportedModel_Destroy; *model must be
 *        NULL on entry and stays so where the function fails.
 * @return OH_NN_INVALID_PARAMETER: null pointer, *model not NULL, or options that are wrong or do not fit the
 *         model. OH_NN_INVALID_PATH: the file cannot be read. OH_NN_INVALID_FILE: it is neither format, or
 *         damaged. OH_NN_UNSUPPORTED: it has operators that the API cannot express; the error names them.
 *         OH_NN_MEMORY_ERROR: out of memory.
 */
OH_NN_ReturnCode OH_NNRt_ImportModel(const char* path, const OH_NNRt_ImportOptions* options,
                                     OH_NNRt_ImportedModel** model);

/**
 * As OH_NNRt_ImportModel, from the bytes of a file, such as an asset of an application. They are ONNX unless
 * they begin as TensorFlow Lite does, and need not remain behind the call.
 *
 * @param buffer the bytes.
 * @param size how many there are.
 * @param folder where data is that an ONNX file keeps outside of itself; NULL: such a file is refused.
 * @param options how to read it; NULL: as it is.
 * @param model as for OH_NNRt_ImportModel.
 * @return as OH_NNRt_ImportModel.
 */
OH_NN_ReturnCode OH_NNRt_ImportModelFromBuffer(const void* buffer, size_t size, const char* folder,
                                               const OH_NNRt_ImportOptions* options,
                                               OH_NNRt_ImportedModel** model);

/**
 * Destroys what OH_NNRt_ImportModel made, its OH_NNModel included, and sets *model to NULL. Compilations that
 * were built remain; one that was only constructed must be built or destroyed before.
 *
 * @param model the model; a null pointer, or one to NULL, is ignored.
 */
void OH_NNRt_ImportedModel_Destroy(OH_NNRt_ImportedModel** model);

/**
 * Gives the finished model of the C API. It belongs to the imported model: no OH_NNModel_Destroy.
 *
 * @param model the imported model.
 * @param nnModel receives the model for OH_NNCompilation_Construct.
 * @return OH_NN_INVALID_PARAMETER: null pointer. OH_NN_OPERATION_FORBIDDEN: only a description was read.
 */
OH_NN_ReturnCode OH_NNRt_ImportedModel_GetModel(const OH_NNRt_ImportedModel* model,
                                                const OH_NNModel** nnModel);

/**
 * Gives how many inputs and outputs there are. Their numbers are those of OH_NNExecutor_RunSync.
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
 * @param info receives the description; info->size is set before.
 * @return OH_NN_INVALID_PARAMETER: null pointer, no such input, or an info->size that no version has.
 */
OH_NN_ReturnCode OH_NNRt_ImportedModel_GetInput(const OH_NNRt_ImportedModel* model, size_t index,
                                                OH_NNRt_TensorInfo* info);

/** Describes an output; otherwise as OH_NNRt_ImportedModel_GetInput. */
OH_NN_ReturnCode OH_NNRt_ImportedModel_GetOutput(const OH_NNRt_ImportedModel* model, size_t index,
                                                 OH_NNRt_TensorInfo* info);

/**
 * Gives how many operations of the API the model has. Their numbers are those in placements and traces.
 *
 * @param model the imported model.
 * @param count receives the number.
 * @return OH_NN_INVALID_PARAMETER: null pointer.
 */
OH_NN_ReturnCode OH_NNRt_ImportedModel_GetOperationCount(const OH_NNRt_ImportedModel* model, size_t* count);

/**
 * Names the operator of the file that an operation of the API is a part of.
 *
 * @param model the imported model.
 * @param index the operation; 0 is the first.
 * @param name receives the name, such as "Conv /features/0/conv + Relu".
 * @return OH_NN_INVALID_PARAMETER: null pointer, or no such operation.
 */
OH_NN_ReturnCode OH_NNRt_ImportedModel_GetOperationName(const OH_NNRt_ImportedModel* model, size_t index,
                                                        const char** name);

/**
 * Gives how many files are attached to the model: a TensorFlow Lite model may carry a zip archive, often with
 * the names of its classes. Files in it that are damaged, or compressed by anything but deflate, do not
 * count.
 *
 * @param model the imported model.
 * @param count receives the number.
 * @return OH_NN_INVALID_PARAMETER: null pointer.
 */
OH_NN_ReturnCode OH_NNRt_ImportedModel_GetFileCount(const OH_NNRt_ImportedModel* model, size_t* count);

/**
 * Gives a file that is attached to the model.
 *
 * @param model the imported model.
 * @param index the file; 0 is the first.
 * @param name receives its name, such as "labelmap.txt".
 * @param data receives its bytes, whatever they are: whoever made the model chose them.
 * @param size receives how many bytes there are.
 * @return OH_NN_INVALID_PARAMETER: null pointer, or no such file.
 */
OH_NN_ReturnCode OH_NNRt_ImportedModel_GetFile(const OH_NNRt_ImportedModel* model, size_t index,
                                               const char** name, const void** data, size_t* size);

/**
 * Gives a description of the model: its inputs, outputs and attached files, as bytes for
 * OH_NNRt_SetModelNote, so that an offline model keeps what its file said of them. Since version 2.
 *
 * @param model the imported model.
 * @param data receives the bytes.
 * @param size receives the number of bytes.
 * @return OH_NN_INVALID_PARAMETER: null pointer.
 */
OH_NN_ReturnCode OH_NNRt_ImportedModel_GetDescription(const OH_NNRt_ImportedModel* model, const void** data,
                                                      size_t* size);

/**
 * Reads a description, such as the one that OH_NNRt_GetModelNote gives. The imported model has inputs,
 * outputs and attached files, but no operations and no OH_NNModel: OH_NNRt_ImportedModel_GetModel answers
 * OH_NN_OPERATION_FORBIDDEN. Since version 2.
 *
 * @param data the bytes; they need not remain after the call.
 * @param size the number of bytes.
 * @param model as for OH_NNRt_ImportModel.
 * @return OH_NN_INVALID_PARAMETER: null pointer, or *model not NULL. OH_NN_INVALID_FILE: the bytes are no
 *         description. OH_NN_MEMORY_ERROR: out of memory.
 */
OH_NN_ReturnCode OH_NNRt_ImportDescription(const void* data, size_t size, OH_NNRt_ImportedModel** model);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
