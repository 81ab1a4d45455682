// ort_models LIBONNXRUNTIME PLUGIN KIND FOLDER...: runs every .onnx file below the folders in a session with
// our provider, in any version of the library, and compares with ONNX Runtime's CPU. Inputs are random unless
// the model is one of ONNX's node tests. Exits with 1 if a result differs.
#include "core/base/fp16.h"
#include "tests/frameworks/onnxruntime/ort_arrays.h"
#include "tests/frameworks/onnxruntime/ort_client.h"
#include "tools/import/onnx/messages/onnx_messages.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <random>
#include <type_traits>

namespace nnrt::test {
namespace {

namespace fs = std::filesystem;

constexpr double kTolerance = 3e-3;  // of an output's largest value

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::optional<Array> stored(const fs::path& file) {
  onnx_file::TensorProto tensor;
  if (!tensor.parse(read(file))) return {};
  Array array{static_cast<ONNXTensorElementDataType>(tensor.data_type()), tensor.dims(), tensor.raw_data()};
  const size_t size = size_of(array.type);
  if (size == 0 || array.bytes.size() != count_of(array) * size) return {};
  return array;
}

std::optional<std::vector<Array>> inputs_of(const OrtSession* session, const fs::path& model) {
  const fs::path tests = model.parent_path() / "test_data_set_0";
  std::mt19937 random(7);
  size_t count = 0;
  NNRT_ORT(SessionGetInputCount(session, &count));
  std::vector<Array> arrays;
  for (size_t i = 0; i < count; ++i) {
    const bool is_test = fs::exists(tests);
    auto array =
        is_test ? stored(tests / ("input_" + std::to_string(i) + ".pb")) : random_input(session, i, random);
    if (!array) return {};
    arrays.push_back(std::move(*array));
  }
  return arrays;
}

// Undefined and empty if it is no tensor or size_of() does not know the type.
Array array_of(const OrtValue* value) {
  int is_tensor = 0;
  NNRT_ORT(IsTensor(value, &is_tensor));
  if (is_tensor == 0) return {};
  Array array = header_of(value);
  const size_t size = size_of(array.type);
  if (size == 0) return {};
  const void* data = nullptr;
  NNRT_ORT(GetTensorData(value, &data));
  if (const size_t bytes = count_of(array) * size) array.bytes.assign(static_cast<const char*>(data), bytes);
  return array;
}

// The outputs; empty if the run fails.
std::vector<Array> run(OrtSession* session, std::vector<Array>& arrays, std::string& error) {
  const auto inputs = input_names(session), outputs = output_names(session);
  OrtMemoryInfo* memory = nullptr;
  NNRT_ORT(CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory));
  std::vector<OrtValue*> fed(arrays.size()), made(outputs.size());
  for (size_t i = 0; i < fed.size(); ++i) {
    Array& it = arrays[i];
    NNRT_ORT(CreateTensorWithDataAsOrtValue(memory, it.bytes.data(), it.bytes.size(), it.shape.data(),
                                            it.shape.size(), it.type, &fed[i]));
  }
  error = message_of(ort->Run(session, nullptr, inputs.data(), fed.data(), fed.size(), outputs.data(),
                              outputs.size(), made.data()));
  std::vector<Array> results;
  if (error.empty())
    for (const OrtValue* const value : made) results.push_back(array_of(value));
  for (OrtValue* const value : fed) ort->ReleaseValue(value);
  for (OrtValue* const value : made)
    if (value != nullptr) ort->ReleaseValue(value);
  ort->ReleaseMemoryInfo(memory);
  return results;
}

template <typename T>
double element(const std::string& bytes, size_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof value, sizeof value);
  if constexpr (std::is_same_v<T, Half>)
    return to_float(value);
  else
    return value;
}

