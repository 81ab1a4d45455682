// The driver's interface as OpenHarmony's build generates it from the IDL: other classes, structures of the
// same members, and descriptors that belong to the method that gets them.
#pragma once

#include "api/driver/driver.h"

#include <neural_network_runtime/hdi/v2_0/innrt_device_vdi.h>

#include <unistd.h>

#include <set>
#include <utility>

namespace nnrt::driver {

namespace board = ::NNRT_HDI_NAMESPACE;

// The arguments of a call in this project's types. Closes their descriptors at its end.
class BoardArguments {
 public:
  BoardArguments() = default;
  ~BoardArguments() {
    for (const int fd : fds_) close(fd);
  }
  BoardArguments(const BoardArguments&) = delete;
  BoardArguments& operator=(const BoardArguments&) = delete;

  template <typename From>
  auto own(const std::vector<From>& from) {
    std::vector<decltype(own(from.front()))> all;
    for (const From& element : from) all.push_back(own(element));
    return all;
  }
  hdi::SharedBuffer own(const board::SharedBuffer& from) {
    if (from.fd >= 0) fds_.insert(from.fd);
    return {from.fd, from.bufferSize, from.offset, from.dataSize};
  }
  hdi::IOTensor own(const board::IOTensor& from) {
    return {from.name, hdi::DataType(from.dataType), from.dimensions, hdi::Format(from.format),
            own(from.data)};
  }
  hdi::QuantParam own(const board::QuantParam& from) { return {from.numBits, from.zeroPoint, from.scale}; }
  hdi::Tensor own(const board::Tensor& from) {
    return {from.name,      hdi::DataType(from.dataType), from.dims, hdi::Format(from.format),
            own(from.data), own(from.quantParams)};
  }
  hdi::Node own(const board::Node& from) {
    return {from.name,
            hdi::NodeType(from.nodeType),
            from.nodeAttr,
            from.inputIndex,
            from.outputIndex,
            hdi::QuantType(from.quantType),
            {}};
  }
  hdi::SubGraph own(const board::SubGraph& from) {
    return {from.name, from.inputIndices, from.outputIndices, from.nodeIndices};
  }
  hdi::Model own(const board::Model& from) {
    return {from.name,       from.inputIndex,      from.outputIndex,
            own(from.nodes), own(from.allTensors), own(from.subGraph)};
  }
  hdi::ModelConfig own(const board::ModelConfig& from) {
    return {from.enableFloat16, hdi::PerformanceMode(from.mode), hdi::Priority(from.priority),
            from.extensions};
  }

 private:
  std::set<int> fds_;
};

class BoardModel final : public board::IPreparedModel {
 public:
  explicit BoardModel(ModelPtr model) : model_(std::move(model)) {}

  int32_t ExportModelCache(std::vector<board::SharedBuffer>& modelCache) override {
    std::vector<hdi::SharedBuffer> exported;
    const int32_t code = model_->ExportModelCache(exported);
    modelCache.clear();
    for (const hdi::SharedBuffer& buffer : exported)
      modelCache.push_back({buffer.fd, buffer.bufferSize, buffer.offset, buffer.dataSize});
    return code;
  }
  int32_t GetInputDimRanges(std::vector<std::vector<uint32_t>>& minInputDims,
                            std::vector<std::vector<uint32_t>>& maxInputDims) override {
    return model_->GetInputDimRanges(minInputDims, maxInputDims);
  }
  int32_t Run(const std::vector<board::IOTensor>& inputs, const std::vector<board::IOTensor>& outputs,
              std::vector<std::vector<int32_t>>& outputDims) override {
    int32_t code = hdi::NNRT_SUCCESS;
    const int32_t outer = answer(__func__, hdi::NNRT_FAILED, [&]() -> Status {
      BoardArguments arguments;
      code = model_->Run(arguments.own(inputs), arguments.own(outputs), outputDims);
      return {};
    });
    return outer == hdi::NNRT_SUCCESS ? code : outer;
  }

 private:
  const ModelPtr model_;
};

// For DriverMethods.
struct BoardTypes {
  using DeviceType = board::DeviceType;
  using DeviceStatus = board::DeviceStatus;
  using SharedBuffer = board::SharedBuffer;
  using Model = board::Model;
  using ModelConfig = board::ModelConfig;
  using ModelPtr = NNRT_HDI_SPTR<board::IPreparedModel>;
  using Arguments = BoardArguments;
  static ModelPtr given(driver::ModelPtr model) {
    return ModelPtr(std::make_unique<BoardModel>(std::move(model)).release());
  }
};

}  // namespace nnrt::driver
