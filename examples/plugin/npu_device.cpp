// A driver in the style of OpenHarmony's: the device and its compiled model.
#include "npu_memory.h"
#include "npu_program.h"

#include <cstring>

namespace npu {
namespace {

using hdi::NNRT_SUCCESS;

// A cache is the program's lists in sequence, each preceded by its length.
template <typename T>
void write(std::vector<char>& bytes, const std::vector<T>& list) {
  const uint64_t count = list.size();
  const auto add = [&](const void* data, size_t size) {
    bytes.insert(bytes.end(), static_cast<const char*>(data), static_cast<const char*>(data) + size);
  };
  add(&count, sizeof count);
  add(list.data(), count * sizeof(T));
}

struct Reader {
  const char* at;
  size_t left;

  bool take(void* to, uint64_t count, size_t size) {
    if (count > left / size) return false;
    if (count > 0) std::memcpy(to, at, count * size);
    at += count * size;
    left -= count * size;
    return true;
  }
  template <typename T>
  bool read(std::vector<T>& list) {
    uint64_t count = 0;
    if (!take(&count, 1, sizeof count) || count > left / sizeof(T)) return false;
    list.resize(count);
    return take(list.data(), count, sizeof(T));
  }
};

// A tensor of a run: in place, or copied if it is not aligned for floats.
struct Operand {
  Mapping mapping;
  std::vector<float> copy;

  explicit Operand(const hdi::IOTensor& tensor) : mapping(tensor.data) {
    if (reinterpret_cast<uintptr_t>(mapping.data()) % alignof(float) == 0) return;
    copy.resize(tensor.data.dataSize / sizeof(float));
    std::memcpy(copy.data(), mapping.data(), copy.size() * sizeof(float));
  }
  float* data() { return copy.empty() ? reinterpret_cast<float*>(mapping.data()) : copy.data(); }
  void finish() const {
    if (!copy.empty()) std::memcpy(mapping.data(), copy.data(), copy.size() * sizeof(float));
  }
};

class Model final : public hdi::IPreparedModel {
 public:
  explicit Model(Program program) : program_(std::move(program)) {}
  ~Model() override {
    if (cache_.fd >= 0) close(cache_.fd);
  }

  int32_t ExportModelCache(std::vector<hdi::SharedBuffer>& modelCache) override {
    std::vector<char> bytes;
    std::apply([&](const auto&... lists) { (write(bytes, lists), ...); }, program_.lists());
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
    minInputDims = maxInputDims = dims_of<uint32_t>(program_.inputs);
    return NNRT_SUCCESS;
  }

  int32_t Run(const std::vector<hdi::IOTensor>& inputs, const std::vector<hdi::IOTensor>& outputs,
              std::vector<std::vector<int32_t>>& outputDims) override {
    outputDims = dims_of<int32_t>(program_.outputs);
    std::vector<float*> data(program_.tensors.size(), nullptr);
    std::vector<Operand> from, to;
    if (!bind(program_.inputs, inputs, from, data) || !bind(program_.outputs, outputs, to, data))
      return hdi::NNRT_INSUFFICIENT_BUFFER;
    std::vector<std::vector<float>> intermediates;
    for (size_t i = 0; i < data.size(); ++i) {
      const Tensor& tensor = program_.tensors[i];
      if (data[i] == nullptr && tensor.constant >= 0) data[i] = &program_.constants[size_t(tensor.constant)];
      if (data[i] == nullptr) data[i] = intermediates.emplace_back(tensor.elements).data();
    }
    for (const Step& step : program_.steps) run(step, program_.tensors, data);
    for (const Operand& operand : to) operand.finish();
    return NNRT_SUCCESS;
  }

 private:
  template <typename Dim>
  std::vector<std::vector<Dim>> dims_of(const std::vector<uint32_t>& indices) const {
    std::vector<std::vector<Dim>> all;
    for (const uint32_t index : indices) {
      const Tensor& tensor = program_.tensors[index];
      all.emplace_back(tensor.dims.end() - std::ptrdiff_t(tensor.rank), tensor.dims.end());
    }
    return all;
  }

  // False if there is no memory or too little.
  bool bind(const std::vector<uint32_t>& indices, const std::vector<hdi::IOTensor>& given,
            std::vector<Operand>& operands, std::vector<float*>& data) const {
    if (indices.size() != given.size()) return false;
    for (size_t i = 0; i < indices.size(); ++i) {
      if (given[i].data.dataSize < program_.tensors[indices[i]].elements * sizeof(float)) return false;
      data[indices[i]] = operands.emplace_back(given[i]).data();
      if (data[indices[i]] == nullptr) return false;
    }
    return true;
  }

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
    Reader reader{mapping.data(), mapping.data() == nullptr ? 0 : modelCache[0].dataSize};
    Program program;
    if (!std::apply([&](auto&... lists) { return (reader.read(lists) && ...); }, program.lists())) {
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
