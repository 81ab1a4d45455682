// A plugin whose devices each have one fault, given by the device name: "Throws in Run". Vendor "Bad".
#include "tests/support/simple_device.h"

#include <chrono>
#include <stdexcept>
#include <thread>

namespace {

using namespace nnrt::test;

// Reads arguments and closes every descriptor, as drivers written for a separate process do (OpenHarmony's
// sample among them). `twice`: closes each one twice.
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

constexpr const char* kMethods[] = {"GetDeviceType",
                                    "GetSupportedOperation",
                                    "IsFloat16PrecisionSupported",
                                    "IsPerformanceModeSupported",
                                    "IsPrioritySupported",
                                    "IsModelCacheSupported",
                                    "PrepareModel",
                                    "PrepareModelFromModelCache",
                                    "AllocateBuffer",
                                    "ReleaseBuffer",
                                    "ExportModelCache",
                                    "GetInputDimRanges",
                                    "Run"};

// Faults other than throwing and failing.
struct Wrong {
  const char* name;
  void (*make)(SimpleTraits&);
};

template <int32_t... dims>
void answers_dims(SimpleTraits& traits) {
  traits.answer_dims = [](std::vector<std::vector<int32_t>>& answer) { answer = {{dims...}}; };
}

// The device reports itself lost after its first run.
void loses_itself(SimpleTraits& traits) {
  traits.on = [&traits](const std::string& method, const std::string&) -> int32_t {
    if (method == "Run") traits.status = hdi::OFFLINE;
    return traits.status == hdi::OFFLINE && method == "Run" ? -1 : 0;
  };
}

constexpr Wrong kWrongs[] = {
    {"Tells no dimensions", [](SimpleTraits& t) { t.answer_dims = [](auto& dims) { dims.clear(); }; }},
    {"Tells too many outputs",
     [](SimpleTraits& t) { t.answer_dims = [](auto& dims) { dims.resize(1000); }; }},
    {"Tells negative dimensions", answers_dims<-2, 3>},
    {"Tells huge dimensions", answers_dims<0x7fffffff, 0x7fffffff, 0x7fffffff, 0x7fffffff>},
    {"Tells larger dimensions", answers_dims<1000, 1000>},
    {"Answers for a million operations",
     [](SimpleTraits& t) {
       t.answer_operations = [](std::vector<bool>& ops) { ops.assign(1000000, true); };
     }},
    {"Answers for no operation",
     [](SimpleTraits& t) { t.answer_operations = [](std::vector<bool>& ops) { ops.clear(); }; }},
    {"Hangs in Run",
     [](SimpleTraits& t) {
       t.on = [](const std::string& method, const std::string&) {
         if (method == "Run") std::this_thread::sleep_for(std::chrono::milliseconds(400));
         return 0;
       };
     }},
    {"Loses itself", loses_itself},
    {"Has no type", [](SimpleTraits& t) { t.type = static_cast<hdi::DeviceType>(77); }},
};

// Methods succeed but return garbage.
class GarbageDevice final : public SimpleDevice {
 public:
  using SimpleDevice::SimpleDevice;

  int32_t PrepareModel(const hdi::Model& model, const hdi::ModelConfig& config,
                       std::shared_ptr<hdi::IPreparedModel>& prepared) override {
    return traits_->name == "Gives no model" ? 0 : SimpleDevice::PrepareModel(model, config, prepared);
  }
  int32_t AllocateBuffer(uint32_t length, hdi::SharedBuffer& buffer) override {
    if (traits_->name == "Gives no memory") return 0;
    if (traits_->name == "Gives a closed file") {
      buffer = {987654, length, 0, length};
      return 0;
    }
    const int32_t code = SimpleDevice::AllocateBuffer(length, buffer);
    if (traits_->name == "Gives short memory") return code | ftruncate(buffer.fd, length / 2);
    if (traits_->name == "Gives small memory") buffer.bufferSize = length / 2;
    if (traits_->name == "Gives memory elsewhere") buffer.offset = 4096;
    return code;
  }
};

constexpr const char* kGarbage[] = {"Gives no model",     "Gives no memory",    "Gives a closed file",
                                    "Gives short memory", "Gives small memory", "Gives memory elsewhere"};

constexpr const char* kClosing[] = {"Closes what it gets", "Closes what it gets twice"};

hdi::INnrtDevice* create(uint32_t index) {
  auto traits = std::make_shared<SimpleTraits>();
  traits->vendor = "Bad";
  const uint32_t methods = std::size(kMethods);
  if (index < 2 * methods) {
    const std::string method = kMethods[index / 2];
    const bool throws = index % 2 == 0;
    traits->name = (throws ? "Throws in " : "Fails in ") + method;
    traits->on = [method, throws](const std::string& called, const std::string&) -> int32_t {
      if (called != method) return 0;
      if (throws) throw std::runtime_error("as the test wants");
      return 12345;
    };
    return new SimpleDevice(traits);
  }
  index -= 2 * methods;
  if (index < std::size(kWrongs)) {
    traits->name = kWrongs[index].name;
    kWrongs[index].make(*traits);
    return new SimpleDevice(traits);
  }
  index -= uint32_t(std::size(kWrongs));
  if (index < std::size(kGarbage)) {
    traits->name = kGarbage[index];
    return new GarbageDevice(traits);
  }
  index -= uint32_t(std::size(kGarbage));
  if (index < std::size(kClosing)) {
    traits->name = kClosing[index];
    return new ClosingDevice(traits);
  }
  return nullptr;
}

}  // namespace

NNRT_EXPORT_PLUGIN(create)
