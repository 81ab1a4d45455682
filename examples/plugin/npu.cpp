// A driver written as OpenHarmony's are: the device and its compiled model.
#include "memory.h"
#include "program.h"

#include <cstring>

namespace npu {
namespace {

using hdi::NNRT_SUCCESS;

// A cache is the program's lists one behind the other, each with its length.
template <typename T>
void write(std::vector<char>& bytes, const std::vector<T>& list) {
  const uint64_t count = list.size();
  bytes.insert(bytes.end(), reinterpret_cast<const char*>(&count), reinterpret_cast<const char*>(&count + 1));
  const char* data = reinterpret_cast<const char*>(list.data());
  bytes.insert(bytes.end(), data, data + count * sizeof(T));
}

template <typename T>
bool read(const char*& at, size_t& left, std::vector<T>& list) {
  uint64_t count = 0;
  if (left < sizeof count) return false;
  std::memcpy(&count, at, sizeof count);
  at += sizeof count;
  left -= sizeof count;
  if (count > left / sizeof(T)) return false;
  list.resize(count);
  if (count > 0) std::memcpy(list.data(), at, count * sizeof(T));
  at += count * sizeof(T);
  left -= count * sizeof(T);
  return true;
}

class Model final : public hdi::IPreparedModel {
 public:
  explicit Model(Program program) : program_(std::move(program)) {}
  ~Model() override {
    if (cache_.fd >= 0) close(cache_.fd);
  }

  int32_t ExportModelCache(std::vector<hdi::SharedBuffer>& modelCache) override {
    std::vector<char> bytes;
    write(bytes, program_.tensors);
    write(bytes, program_.steps);
    write(bytes, program_.constants);
    write(bytes, program_.inputs);
    write(bytes, program_.outputs);
    if (cache_.fd < 0) {
      const int32_t code = allocate(uint32_t(bytes.size()), cache_);
      if (code != NNRT_SUCCESS) return code;
    }
    const Mapping mapping(cache_);
    if (mapping.data() == nullptr) return hdi::NNRT_MEMORY_ERROR;
    std::memcpy(mapping.data(), bytes.data(), bytes.size());
    modelCache = {cache_};
    return NNRT_SUCCESS;
  }

  int32_t GetInputDimRanges(std::vector<std::vector<uint32_t>>& minInputDims,
                            std::vector<std::vector<uint32_t>>& maxInputDims) override {
    minInputDims.clear();
    for (const uint32_t index : program_.inputs) {
      const Tensor& tensor = program_.tensors[index];
      minInputDims.emplace_back(tensor.dims.end() - std::ptrdiff_t(tensor.rank), tensor.dims.end());
    }
    maxInputDims = minInputDims;
    return NNRT_SUCCESS;
  }

  int32_t Run(const std::vector<hdi::IOTensor>& inputs, const std::vector<hdi::IOTensor>& outputs,
              std::vector<std::vector<int32_t>>& outputDims) override {
    std::vector<float*> data(program_.tensors.size(), nullptr);
    std::vector<std::vector<float>> intermediates;
    std::vector<Mapping> mappings;
    const auto bind = [&](const std::vector<uint32_t>& indices, const std::vector<hdi::IOTensor>& given) {
      if (indices.size() != given.size()) return false;
      for (size_t i = 0; i < indices.size(); ++i) {
        if (given[i].data.dataSize < program_.tensors[indices[i]].elements * sizeof(float)) return false;
        mappings.emplace_back(given[i].data);
        data[indices[i]] = reinterpret_cast<float*>(mappings.back().data());
        if (data[indices[i]] == nullptr) return false;
      }
      return true;
    };
    outputDims.clear();
    for (const uint32_t index : program_.outputs) {
      const Tensor& tensor = program_.tensors[index];
      outputDims.emplace_back(tensor.dims.end() - std::ptrdiff_t(tensor.rank), tensor.dims.end());
    }
    if (!bind(program_.inputs, inputs) || !bind(program_.outputs, outputs))
      return hdi::NNRT_INSUFFICIENT_BUFFER;
    for (size_t i = 0; i < data.size(); ++i) {
      const Tensor& tensor = program_.tensors[i];
      if (data[i] != nullptr) continue;
      if (tensor.constant >= 0) {
        data[i] = program_.constants.data() + tensor.constant;
      } else {
        data[i] = intermediates.emplace_back(tensor.elements).data();
      }
    }
    for (const Step& step : program_.steps) run(step, program_.tensors, data);
    return NNRT_SUCCESS;
  }

