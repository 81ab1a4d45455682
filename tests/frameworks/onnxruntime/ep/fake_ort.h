// ONNX Runtime's tables of functions, as far as the provider calls them, over plain structs. Any call can be
// made to fail, and objects that the provider must release are counted.
#pragma once

#include <onnxruntime_c_api.h>

#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

struct OrtTensorTypeAndShapeInfo {
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  std::vector<int64_t> shape;
};
struct OrtTypeInfo {
  OrtTensorTypeAndShapeInfo tensor;
  bool is_tensor = true;
};
struct OrtValue {
  OrtTensorTypeAndShapeInfo info;
  std::vector<float> data;
};
struct OrtValueInfo {
  std::string name;
  OrtTypeInfo type;
  bool is_constant = false, is_outer = false;
  OrtValue value;
};
struct OrtOpAttr {
  std::string name;
  OrtOpAttrType type = ORT_OP_ATTR_UNDEFINED;
  std::string bytes;  // as ReadOpAttr gives them
  OrtValue tensor;
};
struct OrtNode {
  std::string name, type, domain;
  std::vector<const OrtValueInfo*> inputs, outputs, outer;
  std::vector<OrtOpAttr> attributes;
  std::vector<std::pair<std::string, const OrtGraph*>> bodies;
  const OrtGraph* graph = nullptr;
};
struct OrtGraph {
  std::vector<std::pair<std::string, int64_t>> opsets{{"", 17}};
  std::deque<OrtValueInfo> values;
  std::deque<OrtNode> nodes;
  std::vector<const OrtValueInfo*> inputs, outputs, constants;
  const OrtNode* parent = nullptr;
  std::string path;
};
struct OrtStatus {
  OrtErrorCode code = ORT_OK;
  std::string message;
};
struct OrtKeyValuePairs {
  std::map<std::string, std::string> pairs;
  std::vector<const char*> keys, values;  // as GetKeyValuePairs gives them
};
struct OrtHardwareDevice {
  OrtHardwareDeviceType type = OrtHardwareDeviceType_CPU;
  std::string vendor;
};
struct OrtEpDevice {
  OrtKeyValuePairs metadata;
  const OrtHardwareDevice* hardware = nullptr;
  const OrtMemoryInfo* memory = nullptr;
};
struct OrtMemoryInfo {
  OrtDeviceMemoryType type = OrtDeviceMemoryType_DEFAULT;
};
struct OrtSessionOptions {
  std::map<std::string, std::string> entries;
};
struct OrtLogger {
  std::vector<std::string> lines;
};
struct OrtEpGraphSupportInfo {
  std::vector<std::vector<const OrtNode*>> groups;
};
struct OrtKernelContext {
  std::vector<const OrtValue*> inputs;
  std::deque<OrtValue> outputs;
};

namespace nnrt::ep {

// What OrtGetApiBase() would return.
const OrtApiBase& fake_ort();

// The call with this number from now on fails, with the message "refused"; 0: none does.
void refuse_call(int number);
// Whether that call has been made.
bool has_refused();

// While one lives, allocations may fail; the fake spares its own.
class Shortage {
 public:
  explicit Shortage(bool is_short) : before_(is_short_) { is_short_ = is_short; }
  ~Shortage() { is_short_ = before_; }
  Shortage(const Shortage&) = delete;
  Shortage& operator=(const Shortage&) = delete;
  static bool is_short() { return is_short_; }

 private:
  static inline thread_local bool is_short_ = false;
  bool before_;
};

// Objects made for the provider and not released yet.
int live_objects();

// Reads a status, and releases it as ONNX Runtime does. Empty for success.
std::string message_of(OrtStatus* status);

}  // namespace nnrt::ep
