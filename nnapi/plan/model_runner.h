// Runs a model: segments as core graphs, with control flow between them.
#pragma once

#include "nnapi/plan/prepared_segment.h"

#include <list>
#include <map>
#include <memory>
#include <mutex>

namespace nnrt::nnapi {

class ModelRunner {
 public:
  ModelRunner(ModelPtr model, std::shared_ptr<const CompileTarget> target);

  const Model& model() const { return *model_; }

  // Compiles the segments whose shapes and parameters are known before a run. Returns device errors; client
  // errors are left to the run.
  Status prepare();

  // `values` contains the model's inputs and receives all results. Results may be written directly to their
  // memory in `destinations`.
  Status run(HostValues& values, const HostValues& destinations, RunState& state) const;

 private:
  using SegmentPtr = std::shared_ptr<const PreparedSegment>;

  // The segment that starts there, compiled for these values.
  Result<SegmentPtr> segment(size_t begin, const HostValues& values) const;
  SegmentPtr find_segment(size_t begin, const HostValues& values) const;

  Status run_control_flow(const Operation& operation, HostValues& values, RunState& state) const;
  Status run_if(const Operation& operation, HostValues& values, RunState& state) const;
  Status run_while(const Operation& operation, HostValues& values, RunState& state) const;
  // Runs the model of an operand.
  Result<std::vector<HostValue>> run_inner(uint32_t operand, const std::vector<HostValue>& inputs,
                                           RunState& state) const;
  Status keep(uint32_t operand, HostValue value, HostValues& values) const;

  ModelPtr model_;
  std::shared_ptr<const CompileTarget> target_;
  std::map<uint32_t, std::unique_ptr<ModelRunner>> inner_;  // by operand: the models it refers to
  mutable std::mutex mutex_;
  mutable std::map<size_t, std::list<SegmentPtr>> segments_;  // by start; most recently used first
};

}  // namespace nnrt::nnapi
