// A driver that reads its arguments and closes every descriptor, as drivers written for a separate process do
// (OpenHarmony's sample among them). With "twice" in its name, it closes each one twice.
#pragma once

#include "tests/support/simple_device.h"

namespace nnrt::test {

class Closer {
 public:
  explicit Closer(bool twice) : twice_(twice) {}

  // Returns whether the file exists with all its bytes.
  bool read_and_close(const hdi::SharedBuffer& buffer) const {
    std::string bytes(buffer.dataSize, '\0');
    const bool is_read = pread(buffer.fd, bytes.data(), bytes.size(), buffer.offset) == ssize_t(bytes.size());
    const bool is_closed = ::close(buffer.fd) == 0;
    if (twice_) static_cast<void>(::close(buffer.fd));
    return is_read && is_closed;
  }

  bool all(const std::vector<hdi::SharedBuffer>& buffers) const {
    bool is_right = true;
    for (const hdi::SharedBuffer& buffer : buffers) is_right &= read_and_close(buffer);
    return is_right;
  }
  bool all(const hdi::Model& model) const {
    bool is_right = true;
    for (const hdi::Tensor& tensor : model.allTensors) {
      if (tensor.data.fd >= 0) is_right &= read_and_close(tensor.data);
    }
    return is_right;
  }
  bool all(const std::vector<hdi::IOTensor>& tensors) const {
    bool is_right = true;
    for (const hdi::IOTensor& tensor : tensors) is_right &= read_and_close(tensor.data);
    return is_right;
  }

 private:
  bool twice_;
};

class ClosingModel final : public hdi::IPreparedModel {
 public:
  ClosingModel(std::shared_ptr<hdi::IPreparedModel> model, Closer closer)
      : model_(std::move(model)), closer_(closer) {}

  hdi::IPreparedModel& inner() { return *model_; }
  int32_t ExportModelCache(std::vector<hdi::SharedBuffer>& cache) override {
    return model_->ExportModelCache(cache);
  }
  int32_t GetInputDimRanges(std::vector<std::vector<uint32_t>>& smallest,
                            std::vector<std::vector<uint32_t>>& largest) override {
    return model_->GetInputDimRanges(smallest, largest);
  }
  int32_t Run(const std::vector<hdi::IOTensor>& inputs, const std::vector<hdi::IOTensor>& outputs,
              std::vector<std::vector<int32_t>>& dims) override {
    const int32_t code = model_->Run(inputs, outputs, dims);
    const bool has_inputs = closer_.all(inputs), has_outputs = closer_.all(outputs);
    return has_inputs && has_outputs ? code : int32_t(hdi::NNRT_INVALID_BUFFER);
  }

 private:
  const std::shared_ptr<hdi::IPreparedModel> model_;
  const Closer closer_;
};

class ClosingDevice final : public SimpleDevice {
 public:
  using Prepared = std::shared_ptr<hdi::IPreparedModel>;

  explicit ClosingDevice(std::shared_ptr<SimpleTraits> traits)
      : SimpleDevice(std::move(traits)), closer_(traits_->name.find("twice") != std::string::npos) {
    hdi::IOTensor tensor;
    tensor.name = "t";
    tensor.dataType = hdi::DATA_TYPE_FLOAT32;
    tensor.dimensions = {2, 3};
    traits_->offline_inputs = traits_->offline_outputs = {tensor};
  }

  int32_t GetSupportedOperation(const hdi::Model& model, std::vector<bool>& ops) override {
    const int32_t code = SimpleDevice::GetSupportedOperation(model, ops);
    return checked(closer_.all(model), code);
  }
  int32_t PrepareModel(const hdi::Model& model, const hdi::ModelConfig& config, Prepared& prepared) override {
    const int32_t code = SimpleDevice::PrepareModel(model, config, prepared);
    return wrapped(closer_.all(model), code, prepared);
  }
  int32_t PrepareModelFromModelCache(const std::vector<hdi::SharedBuffer>& cache,
                                     const hdi::ModelConfig& config, Prepared& prepared) override {
    const int32_t code = SimpleDevice::PrepareModelFromModelCache(cache, config, prepared);
    return wrapped(closer_.all(cache), code, prepared);
  }
  int32_t PrepareOfflineModel(const std::vector<hdi::SharedBuffer>& models, const hdi::ModelConfig& config,
                              Prepared& prepared) override {
    const int32_t code = SimpleDevice::PrepareOfflineModel(models, config, prepared);
    return wrapped(closer_.all(models), code, prepared);
  }
  int32_t DescribeOfflineModel(hdi::IPreparedModel& model, std::vector<hdi::IOTensor>& inputs,
                               std::vector<hdi::IOTensor>& outputs) override {
    return SimpleDevice::DescribeOfflineModel(static_cast<ClosingModel&>(model).inner(), inputs, outputs);
  }
  // The device's own buffer, by descriptor number. Closing it twice would be a different bug.
  int32_t ReleaseBuffer(const hdi::SharedBuffer& buffer) override {
    return checked(Closer(false).read_and_close(buffer), 0);
  }

 private:
  static int32_t checked(bool is_right, int32_t code) {
    return is_right ? code : int32_t(hdi::NNRT_INVALID_BUFFER);
  }
  int32_t wrapped(bool is_right, int32_t code, Prepared& prepared) const {
    if (prepared != nullptr) prepared = std::make_shared<ClosingModel>(prepared, closer_);
    return checked(is_right, code);
  }

  const Closer closer_;
};

}  // namespace nnrt::test
