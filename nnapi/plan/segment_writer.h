// Writes as many operations of a model as one graph of the core can hold: up to one whose parameters or
// shapes only a run tells, up to control flow, or to the end.
#pragma once

#include "nnapi/lower/operation_lowering.h"
#include "nnapi/plan/host_value.h"

#include <optional>
#include <vector>

namespace nnrt::nnapi {

// The inputs that a graph was made for. It serves another run where all of it is the same.
struct Need {
  uint32_t operand = 0;
  bool omitted = false;
  Shape shape;
  std::optional<Bytes> contents;  // set for a parameter
};

// Elements of an operand that must lie in [0, limit).
struct IndexLimit {
  uint32_t operand = 0;
  int64_t limit = 0;
};

// Results that have no rows where the first element of one of them is negative.
struct RowMarker {
  std::vector<uint32_t> results;
  uint32_t marker = 0;
};

struct Segment {
  size_t begin = 0, end = 0;              // in Model::order
  GraphPtr graph;                         // null where no node is left to run
  std::vector<uint32_t> inputs, outputs;  // operands, in the graph's order
  std::vector<Shape> shapes;              // the outputs', as far as they are known
  std::vector<uint32_t> origins;          // by node: the operation
  std::vector<Need> needs;
  std::vector<IndexLimit> limits;
  std::vector<RegionLimits> regions;
  std::vector<RowMarker> markers;
  std::vector<std::pair<uint32_t, Shape>> empty;  // results without elements
};

class SegmentWriter final : public KnownOperands {
 public:
  // `host`: what is known outside of the graph.
  SegmentWriter(const Model& model, const HostValues& host);

  // From `begin` in Model::order on. An operation that is wrong is an error, or only ends the segment.
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
  Need& need(uint32_t operand);
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
  std::vector<uint32_t> written_;             // operands that an operation wrote
  std::vector<SharedBytes> constants_;        // their form is not the client's
  Segment segment_;
};

}  // namespace nnrt::nnapi
