#include "nnapi/plan/segment_writer.h"

#include "core/base/text.h"
#include "nnapi/lower/compose.h"
#include "nnapi/lower/core_type.h"
#include "nnapi/lower/operation_lowering.h"
#include "nnapi/operations/operation_row.h"
#include "nnapi/plan/host_value.h"

#include <android/NeuralNetworks.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace nnrt::nnapi {
namespace {

using Values = std::vector<std::optional<Value>>;  // by operand, as far as they are in the graph

std::optional<Shape> known_shape(uint32_t operand, const Values& values, const HostValues& host) {
  if (values[operand]) return values[operand]->shape;
  if (host[operand] && !host[operand]->omitted) return host[operand]->shape;
  return {};
}

// The operands, with dimensions of 0 replaced by `length`.
class StretchedOperands final : public KnownOperands {
 public:
  StretchedOperands(GraphWriter& writer, const Model& model, KnownOperands& known, const Values& values,
                    const HostValues& host, int64_t length)
      : writer_(writer), model_(model), known_(known), values_(values), host_(host), length_(length) {}

  bool is_there(uint32_t operand) override { return known_.is_there(operand); }
  std::optional<Contents> contents(uint32_t operand) override { return known_.contents(operand); }
  void require_indices(uint32_t, int64_t) override {}
  bool require_regions(const RegionLimits&) override { return true; }
  Value value(uint32_t operand) override {
    const Operand& described = model_.operands[operand];
    const DType dtype = core_dtype(described.type.code);
    auto shape = known_shape(operand, values_, host_);
    if (!shape && described.source == Source::constant)
      return writer_.constant(dtype, or_one(core_shape(described.type.dimensions)), core_bytes(described),
                              core_quant(described));
    Shape stretched = or_one(shape.value_or(Shape()));
    std::ranges::replace(stretched, 0, length_);
    return writer_.input(dtype, std::move(stretched), core_quant(described));
  }

 private:
  GraphWriter& writer_;
  const Model& model_;
  KnownOperands& known_;
  const Values& values_;
  const HostValues& host_;
  int64_t length_;
};

// True for a concatenation with a non-empty part: the empty ones are ignored.
bool has_other_parts(const Operation& operation, const Values& values, const HostValues& host) {
  if (operation.code != ANEURALNETWORKS_CONCATENATION) return false;
  return std::any_of(operation.inputs.begin(), operation.inputs.end() - 1, [&](uint32_t operand) {
    const auto shape = known_shape(operand, values, host);
    return !shape || std::ranges::find(*shape, 0) == shape->end();
  });
}

// The output shapes of an operation on empty tensors, which the core rejects: extrapolated from those for
// lengths 1 and 2 in place of 0. Empty if a parameter is not known yet.
Result<std::optional<std::vector<Shape>>> shapes_without_elements(const Model& model,
                                                                  const Operation& operation,
                                                                  LowerFunction function,
                                                                  KnownOperands& known, const Values& values,
                                                                  const HostValues& host) {
  std::vector<Shape> shapes[2];
  for (const int64_t length : {1, 2}) {
    GraphWriter writer;
    StretchedOperands stretched(writer, model, known, values, host, length);
    Lowering lowering(writer, model, operation, stretched);
    Status status = converting([&]() -> Status { return function(lowering), Status(); });
    if (lowering.is_blocked()) return std::optional<std::vector<Shape>>();
    NNRT_TRY(std::move(status));
    for (const auto& result : lowering.results())
      shapes[length - 1].push_back(result ? Shape(result->shape) : Shape());
  }
  std::vector<Shape> results = shapes[0];
  for (size_t i = 0; i < results.size(); ++i) {
    if (shapes[1][i].size() != results[i].size()) return invalid("An operation's rank depends on elements.");
    for (size_t d = 0; d < results[i].size(); ++d) {
      const int64_t one = shapes[0][i][d], two = shapes[1][i][d];
      results[i][d] = one == kUnknown ? 0 : std::max<int64_t>(2 * one - two, 0);
    }
  }
  return std::optional(std::move(results));
}

bool agrees(const OperandType& declared, const Shape& shape) {
  return is_tensor(declared.code) ? admits(declared.dimensions, shape) : element_count(shape) == 1;
}

}  // namespace

SegmentWriter::SegmentWriter(const Model& model, const HostValues& host)
    : model_(model), host_(host), values_(model.operands.size()) {}

ExpectedInput& SegmentWriter::need(uint32_t operand) {
  const auto found = std::ranges::find(segment_.needs, operand, &ExpectedInput::operand);
  if (found != segment_.needs.end()) return *found;
  const HostValue& host = *host_[operand];
  return segment_.needs.emplace_back(ExpectedInput{operand, host.omitted, host.shape, {}});
}

bool SegmentWriter::is_there(uint32_t operand) {
  if (model_.operands[operand].source == Source::omitted) return false;
  if (host_[operand]) return !need(operand).omitted;
  return true;
}

