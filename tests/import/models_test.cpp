// Runs networks with expected outputs on one device: models_test --device cpu|gpu [--filter TEXT] [--format
// tflite|onnx] FOLDER
#include "core/base/bytes_of.h"
#include "tests/import/inference_session.h"
#include "tests/import/output_compare.h"
#include "tests/import/program_options.h"
#include "tools/import/load_network.h"
#include "tools/import/network/network_check.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

namespace nnrt::test {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr int kSkipped = 77;  // CTest's skip code

OH_NN_DataType dtype_of(const std::string& name) {
  for (int type = OH_NN_BOOL; type <= OH_NN_FLOAT64; ++type)
    if (import::type_name(OH_NN_DataType(type)) == name) return OH_NN_DataType(type);
  return OH_NN_UNKNOWN;
}

Bytes read_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  return bytes_of(bytes);
}

// The value for element i's channel, if there is one per channel.
double channel_value(const json& value, const json& stored, const Shape& shape, size_t i) {
  if (!value.is_array()) return value;
  size_t inner = 1;
  for (size_t d = stored.at("axis").get<size_t>() + 1; d < shape.size(); ++d)
    inner *= static_cast<size_t>(shape[d]);
  return value[i / inner % value.size()];
}

// Dequantizes floats stored in quantized form.
Bytes unpacked(const Bytes& bytes, const json& stored, const Shape& shape) {
  const std::vector<double> quantized = as_numbers(dtype_of(stored["dtype"]), bytes);
  std::vector<float> values(quantized.size());
  for (size_t i = 0; i < quantized.size(); ++i)
    values[i] = static_cast<float>(quantized[i] * channel_value(stored["scale"], stored, shape, i) +
                                   channel_value(stored["offset"], stored, shape, i));
  return bytes_of(values);
}

Shape shape_in(const json& tensor, const json& sample, const char* key, size_t i) {
  if (sample.contains(key)) return sample[key][i].get<Shape>();
  return tensor.value("shape_static", tensor["shape"]).get<Shape>();
}

// A model of the index, and its result.
class ModelRun {
 public:
  ModelRun(std::filesystem::path folder, const json& model) : folder_(std::move(folder)), model_(model) {}

  void run(OH_NN_DeviceType device) {
    Result<import::Network> network = import::load(folder_ / model_["file"].get<std::string>());
    if (!network.ok()) return fail(network.error().message);
    network_ = std::move(network).value();
    Result<Session> session = Session::open(network_, device);
    if (!session.ok()) return fail(session.error().message);
    placement_ = session.value().placement();
    for (const json& sample : model_["samples"]) run(session.value(), sample);
  }

  bool failed() const { return !failures_.empty(); }

  void print() const {
    std::string devices;
    for (const auto& [device, count] : placement_)
      devices += (devices.empty() ? "" : ", ") + std::to_string(count) + " " + device;
    std::printf("%-24s %-6s %7zu %12.3g %12.3g %9.1f  %s\n", model_["name"].get<std::string>().c_str(),
                failed() ? "FAILED" : "ok", samples_, largest_, largest_exact_,
                samples_ == 0 ? 0 : milliseconds_ / static_cast<double>(samples_), devices.c_str());
    for (const std::string& failure : failures_) std::printf("    %s\n", failure.c_str());
    std::fflush(stdout);
  }

 private:
  void fail(std::string why) { failures_.push_back(std::move(why)); }

  void run(Session& session, const json& sample) {
    std::vector<Value> inputs;
    std::vector<Shape> shapes;
    for (size_t i = 0; i < model_["inputs"].size(); ++i) {
      const json& input = model_["inputs"][i];
      Value value{shape_in(input, sample, "input_shapes", i),
                  read_bytes(folder_ / sample["inputs"][i].get<std::string>())};
      if (input.contains("stored")) value.bytes = unpacked(value.bytes, input["stored"], value.shape);
      inputs.push_back(std::move(value));
    }
    for (size_t i = 0; i < model_["outputs"].size(); ++i)
      shapes.push_back(shape_in(model_["outputs"][i], sample, "output_shapes", i));
    const auto start = Clock::now();
    const Result<std::vector<Value>> results = session.run(inputs, shapes);
    milliseconds_ += std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    ++samples_;
    if (!results.ok()) return fail(sample["name"].get<std::string>() + ": " + results.error().message);
    judge(sample, results.value());
  }