// The largest difference, as a part of the largest value.
template <typename T>
double difference(const Array& got, const Array& want) {
  double largest = 1e-3, worst = 0;
  for (size_t i = 0; i < got.bytes.size() / sizeof(T); ++i) {
    const double ours = element<T>(got.bytes, i), theirs = element<T>(want.bytes, i);
    if (std::isfinite(theirs)) largest = std::max(largest, std::abs(theirs));
    if (ours == theirs || (std::isnan(ours) && std::isnan(theirs))) continue;
    const double difference = std::abs(ours - theirs);
    worst = std::max(worst, std::isfinite(difference) ? difference : kInfinity);
  }
  return worst / largest;
}

// Integers are equal, quantized ones within a step: 0 or infinite.
double difference_of_bytes(const Array& got, const Array& want, int step) {
  const bool same =
      std::ranges::equal(got.bytes, want.bytes, [&](char a, char b) { return std::abs(a - b) <= step; });
  return same ? 0 : kInfinity;
}

double difference(const Array& got, const Array& want) {
  if (got.type != want.type || got.shape != want.shape || got.bytes.size() != want.bytes.size())
    return kInfinity;
  switch (got.type) {
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT: return difference<float>(got, want);
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16: return difference<Half>(got, want);
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE: return difference<double>(got, want);
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8:
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8: return difference_of_bytes(got, want, 1);
    default: return difference_of_bytes(got, want, 0);
  }
}

double difference(const std::vector<Array>& got, const std::vector<Array>& want) {
  if (got.size() != want.size()) return kInfinity;
  double worst = 0;
  for (size_t i = 0; i < got.size(); ++i) worst = std::max(worst, difference(got[i], want[i]));
  return worst;
}

// Empty if the model cannot be judged.
std::optional<std::string> judge(OrtEnv* env, const OrtEpDevice* device, const fs::path& file) {
  const std::string model = read(file);
  // By default, ONNX Runtime quantizes what is multiplied by int8 weights.
  const std::vector<std::pair<std::string, std::string>> entries{
      {"session.model_external_initializers_file_folder_path", file.parent_path().string()},
      {"session.qdq_matmulnbits_accuracy_level", "1"}};
  std::string error;
  OrtSession* const plain = open_session(env, nullptr, model, entries, error);
  if (plain == nullptr) return {};
  std::optional<std::string> verdict;
  if (auto inputs = inputs_of(plain, file)) {
    const std::vector<Array> want = run(plain, *inputs, error);
    const bool is_comparable = error.empty() && std::ranges::all_of(want, [](const Array& output) {
                                 return output.type != ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
                               });
    const bool is_random = is_comparable && difference(run(plain, *inputs, error), want) != 0;
    if (is_comparable && !is_random) {
      OrtSession* const ours = open_session(env, device, model, entries, error);
      const double differs = ours == nullptr ? kInfinity : difference(run(ours, *inputs, error), want);
      verdict = error;
      if (error.empty() && differs > kTolerance)
        verdict = "The result differs by " + std::to_string(differs) + " of its largest value.";
      if (ours != nullptr) ort->ReleaseSession(ours);
    }
  }
  ort->ReleaseSession(plain);
  return verdict;
}

int run_folders(int argc, char** argv) {
  OrtEnv* const env = open_environment(argv[1], argv[2]);
  const OrtEpDevice* const device = find_device(env, argv[3]);
  int right = 0, wrong = 0, skipped = 0;
  for (int i = 4; i < argc; ++i) {
    for (const auto& entry : fs::recursive_directory_iterator(argv[i])) {
      if (!entry.is_regular_file() || entry.path().extension() != ".onnx") continue;
      const auto verdict = judge(env, device, entry.path());
      ++(!verdict ? skipped : verdict->empty() ? right : wrong);
      if (verdict && !verdict->empty())
        std::printf("FAILED %s: %s\n", entry.path().c_str(), verdict->c_str());
    }
  }
  ort->ReleaseEnv(env);
  std::printf("%d right, %d wrong, %d not judged\n", right, wrong, skipped);
  return wrong > 0 || right == 0 ? 1 : 0;
}

}  // namespace
}  // namespace nnrt::test

int main(int argc, char** argv) {
  if (argc < 5) nnrt::test::fail("usage: ort_models LIBONNXRUNTIME PLUGIN KIND FOLDER...");
  return nnrt::test::run_folders(argc, argv);
}