 private:
  Program program_;
  hdi::SharedBuffer cache_;
};

class Device final : public hdi::INnrtDevice {
 public:
  int32_t GetDeviceName(std::string& name) override { return answer(name, "ExampleNPU"); }
  int32_t GetVendorName(std::string& name) override { return answer(name, "NNRt"); }
  int32_t GetDeviceType(hdi::DeviceType& type) override { return answer(type, hdi::ACCELERATOR); }
  int32_t GetDeviceStatus(hdi::DeviceStatus& status) override { return answer(status, hdi::AVAILABLE); }
  int32_t IsFloat16PrecisionSupported(bool& isSupported) override { return answer(isSupported, true); }
  int32_t IsPerformanceModeSupported(bool& isSupported) override { return answer(isSupported, true); }
  int32_t IsPrioritySupported(bool& isSupported) override { return answer(isSupported, true); }
  int32_t IsDynamicInputSupported(bool& isSupported) override { return answer(isSupported, false); }
  int32_t IsModelCacheSupported(bool& isSupported) override { return answer(isSupported, true); }
  int32_t GetVersion(uint32_t& majorVer, uint32_t& minorVer) override {
    majorVer = 2;
    return answer(minorVer, 1);
  }

  int32_t GetSupportedOperation(const hdi::Model& model, std::vector<bool>& ops) override {
    ops.clear();
    for (const hdi::Node& node : model.nodes) ops.push_back(compile(model, node).has_value());
    return NNRT_SUCCESS;
  }

  int32_t PrepareModel(const hdi::Model& model, const hdi::ModelConfig&,
                       std::shared_ptr<hdi::IPreparedModel>& preparedModel) override {
    Program program;
    if (!compile(model, program)) return hdi::NNRT_UNSUPPORTED_OP;
    preparedModel = std::make_shared<Model>(std::move(program));
    return NNRT_SUCCESS;
  }

  int32_t PrepareModelFromModelCache(const std::vector<hdi::SharedBuffer>& modelCache,
                                     const hdi::ModelConfig&,
                                     std::shared_ptr<hdi::IPreparedModel>& preparedModel) override {
    if (modelCache.size() != 1) return hdi::NNRT_INVALID_MODEL_CACHE;
    const Mapping mapping(modelCache[0]);
    const char* at = mapping.data();
    size_t left = at == nullptr ? 0 : modelCache[0].dataSize;
    Program program;
    if (!read(at, left, program.tensors) || !read(at, left, program.steps) ||
        !read(at, left, program.constants) || !read(at, left, program.inputs) ||
        !read(at, left, program.outputs)) {
      return hdi::NNRT_INVALID_MODEL_CACHE;
    }
    preparedModel = std::make_shared<Model>(std::move(program));
    return NNRT_SUCCESS;
  }

  int32_t PrepareOfflineModel(const std::vector<hdi::SharedBuffer>&, const hdi::ModelConfig&,
                              std::shared_ptr<hdi::IPreparedModel>&) override {
    return hdi::NNRT_NOT_SUPPORT;
  }

  int32_t AllocateBuffer(uint32_t length, hdi::SharedBuffer& buffer) override {
    return allocate(length, buffer);
  }
  int32_t ReleaseBuffer(const hdi::SharedBuffer& buffer) override {
    return close(buffer.fd) == 0 ? NNRT_SUCCESS : hdi::NNRT_INVALID_BUFFER;
  }

 private:
  template <typename T, typename Value>
  static int32_t answer(T& to, Value value) {
    to = value;
    return NNRT_SUCCESS;
  }
};

}  // namespace
}  // namespace npu

NNRT_EXPORT_PLUGIN([](uint32_t index) -> nnrt::hdi::V2_0::INnrtDevice* {
  return index == 0 ? new npu::Device : nullptr;
})
