// A table of the steps of planned programs with what the driver's compiler reports about each, for
// bench/report/planned_times.py.
#pragma once

#include "tests/compilers/planned_program.h"
#include "tests/support/statistics_layer/statistics_layer.h"

#include <cstdio>
#include <memory>
#include <string>

namespace nnrt::test {

class StepTable {
 public:
  // Writes `folder`/steps.tsv, and the code of pipeline N to `folder`/N.txt. Throws if it cannot.
  explicit StepTable(std::string folder);

  void add_pipeline(size_t number, const statistics::CompileRecord& compiled) const;
  void add_step(const std::string& model, const PlannedProgram& planned, size_t step, size_t pipeline,
                const statistics::CompileRecord& compiled);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  using File = std::unique_ptr<std::FILE, Close>;
  File opened(const std::string& name) const;

  const std::string folder_;
  File rows_;
};

}  // namespace nnrt::test
