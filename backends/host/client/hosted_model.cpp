#include "backends/host/client/hosted_model.h"

#include "core/base/text.h"
#include "core/platform/compat.h"
#include "core/platform/log.h"

#include <algorithm>

namespace nnrt::host {
// Allocates outputs of known size before the run, so that none are returned with the response.
Status HostedModel::allocate_outputs(std::span<OutputSlot> outputs) const {
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
  NNRT_TRY(allocate_outputs(outputs));
  Session::Request request = Session::request_for(Kind::run, id_);
  request.body.put(deadline);
  request.body.put(uint64_t{inputs.size()});
  for (const TensorView& input : inputs)
    request.body.put(
        WireView{session_->attach(input.memory, request), input.offset, input.bytes, false, input.shape});
  request.body.put(uint64_t{outputs.size()});
  for (const OutputSlot& output : outputs) {
    const TensorView& view = output.view;
    const uint64_t memory = view.memory == nullptr ? 0 : session_->attach(view.memory, request);
    request.body.put(WireView{memory, view.offset, view.bytes, output.may_grow, view.shape});
  }
  NNRT_ASSIGN(Session::Response response, session_->call(std::move(request), deadline));
  if (response.status.ok() || !response.rest().empty()) NNRT_TRY(read_outputs(response, outputs));
  return std::move(response.status);
}

Status HostedModel::read_outputs(const Session::Response& response, std::span<OutputSlot> outputs) const {
  ByteReader reader(response.rest());
  size_t attachment = 0;
  for (size_t i = 0; i < outputs.size(); ++i)
    NNRT_TRY(read_output(reader, response, attachment, i, outputs[i]));
  if (reader.bad() || !reader.at_end())
    return session_->malformed_response("Cannot parse the result of a run.");
  return {};
}

Status HostedModel::read_output(ByteReader& reader, const Session::Response& response, size_t& attachment,
                                size_t index, OutputSlot& output) const {
  Shape shape = reader.list<int64_t>();
  const bool is_new = reader.flag();
  if (reader.bad() || shape.size() > kMaxRank) return session_->malformed_response("Cannot parse a shape.");
  TensorView& view = output.view;
  if (is_new) {
    const std::vector<Attachment>& attached = response.message.attachments;
    if (!output.may_grow || attachment >= attached.size())
      return session_->malformed_response("Received unexpected memory.");
    NNRT_ASSIGN(view.memory, session_->take_memory(attached[attachment]));
    view.offset = 0;
    view.bytes = view.memory->bytes();
    ++attachment;
  }
  view.shape = std::move(shape);
  if (!response.status.ok()) return {};
  const DType dtype = graph_->tensors[graph_->outputs[index]].dtype;
  const auto bytes = byte_size(dtype, view.shape);
  const bool is_known = std::ranges::all_of(view.shape, [](int64_t dimension) { return dimension >= 0; });
  const bool may_be_cut = is_plugin_ && !output.may_grow && compat::cuts_results_of_drivers();
  const bool fits = is_known && bytes && view.memory != nullptr && (*bytes <= view.bytes || may_be_cut);
  // The next partition was compiled for this tensor's shape.
  if (!fits || (output.may_grow && !compatible(graph_->shapes[graph_->outputs[index]], view.shape)))
    return session_->malformed_response(
        cat("Shape ", to_string(view.shape), " of an output does not match."));
  return {};
}

Result<Bytes> HostedModel::export_cache(const GraphPtr&) const {
  NNRT_ASSIGN(const Session::Response response,
              session_->checked_call(Session::request_for(Kind::export_cache, id_)));
  if (response.message.attachments.size() != 1)
    return session_->malformed_response("The exported cache is missing.");
  NNRT_ASSIGN(const SharedBytes bytes,
              open_blob(response.message.fds[0], response.message.attachments[0].bytes));
  return Bytes(bytes->begin(), bytes->end());
}

Result<std::vector<DimRange>> HostedModel::input_ranges() {
  NNRT_ASSIGN(const Session::Response response,
              session_->checked_call(Session::request_for(Kind::input_ranges, id_)));
  ByteReader reader(response.rest());
  auto ranges = reader.get<std::vector<DimRange>>();
  const bool is_valid = std::ranges::all_of(ranges, [](const DimRange& range) {
    return range.smallest.size() == range.largest.size() && range.smallest.size() <= kMaxRank;
  });
  if (reader.bad() || !is_valid || !(ranges.empty() || ranges.size() == graph_->inputs.size()))
    return session_->malformed_response("Cannot parse ranges of dimensions.");
  return ranges;
}

ArenaPlan HostedModel::arena() const {
  const auto response = session_->checked_call(Session::request_for(Kind::arena, id_));
  if (!response.ok()) return {};
  ByteReader reader(response.value().rest());
  auto arena = reader.get<ArenaPlan>();
  return reader.bad() ? ArenaPlan() : arena;
}

KernelReport HostedModel::kernels(const GraphPtr&) const {
  const auto response = session_->checked_call(Session::request_for(Kind::kernels, id_));
  if (!response.ok()) return {};
  ByteReader reader(response.value().rest());
  auto report = reader.get<KernelReport>();
  return reader.bad() ? KernelReport() : report;
}

}  // namespace nnrt::host