Value SegmentWriter::value(uint32_t operand) {
  if (values_[operand]) return *values_[operand];
  const Operand& described = model_.operands[operand];
  const DType dtype = core_dtype(described.type.code);
  if (described.source == Source::constant) {
    values_[operand] = writer_.constant(dtype, or_one(core_shape(described.type.dimensions)),
                                        core_bytes(described), core_quant(described));
  } else if (host_[operand] && !host_[operand]->omitted) {
    need(operand);
    Value host{.dtype = dtype, .shape = or_one(host_[operand]->shape), .quant = core_quant(described)};
    if (!host.is_empty()) {
      host = writer_.input(dtype, host.shape, host.quant);
      segment_.inputs.push_back(operand);
    }
    values_[operand] = std::move(host);
  } else {
    fail(invalid("Operand ", operand, " has no value."));
  }
  return *values_[operand];
}

std::optional<KnownOperands::Contents> SegmentWriter::contents(uint32_t operand) {
  const Operand& described = model_.operands[operand];
  if (described.source == Source::constant) {
    if (is_stored_alike(described.type.code))
      return Contents{*described.value, core_shape(described.type.dimensions)};
    constants_.push_back(core_bytes(described));
    return Contents{*constants_.back(), core_shape(described.type.dimensions)};
  }
  if (!host_[operand] || host_[operand]->omitted) return {};
  const HostValue& host = *host_[operand];
  if (!host.has_elements()) {
    if (element_count(host.shape) == 0) return Contents{{}, host.shape};
    return {};
  }
  ExpectedInput& needed = need(operand);
  if (!needed.contents) needed.contents = Bytes(host.bytes().begin(), host.bytes().end());
  return Contents{host.bytes(), host.shape};
}

void SegmentWriter::require_indices(uint32_t operand, int64_t limit) {
  segment_.limits.push_back({operand, limit});
}

bool SegmentWriter::is_on_host(uint32_t operand) const {
  if (model_.operands[operand].source == Source::constant) return true;
  const bool is_computed = std::ranges::find(written_, operand) != written_.end();
  return host_[operand] && !is_computed;
}

bool SegmentWriter::require_regions(const RegionLimits& limits) {
  if (!is_on_host(limits.regions) || !is_on_host(limits.images)) return false;
  segment_.regions.push_back(limits);
  return true;
}

SegmentWriter::Mark SegmentWriter::mark() const {
  return {writer_.mark(), written_.size(), segment_.limits.size(), segment_.regions.size()};
}

void SegmentWriter::forget(const Mark& mark) {
  writer_.rewind(mark.graph);
  for (size_t i = mark.written; i < written_.size(); ++i) values_[written_[i]].reset();
  written_.resize(mark.written);
  for (std::optional<Value>& value : values_) {
    if (value && !value->is_empty() && value->id >= mark.graph.tensors) value.reset();
  }
  segment_.inputs.resize(mark.graph.inputs);
  segment_.limits.resize(mark.limits);
  segment_.regions.resize(mark.regions);
}

bool SegmentWriter::lacks_elements(const Operation& operation) const {
  return std::ranges::any_of(operation.inputs, [&](uint32_t operand) {
    if (values_[operand]) return values_[operand]->is_empty();
    const auto& host = host_[operand];
    return host && !host->omitted && is_empty(host->shape);
  });
}

Status SegmentWriter::keep(uint32_t operand, Value value) {
  const OperandType& declared = model_.operands[operand].type;
  value.shape = or_one(value.shape);
  if (!agrees(declared, value.shape))
    return invalid("The result's shape ", to_string(value.shape), " is not that of operand ", operand, ".");
  values_[operand] = std::move(value);
  written_.push_back(operand);
  return {};
}

// Some operators keep the quantization of their input.
Value SegmentWriter::as_declared(uint32_t operand, const Value& value) {
  const Quant declared = core_quant(model_.operands[operand]);
  if (value.is_empty() || !value.is_quantized() || value.quant == declared) return value;
  return stored_as(writer_, value, {value.dtype, declared, {}});
}

Status SegmentWriter::keep_results(const Operation& operation, const Lowering& lowering) {
  for (size_t i = 0; i < operation.outputs.size(); ++i) {
    const std::optional<Value>& result = lowering.results()[i];
    if (!result) return invalid("The operation has no result ", i, ".");
    NNRT_TRY(keep(operation.outputs[i], as_declared(operation.outputs[i], *result)));
  }
  if (const auto marker = lowering.row_marker())
    segment_.markers.push_back({operation.outputs, operation.outputs[*marker]});
  return {};
}

Result<SegmentWriter::Lowered> SegmentWriter::lower_nodes(const Operation& operation,
                                                          LowerFunction function) {
  const Mark before = mark();
  Lowering lowering(writer_, model_, operation, *this);
  Status status = converting([&] {
    function(lowering);
    return keep_results(operation, lowering);
  });
  if (lowering.is_blocked()) {
    forget(before);
    return Lowered::not_yet;
  }
  NNRT_TRY(std::move(status));
  // The row count of a result may only be known at run time, even for constant inputs.
  const bool is_open =
      lowering.row_marker() || std::ranges::any_of(operation.outputs, [&](uint32_t operand) {
        return std::ranges::find(values_[operand]->shape, kUnknown) != values_[operand]->shape.end();
      });
  return is_open ? Lowered::and_ends : Lowered::yes;
}

