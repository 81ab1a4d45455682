#include "backends/plugin/plugin_model.h"

#include "backends/plugin/hdi_enums.h"
#include "backends/plugin/hdi_to_model.h"
#include "core/base/byte_io.h"
#include "core/base/exceptions.h"
#include "core/platform/compat.h"
#include "core/schema/infer.h"

#include <algorithm>
#include <cstring>
#include <future>
#include <mutex>
#include <thread>

namespace nnrt::plugin {
namespace {

constexpr size_t kMaxCacheBuffers = 100;

using Dims = std::vector<std::vector<int32_t>>;

// Serializes calls: a driver is never inside two methods of one model. An abandoned run keeps this and its
// buffers alive until the driver returns.
struct DriverModel {
  std::shared_ptr<Driver> driver;
  std::shared_ptr<hdi::IPreparedModel> model;
  ::nnrt::hdi::ITimedModel* timed = nullptr;  // null: the model knows no deadlines
  std::timed_mutex mutex;
  std::mutex reported_mutex;       // guards `reported`
  std::vector<DimRange> reported;  // ranges that GetInputDimRanges returned during a run

  ~DriverModel() { model.reset(); }  // destroy the model before the device
};

// One run as passed to the driver.
struct Job {
  std::vector<hdi::IOTensor> inputs, outputs;
  std::vector<std::shared_ptr<SharedMemory>> memories;
  DescriptorLoan descriptors;
  // Per output: memory that replaces client memory without enough room; mostly null.
  std::vector<std::shared_ptr<SharedMemory>> substitutes;
  Dims output_dims;
  std::vector<std::vector<uint32_t>> smallest, largest;
};

Error garbage(std::string message) { return {Code::unavailable_device, std::move(message)}; }

Error too_late() { return {Code::timeout, "The deadline passed while the plugin was computing."}; }

// Inconsistent ranges: the driver is wrong, but neither driver nor model is lost.
Error wrong_ranges(std::string message) { return {Code::failed, std::move(message)}; }

// Keeps one range per input.
Status take_ranges(Job& job, size_t count) {
  const size_t min_rank = std::min(job.smallest.size(), job.largest.size());
  const size_t max_rank = std::max(job.smallest.size(), job.largest.size());
  if (min_rank < count || (max_rank > count && !compat::ignores_further_ranges()))
    return wrong_ranges(cat("GetInputDimRanges of the plugin reported ", job.smallest.size(), " and ",
                            job.largest.size(), " inputs, not ", count, "."));
  job.smallest.resize(count);
  job.largest.resize(count);
  return {};
}

Status check_ranges(const Job& job) {
  for (size_t i = 0; i < job.inputs.size(); ++i) {
    const std::vector<int32_t>& dims = job.inputs[i].dimensions;
    if (job.smallest[i].size() != dims.size() || job.largest[i].size() != dims.size())
      return wrong_ranges(cat("GetInputDimRanges of the plugin reported ", job.smallest[i].size(), " and ",
                              job.largest[i].size(), " dimensions of input ", i, ", not ", dims.size(), "."));
    for (size_t d = 0; d < dims.size(); ++d) {
      const auto dim = static_cast<uint32_t>(dims[d]);
      if (dims[d] >= 0 && dim >= job.smallest[i][d] && dim <= job.largest[i][d]) continue;
      return invalid("Dimension ", d, " (", dims[d], ") of input ", i, " is outside [", job.smallest[i][d],
                     ", ", job.largest[i][d], "].");
    }
  }
  return {};
}

std::vector<DimRange> ranges_of(const Job& job) {
  std::vector<DimRange> ranges;
  for (size_t i = 0; i < job.smallest.size(); ++i) {
    ranges.push_back(
        {{job.smallest[i].begin(), job.smallest[i].end()}, {job.largest[i].begin(), job.largest[i].end()}});
  }
  return ranges;
}

// The driver calls of one run. Call with the mutex held.
Status run_job(DriverModel& compiled, Job& job, Version version, Deadline deadline) {
  hdi::IPreparedModel& model = *compiled.model;
  if (version.major >= 2) {
    NNRT_TRY(call(kGetRanges, [&] { return model.GetInputDimRanges(job.smallest, job.largest); }));
    NNRT_TRY(take_ranges(job, job.inputs.size()));
    NNRT_TRY(check_ranges(job));
    const std::lock_guard lock(compiled.reported_mutex);
    compiled.reported = ranges_of(job);
  }
  return call(kRun, [&] {
    if (deadline && compiled.timed != nullptr)
      return compiled.timed->RunUntil(job.inputs, job.outputs, *deadline, job.output_dims);
    return model.Run(job.inputs, job.outputs, job.output_dims);
  });
}

Status run_in_turn(DriverModel& compiled, Job& job, Version version, Clock::time_point deadline) {
  const std::unique_lock lock(compiled.mutex, deadline);
  if (!lock.owns_lock()) return too_late();
  return run_job(compiled, job, version, deadline);
}

// HDI has neither deadlines nor cancellation: unless the model knows deadlines all the same, the call runs on
// a separate thread, which is abandoned at the deadline.
Status run_until(const std::shared_ptr<DriverModel>& compiled, const std::shared_ptr<Job>& job,
                 Version version, Clock::time_point deadline) {
  if (compiled->timed != nullptr) return run_in_turn(*compiled, *job, version, deadline);
  std::promise<Status> promise;
  std::future<Status> result = promise.get_future();
  std::thread([compiled, job, version, deadline, promise = std::move(promise)]() mutable {
    promise.set_value(catching([&]() -> Status { return run_in_turn(*compiled, *job, version, deadline); }));
  }).detach();
  if (result.wait_until(deadline) == std::future_status::timeout) return too_late();
  return result.get();
}

// Copies from the substitutes to the client's memory.
void copy_what_fits(const Job& job, std::span<OutputSlot> outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (job.substitutes[i] == nullptr) continue;
    const TensorView& view = outputs[i].view;
    std::memcpy(view.data(), job.substitutes[i]->data(), std::min(view.bytes, job.substitutes[i]->bytes()));
  }
}

class PluginModel final : public PreparedModel {
 public:
  PluginModel(std::shared_ptr<Driver> driver, std::shared_ptr<hdi::IPreparedModel> model, GraphPtr graph,
              Version version)
      : compiled_(std::make_shared<DriverModel>()),
        graph_(std::move(graph)),
        is_static_(
            std::ranges::all_of(graph_->inputs, [&](TensorId id) { return is_static(graph_->shapes[id]); })),
        version_(version) {
    compiled_->driver = std::move(driver);
    compiled_->timed = dynamic_cast<::nnrt::hdi::ITimedModel*>(model.get());
    compiled_->model = std::move(model);
  }

