/**
 * @file iprepared_model.h
 *
 * A compiled model of a driver. Its methods are never called concurrently, and its last reference is released
 * when no run is in progress. Exceptions thrown by methods are caught and treated as NNRT_DEVICE_ERROR.
 */
#ifndef NNRT_HDI_V2_0_IPREPARED_MODEL_H
#define NNRT_HDI_V2_0_IPREPARED_MODEL_H

#include "nnrt_types.h"

namespace nnrt::hdi::V2_0 {

class IPreparedModel {
 public:
  virtual ~IPreparedModel() = default;

  /**
   * Exports the compiled model as 1 to 100 shared buffers, which PrepareModelFromModelCache receives in the
   * same order. The runtime copies them immediately; the model keeps ownership of the buffers and their fds.
   */
  virtual int32_t ExportModelCache(std::vector<SharedBuffer>& modelCache) = 0;

  /**
   * Minimum and maximum of each dimension of each input; equal if the dimension is fixed. If the number of
   * inputs or dimensions does not match the model, runs return OH_NN_FAILED.
   */
  virtual int32_t GetInputDimRanges(std::vector<std::vector<uint32_t>>& minInputDims,
                                    std::vector<std::vector<uint32_t>>& maxInputDims) = 0;

  /**
   * Runs the model; returns when the outputs are written. Inputs and outputs are in model order. Memory may
   * come from AllocateBuffer or from any other fd that can be mapped; the fd is a duplicate valid during this
   * call (innrt_device.h).
   * @param outputDims receives the actual dimensions of each output. If a buffer is too small for its output,
   *        they are the dimensions needed, and the return code is NNRT_INSUFFICIENT_BUFFER.
   */
  virtual int32_t Run(const std::vector<IOTensor>& inputs, const std::vector<IOTensor>& outputs,
                      std::vector<std::vector<int32_t>>& outputDims) = 0;

  virtual int32_t GetVersion(uint32_t& majorVer, uint32_t& minorVer) {
    majorVer = 2;
    minorVer = 0;
    return NNRT_SUCCESS;
  }
};

}  // namespace nnrt::hdi::V2_0

#endif