Result<SegmentWriter::Lowered> SegmentWriter::lower_empty(const Operation& operation,
                                                          LowerFunction function) {
  const auto shapes = shapes_without_elements(model_, operation, function, *this, values_, host_);
  if (!shapes.ok()) return Error(shapes.error());
  if (!shapes.value()) return Lowered::not_yet;
  for (size_t i = 0; i < operation.outputs.size(); ++i) {
    const Operand& described = model_.operands[operation.outputs[i]];
    Value nothing{.dtype = core_dtype(described.type.code),
                  .shape = (*shapes.value())[i],
                  .quant = core_quant(described)};
    if (!nothing.is_empty()) return invalid("The operation needs elements, and an input has none.");
    NNRT_TRY(keep(operation.outputs[i], std::move(nothing)));
  }
  return Lowered::yes;
}

Status SegmentWriter::check_ranks(const Operation& operation) const {
  if (supports_any_rank(operation.code)) return {};
  for (const uint32_t operand : operation.inputs) {
    const auto& host = host_[operand];
    const size_t rank = values_[operand] ? values_[operand]->rank() : host ? host->shape.size() : 0;
    if (rank > kMaxRank)
      return unsupported("Operand ", operand, " of rank ", rank, " has more than ", kMaxRank, " dimensions.");
  }
  return {};
}

Result<SegmentWriter::Lowered> SegmentWriter::lower(const Operation& operation) {
  const LowerFunction function = find_lowering(operation.code);
  if (function == nullptr) return invalid("The runtime does not implement operation ", operation.code, ".");
  NNRT_TRY(check_ranks(operation));
  if (lacks_elements(operation) && !has_other_parts(operation, values_, host_))
    return lower_empty(operation, function);
  return lower_nodes(operation, function);
}

Result<SegmentWriter::Lowered> SegmentWriter::lower_or_end(const Operation& operation) {
  const Mark before = mark();
  const auto lowered = lower(operation);
  if (lowered.ok()) return lowered.value();
  forget(before);
  return Lowered::not_yet;
}

std::vector<bool> SegmentWriter::read_behind(size_t end) const {
  std::vector<bool> is_read(model_.operands.size(), false);
  for (const uint32_t operand : model_.outputs) is_read[operand] = true;
  for (size_t i = end; i < model_.order.size(); ++i) {
    for (const uint32_t operand : model_.operations[model_.order[i]].inputs) is_read[operand] = true;
  }
  return is_read;
}

// Each graph output must be written by a node and be listed once.
Value SegmentWriter::own_copy(const Value& value) {
  const bool is_written = writer_.is_written(value.id);
  const bool is_taken = std::ranges::any_of(segment_.outputs, [&](uint32_t operand) {
    return !values_[operand]->is_empty() && values_[operand]->id == value.id;
  });
  if (is_written && !is_taken) return value;
  return reshape(writer_, value, value.shape);
}

Result<Segment> SegmentWriter::finish(size_t begin, size_t end) {
  std::vector<bool> is_read = read_behind(end);
  for (const RowMarker& marker : segment_.markers) is_read[marker.marker] = true;
  std::vector<TensorId> outputs;
  for (const uint32_t operand : written_) {
    if (!is_read[operand]) continue;
    Value value = *values_[operand];
    if (value.is_empty()) {
      segment_.empty.emplace_back(operand, value.shape);
      continue;
    }
    NNRT_ASSIGN(value, converting([&] { return own_copy(value); }));
    outputs.push_back(value.id);
    values_[operand] = std::move(value);
    segment_.outputs.push_back(operand);
    segment_.shapes.push_back(values_[operand]->shape);
  }
  segment_.begin = begin;
  segment_.end = end;
  segment_.origins = writer_.origins();
  if (!outputs.empty()) {
    NNRT_ASSIGN(segment_.graph, writer_.finish(outputs));
  }
  return std::move(segment_);
}

Result<Segment> SegmentWriter::write(size_t begin, OnError on_error) {
  size_t end = begin;
  for (; end < model_.order.size(); ++end) {
    const uint32_t number = model_.order[end];
    const Operation& operation = model_.operations[number];
    if (is_control_flow(operation.code)) break;
    writer_.begin_operation(number);
    const auto lowered = on_error == OnError::ends ? lower_or_end(operation) : lower(operation);
    if (!lowered.ok()) return Error(lowered.error()).during(cat("preparing operation ", number));
    if (lowered.value() == Lowered::not_yet) break;
    if (lowered.value() == Lowered::and_ends) {
      ++end;
      break;
    }
  }
  if (end == begin) return invalid("The parameters of operation ", model_.order[begin], " are not known.");
  return finish(begin, end);
}

}  // namespace nnrt::nnapi
