// Reports of `nnrt run`: for people while it goes on, for programs as one document at the end.
#pragma once

#include "tools/nnrt/command/run_session.h"
#include "tools/nnrt/data/difference.h"
#include "tools/nnrt/data/output_report.h"

#include <nlohmann/json.hpp>

namespace nnrt::tool {

// The outputs beside those that were wanted.
struct Comparison {
  std::string title;  // "CPU_NNRt", "the file"
  std::string where;  // "on CPU_NNRt", "in the file"
  std::vector<Compared> outputs;
};

class RunReport {
 public:
  RunReport(const RunOptions& options, const ModelFile& file, const Built& model,
            const std::vector<Input>& inputs)
      : options_(options), file_(file), model_(model), inputs_(inputs) {}

  void begin() const;
  void add(const Answer& answer, std::span<const Output> outputs, std::span<const std::string> labels);
  void add_files(std::vector<std::string> files);
  // Fails where the differences are too large.
  Status add(Comparison comparison);
  // Something of note for people; programs see what it is about.
  void note(std::string_view sentence) const;
  // Writes the document, whatever failed before.
  void end() const;

 private:
  const RunOptions& options_;
  const ModelFile& file_;
  const Built& model_;
  const std::vector<Input>& inputs_;
  std::vector<double> ms_;
  std::vector<std::string> files_;
  std::vector<Comparison> comparisons_;
  nlohmann::ordered_json results_;
};

}  // namespace nnrt::tool
