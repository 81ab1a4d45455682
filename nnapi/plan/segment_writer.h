// Writes as many operations as possible into one core graph: up to an operation whose parameters or shapes
// depend on the run, control flow, or the end.
#pragma once

#include "nnapi/lower/operation_lowering.h"
#include "nnapi/plan/host_value.h"

#include <optional>
#include <vector>

namespace nnrt::nnapi {

// The inputs that a graph was written for. It can be reused if they are all the same.
struct ExpectedInput {
  uint32_t operand = 0;
  bool omitted = false;
  Shape shape;
  std::optional<Bytes> contents;  // set for a parameter
};

// An operand whose elements must be in [0, limit).
struct IndexLimit {
  uint32_t operand = 0;
  int64_t limit = 0;
};

// Results that have no rows if the first element of `marker` is negative.
struct RowMarker {
  std::vector<uint32_t> results;
  uint32_t marker = 0;
};

struct Segment {
  size_t begin = 0, end = 0;              // in Model::order
  GraphPtr graph;                         // null if there are no nodes
  std::vector<uint32_t> inputs, outputs;  // operands, in the graph's order
  std::vector<Shape> shapes;              // the outputs', as far as known
  std::vector<uint32_t> origins;          // by node: its operation
  std::vector<ExpectedInput> needs;
  std::vector<IndexLimit> limits;
  std::vector<RegionLimits> regions;
  std::vector<RowMarker> markers;
  std::vector<std::pair<uint32_t, Shape>> empty;  // results without elements
};

class SegmentWriter final : public KnownOperands {
 public:
  // `host`: values known outside of the graph.
  SegmentWriter(const Model& model, const HostValues& host);

  // Starts at `begin` in Model::order. An invalid operation is an error, or only ends the segment.
  enum class OnError : uint8_t { fails, ends };
  Result<Segment> write(size_t begin, OnError on_error = OnError::fails);

  bool is_there(uint32_t operand) override;
  Value value(uint32_t operand) override;
  std::optional<Contents> contents(uint32_t operand) override;
  void require_indices(uint32_t operand, int64_t limit) override;
  bool require_regions(const RegionLimits& limits) override;

 private:
  enum class Lowered : uint8_t { yes, and_ends, not_yet };
  Result<Lowered> lower(const Operation& operation);
  Result<Lowered> lower_or_end(const Operation& operation);
  Result<Lowered> lower_nodes(const Operation& operation, LowerFunction function);
  Result<Lowered> lower_empty(const Operation& operation, LowerFunction function);
  Status check_ranks(const Operation& operation) const;
  Status keep_results(const Operation& operation, const Lowering& lowering);
  Value as_declared(uint32_t operand, const Value& value);
  Status keep(uint32_t operand, Value value);
  bool lacks_elements(const Operation& operation) const;
  ExpectedInput& need(uint32_t operand);
  bool is_on_host(uint32_t operand) const;
  struct Mark {
    GraphWriter::Mark graph;
    size_t written = 0, limits = 0, regions = 0;
  };
  Mark mark() const;
  void forget(const Mark& mark);
  Result<Segment> finish(size_t begin, size_t end);
  std::vector<bool> read_behind(size_t end) const;  // by operand
  Value own_copy(const Value& value);

  const Model& model_;
  const HostValues& host_;
  GraphWriter writer_;
  std::vector<std::optional<Value>> values_;  // by operand
  std::vector<uint32_t> written_;             // operands written by an operation
  std::vector<SharedBytes> constants_;        // those converted from the client's representation
  Segment segment_;
};

}  // namespace nnrt::nnapi
