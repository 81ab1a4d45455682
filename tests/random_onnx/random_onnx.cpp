// Runs random ONNX models, one per seed, on one device: fused, without fusion (NNRT_TEST_FUSE=off), with
// inputs whose dimensions only the run knows, and against ONNX Runtime's results (onnxruntime_reference.js).
//   random_onnx --write FOLDER [--count N | --draws N]
//   random_onnx --device cpu|gpu [--folder FOLDER] [--count N | --draws N] [--plain-every N]
//   random_onnx --device cpu|gpu --shrink FOLDER     writes the smallest failing part of a model
// NNRT_TEST_DRAWS is a percentage of --draws. NNRT_TEST_RANDOM_SEED sets the first seed and
// NNRT_TEST_RANDOM_ONNX the count, overriding the options.
#include "core/base/bytes_of.h"
#include "tests/import/inference_session.h"
#include "tests/import/output_compare.h"
#include "tests/random_onnx/random_model.h"
#include "tests/support/test_settings.h"

#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nnrt::test {
namespace {

// Results of ONNX Runtime.
class References {
 public:
  // Empty if the folder has no results.
  static std::optional<References> open(const std::filesystem::path& folder);

  // Fails with ONNX Runtime's message, or if the model was not run.
  Result<std::vector<Value>> results(uint32_t seed, const RandomModel& model) const;

