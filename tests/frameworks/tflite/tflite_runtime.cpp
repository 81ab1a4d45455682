#include "tests/frameworks/tflite/tflite_runtime.h"

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <random>
#include <span>
#include <stdexcept>

namespace nnrt::test {
namespace {

constexpr int kDelegateCode = 51;

// Of this thread, so that threads can use delegates at once.
thread_local std::string reported;
thread_local Taken prepared;
thread_local TfLiteStatus (*prepare_of_delegate)(TfLiteContext*, TfLiteDelegate*) = nullptr;

void report(const char* message) { reported += message; }

void report_formatted(void*, const char* format, va_list arguments) {
  char text[1024];
  std::vsnprintf(text, sizeof text, format, arguments);
  reported += std::string(text) + "\n";
}

int plan_size(TfLiteContext* context, bool of_delegate) {
  TfLiteIntArray* plan = nullptr;
  context->GetExecutionPlan(context, &plan);
  if (!of_delegate) return plan->size;
  const std::vector<int> numbers(plan->data, plan->data + plan->size);
  return static_cast<int>(std::ranges::count_if(numbers, [&](int number) {
    TfLiteNode* node = nullptr;
    TfLiteRegistration* registration = nullptr;
    context->GetNodeAndRegistration(context, number, &node, &registration);
    return registration->builtin_code == kDelegateCode;
  }));
}

TfLiteStatus count_prepared(TfLiteContext* context, TfLiteDelegate* delegate) {
  const int before = plan_size(context, false);
  const TfLiteStatus status = prepare_of_delegate(context, delegate);
  const int partitions = plan_size(context, true);
  prepared.all_nodes += before;
  prepared.partitions += partitions;
  prepared.nodes += before - (plan_size(context, false) - partitions);
  return status;
}

void* open_library(const std::string& file) {
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  return library;
}

template <typename Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) throw std::runtime_error(std::string(name) + " is missing");
}

template <typename T>
void fill_with(TfLiteTensor& tensor, std::mt19937& random, double low, double high) {
  std::uniform_real_distribution<double> numbers(low, high);
  const std::span values(reinterpret_cast<T*>(tensor.data.raw), tensor.bytes / sizeof(T));
  for (T& value : values) value = static_cast<T>(numbers(random));
}

void fill_tensor(TfLiteTensor& tensor, std::mt19937& random) {
  switch (tensor.type) {
    case kTfLiteFloat32: return fill_with<float>(tensor, random, -1, 1);
    case kTfLiteInt8: return fill_with<int8_t>(tensor, random, -128, 128);
    case kTfLiteUInt8: return fill_with<uint8_t>(tensor, random, 0, 256);
    case kTfLiteInt16: return fill_with<int16_t>(tensor, random, -32768, 32768);
    case kTfLiteInt32: return fill_with<int32_t>(tensor, random, 0, 4);
    case kTfLiteInt64: return fill_with<int64_t>(tensor, random, 0, 4);
    default: std::memset(tensor.data.raw, 0, tensor.bytes);
  }
}

template <typename T>
double largest_difference(const char* a, const TfLiteTensor& b, bool is_relative) {
  const std::span x(reinterpret_cast<const T*>(a), b.bytes / sizeof(T));
  const std::span y(reinterpret_cast<const T*>(b.data.raw_const), b.bytes / sizeof(T));
  double largest = 0, magnitude = 1;
  for (size_t i = 0; i < x.size(); ++i) {
    const double p = static_cast<double>(x[i]), q = static_cast<double>(y[i]);
    if (std::isnan(p) != std::isnan(q)) return INFINITY;
    if (p == q || std::isnan(p)) continue;
    largest = std::max(largest, std::abs(p - q));
    magnitude = std::max(magnitude, std::abs(p));
  }
  return is_relative ? largest / magnitude : largest;
}

void compare(const char* x, const TfLiteTensor& y, Difference& result) {
  const auto step = [&](double steps) { result.steps = std::max(result.steps, steps); };
  switch (y.type) {
    case kTfLiteFloat32:
      result.floats = std::max(result.floats, largest_difference<float>(x, y, true));
      break;
    case kTfLiteInt8: step(largest_difference<int8_t>(x, y, false)); break;
    case kTfLiteUInt8: step(largest_difference<uint8_t>(x, y, false)); break;
    case kTfLiteInt16: step(largest_difference<int16_t>(x, y, false)); break;
    case kTfLiteInt32: step(largest_difference<int32_t>(x, y, false)); break;
    case kTfLiteInt64: step(largest_difference<int64_t>(x, y, false)); break;
    default:
      if (std::memcmp(x, y.data.raw_const, y.bytes) != 0) step(INFINITY);
  }
}

// Detections with equal scores have no order: only scores and their number are compared.
bool has_no_order(const TfLiteTensor& tensor, int output) {
  return tensor.name && std::string_view(tensor.name).starts_with("TFLite_Detection_PostProcess") &&
         output < 2;
}

bool have_same_shape(const TfLiteTensor& a, const TfLiteTensor& b) {
  return a.type == b.type && a.bytes == b.bytes && a.dims->size == b.dims->size &&
         std::equal(a.dims->data, a.dims->data + a.dims->size, b.dims->data);
}

}  // namespace