  Status run(std::span<const TensorView> inputs, std::span<OutputSlot> outputs, Deadline deadline) override;
  Result<std::vector<DimRange>> input_ranges() override;
  Result<Bytes> export_cache(const GraphPtr&) const override;

 private:
  Driver& driver() const { return *compiled_->driver; }
  Result<hdi::IOTensor> io_tensor(TensorId id, const TensorView& view, const nnrt::Shape& shape,
                                  DescriptorLoan& loan) const;
  Result<std::shared_ptr<SharedMemory>> substitute_for(const OutputSlot& output, DType dtype,
                                                       const nnrt::Shape& shape) const;
  Result<std::vector<nnrt::Shape>> shapes_of_run(std::span<const TensorView> inputs) const;
  Status make_room(std::span<OutputSlot> outputs, const std::vector<nnrt::Shape>& shapes, size_t guess) const;
  Result<std::shared_ptr<Job>> job_of(std::span<const TensorView> inputs, std::span<OutputSlot> outputs,
                                      const std::vector<nnrt::Shape>& shapes) const;
  Status take_dims(const Job& job, std::span<OutputSlot> outputs, bool is_done) const;
  std::vector<DimRange> reported_before() const;
  Result<bool> grow(const Job& job, std::span<OutputSlot> outputs) const;

