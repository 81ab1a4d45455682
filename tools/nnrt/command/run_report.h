// Output of `nnrt run`: text as it goes, or one JSON document at the end.
#pragma once

#include "tools/nnrt/command/run_session.h"
#include "tools/nnrt/data/difference.h"
#include "tools/nnrt/data/output_report.h"

#include <nlohmann/json.hpp>

namespace nnrt::tool {

// Compared outputs.
struct Comparison {
  std::string title;  // "CPU_NNRt", "the file"
  std::string where;  // "on CPU_NNRt", "in the file"
  std::vector<OutputDifference> outputs;
};

class RunReport {
 public:
  RunReport(const RunOptions& options, const ModelFile& file, const Executable& model,
            const std::vector<Input>& inputs)
      : options_(options), file_(file), model_(model), inputs_(inputs) {}

  void begin() const;
  void add(const RunResult& answer, std::span<const Output> outputs, std::span<const std::string> labels);
  void add_files(std::vector<std::string> files);
  // Fails if the differences are too large.
  Status add(Comparison comparison);
  // Text output only; the JSON has the facts themselves.
  void note(std::string_view sentence) const;
  // Writes the JSON document, also after a failure.
  void end() const;

 private:
  const RunOptions& options_;
  const ModelFile& file_;
  const Executable& model_;
  const std::vector<Input>& inputs_;
  std::vector<double> ms_;
  std::vector<std::string> files_;
  std::vector<Comparison> comparisons_;
  nlohmann::ordered_json results_;
};

}  // namespace nnrt::tool