TfliteApi load_tflite(const std::string& file) {
  void* const library = open_library(file);
  TfliteApi api{};
  find(library, "TfLiteVersion", api.version);
  find(library, "TfLiteModelCreateFromFile", api.model_create_from_file);
  find(library, "TfLiteModelDelete", api.model_delete);
  find(library, "TfLiteInterpreterOptionsCreate", api.options_create);
  find(library, "TfLiteInterpreterOptionsDelete", api.options_delete);
  find(library, "TfLiteInterpreterOptionsAddDelegate", api.options_add_delegate);
  find(library, "TfLiteInterpreterOptionsSetErrorReporter", api.options_set_error_reporter);
  find(library, "TfLiteInterpreterOptionsSetNumThreads", api.options_set_num_threads);
  api.options_set_profiler = reinterpret_cast<decltype(api.options_set_profiler)>(
      dlsym(library, "TfLiteInterpreterOptionsSetTelemetryProfiler"));
  find(library, "TfLiteInterpreterCreate", api.interpreter_create);
  find(library, "TfLiteInterpreterDelete", api.interpreter_delete);
  find(library, "TfLiteInterpreterAllocateTensors", api.allocate_tensors);
  find(library, "TfLiteInterpreterInvoke", api.invoke);
  find(library, "TfLiteInterpreterResizeInputTensor", api.resize_input_tensor);
  find(library, "TfLiteInterpreterResetVariableTensors", api.reset_variable_tensors);
  find(library, "TfLiteInterpreterModifyGraphWithDelegate", api.modify_graph);
  find(library, "TfLiteInterpreterGetInputTensorCount", api.input_count);
  find(library, "TfLiteInterpreterGetInputTensor", api.input);
  find(library, "TfLiteInterpreterGetOutputTensorCount", api.output_count);
  find(library, "TfLiteInterpreterGetOutputTensor", api.output);
  return api;
}

DelegateLibrary::DelegateLibrary(const std::string& file) {
  void* const library = open_library(file);
  find(library, "tflite_plugin_create_delegate", create_);
  find(library, "tflite_plugin_destroy_delegate", destroy_);
}

std::shared_ptr<TfLiteDelegate> DelegateLibrary::create(const DelegateSettings& settings) const {
  std::vector<char*> keys, values;
  for (const auto& [key, value] : settings) {
    keys.push_back(const_cast<char*>(key.c_str()));
    values.push_back(const_cast<char*>(value.c_str()));
  }
  reported.clear();
  TfLiteDelegate* made = create_(keys.data(), values.data(), keys.size(), report);
  if (made == nullptr) throw std::runtime_error(reported);
  return {made, destroy_};
}

Session::Session(const TfliteApi& api, const std::string& model, std::shared_ptr<TfLiteDelegate> delegate,
                 const Setup& setup)
    : api_(api),
      delegate_(std::move(delegate)),
      model_(api.model_create_from_file(model.c_str()), api.model_delete),
      interpreter_(nullptr, api.interpreter_delete) {
  if (!model_) throw std::runtime_error(model + " cannot be read");
  const std::unique_ptr<TfLiteInterpreterOptions, decltype(&TfLiteInterpreterOptionsDelete)> options(
      api.options_create(), api.options_delete);
  api.options_set_error_reporter(options.get(), report_formatted, nullptr);
  api.options_set_num_threads(options.get(), setup.threads);
  if (setup.profiler != nullptr) api.options_set_profiler(options.get(), setup.profiler);
  const auto original = delegate_ ? delegate_->Prepare : nullptr;
  if (delegate_) {
    prepare_of_delegate = original;
    delegate_->Prepare = count_prepared;
    api.options_add_delegate(options.get(), delegate_.get());
  }
  prepared = {};
  reported.clear();
  interpreter_.reset(api.interpreter_create(model_.get(), options.get()));
  if (delegate_) delegate_->Prepare = original;
  taken_ = prepared;
  if (!interpreter_) throw std::runtime_error("no interpreter: " + reported);
}

const std::string& last_report() { return reported; }

void Session::resize(int input, const std::vector<int>& shape) {
  if (api_.resize_input_tensor(interpreter(), input, shape.data(), static_cast<int>(shape.size())) !=
      kTfLiteOk)
    throw std::runtime_error("not resized: " + reported);
}

void Session::allocate() {
  reported.clear();
  if (api_.allocate_tensors(interpreter()) != kTfLiteOk)
    throw std::runtime_error("not allocated: " + reported);
}

void Session::fill(const std::vector<std::string>& bytes, unsigned seed) {
  std::mt19937 random(seed);
  for (int i = 0; i < inputs(); ++i) {
    TfLiteTensor& tensor = input(i);
    const std::string& given = static_cast<size_t>(i) < bytes.size() ? bytes[static_cast<size_t>(i)] : "";
    if (given.empty() || (tensor.bytes != given.size() && tensor.bytes != 2 * given.size())) {
      fill_tensor(tensor, random);
      continue;
    }
    for (size_t at = 0; at < tensor.bytes; at += given.size())
      std::memcpy(tensor.data.raw + at, given.data(), given.size());
  }
}

void Session::run() {
  reported.clear();
  if (api_.invoke(interpreter()) != kTfLiteOk) throw std::runtime_error("not run: " + reported);
}

Difference difference(const Session& a, const Session& b) {
  Difference result;
  for (int i = 0; i < a.outputs(); ++i) {
    const TfLiteTensor &x = a.output(i), &y = b.output(i);
    if (!have_same_shape(x, y))
      throw std::runtime_error("output " + std::to_string(i) + " has another shape");
    if (!has_no_order(y, i)) compare(x.data.raw_const, y, result);
  }
  return result;
}

Difference difference(const std::vector<std::string>& expected, const Session& got) {
  Difference result;
  for (int i = 0; i < got.outputs(); ++i) {
    const std::string& bytes = expected.at(static_cast<size_t>(i));
    if (bytes.size() != got.output(i).bytes)
      throw std::runtime_error("output " + std::to_string(i) + " has another size");
    compare(bytes.data(), got.output(i), result);
  }
  return result;
}

}  // namespace nnrt::test
