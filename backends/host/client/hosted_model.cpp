#include "backends/host/client/hosted_model.h"

#include "core/base/text.h"
#include "core/platform/compat.h"
#include "core/platform/log.h"

#include <algorithm>

namespace nnrt::host {
// Allocates outputs of known size before the run, so that none are returned with the answer.
Status HostedModel::make_room(std::span<OutputSlot> outputs) const {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const TensorId id = graph_->outputs[i];
    const auto bytes = byte_size(graph_->tensors[id].dtype, graph_->shapes[id]);
    TensorView& view = outputs[i].view;
    if (!outputs[i].may_grow || !bytes || (view.memory != nullptr && view.bytes >= *bytes)) continue;
    NNRT_ASSIGN(view.memory, allocate_(std::max<size_t>(*bytes, 1)));
    view.offset = 0;
    view.bytes = view.memory->bytes();
  }
  return {};
}

Status HostedModel::run(std::span<const TensorView> inputs, std::span<OutputSlot> outputs,
                        Deadline deadline) {
  NNRT_TRY(make_room(outputs));
  Session::Question question = Session::question_about(Kind::run, id_);
  write_deadline(question.body, deadline);
  question.body.put(uint64_t{inputs.size()});
  for (const TensorView& input : inputs)
    write_view(question.body,
               {session_->refer(input.memory, question), input.offset, input.bytes, false, input.shape});
  question.body.put(uint64_t{outputs.size()});
  for (const OutputSlot& output : outputs) {
    const TensorView& view = output.view;
    const uint64_t memory = view.memory == nullptr ? 0 : session_->refer(view.memory, question);
    write_view(question.body, {memory, view.offset, view.bytes, output.may_grow, view.shape});
  }
  NNRT_ASSIGN(Session::Answer answer, session_->ask(std::move(question), deadline));
  if (answer.status.ok() || !answer.rest().empty()) NNRT_TRY(take_outputs(answer, outputs));
  return std::move(answer.status);
}

Status HostedModel::take_outputs(const Session::Answer& answer, std::span<OutputSlot> outputs) const {
  ByteReader reader(answer.rest());
  size_t enclosure = 0;
  for (size_t i = 0; i < outputs.size(); ++i) NNRT_TRY(take_output(reader, answer, enclosure, i, outputs[i]));
  if (reader.bad() || !reader.at_end()) return session_->nonsense("Cannot parse the result of a run.");
  return {};
}

Status HostedModel::take_output(ByteReader& reader, const Session::Answer& answer, size_t& enclosure,
                                size_t index, OutputSlot& output) const {
  Shape shape = reader.list<int64_t>();
  const bool is_new = reader.flag();
  if (reader.bad() || shape.size() > kMaxRank) return session_->nonsense("Cannot parse a shape.");
  TensorView& view = output.view;
  if (is_new) {
    const std::vector<Enclosure>& enclosed = answer.message.enclosures;
    if (!output.may_grow || enclosure >= enclosed.size())
      return session_->nonsense("Received an unexpected memory.");
    NNRT_ASSIGN(view.memory, session_->take_memory(enclosed[enclosure]));
    view.offset = 0;
    view.bytes = view.memory->bytes();
    ++enclosure;
  }
  view.shape = std::move(shape);
  if (!answer.status.ok()) return {};
  const DType dtype = graph_->tensors[graph_->outputs[index]].dtype;
  const auto bytes = byte_size(dtype, view.shape);
  const bool is_known = std::ranges::all_of(view.shape, [](int64_t dimension) { return dimension >= 0; });
  const bool may_be_cut = is_plugin_ && !output.may_grow && compat::cuts_results_of_drivers();
  const bool fits = is_known && bytes && view.memory != nullptr && (*bytes <= view.bytes || may_be_cut);
  // The next partition was compiled for this tensor's shape.
  if (!fits || (output.may_grow && !compatible(graph_->shapes[graph_->outputs[index]], view.shape)))
    return session_->nonsense(cat("Shape ", to_string(view.shape), " of an output does not match."));
  return {};
}

Result<Bytes> HostedModel::export_cache(const GraphPtr&) const {
  NNRT_ASSIGN(const Session::Answer answer,
              session_->ask_plainly(Session::question_about(Kind::export_cache, id_)));
  if (answer.message.enclosures.size() != 1) return session_->nonsense("The exported cache is missing.");
  NNRT_ASSIGN(const SharedBytes bytes, open_blob(answer.message.fds[0], answer.message.enclosures[0].bytes));
  return Bytes(bytes->begin(), bytes->end());
}

Result<std::vector<DimRange>> HostedModel::input_ranges() {
  NNRT_ASSIGN(const Session::Answer answer,
              session_->ask_plainly(Session::question_about(Kind::input_ranges, id_)));
  ByteReader reader(answer.rest());
  std::vector<DimRange> ranges = read_ranges(reader);
  const bool makes_sense = std::ranges::all_of(ranges, [](const DimRange& range) {
    return range.smallest.size() == range.largest.size() && range.smallest.size() <= kMaxRank;
  });
  if (reader.bad() || !makes_sense || !(ranges.empty() || ranges.size() == graph_->inputs.size()))
    return session_->nonsense("Cannot parse ranges of dimensions.");
  return ranges;
}

ArenaPlan HostedModel::arena() const {
  const auto answer = session_->ask_plainly(Session::question_about(Kind::arena, id_));
  if (!answer.ok()) return {};
  ByteReader reader(answer.value().rest());
  ArenaPlan arena = read_arena(reader);
  return reader.bad() ? ArenaPlan() : arena;
}

KernelReport HostedModel::kernels(const GraphPtr&) const {
  const auto answer = session_->ask_plainly(Session::question_about(Kind::kernels, id_));
  if (!answer.ok()) return {};
  ByteReader reader(answer.value().rest());
  KernelReport report = read_kernels(reader);
  return reader.bad() ? KernelReport() : report;
}

}  // namespace nnrt::host