  const std::shared_ptr<DriverModel> compiled_;
  const GraphPtr graph_;
  const bool is_static_;  // all input shapes are declared, so shapes need no inference
  const Version version_;
};

Result<hdi::IOTensor> PluginModel::io_tensor(TensorId id, const TensorView& view, const nnrt::Shape& shape,
                                             DescriptorLoan& loan) const {
  const nnrt::Tensor& tensor = graph_->tensors[id];
  hdi::IOTensor made;
  made.name = tensor_name(*graph_, id);
  made.dataType = to_hdi(tensor.dtype);
  made.dimensions = {shape.begin(), shape.end()};
  made.format = to_hdi(tensor.format);
  NNRT_ASSIGN(made.data, driver().lend(loan, *view.memory, view.offset, view.bytes));
  return made;
}

// Null if the output has room for what is known of its size.
Result<std::shared_ptr<SharedMemory>> PluginModel::substitute_for(const OutputSlot& output, DType dtype,
                                                                  const nnrt::Shape& shape) const {
  const auto bytes = byte_size(dtype, shape);
  const bool has_room = !bytes || *bytes <= output.view.bytes;
  if (has_room || output.may_grow || !compat::cuts_results_of_drivers())
    return std::shared_ptr<SharedMemory>();
  return driver().allocate(*bytes);
}

// Shapes that only the run determines keep their -1.
Result<std::vector<nnrt::Shape>> PluginModel::shapes_of_run(std::span<const TensorView> inputs) const {
  if (is_static_) return graph_->shapes;
  std::vector<nnrt::Shape> given;
  for (const TensorView& input : inputs) given.push_back(input.shape);
  return infer_run(*graph_, given);
}

// Allocates edges without memory from the driver, with `guess` bytes if the size is unknown.
Status PluginModel::make_room(std::span<OutputSlot> outputs, const std::vector<nnrt::Shape>& shapes,
                              size_t guess) const {
  for (size_t i = 0; i < outputs.size(); ++i) {
    TensorView& view = outputs[i].view;
    const TensorId id = graph_->outputs[i];
    const auto known = byte_size(graph_->tensors[id].dtype, shapes[id]);
    const size_t bytes = std::max<size_t>(known.value_or(guess), 1);
    if (!outputs[i].may_grow || (view.memory != nullptr && view.bytes >= bytes)) continue;
    NNRT_ASSIGN(view.memory, compiled_->driver->allocate(bytes));
    view.offset = 0;
    view.bytes = bytes;
  }
  return {};
}

Result<std::shared_ptr<Job>> PluginModel::job_of(std::span<const TensorView> inputs,
                                                 std::span<OutputSlot> outputs,
                                                 const std::vector<nnrt::Shape>& shapes) const {
  auto job = std::make_shared<Job>();
  for (size_t i = 0; i < inputs.size(); ++i) {
    NNRT_ASSIGN(hdi::IOTensor tensor,
                io_tensor(graph_->inputs[i], inputs[i], inputs[i].shape, job->descriptors));
    job->inputs.push_back(std::move(tensor));
    job->memories.push_back(inputs[i].memory);
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    const TensorId id = graph_->outputs[i];
    TensorView view = outputs[i].view;
    NNRT_ASSIGN(auto substitute, substitute_for(outputs[i], graph_->tensors[id].dtype, shapes[id]));
    if (substitute != nullptr) view = {substitute, 0, substitute->bytes(), {}};
    job->substitutes.push_back(std::move(substitute));
    NNRT_ASSIGN(hdi::IOTensor tensor, io_tensor(id, view, shapes[id], job->descriptors));
    job->outputs.push_back(std::move(tensor));
    job->memories.push_back(std::move(view.memory));
  }
  return job;
}

// Takes over the shapes that the driver reports. An edge must match what the next partition was compiled for;
// shapes of client outputs are accepted as long as they fit.
Status PluginModel::take_dims(const Job& job, std::span<OutputSlot> outputs, bool is_done) const {
  if (job.output_dims.empty() && is_done)
    return garbage("Run of the plugin reported no output's dimensions.");
  if (job.output_dims.size() != outputs.size() && is_done)
    return invalid("Run of the plugin reported ", job.output_dims.size(), " outputs, not ", outputs.size(),
                   ".");
  for (size_t i = 0; i < std::min(outputs.size(), job.output_dims.size()); ++i) {
    const nnrt::Tensor& tensor = graph_->tensors[graph_->outputs[i]];
    const nnrt::Shape reported(job.output_dims[i].begin(), job.output_dims[i].end());
    const auto bytes = byte_size(tensor.dtype, reported);
    const bool is_shape = bytes && std::ranges::all_of(reported, [](int64_t dim) { return dim > 0; });
    if (!is_shape || reported.size() > 200) {
      if (!is_done) continue;
      return garbage(cat("Run of the plugin reported impossible dimensions ", to_string(reported),
                         " of output ", i, "."));
    }
    if (is_done && outputs[i].may_grow && !compatible(graph_->shapes[graph_->outputs[i]], reported))
      return garbage(cat("Run of the plugin reported dimensions ", to_string(reported), " of output ", i,
                         ", not ", to_string(graph_->shapes[graph_->outputs[i]]), "."));
    outputs[i].view.shape = reported;
    const bool may_be_cut = !outputs[i].may_grow && compat::cuts_results_of_drivers();
    if (is_done && *bytes > outputs[i].view.bytes && !may_be_cut)
      return no_room("Output", i, reported, *bytes, outputs[i].view.bytes);
  }
  return {};
}

// Returns whether an edge was enlarged because the driver requested it.
Result<bool> PluginModel::grow(const Job& job, std::span<OutputSlot> outputs) const {
  bool has_grown = false;
  for (size_t i = 0; i < std::min(outputs.size(), job.output_dims.size()); ++i) {
    const nnrt::Shape reported(job.output_dims[i].begin(), job.output_dims[i].end());
    const auto bytes = byte_size(graph_->tensors[graph_->outputs[i]].dtype, reported);
    TensorView& view = outputs[i].view;
    if (!outputs[i].may_grow || !bytes || *bytes <= view.bytes) continue;
    NNRT_ASSIGN(view.memory, compiled_->driver->allocate(*bytes));
    view.offset = 0;
    view.bytes = *bytes;
    has_grown = true;
  }
  return has_grown;
}

Status PluginModel::run(std::span<const TensorView> inputs, std::span<OutputSlot> outputs,
                        Deadline deadline) {
  if (deadline && Clock::now() >= *deadline) return too_late();
  NNRT_ASSIGN(const std::vector<nnrt::Shape> shapes, shapes_of_run(inputs));
  size_t guess = 4096;
  for (const TensorView& input : inputs) guess += input.bytes;
  NNRT_TRY(make_room(outputs, shapes, guess));
  for (size_t i = 0; i < outputs.size(); ++i) outputs[i].view.shape = shapes[graph_->outputs[i]];
  while (true) {
    NNRT_ASSIGN(const std::shared_ptr<Job> job, job_of(inputs, outputs, shapes));
    Status status;
    if (deadline) {
      status = run_until(compiled_, job, version_, *deadline);
      // An abandoned run still writes to its job.
      if (!status.ok() && status.error().code == Code::timeout) return status;
    } else {
      const std::lock_guard lock(compiled_->mutex);
      status = run_job(*compiled_, *job, version_, {});
    }
    if (status.ok()) {
      NNRT_TRY(take_dims(*job, outputs, true));
      copy_what_fits(*job, outputs);
      return {};
    }
    if (status.error().code != Code::invalid_parameter) return status;
    NNRT_ASSIGN(const bool has_grown, grow(*job, outputs));
    if (has_grown) continue;
    NNRT_TRY(take_dims(*job, outputs, false));
    return status;
  }
}

std::vector<DimRange> PluginModel::reported_before() const {
  const std::lock_guard lock(compiled_->reported_mutex);
  return compiled_->reported;
}

Result<std::vector<DimRange>> PluginModel::input_ranges() {
  if (version_.major < 2)
    return Error{Code::forbidden, "Devices of version 1 report no ranges of dimensions."};
  Job job;
  {
    std::unique_lock lock(compiled_->mutex, std::try_to_lock);
    if (!lock.owns_lock()) {  // don't wait for a run
      if (auto reported = reported_before(); !reported.empty()) return reported;
      lock.lock();
    }
    NNRT_TRY(
        call(kGetRanges, [&] { return compiled_->model->GetInputDimRanges(job.smallest, job.largest); }));
  }
  NNRT_TRY(take_ranges(job, graph_->inputs.size()));
  return ranges_of(job);
}

Result<Bytes> PluginModel::export_cache(const GraphPtr&) const {
  bool can = false;
  NNRT_TRY(call(kIsCache, [&] { return driver().device().IsModelCacheSupported(can); }));
  if (!can) return Bytes{};
  const std::lock_guard lock(compiled_->mutex);
  std::vector<hdi::SharedBuffer> buffers;
  NNRT_TRY(call(kExportCache, [&] { return compiled_->model->ExportModelCache(buffers); }));
  const auto wrong = [](std::string message) { return Error{Code::save_cache, std::move(message)}; };
  if (buffers.empty() || buffers.size() > kMaxCacheBuffers)
    return wrong(cat("ExportModelCache of the plugin returned ", buffers.size(), " buffers."));
  ByteWriter writer;
  writer.put(uint64_t{buffers.size()});
  for (const hdi::SharedBuffer& buffer : buffers) {
    if (uint64_t{buffer.offset} + buffer.dataSize > buffer.bufferSize || buffer.dataSize == 0)
      return wrong(cat("ExportModelCache of the plugin returned ", buffer.dataSize, " bytes at ",
                       buffer.offset, " of ", buffer.bufferSize, "."));
    auto memory = SharedMemory::adopt(buffer.fd, buffer.bufferSize);
    if (!memory.ok()) return wrong(memory.error().message);
    writer.list(std::span<const std::byte>(memory.value()->data() + buffer.offset, buffer.dataSize));
  }
  return writer.take();
}

}  // namespace

std::unique_ptr<PreparedModel> make_prepared_model(std::shared_ptr<Driver> driver,
                                                   std::shared_ptr<hdi::IPreparedModel> model, GraphPtr graph,
                                                   Version version) {
  return std::make_unique<PluginModel>(std::move(driver), std::move(model), std::move(graph), version);
}

Result<std::vector<ByteView>> cached_buffers(ByteView cached) {
  ByteReader reader(cached);
  std::vector<ByteView> buffers;
  for (size_t left = reader.count(sizeof(uint64_t)); left > 0 && !reader.bad(); --left)
    buffers.push_back(reader.bytes(reader.get<uint64_t>()));
  if (!reader.bad() && reader.at_end() && !buffers.empty() && buffers.size() <= kMaxCacheBuffers &&
      std::ranges::none_of(buffers, [](ByteView bytes) { return bytes.empty(); })) {
    return buffers;
  }
  return Error{Code::invalid_file, "The plugin's part of the cache is corrupt."};
}

}  // namespace nnrt::plugin
