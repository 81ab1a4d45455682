// A driver that claims to support everything and fills outputs with ones (FLOAT32). Each method first calls
// on(), in which a test can record, fail or throw.
#pragma once

#include <neural_network_runtime/hdi/plugin.h>

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <sstream>
#include <string>

namespace nnrt::test {

namespace hdi = ::nnrt::hdi::V2_0;

// Traits of a device, shared with its models. They may be changed between calls.
struct SimpleTraits {
  std::string name = "Simple", vendor = "Test";
  uint32_t major = 2, minor = 1;
  hdi::DeviceType type = hdi::ACCELERATOR;
  hdi::DeviceStatus status = hdi::AVAILABLE;
  bool caching = true, float16 = true, performance = true, priority = true, dynamic = true;
  bool exclusive = false;
  std::vector<hdi::IOTensor> offline_inputs, offline_outputs;  // for offline models; empty: none
  // Called first by each method, with its name and arguments; a nonzero result is returned immediately.
  std::function<int32_t(const std::string& method, const std::string& given)> on;
  std::function<void(std::vector<bool>&)> answer_operations;
  std::function<void(std::vector<std::vector<int32_t>>&)> answer_dims;
  // Changes the result of GetInputDimRanges: the minima, then the maxima.
  std::function<void(std::vector<std::vector<uint32_t>>&)> answer_ranges;

  int32_t enter(const std::string& method, const std::string& given = "") const {
    return on ? on(method, given) : 0;
  }
};

template <typename T>
std::string text_of(const std::vector<T>& list) {
  std::ostringstream out;
  for (size_t i = 0; i < list.size(); ++i) out << (i > 0 ? "," : "") << +list[i];
  return out.str();
}

inline std::string text_of(const std::vector<hdi::IOTensor>& tensors) {
  std::ostringstream out;
  for (const hdi::IOTensor& tensor : tensors) {
    out << ' ' << tensor.name << '[' << text_of(tensor.dimensions) << "]:" << int(tensor.dataType) << '@'
        << tensor.data.offset << '+' << tensor.data.dataSize << '/' << tensor.data.bufferSize;
  }
  return out.str();
}

class SimpleModel final : public hdi::IPreparedModel {
 public:
  SimpleModel(std::shared_ptr<SimpleTraits> traits, std::vector<std::vector<int32_t>> inputs,
              std::vector<std::vector<int32_t>> outputs)
      : traits_(std::move(traits)), inputs_(std::move(inputs)), outputs_(std::move(outputs)) {}
  ~SimpleModel() override {
    static_cast<void>(traits_->enter("~IPreparedModel"));
    if (cache_ >= 0) close(cache_);
  }

  int32_t ExportModelCache(std::vector<hdi::SharedBuffer>& modelCache) override {
    if (const int32_t code = traits_->enter("ExportModelCache")) return code;
    const std::string text = cache_text();
    cache_ = memfd_create("cache", MFD_CLOEXEC);
    if (write(cache_, text.data(), text.size()) != ssize_t(text.size())) return hdi::NNRT_FAILED;
    modelCache = {{cache_, uint32_t(text.size()), 0, uint32_t(text.size())}};
    return 0;
  }

  int32_t GetInputDimRanges(std::vector<std::vector<uint32_t>>& smallest,
                            std::vector<std::vector<uint32_t>>& largest) override {
    if (const int32_t code = traits_->enter("GetInputDimRanges")) return code;
    smallest.clear();
    largest.clear();
    for (const std::vector<int32_t>& dims : inputs_) {
      smallest.emplace_back();
      largest.emplace_back();
      for (const int32_t dim : dims) {
        smallest.back().push_back(dim < 0 ? 1u : uint32_t(dim));
        largest.back().push_back(dim < 0 ? 100u : uint32_t(dim));
      }
    }
    for (auto* ranges : {&smallest, &largest}) {
      if (traits_->answer_ranges) traits_->answer_ranges(*ranges);
    }
    return 0;
  }

  int32_t Run(const std::vector<hdi::IOTensor>& inputs, const std::vector<hdi::IOTensor>& outputs,
              std::vector<std::vector<int32_t>>& dims) override {
    if (const int32_t code = traits_->enter("Run", text_of(inputs) + " ->" + text_of(outputs))) return code;
    dims.clear();
    for (size_t i = 0; i < outputs.size(); ++i) {
      dims.push_back(outputs_[i]);
      for (size_t d = 0; d < dims[i].size(); ++d) {
        if (dims[i][d] < 0) dims[i][d] = inputs.at(0).dimensions.at(d);
      }
      fill(outputs[i].data);
    }
    if (traits_->answer_dims) traits_->answer_dims(dims);
    return 0;
  }

