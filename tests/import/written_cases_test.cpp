// Writes golden cases as model files and reads them back: both must compute the same bytes.
//   written_cases_test --format .ms --listed FILE FOLDER
// FOLDER has case files, one operator each. A case may be refused by the writer, but not every case of a
// file, unless a line of the listed file, "file: reason", says so. Files of this runtime's own operators are
// refused by .ms and .tflite without a line; "file: -" says that they are not. "file: ~" says that the format
// composes the operator of others, which round in between.
#include "tests/import/program_options.h"
#include "tests/import/refusals.h"
#include "tools/import/load_network.h"
#include "tools/import/network/network_check.h"
#include "tools/import/write_network.h"
#include "tools/nnrt/data/case_file.h"
#include "tools/nnrt/session/executable.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>

namespace nnrt::test {
namespace {

namespace fs = std::filesystem;
using import::element_size;
using tool::Array;

constexpr int kFirstExtension = 1000;  // OpenHarmony's operators have lower numbers

struct Totals {
  int same = 0, refused = 0, wrong = 0;
  std::string refusal{};      // of one of the cases
  bool is_extension = false;  // the operator is one of this runtime
};

Result<std::vector<Array>> outputs_of(const tool::ModelFile& file, const std::vector<Array>& inputs) {
  NNRT_ASSIGN(const tool::Device device, tool::find_device("cpu"));
  NNRT_ASSIGN(const tool::Executable executable, tool::Executable::build(file, device, {}));
  NNRT_ASSIGN(tool::Runner runner, tool::Runner::create(executable, inputs));
  NNRT_TRY(runner.run());
  return runner.outputs();
}

// The file does not say how ties are rounded. ONNX always rounds them to even.
bool rounds_ties_to_even(const import::Network& network) {
  return std::ranges::any_of(network.operations, [](const import::Operation& operation) {
    return operation.attributes.has(Attr::ties_to_even);
  });
}

// One element may be [] or [1].
tool::Shape or_one(const tool::Shape& shape) { return shape.empty() ? tool::Shape{1} : shape; }

bool is_near(const Array& got, const Array& want, double step) {
  for (size_t i = 0; i < want.count(); ++i)
    if (std::fabs(got[i] - want[i]) > step) return false;
  return true;
}

// Several operators round in between.
double step_of(const Array& want) {
  if (element_size(want.type) == 1) return 1;
  double largest = 1;
  for (size_t i = 0; i < want.count(); ++i)
    if (std::isfinite(want[i])) largest = std::max(largest, std::fabs(want[i]));
  return largest * (want.type == OH_NN_FLOAT16 ? 1e-3 : 1e-5);
}

Status compare(const std::vector<Array>& got, const std::vector<Array>& want, bool may_round,
               bool is_composed) {
  for (size_t i = 0; i < want.size(); ++i) {
    if (or_one(got[i].shape) != or_one(want[i].shape))
      return Error{Code::failed, "Output " + std::to_string(i) + " has the shape " +
                                     tool::to_string(got[i].shape) + ", not " +
                                     tool::to_string(want[i].shape) + "."};
    if (got[i].bytes == want[i].bytes ||
        (may_round && element_size(want[i].type) == 1 && is_near(got[i], want[i], 1)) ||
        (is_composed && is_near(got[i], want[i], step_of(want[i]))))
      continue;
    return Error{Code::failed, "Output " + std::to_string(i) + " differs."};
  }
  return {};
}

Status run(Totals& totals, const fs::path& path, const fs::path& format, bool is_composed) {
  auto read = tool::read_case(path);
  if (!read.ok()) return {};  // a case of an error
  const tool::ModelFile& original = read.value();
  const auto want = outputs_of(original, original.inputs);
  if (!want.ok()) return {};
  for (const import::Operation& operation : original.network->operations)
    totals.is_extension |= int(operation.type) >= kFirstExtension;
  const auto file = import::write_network(*original.network, format);
  if (!file.ok()) {
    ++totals.refused;
    totals.refusal = file.error().message;
    return {};
  }
  tool::ModelFile back;
  NNRT_ASSIGN(back.network, import::load(file.value(), {}));
  NNRT_ASSIGN(const std::vector<Array> got, outputs_of(back, original.inputs));
  const bool may_round = format.extension() == ".onnx" || rounds_ties_to_even(*original.network);
  NNRT_TRY(compare(got, want.value(), may_round, is_composed));
  ++totals.same;
  return {};
}

Totals run_file(const fs::path& cases, const fs::path& alone, const fs::path& format, bool is_composed) {
  Totals totals;
  std::ifstream file(cases);
  int number = 0;
  for (std::string line; std::getline(file, line); ++number) {
    std::ofstream(alone) << line << '\n';
    const Status status = run(totals, alone, format, is_composed);
    if (status.ok()) continue;
    ++totals.wrong;
    std::fflush(stdout);
    std::printf("%s, line %d: %.300s\n", cases.filename().c_str(), number + 1,
                status.error().message.c_str());
  }
  return totals;
}

int run_all(const ProgramOptions& options) {
  const auto refusals = read_refusals(options.value("--listed"));
  const fs::path alone = fs::temp_directory_path() / ("written_case_" + std::to_string(getpid()) + ".jsonl");
  const fs::path format = "x" + options.value("--format");
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(options.folder()))
    if (entry.path().filename().string().find(options.value("--filter")) != std::string::npos)
      files.push_back(entry.path());
  std::ranges::sort(files);
  int wrong = 0, same = 0, refused = 0;
  for (const fs::path& path : files) {
    const std::string name = path.stem();
    const auto listed = refusals.find(name);
    const bool is_composed = listed != refusals.end() && listed->second == "~";
    const Totals totals = run_file(path, alone, format, is_composed);
    const std::string reason = is_composed                                            ? "-"
                               : listed != refusals.end()                             ? listed->second
                               : totals.is_extension && format.extension() != ".onnx" ? "Lite has no "
                                                                                      : "-";
    const bool is_refused = totals.same == 0 && totals.refused > 0;
    const bool as_listed =
        is_refused ? reason != "-" && totals.refusal.find(reason) != std::string::npos : reason == "-";
    std::printf("%-28s %4d same, %3d refused, %3d wrong%s\n", name.c_str(), totals.same, totals.refused,
                totals.wrong, as_listed ? "" : "  NOT AS LISTED");
    if (totals.refused > 0) std::printf("    %.200s\n", totals.refusal.c_str());
    wrong += totals.wrong + (as_listed ? 0 : 1);
    same += totals.same;
    refused += totals.refused;
  }
  fs::remove(alone);
  std::printf("%d cases are the same, %d refused, %d wrong\n", same, refused, wrong);
  return wrong == 0 && same > 0 ? 0 : 1;
}

}  // namespace
}  // namespace nnrt::test

int main(int argc, char** argv) {
  return nnrt::test::run_all(nnrt::test::ProgramOptions(argc, argv, {"--listed", "--format", "--filter"}));
}