  void judge(const json& sample, const std::vector<Value>& results) {
    std::vector<std::vector<double>> got;
    for (size_t i = 0; i < results.size(); ++i)
      got.push_back(as_numbers(dtype_of(model_["outputs"][i]["dtype"]), results[i].bytes));
    const auto tolerance = [&](const char* key) {
      return sample.value(key, model_.value(key, json::object()));
    };
    if (tolerance("tolerance").contains("match")) {
      judge_detections(sample, got, tolerance("tolerance"));
    } else {
      largest_ = std::max(largest_, judge(sample, "outputs", results, got, tolerance("tolerance")));
    }
    if (sample.contains("exact"))
      largest_exact_ =
          std::max(largest_exact_, judge(sample, "exact", results, got, tolerance("tolerance_exact")));
    if (sample.contains("top1") && argmax(got[0]) != sample["top1"].get<size_t>())
      fail(sample["name"].get<std::string>() + ": class " + std::to_string(argmax(got[0])) + " is the first");
    if (sample.contains("argmax")) {
      const auto positions =
          as_numbers(OH_NN_UINT8, read_bytes(folder_ / sample["argmax"].get<std::string>()));
      const double part = same_argmax(got[0], positions, static_cast<size_t>(results[0].shape.back()));
      if (part < 0.999)
        fail(sample["name"].get<std::string>() + ": classes agree in " + std::to_string(100 * part) +
             " % of the pixels");
    }
  }

  double judge(const json& sample, const char* key, const std::vector<Value>& results,
               const std::vector<std::vector<double>>& got, const json& tolerance) {
    double largest = 0;
    for (size_t i = 0; i < got.size(); ++i) {
      const json& output = model_["outputs"][i];
      const json stored = output.value("stored", json::object());
      const OH_NN_DataType type = dtype_of(stored.value("dtype", output["dtype"].get<std::string>()));
      const auto want = as_numbers(type, read_bytes(folder_ / sample[key][i].get<std::string>()));
      const auto compared = stored.contains("stride")
                                ? strided(got[i], results[i].shape, stored["stride"].get<Shape>())
                                : got[i];
      const Comparison comparison = compare(compared, want, tolerance);
      largest = std::max(largest, comparison.largest);
      if (!comparison.failure.empty())
        fail(sample["name"].get<std::string>() + ", " + key + ": " + comparison.failure);
    }
    return largest;
  }

  void judge_detections(const json& sample, const std::vector<std::vector<double>>& got,
                        const json& tolerance) {
    std::vector<std::vector<double>> want;
    for (const json& file : sample["outputs"])
      want.push_back(as_numbers(OH_NN_FLOAT32, read_bytes(folder_ / file.get<std::string>())));
    const Comparison comparison =
        compare_detections({got[0], got[1], got[2]}, {want[0], want[1], want[2]}, tolerance);
    largest_ = std::max(largest_, comparison.largest);
    if (!comparison.failure.empty()) fail(sample["name"].get<std::string>() + ": " + comparison.failure);
  }

  std::filesystem::path folder_;
  const json& model_;
  import::Network network_;
  std::map<std::string, int> placement_;
  std::vector<std::string> failures_;
  size_t samples_ = 0;
  double largest_ = 0, largest_exact_ = 0, milliseconds_ = 0;
};

struct Choice {
  OH_NN_DeviceType device = OH_NN_CPU;
  std::string filter, format;  // substring of the name; format

  bool supports(const json& model) const {
    return model["name"].get<std::string>().find(filter) != std::string::npos &&
           model["format"].get<std::string>().find(format) != std::string::npos;
  }
};

int run_all(const std::filesystem::path& folder, const Choice& choice) {
  std::ifstream index_file(folder / "index.json");
  if (!index_file) {
    std::printf("skipped: no networks in %s\n", folder.c_str());
    return kSkipped;
  }
  const json index = json::parse(index_file);
  int failed = 0, count = 0;
  std::printf("%-24s %-6s %7s %12s %12s %9s  %s\n", "network", "result", "samples", "largest diff",
              "from exact", "ms a run", "operations on");
  for (const json& model : index) {
    if (!choice.supports(model)) continue;
    ModelRun run(folder, model);
    run.run(choice.device);
    run.print();
    ++count;
    failed += run.failed() ? 1 : 0;
  }
  std::printf("%d of %d networks agree\n", count - failed, count);
  return failed == 0 && count > 0 ? 0 : 1;
}

}  // namespace
}  // namespace nnrt::test

int main(int argc, char** argv) {
  const nnrt::test::ProgramOptions options(argc, argv, {"--device", "--filter", "--format"});
  return nnrt::test::run_all(options.folder(),
                             {options.device(), options.value("--filter"), options.value("--format")});
}