  std::string cache_text() const {
    std::ostringstream out;
    for (const auto* list : {&inputs_, &outputs_}) {
      for (const auto& dims : *list) {
        for (const int32_t dim : dims) out << dim << ' ';
        out << "; ";
      }
      out << "| ";
    }
    return out.str();
  }

 private:
  static void fill(const hdi::SharedBuffer& buffer) {
    void* base = mmap(nullptr, buffer.bufferSize, PROT_READ | PROT_WRITE, MAP_SHARED, buffer.fd, 0);
    if (base == MAP_FAILED) return;
    const float one = 1;
    char* data = static_cast<char*>(base) + buffer.offset;
    for (uint32_t at = 0; at + sizeof one <= buffer.dataSize; at += sizeof one)
      std::memcpy(data + at, &one, sizeof one);
    munmap(base, buffer.bufferSize);
  }

  const std::shared_ptr<SimpleTraits> traits_;
  const std::vector<std::vector<int32_t>> inputs_, outputs_;
  int cache_ = -1;
};

class SimpleDevice : public hdi::INnrtDevice, public ::nnrt::hdi::IDeviceTraits {
 public:
  explicit SimpleDevice(std::shared_ptr<SimpleTraits> traits) : traits_(std::move(traits)) {}

  bool IsExclusive() override { return traits_->exclusive; }
  int32_t GetDeviceName(std::string& name) override { return give("GetDeviceName", traits_->name, name); }
  int32_t GetVendorName(std::string& name) override { return give("GetVendorName", traits_->vendor, name); }
  int32_t GetDeviceType(hdi::DeviceType& type) override { return give("GetDeviceType", traits_->type, type); }
  int32_t GetDeviceStatus(hdi::DeviceStatus& status) override {
    return give("GetDeviceStatus", traits_->status, status);
  }
  int32_t IsFloat16PrecisionSupported(bool& is) override {
    return give("IsFloat16PrecisionSupported", traits_->float16, is);
  }
  int32_t IsPerformanceModeSupported(bool& is) override {
    return give("IsPerformanceModeSupported", traits_->performance, is);
  }
  int32_t IsPrioritySupported(bool& is) override {
    return give("IsPrioritySupported", traits_->priority, is);
  }
  int32_t IsDynamicInputSupported(bool& is) override {
    return give("IsDynamicInputSupported", traits_->dynamic, is);
  }
  int32_t IsModelCacheSupported(bool& is) override {
    return give("IsModelCacheSupported", traits_->caching, is);
  }
  int32_t GetVersion(uint32_t& major, uint32_t& minor) override {
    minor = traits_->minor;
    return give("GetVersion", traits_->major, major);
  }

