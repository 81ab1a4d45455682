// Runs ONNX's single-operator tests, which Debian packages as libonnx-testdata: node_tests --device cpu|gpu
// --at-least N [--filter TEXT] [--verbose] FOLDER. Models the reader refuses are counted by reason; all
// others must give the expected results.
#include "tests/import/inference_session.h"
#include "tests/import/output_compare.h"
#include "tests/import/program_options.h"
#include "tools/import/onnx/onnx_constants.h"
#include "tools/import/onnx/onnx_reader.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

namespace nnrt::test {
namespace {

namespace fs = std::filesystem;
using import::Network;
using onnx_file::ModelProto;
using onnx_file::TensorProto;

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Result<TensorProto> read_tensor(const fs::path& path) {
  TensorProto proto;
  if (proto.parse(read_text(path))) return proto;
  return Error{Code::unsupported, "Data are no tensors."};
}

Result<std::vector<TensorProto>> read_tensors(const fs::path& folder, const char* kind) {
  std::vector<TensorProto> tensors;
  for (size_t i = 0;; ++i) {
    const fs::path path = folder / (std::string(kind) + "_" + std::to_string(i) + ".pb");
    if (!fs::exists(path)) return tensors;
    NNRT_ASSIGN(tensors.emplace_back(), read_tensor(path));
  }
}

// Tests by parts of their names.
constexpr std::pair<const char*, const char*> kExcluded[] = {
    {"adam_multiple", "The test's file lacks the epsilon that its results have."},
    {"cast_FLOAT_to_BFLOAT16", "The test's file truncates, unlike later versions of ONNX."},
    {"castlike_FLOAT_to_BFLOAT16", "The test's input has another shape than its model."},
    {"castlike_BFLOAT16", "The test's input has another shape than its model."},
    {"downsample_scales_linear_align_corners",
     "The test expects corners of a fractional size, unlike later versions of ONNX."},
    {"downsample_scales_cubic_align_corners",
     "The test expects corners of a fractional size, unlike later versions of ONNX."},
};

// The test's files call BFLOAT16 UINT16.
void correct_types(std::vector<TensorProto>& tensors,
                   const onnx_file::Messages<onnx_file::ValueInfo>& declared) {
  constexpr int32_t kUint16 = 4, kBfloat16 = 16;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const int32_t type = declared[static_cast<int>(i)].type().tensor_type().elem_type();
    if (tensors[i].data_type() == kUint16 && type == kBfloat16) tensors[i].set_data_type(type);
  }
}

struct Case {
  ModelProto model;
  std::vector<TensorProto> inputs, outputs;

  static Result<Case> read(const fs::path& folder) {
    Case read;
    if (!read.model.parse(read_text(folder / "model.onnx")))
      return Error{Code::invalid_file, "The model is damaged."};
    NNRT_ASSIGN(read.inputs, read_tensors(folder / "test_data_set_0", "input"));
    NNRT_ASSIGN(read.outputs, read_tensors(folder / "test_data_set_0", "output"));
    correct_types(read.inputs, read.model.graph().input());
    correct_types(read.outputs, read.model.graph().output());
    return read;
  }
};

// Turns inputs from `first` on into constants, as exporters write them.
Result<Network> import_with_constants(const Case& test, size_t first) {
  ModelProto model = test.model;
  for (size_t i = first; i < test.inputs.size(); ++i) {
    TensorProto& constant = *model.mutable_graph()->add_initializer();
    constant = test.inputs[i];
    constant.set_name(model.graph().input(static_cast<int>(i)).name());
  }
  const std::string bytes = model.serialize();
  return import::read_onnx(std::as_bytes(std::span(bytes)), {}, {});
}

Result<Value> read_value(const TensorProto& proto) {
  NNRT_ASSIGN(const nnrt::Tensor tensor, import::onnx::read_constant(proto));
  return Value{import::Shape(tensor.shape.begin(), tensor.shape.end()),
               import::Bytes(tensor.data->begin(), tensor.data->end())};
}

// A network without inputs only copies constants; the C API rejects such models.
Result<std::vector<Value>> constant_results(const Network& network) {
  std::vector<Value> results;
  for (const import::TensorId id : network.outputs) {
    import::TensorId source = id;
    for (auto operation = network.operations.rbegin(); operation != network.operations.rend(); ++operation) {
      if (operation->outputs[0] == source) source = operation->inputs[0];
    }
    if (!network.tensors[source].data) return Error{Code::failed, "A result is not constant."};
    const ByteView data = *network.tensors[source].data;
    results.push_back({network.tensors[id].shape, import::Bytes(data.begin(), data.end())});
  }
  return results;
}

Result<std::vector<Value>> run(const Network& network, const Case& test, OH_NN_DeviceType device) {
  if (network.inputs.empty()) return constant_results(network);
  std::vector<Value> inputs;
  std::vector<import::Shape> shapes;
  for (size_t i = 0; i < network.inputs.size(); ++i) {
    NNRT_ASSIGN(inputs.emplace_back(), read_value(test.inputs[i]));
  }
  for (const TensorProto& output : test.outputs)
    shapes.emplace_back(output.dims().begin(), output.dims().end());
  NNRT_ASSIGN(Session session, Session::open(network, device));
  return session.run(inputs, shapes);
}

std::vector<double> numbers(DType dtype, const import::Bytes& bytes) {
  return as_numbers(static_cast<OH_NN_DataType>(dtype), bytes);
}

Status judge(const Case& test, const std::vector<Value>& results) {
  for (size_t i = 0; i < test.outputs.size(); ++i) {
    NNRT_ASSIGN(const nnrt::Tensor want, import::onnx::read_constant(test.outputs[i]));
    const nnrt::Shape shape(results[i].shape.begin(), results[i].shape.end());
    if (shape != want.shape && !(want.shape.empty() && element_count(shape) == 1))
      return Error{Code::failed, "Shape " + to_string(shape) + " is not " + to_string(want.shape) + "."};
    const nlohmann::json tolerance{{"abs", is_float(want.dtype)                                 ? 1e-5
                                           : want.dtype == DType::u8 || want.dtype == DType::i8 ? 1
                                                                                                : 0},
                                   {"rel", 1e-3}};
    const auto got_numbers = numbers(want.dtype, results[i].bytes);
    const import::Bytes expected(want.data->begin(), want.data->end());
    const auto want_numbers = numbers(want.dtype, expected);
    if (want_numbers.empty() || want.dtype == DType::f16) {
      if (results[i].bytes == expected) continue;
      return Error{Code::failed, "Output " + std::to_string(i) + " differs."};
    }
    const Comparison comparison = compare(got_numbers, want_numbers, tolerance);
    if (!comparison.failure.empty())
      return Error{Code::failed, "Output " + std::to_string(i) + ": " + comparison.failure + "."};
  }
  return {};
}

// First as in the test file; if that is refused, with ever more inputs as constants.
Result<Network> import_case(const Case& test) {
  Result<Network> network = import_with_constants(test, test.inputs.size());
  for (size_t first = test.inputs.size(); !network.ok() && first-- > 0;) {
    Result<Network> next = import_with_constants(test, first);
    if (next.ok() || next.error().code == Code::unsupported) network = std::move(next);
  }
  return network;
}

class Tally {
 public:
  explicit Tally(OH_NN_DeviceType device, bool verbose) : device_(device), verbose_(verbose) {}

