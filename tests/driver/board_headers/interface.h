// The interface in the form that OpenHarmony's hdi-gen gives it, as far as a driver uses it: classes with a
// count of references, and structures without initializers. Enumerations have the values that tests need.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace OHOS {

class RefBase {
 public:
  RefBase() = default;
  RefBase(const RefBase&) = delete;
  RefBase& operator=(const RefBase&) = delete;
  virtual ~RefBase() = default;
  void IncStrongRef(const void*) { ++count_; }
  void DecStrongRef(const void*) {
    if (--count_ == 0) delete this;
  }

 private:
  std::atomic<int> count_{0};
};

template <typename T>
class sptr {
 public:
  sptr() = default;
  sptr(T* object) : object_(object) { count(); }
  sptr(const sptr& other) : object_(other.object_) { count(); }
  ~sptr() {
    if (object_ != nullptr) object_->DecStrongRef(this);
  }
  sptr& operator=(sptr other) {
    std::swap(object_, other.object_);
    return *this;
  }
  T* operator->() const { return object_; }
  bool operator==(const T* other) const { return object_ == other; }

 private:
  void count() const {
    if (object_ != nullptr) object_->IncStrongRef(this);
  }

  T* object_ = nullptr;
};

namespace HDI {

class HdiBase : virtual public RefBase {};

}  // namespace HDI
}  // namespace OHOS

namespace NNRT_TEST_HDI_NAMESPACE {

using namespace OHOS;
using namespace OHOS::HDI;

enum DeviceType : int32_t { OTHER, CPU, GPU, ACCELERATOR };
enum DeviceStatus : int32_t { AVAILABLE, BUSY, OFFLINE, UNKNOWN };
enum PerformanceMode : int32_t { PERFORMANCE_NONE, PERFORMANCE_LOW };
enum Priority : int32_t { PRIORITY_NONE, PRIORITY_LOW };
enum Format : int8_t { FORMAT_NONE = -1, FORMAT_NCHW = 0, FORMAT_NHWC = 1 };
enum DataType : int8_t { DATA_TYPE_UNKNOWN = 0, DATA_TYPE_FLOAT32 = 43 };
enum QuantType : int8_t { QUANT_TYPE_NONE, QUANT_TYPE_ALL };
enum NodeType : uint32_t { NODE_TYPE_NONE = 0, NODE_TYPE_ACTIVATION = 2, NODE_TYPE_ADD_FUSION = 5 };

struct SharedBuffer {
  int fd;
  uint32_t bufferSize;
  uint32_t offset;
  uint32_t dataSize;
};

struct ModelConfig {
  bool enableFloat16;
  PerformanceMode mode;
  Priority priority;
  std::map<std::string, std::vector<int8_t>> extensions;
};

struct QuantParam {
  int32_t numBits;
  int32_t zeroPoint;
  double scale;
} __attribute__((aligned(8)));

struct IOTensor {
  std::string name;
  DataType dataType;
  std::vector<int32_t> dimensions;
  Format format;
  SharedBuffer data;
};

struct Tensor {
  std::string name;
  DataType dataType;
  std::vector<int32_t> dims;
  Format format;
  SharedBuffer data;
  std::vector<QuantParam> quantParams;
};

struct Node {
  std::string name;
  NodeType nodeType;
  std::vector<int8_t> nodeAttr;
  std::vector<uint32_t> inputIndex;
  std::vector<uint32_t> outputIndex;
  QuantType quantType;
};

struct SubGraph {
  std::string name;
  std::vector<uint32_t> inputIndices;
  std::vector<uint32_t> outputIndices;
  std::vector<uint32_t> nodeIndices;
};

struct Model {
  std::string name;
  std::vector<uint32_t> inputIndex;
  std::vector<uint32_t> outputIndex;
  std::vector<Node> nodes;
  std::vector<Tensor> allTensors;
  std::vector<SubGraph> subGraph;
};

class IPreparedModel : public HdiBase {
 public:
  virtual int32_t ExportModelCache(std::vector<SharedBuffer>& modelCache) = 0;
  virtual int32_t GetInputDimRanges(std::vector<std::vector<uint32_t>>& minInputDims,
                                    std::vector<std::vector<uint32_t>>& maxInputDims) = 0;
  virtual int32_t Run(const std::vector<IOTensor>& inputs, const std::vector<IOTensor>& outputs,
                      std::vector<std::vector<int32_t>>& outputDims) = 0;
  virtual int32_t GetVersion(uint32_t& majorVer, uint32_t& minorVer) {
    majorVer = 2;
    minorVer = NNRT_TEST_HDI_MINOR;
    return 0;
  }
  virtual bool IsProxy() { return false; }
  virtual const std::u16string GetDesc() { return u"IPreparedModel"; }
};

class INnrtDevice : public HdiBase {
 public:
  static sptr<INnrtDevice> Get(bool isStub = false);
  static sptr<INnrtDevice> Get(const std::string& serviceName, bool isStub = false);

  virtual int32_t GetDeviceName(std::string& name) = 0;
  virtual int32_t GetVendorName(std::string& name) = 0;
  virtual int32_t GetDeviceType(DeviceType& deviceType) = 0;
  virtual int32_t GetDeviceStatus(DeviceStatus& status) = 0;
  virtual int32_t GetSupportedOperation(const Model& model, std::vector<bool>& ops) = 0;
  virtual int32_t IsFloat16PrecisionSupported(bool& isSupported) = 0;
  virtual int32_t IsPerformanceModeSupported(bool& isSupported) = 0;
  virtual int32_t IsPrioritySupported(bool& isSupported) = 0;
  virtual int32_t IsDynamicInputSupported(bool& isSupported) = 0;
  virtual int32_t PrepareModel(const Model& model, const ModelConfig& config,
                               sptr<IPreparedModel>& preparedModel) = 0;
  virtual int32_t IsModelCacheSupported(bool& isSupported) = 0;
  virtual int32_t PrepareModelFromModelCache(const std::vector<SharedBuffer>& modelCache,
                                             const ModelConfig& config,
                                             sptr<IPreparedModel>& preparedModel) = 0;
  virtual int32_t PrepareOfflineModel(const std::vector<SharedBuffer>& offlineModels,
                                      const ModelConfig& config, sptr<IPreparedModel>& preparedModel) = 0;
  virtual int32_t AllocateBuffer(uint32_t length, SharedBuffer& buffer) = 0;
  virtual int32_t ReleaseBuffer(const SharedBuffer& buffer) = 0;
  virtual int32_t GetVersion(uint32_t& majorVer, uint32_t& minorVer) {
    majorVer = 2;
    minorVer = NNRT_TEST_HDI_MINOR;
    return 0;
  }
  virtual bool IsProxy() { return false; }
  virtual const std::u16string GetDesc() { return u"INnrtDevice"; }
};

}  // namespace NNRT_TEST_HDI_NAMESPACE