  int32_t GetSupportedOperation(const hdi::Model& model, std::vector<bool>& ops) override {
    if (const int32_t code = traits_->enter("GetSupportedOperation", describe(model))) return code;
    ops.assign(model.nodes.size(), true);
    if (traits_->answer_operations) traits_->answer_operations(ops);
    return 0;
  }
  int32_t PrepareModel(const hdi::Model& model, const hdi::ModelConfig& config,
                       std::shared_ptr<hdi::IPreparedModel>& prepared) override {
    if (const int32_t code = traits_->enter("PrepareModel", describe(model) + describe(config))) return code;
    std::vector<std::vector<int32_t>> inputs, outputs;
    for (const uint32_t index : model.inputIndex) inputs.push_back(model.allTensors[index].dims);
    for (const uint32_t index : model.outputIndex) outputs.push_back(model.allTensors[index].dims);
    prepared = std::make_shared<SimpleModel>(traits_, std::move(inputs), std::move(outputs));
    return 0;
  }
  int32_t PrepareModelFromModelCache(const std::vector<hdi::SharedBuffer>& cache,
                                     const hdi::ModelConfig& config,
                                     std::shared_ptr<hdi::IPreparedModel>& prepared) override {
    const std::string text = contents(cache.at(0));
    if (const int32_t code = traits_->enter("PrepareModelFromModelCache", text + describe(config)))
      return code;
    std::vector<std::vector<int32_t>> lists[2];
    std::istringstream words(text);
    std::vector<int32_t> dims;
    size_t side = 0;
    for (std::string word; side < 2 && words >> word;) {
      if (word == "|")
        ++side;
      else if (word == ";")
        lists[side].push_back(std::exchange(dims, {}));
      else
        dims.push_back(std::stoi(word));
    }
    prepared = std::make_shared<SimpleModel>(traits_, lists[0], lists[1]);
    return 0;
  }
  int32_t PrepareOfflineModel(const std::vector<hdi::SharedBuffer>& models, const hdi::ModelConfig& config,
                              std::shared_ptr<hdi::IPreparedModel>& prepared) override {
    const std::string given = contents(models.at(0)) + describe(config);
    if (const int32_t code = traits_->enter("PrepareOfflineModel", given)) return code;
    if (traits_->offline_outputs.empty()) return hdi::NNRT_INVALID_MODEL;
    prepared = std::make_shared<SimpleModel>(traits_, dims_of(traits_->offline_inputs),
                                             dims_of(traits_->offline_outputs));
    return 0;
  }
  int32_t DescribeOfflineModel(hdi::IPreparedModel&, std::vector<hdi::IOTensor>& inputs,
                               std::vector<hdi::IOTensor>& outputs) override {
    inputs = traits_->offline_inputs;
    outputs = traits_->offline_outputs;
    return traits_->enter("DescribeOfflineModel");
  }
  int32_t AllocateBuffer(uint32_t length, hdi::SharedBuffer& buffer) override {
    if (const int32_t code = traits_->enter("AllocateBuffer", std::to_string(length))) return code;
    const int fd = memfd_create("simple", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, length) != 0) return hdi::NNRT_OUT_OF_MEMORY;
    buffer = {fd, length, 0, length};
    return 0;
  }
  int32_t ReleaseBuffer(const hdi::SharedBuffer& buffer) override {
    std::ostringstream given;
    given << buffer.bufferSize << ' ' << buffer.offset << ' ' << buffer.dataSize;
    if (const int32_t code = traits_->enter("ReleaseBuffer", given.str())) return code;
    return close(buffer.fd);
  }

 protected:
  static std::string contents(const hdi::SharedBuffer& buffer) {
    std::string text(buffer.dataSize, '\0');
    const ssize_t read = pread(buffer.fd, text.data(), text.size(), buffer.offset);
    return text.substr(0, read < 0 ? 0 : size_t(read));
  }

  const std::shared_ptr<SimpleTraits> traits_;

 private:
  template <typename T>
  int32_t give(const char* method, const T& value, T& to) const {
    if (const int32_t code = traits_->enter(method)) return code;
    to = value;
    return 0;
  }

  static std::vector<std::vector<int32_t>> dims_of(const std::vector<hdi::IOTensor>& tensors) {
    std::vector<std::vector<int32_t>> dims;
    for (const hdi::IOTensor& tensor : tensors) dims.push_back(tensor.dimensions);
    return dims;
  }
  static std::string describe(const hdi::Model& model) {
    std::ostringstream out;
    out << model.name;
    for (const hdi::Tensor& tensor : model.allTensors) {
      out << ' ' << tensor.name << '[' << text_of(tensor.dims) << "]:" << int(tensor.dataType) << '/'
          << int(tensor.format);
      if (tensor.data.fd >= 0) out << '@' << tensor.data.offset << '+' << tensor.data.dataSize;
    }
    for (const hdi::Node& node : model.nodes)
      out << " {" << node.name << " " << node.nodeType << " " << text_of(node.inputIndex) << "->"
          << text_of(node.outputIndex) << (node.quantType == hdi::QUANT_TYPE_ALL ? " quantized" : "") << '}';
    out << " (" << text_of(model.inputIndex) << "->" << text_of(model.outputIndex) << ')';
    for (const hdi::SubGraph& part : model.subGraph)
      out << ' ' << part.name << '(' << text_of(part.inputIndices) << "->" << text_of(part.outputIndices)
          << ':' << text_of(part.nodeIndices) << ')';
    return out.str();
  }
  static std::string describe(const hdi::ModelConfig& config) {
    std::ostringstream out;
    out << " config " << config.enableFloat16 << ' ' << config.mode << ' ' << config.priority;
    for (const auto& [name, value] : config.extensions)
      out << ' ' << name << '=' << std::string(value.begin(), value.end());
    return out.str();
  }
};

}  // namespace nnrt::test