  void run_case(const fs::path& folder) {
    const std::string name = folder.filename();
    for (const auto& [part, reason] : kExcluded) {
      if (name.find(part) != std::string::npos) return refuse(name, Error{Code::unsupported, reason});
    }
    const Result<Case> test = Case::read(folder);
    if (!test.ok()) return refuse(name, test.error());
    const Result<Network> network = import_case(test.value());
    if (!network.ok()) return refuse(name, network.error());
    const Result<std::vector<Value>> results = run(network.value(), test.value(), device_);
    if (!results.ok()) return fail(name, results.error().message);
    const Status same = judge(test.value(), results.value());
    if (!same.ok()) return fail(name, same.error().message);
    ++passed_;
  }

  // Returns whether everything passed.
  bool print(size_t at_least) const {
    for (const auto& [reason, count] : refusals_) std::printf("%4zu refused: %s\n", count, reason.c_str());
    std::printf("%zu passed, %zu failed, %zu refused\n", passed_, failed_, refused_);
    if (passed_ < at_least) std::printf("That is less than %zu.\n", at_least);
    return failed_ == 0 && passed_ >= at_least;
  }

 private:
  // Strips numbers and node names, so that equal reasons are counted together.
  void refuse(const std::string& name, const Error& error) {
    if (error.code != Code::unsupported) return fail(name, error.message);
    if (verbose_) std::printf("%s: %s\n", name.c_str(), error.message.c_str());
    std::string reason = error.message.substr(0, error.message.find(" While converting"));
    const size_t position = reason.find(" (node ");
    ++refusals_[position == std::string::npos ? reason : reason.substr(0, position)];
    ++refused_;
  }

  void fail(const std::string& name, const std::string& why) {
    std::printf("FAILED %s: %s\n", name.c_str(), why.c_str());
    ++failed_;
  }

  OH_NN_DeviceType device_;
  bool verbose_;
  size_t passed_ = 0, failed_ = 0, refused_ = 0;
  std::map<std::string, size_t> refusals_;
};

}  // namespace
}  // namespace nnrt::test

int main(int argc, char** argv) {
  const nnrt::test::ProgramOptions options(argc, argv, {"--device", "--at-least", "--filter"}, {"--verbose"});
  std::set<std::filesystem::path> cases;
  for (const auto& entry : std::filesystem::directory_iterator(options.folder())) {
    const std::string name = entry.path().filename().string();
    if (name.find(options.value("--filter")) != std::string::npos) cases.insert(entry.path());
  }
  nnrt::test::Tally tally(options.device(), options.has("--verbose"));
  for (const auto& path : cases) tally.run_case(path);
  return tally.print(std::stoul(options.value("--at-least", "1"))) ? 0 : 1;
}