 private:
  std::filesystem::path folder_;
  nlohmann::json results_;
};

using nlohmann::json;

void write_file(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  if (!file.flush()) throw std::runtime_error(path.string() + " cannot be written");
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

const char* type_name(int32_t type) {
  switch (type) {
    case OnnxModel::kFloat16: return "float16";
    case OnnxModel::kUint8: return "uint8";
    case OnnxModel::kInt8: return "int8";
    case OnnxModel::kInt32: return "int32";
    case OnnxModel::kInt64: return "int64";
    default: return "float32";
  }
}

size_t size_of(int32_t type) {
  switch (type) {
    case OnnxModel::kUint8:
    case OnnxModel::kInt8: return 1;
    case OnnxModel::kFloat16: return 2;
    case OnnxModel::kInt64: return 8;
    default: return 4;
  }
}

// NAME.onnx, and NAME.INPUT.bin for each input.
void write_model(const std::filesystem::path& folder, const std::string& name, const RandomModel& model) {
  write_file(folder / (name + ".onnx"), model.file.file.serialize());
  for (const Feed& feed : model.feeds)
    write_file(folder / (name + "." + feed.value.name + ".bin"), feed.bytes);
}

// Writes seeds first, first + 1, ..., and an index.json for onnxruntime_reference.js.
void write_models(const std::filesystem::path& folder, uint32_t first, uint32_t count) {
  std::filesystem::create_directories(folder);
  std::filesystem::remove(folder / "results.json");
  json index = json::array();
  for (uint32_t seed = first; seed < first + count; ++seed) {
    const RandomModel model = draw_model(seed);
    const std::string name = std::to_string(seed);
    write_model(folder, name, model);
    json inputs = json::array(), outputs = json::array();
    for (const Feed& feed : model.feeds)
      inputs.push_back(
          {{"name", feed.value.name}, {"type", type_name(feed.value.type)}, {"shape", feed.value.shape}});
    for (const Drawn& output : model.outputs) outputs.push_back(output.name);
    index.push_back({{"name", name}, {"inputs", inputs}, {"outputs", outputs}});
  }
  write_file(folder / "index.json", index.dump());
}

std::optional<References> References::open(const std::filesystem::path& folder) {
  std::ifstream file(folder / "results.json");
  if (!file) return {};
  References references;
  references.folder_ = folder;
  references.results_ = json::parse(file);
  return references;
}

Result<std::vector<Value>> References::results(uint32_t seed, const RandomModel& model) const {
  const std::string name = std::to_string(seed);
  if (!results_.contains(name)) return Error{Code::failed, "It was not run."};
  const json& result = results_[name];
  if (result.contains("error")) return Error{Code::failed, result["error"].get<std::string>()};
  const std::string bytes = read_file(folder_ / (name + ".out"));
  std::vector<Value> values;
  size_t at = 0;
  for (size_t i = 0; i < model.outputs.size(); ++i) {
    const auto shape = result["shapes"][i].get<Dimensions>();
    const auto size = static_cast<size_t>(product(shape, 0, shape.size())) * size_of(model.outputs[i].type);
    if (at + size > bytes.size()) return Error{Code::failed, "The file of its results is short."};
    const auto view = std::as_bytes(std::span(bytes)).subspan(at, size);
    values.push_back({Shape(shape.begin(), shape.end()), Bytes(view.begin(), view.end())});
    at += size;
  }
  return values;
}

std::vector<double> numbers_of(int32_t type, const Bytes& bytes) {
  switch (type) {
    case OnnxModel::kFloat16: return as_numbers(OH_NN_FLOAT16, bytes);
    case OnnxModel::kUint8: return as_numbers(OH_NN_UINT8, bytes);
    case OnnxModel::kInt8: return as_numbers(OH_NN_INT8, bytes);
    default: return as_numbers(OH_NN_FLOAT32, bytes);
  }
}

bool is_exact(int32_t type) { return type == OnnxModel::kInt32 || type == OnnxModel::kInt64; }

double largest_of(const std::vector<double>& numbers) {
  double largest = 0;
  for (const double number : numbers)
    largest = std::isfinite(number) ? std::max(largest, std::fabs(number)) : INFINITY;
  return largest;
}

// Errors scale with values that are larger than expected.
// Describes the first output that differs by more than rounding.
std::optional<std::string> difference(const Drawn& output, const Value& got, const Value& want) {
  constexpr double kMargin = 4;
  if (got.shape != want.shape) return output.name + " has another shape";
  if (is_exact(output.type))
    return got.bytes == want.bytes ? std::nullopt : std::optional(output.name + " has other integers");
  const auto got_numbers = numbers_of(output.type, got.bytes),
             want_numbers = numbers_of(output.type, want.bytes);
  const double grown = std::max(1.0, largest_of(want_numbers) / output.scale);
  const Comparison comparison = compare(got_numbers, want_numbers, {{"abs", kMargin * output.error * grown}});
  if (comparison.failure.empty()) return {};
  return output.name + ": " + comparison.failure + " (largest difference " +
         std::to_string(comparison.largest) + ", allowed " + std::to_string(kMargin * output.error * grown) +
         ")";
}

std::optional<std::string> difference(const RandomModel& model, const std::vector<Value>& got,
                                      const std::vector<Value>& want) {
  for (size_t i = 0; i < model.outputs.size(); ++i) {
    if (auto found = difference(model.outputs[i], got[i], want[i])) return found;
  }
  return {};
}

bool is_finite(const RandomModel& model, const std::vector<Value>& results) {
  for (size_t i = 0; i < results.size(); ++i) {
    if (is_exact(model.outputs[i].type)) continue;
    if (!std::isfinite(largest_of(numbers_of(model.outputs[i].type, results[i].bytes)))) return false;
  }
  return true;
}

// Runs the model on the first device of the type, without fusions unless `fused`.
Result<std::vector<Value>> run(const RandomModel& model, const import::Network& network,
                               OH_NN_DeviceType device, bool fused) {
  if (fused) {
    unsetenv("NNRT_TEST_FUSE");
  } else {
    setenv("NNRT_TEST_FUSE", "off", 1);
  }
  std::vector<Value> inputs;
  for (const Feed& feed : model.feeds) {
    inputs.push_back({Shape(feed.value.shape.begin(), feed.value.shape.end()), bytes_of(feed.bytes)});
  }
  std::vector<Shape> shapes;
  for (const Drawn& output : model.outputs) shapes.emplace_back(output.shape.begin(), output.shape.end());
  NNRT_ASSIGN(Session session, Session::open(network, device));
  return session.run(inputs, shapes);
}

// Describes a fault found without ONNX Runtime, using the CPU without fusion as reference.
// Describes a fault found without ONNX Runtime, using the CPU without fusion as reference.
std::optional<std::string> problem_of(const RandomModel& model, OH_NN_DeviceType device) {
  const auto network = model.file.read();
  if (!network.ok()) return {};
  const auto plain = run(model, network.value(), device, false);
  const auto fused = run(model, network.value(), device, true);
  if (!fused.ok()) return plain.ok() ? std::optional("fused: " + fused.error().message) : std::nullopt;
  if (!plain.ok()) return "not fused: " + plain.error().message;
  if (auto found = difference(model, fused.value(), plain.value()))
    return "fused against not fused: " + *found;
  const auto other = run(model, network.value(), OH_NN_CPU, false);
  if (!other.ok()) return "on the CPU, not fused: " + other.error().message;
  if (auto found = difference(model, fused.value(), other.value())) return "against the CPU: " + *found;
  return {};
}

constexpr uint32_t kCount = 300;
constexpr double kMaxRefused = 0.05, kMaxMeaningless = 0.02, kMinOpened = 0.6;

volatile std::sig_atomic_t seed_now = 0;

// Prints the seed after a crash.
void tell_seed(int number) {
  char text[] = "\nThe process ends at seed           \n";
  char* digit = text + sizeof text - 3;
  for (auto seed = static_cast<uint32_t>(seed_now); seed > 0; seed /= 10)
    *digit-- = static_cast<char>('0' + seed % 10);
  [[maybe_unused]] const auto written = write(STDERR_FILENO, text, sizeof text - 1);
  std::signal(number, SIG_DFL);
  std::raise(number);
}

class Tally {
 public:
  // Every `plain_every`-th model also runs without fusion, as do models without another reference.
  Tally(OH_NN_DeviceType device, uint32_t plain_every, std::optional<References> references)
      : device_(device), plain_every_(plain_every), references_(std::move(references)) {}

  void run_seed(uint32_t seed) {
    seed_now = static_cast<std::sig_atomic_t>(seed);
    const RandomModel model = draw_model(seed);
    ++models_;
    nodes_ += static_cast<size_t>(model.file.file.graph().node_size());
    const Result<import::Network> network = model.file.read();
    if (!network.ok()) return refuse(seed, model, network.error());
    const auto fused = run(model, network.value(), device_, true);
    if (!fused.ok() || !references_ || seed % plain_every_ == 0) {
      const auto plain = run(model, network.value(), device_, false);
      if (!plain.ok() && !fused.ok()) return refuse(seed, model, plain.error());
      if (!fused.ok()) return fail(seed, model, "fused: " + fused.error().message);
      if (!plain.ok()) return fail(seed, model, "not fused: " + plain.error().message);
      if (const auto found = difference(model, fused.value(), plain.value()))
        return fail(seed, model, "fused against not fused: " + *found);
      ++plain_;
    }
    if (!is_finite(model, fused.value())) ++meaningless_;
    compare_with_open(seed, model, fused.value());
    compare_with_reference(seed, model, fused.value());
  }

  // Returns whether everything passed.
  bool print() const {
    const auto share = [&](double max) {
      return static_cast<size_t>(max * static_cast<double>(models_)) + 1;
    };
    for (const auto& [reason, count] : refusals_)
      std::printf("%4zu refused (seeds%s): %s\n", count, examples_.at(reason).c_str(), reason.c_str());
    for (const auto& [reason, count] : unopened_)
      std::printf("%4zu refused with unknown dimensions: %s\n", count, reason.c_str());
    for (const auto& [reason, count] : unreferenced_)
      std::printf("%4zu not compared with ONNX Runtime: %s\n", count, reason.c_str());
    std::printf(
        "%zu models with %zu nodes: %zu failed, %zu refused, %zu not finite, %zu agree with what is not "
        "fused, %zu with unknown dimensions, %zu with ONNX Runtime\n",
        models_, nodes_, failed_, refused_, meaningless_, plain_, opened_, referenced_);
    if (refused_ >= share(kMaxRefused)) std::printf("Too many are refused.\n");
    if (meaningless_ >= share(kMaxMeaningless)) std::printf("Too many are not finite.\n");
    const bool are_enough_open = opened_ + 1 >= share(kMinOpened);
    if (!are_enough_open) std::printf("Too few are read with unknown dimensions.\n");
    return failed_ == 0 && refused_ < share(kMaxRefused) && meaningless_ < share(kMaxMeaningless) &&
           are_enough_open;
  }

  bool gave_up() const { return failed_ >= kMaxFailures; }

 private:
  static constexpr size_t kMaxFailures = 20;

  void compare_with_reference(uint32_t seed, const RandomModel& model, const std::vector<Value>& got) {
    if (!references_) {
      ++unreferenced_["It is not installed."];
      return;
    }
    const auto want = references_->results(seed, model);
    if (!want.ok()) return fail(seed, model, "ONNX Runtime: " + want.error().message);
    if (const auto found = difference(model, got, want.value()))
      return fail(seed, model, "against ONNX Runtime: " + *found);
    ++referenced_;
  }

  // The same model, of whose inputs the reader knows no length.
  void compare_with_open(uint32_t seed, const RandomModel& model, const std::vector<Value>& want) {
    import::Options options;
    for (const Feed& feed : model.feeds) {
      // Vectors may be shapes and the like, of which the number is known.
      if (feed.value.is_float() && feed.value.rank() > 1)
        options.input_shapes[feed.value.name] = import::Shape(feed.value.rank(), -1);
    }
    const Result<import::Network> network = model.file.read(options);
    if (!network.ok()) {
      if (network.error().code != Code::unsupported)
        return fail(seed, model, "with unknown dimensions: " + network.error().message);
      ++unopened_[reason_of(network.error())];
      return;
    }
    const auto got = run(model, network.value(), device_, true);
    if (!got.ok()) return fail(seed, model, "with unknown dimensions: " + got.error().message);
    if (const auto found = difference(model, got.value(), want))
      return fail(seed, model, "with unknown dimensions: " + *found);
    ++opened_;
  }

  // Strips node names, so that equal reasons are counted together.
  static std::string reason_of(const Error& error) {
    const std::string message = error.message.substr(0, error.message.find(" While converting"));
    return message.substr(0, message.find(" (node "));
  }

  void refuse(uint32_t seed, const RandomModel& model, const Error& error) {
    if (error.code != Code::unsupported) return fail(seed, model, error.message);
    std::string reason = reason_of(error);
    std::string& seeds = examples_[reason];
    if (seeds.size() < 30) seeds += " " + std::to_string(seed);
    ++refusals_[reason];
    ++refused_;
  }

  void fail(uint32_t seed, const RandomModel& model, const std::string& why) {
    std::printf("FAILED seed %u: %s\n%s", seed, why.c_str(), describe(model).c_str());
    std::fflush(stdout);
    ++failed_;
  }

  OH_NN_DeviceType device_;
  uint32_t plain_every_;
  std::optional<References> references_;
  size_t plain_ = 0, models_ = 0, nodes_ = 0, failed_ = 0, refused_ = 0, meaningless_ = 0, referenced_ = 0;
  size_t opened_ = 0;
  std::map<std::string, size_t> refusals_, unopened_, unreferenced_;
  std::map<std::string, std::string> examples_;
};

// In a child process, because the failure may be a crash.
bool fails_in_child(const RandomModel& part, OH_NN_DeviceType device) {
  const pid_t child = fork();
  if (child == 0) _exit(problem_of(part, device).has_value() ? 1 : 0);
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && status != 0;
}

int shrink_seed(uint32_t seed, OH_NN_DeviceType device, const std::filesystem::path& folder) {
  const RandomModel model = draw_model(seed);
  const auto fails = [&](const RandomModel& part) { return fails_in_child(part, device); };
  if (!fails(model)) {
    std::printf("Seed %u gives the same with and without fusing, and on the CPU.\n", seed);
    return 1;
  }
  const RandomModel min = shrink(model, fails);
  std::filesystem::create_directories(folder);
  write_model(folder, std::to_string(seed), min);
  std::printf("%s", describe(min).c_str());
  std::fflush(stdout);
  std::printf("%s\n", problem_of(min, device).value_or("").c_str());
  return 0;
}

struct Choice {
  OH_NN_DeviceType device = OH_NN_CPU;
  std::filesystem::path folder, write, shrink;
  uint32_t first = 1, count = kCount, plain_every = 1;
};

int run_choice(const Choice& choice) {
  if (!choice.write.empty()) {
    write_models(choice.write, choice.first, choice.count);
    return 0;
  }
  if (!choice.shrink.empty()) return shrink_seed(choice.first, choice.device, choice.shrink);
  Tally tally(choice.device, choice.plain_every, References::open(choice.folder));
  for (uint32_t i = 0; i < choice.count && !tally.gave_up(); ++i) tally.run_seed(choice.first + i);
  return tally.print() ? 0 : 1;
}

}  // namespace
}  // namespace nnrt::test

int main(int argc, char** argv) {
  using namespace nnrt::test;
  Choice choice;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i], value = argv[i + 1];
    if (option == "--device") choice.device = value == "gpu" ? OH_NN_GPU : OH_NN_CPU;
    if (option == "--folder") choice.folder = value;
    if (option == "--write") choice.write = value;
    if (option == "--shrink") choice.shrink = value;
    if (option == "--count") choice.count = static_cast<uint32_t>(std::stoul(value));
    if (option == "--draws") choice.count = draws(static_cast<uint32_t>(std::stoul(value)));
    if (option == "--plain-every") choice.plain_every = static_cast<uint32_t>(std::stoul(value));
  }
  choice.first = number_from("NNRT_TEST_RANDOM_SEED", choice.first);
  choice.count = number_from("NNRT_TEST_RANDOM_ONNX", choice.count);
  for (const int number : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS}) std::signal(number, tell_seed);
  return run_choice(choice);
}
