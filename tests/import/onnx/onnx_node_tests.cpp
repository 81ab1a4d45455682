// Runs ONNX's single-operator tests, which Debian packages as libonnx-testdata: node_tests --device cpu|gpu
// --at-least N [--filter TEXT] [--verbose] FOLDER. Models the reader refuses are counted by reason; all
// others must give the expected results.
#include "core/base/text.h"
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
#include <optional>
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

uint64_t read_varint(std::string_view& bytes) {
  uint64_t value = 0;
  for (int shift = 0; !bytes.empty() && shift < 64; shift += 7) {
    const auto byte = static_cast<uint8_t>(bytes.front());
    bytes.remove_prefix(1);
    value |= uint64_t{byte & 127u} << shift;
    if (byte < 128) break;
  }
  return value;
}

// The fields of a message that are messages or texts.
std::multimap<uint64_t, std::string_view> fields_of(std::string_view bytes) {
  std::multimap<uint64_t, std::string_view> fields;
  while (!bytes.empty()) {
    const uint64_t tag = read_varint(bytes), length = read_varint(bytes);  // or a number
    if (tag % 8 != 2) continue;
    fields.emplace(tag / 8, bytes.substr(0, length));
    bytes.remove_prefix(std::min<size_t>(length, bytes.size()));
  }
  return fields;
}

// What a graph input or output is, by the numbers of TypeProto's fields.
struct Kind {
  static constexpr uint64_t kSequence = 4, kOptional = 9;
  bool is_optional = false, is_sequence = false;

  static Kind of(const onnx_file::ValueInfo& declared) {
    Kind kind;
    const auto outer = fields_of(declared.type().unknown_fields);
    kind.is_sequence = outer.contains(kSequence);
    if (const auto found = outer.find(kOptional); found != outer.end()) {
      kind.is_optional = true;
      for (const auto& [number, type] : fields_of(found->second))  // the type within
        kind.is_sequence = fields_of(type).contains(kSequence);
    }
    return kind;
  }
};

// The tensor or the tensors of a sequence; empty if an optional has no value.
Result<std::optional<std::vector<TensorProto>>> read_tensors(const fs::path& path, const Kind& kind) {
  const std::string text = read_text(path);
  std::vector<std::string_view> parts{text};
  constexpr uint64_t kTensors = 3, kSequenceOfOptional = 5;
  if (kind.is_optional) {
    const auto fields = fields_of(text);
    const auto found = fields.find(kind.is_sequence ? kSequenceOfOptional : kTensors);
    if (found == fields.end()) return std::optional<std::vector<TensorProto>>();
    parts = {found->second};
  }
  if (kind.is_sequence) {
    const auto fields = fields_of(parts[0]);
    parts.clear();
    for (auto [part, end] = fields.equal_range(kTensors); part != end; ++part) parts.push_back(part->second);
  }
  std::vector<TensorProto> tensors;
  for (const std::string_view part : parts)
    if (!tensors.emplace_back().parse(part)) return Error{Code::unsupported, "Data are no tensors."};
  return std::optional(std::move(tensors));
}

// Tests by parts of their names.
constexpr std::pair<const char*, const char*> kExcluded[] = {
    {"cast_FLOAT_to_BFLOAT16", "The test's file truncates, unlike later versions of ONNX."},
    {"castlike_FLOAT_to_BFLOAT16", "The test's input has another shape than its model."},
    {"castlike_BFLOAT16", "The test's input has another shape than its model."},
    {"downsample_scales_linear_align_corners",
     "The test expects corners of a fractional size, unlike later versions of ONNX."},
    {"downsample_scales_cubic_align_corners",
     "The test expects corners of a fractional size, unlike later versions of ONNX."},
};

// The test's files call BFLOAT16 UINT16.
void correct_type(TensorProto& tensor, const onnx_file::ValueInfo& declared) {
  constexpr int32_t kUint16 = 4, kBfloat16 = 16;
  const int32_t type = declared.type().tensor_type().elem_type();
  if (tensor.data_type() == kUint16 && type == kBfloat16) tensor.set_data_type(type);
}

struct Case {
  ModelProto model;
  std::vector<TensorProto> inputs, outputs;

  static Result<Case> read(const fs::path& folder) {
    Case read;
    if (!read.model.parse(read_text(folder / "model.onnx")))
      return Error{Code::invalid_file, "The model is damaged."};
    const fs::path data = folder / "test_data_set_0";
    onnx_file::Messages<onnx_file::ValueInfo> declared;
    declared.swap(*read.model.mutable_graph()->mutable_input());
    for (int i = 0; fs::exists(data / cat("input_", i, ".pb")); ++i) {
      NNRT_ASSIGN(auto tensors, read_tensors(data / cat("input_", i, ".pb"), Kind::of(declared[i])));
      read.add_input(declared[i], std::move(tensors));
    }
    for (int i = 0; fs::exists(data / cat("output_", i, ".pb")); ++i) {
      const onnx_file::ValueInfo& output = read.model.graph().output(i);
      NNRT_ASSIGN(auto tensors, read_tensors(data / cat("output_", i, ".pb"), Kind::of(output)));
      if (!tensors) return Error{Code::unsupported, "An output has no value."};
      for (TensorProto& tensor : *tensors) correct_type(read.outputs.emplace_back(std::move(tensor)), output);
    }
    return read;
  }

 private:
  // The API has only tensors: a sequence becomes an input per element.
  void add_input(const onnx_file::ValueInfo& declared, std::optional<std::vector<TensorProto>> tensors) {
    onnx_file::GraphProto& graph = *model.mutable_graph();
    if (!tensors) {
      for (onnx_file::NodeProto& node : *graph.mutable_node())
        std::ranges::replace(*node.mutable_input(), declared.name(), std::string());
      return;
    }
    const Kind kind = Kind::of(declared);
    onnx_file::NodeProto* const sequence = kind.is_sequence ? graph.add_node() : nullptr;
    if (sequence != nullptr) sequence->set_op_type(tensors->empty() ? "SequenceEmpty" : "SequenceConstruct");
    if (sequence != nullptr) sequence->add_output(declared.name());
    for (TensorProto& tensor : *tensors) {
      onnx_file::ValueInfo& input = *graph.add_input();
      input = declared;
      if (kind.is_sequence) input.set_name(cat(declared.name(), " ", inputs.size()));
      if (sequence != nullptr) sequence->add_input(input.name());
      if (kind.is_sequence || kind.is_optional) {
        *input.mutable_type() = {};
        input.mutable_type()->mutable_tensor_type()->set_elem_type(tensor.data_type());
        auto& shape = *input.mutable_type()->mutable_tensor_type()->mutable_shape();
        for (const int64_t length : tensor.dims()) shape.add_dim()->set_dim_value(length);
      }
      correct_type(inputs.emplace_back(std::move(tensor)), declared);
    }
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
