// Runs a model: its segments as graphs of the core, control flow between them.
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

  // Compiles what can be compiled before a run: the segments whose shapes and parameters the model tells. An
  // error of a device; what the client did wrong is for the run to say.
  Status prepare();

  // `values` has the model's inputs, and gets all that its operations write. Results that have a memory among
  // `destinations` may be written there.
  Status run(HostValues& values, const HostValues& destinations, RunState& state) const;

 private:
  using SegmentPtr = std::shared_ptr<const PreparedSegment>;

  // The segment that begins there, made for these values.
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
  std::map<uint32_t, std::unique_ptr<ModelRunner>> inner_;  // by operand: of the models it refers to
  mutable std::mutex mutex_;
  mutable std::map<size_t, std::list<SegmentPtr>> segments_;  // by where they begin; the last used first
};

}  // namespace nnrt::nnapi
