// A plugin whose devices each have one fault, given by the device name: "Throws in Run". Vendor "Bad".
#include "tests/support/bad_plugin/closing_device.h"
#include "tests/support/simple_device.h"

#include <chrono>
#include <stdexcept>
#include <thread>

namespace {

using namespace nnrt::test;

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
