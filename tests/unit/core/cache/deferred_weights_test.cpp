// What a restored model reads of its cache, and when.
#include "backends/cpu/base/thread_pool.h"
#include "backends/cpu/engine/cpu_device.h"
#include "core/cache/cache_image.h"
#include "core/cache/stored_model.h"
#include "core/device/cache_traits.h"
#include "core/memory/deferred_bytes.h"
#include "core/runtime/execution.h"
#include "tests/support/graph_maker.h"
#include "tests/support/kernels_variable.h"
#include "tests/support/stub_device.h"
#include "tests/support/tensor_views.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <numeric>
#include <set>

namespace nnrt {
namespace {

constexpr int64_t kRows = 8, kSize = 128;

std::vector<float> repeated(size_t count, float step) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = float(i % 23) * step - 1;
  return values;
}

// y = x weight + summand: runs read the weight only in packed form, and the summand as it is.
GraphPtr product() {
  test::GraphMaker maker;
  const TensorId x = maker.input({kRows, kSize});
  const TensorId weight = maker.floats({kSize, kSize}, repeated(kSize * kSize, 0.25f));
  const TensorId summand = maker.floats({64, kRows, kSize}, repeated(64 * kRows * kSize, 0.5f));
  return maker.finish(
      {maker.op(Op::add, {maker.op(Op::matmul, {x, weight}, {kRows, kSize}), summand}, {64, kRows, kSize})});
}

Bytes image_bytes_of(const CompiledModel& model) {
  const CacheImage image = make_image(model, 1).value();
  Bytes bytes;
  for (const SharedBytes& piece : image.pieces) bytes.insert(bytes.end(), piece->begin(), piece->end());
  return bytes;
}

// A file in memory that can be damaged, and knows which bytes were read.
struct File {
  Bytes bytes;
  std::vector<bool> is_read = std::vector<bool>(bytes.size());
  std::set<pid_t> readers;  // threads
  std::mutex mutex;

  explicit File(Bytes contents) : bytes(std::move(contents)) {}
};

class Source final : public ByteSource {
 public:
  explicit Source(std::shared_ptr<File> file) : file_(std::move(file)) {}
  using ByteSource::read;
  uint64_t size() const override { return file_->is_read.size(); }
  Status read(uint64_t offset, std::span<std::byte> to) const override {
    if (offset + to.size() > file_->bytes.size()) return Error{Code::invalid_file, "It is truncated."};
    const std::lock_guard lock(file_->mutex);
    file_->readers.insert(gettid());
    std::copy_n(file_->bytes.begin() + ptrdiff_t(offset), to.size(), to.begin());
    std::fill_n(file_->is_read.begin() + ptrdiff_t(offset), to.size(), true);
    return {};
  }

 private:
  std::shared_ptr<File> file_;
};

// Does not read weights; its runs fail for lack of memory.
class PoorDevice final : public test::StubDevice, public DeferredReader {
 public:
  PoorDevice() : StubDevice("Poor", DeviceType::gpu) {}

  Result<std::unique_ptr<PreparedModel>> prepare(GraphPtr, const CompileOptions&) override {
    return std::unique_ptr<PreparedModel>(std::make_unique<Model>());
  }
  Result<std::unique_ptr<PreparedModel>> restore(GraphPtr graph, const CompileOptions& options,
                                                 const SharedBytes&) override {
    return prepare(std::move(graph), options);
  }

 private:
  struct Model final : PreparedModel {
    Status run(std::span<const TensorView>, std::span<OutputSlot>, Deadline) override {
      return Error{Code::memory, "The device has no memory left."};
    }
    Result<Bytes> export_cache(const GraphPtr&) const override { return Bytes(7); }
  };
};

class DeferredWeights : public testing::Test {
 protected:
  DeferredWeights() {
    stored_ = image_bytes_of(*compiled_);
    file_ = std::make_shared<File>(stored_);
  }

  Result<RestoredModel> restore() { return restore(*cpu_, nullptr); }
  Result<RestoredModel> restore(Device& device, Device* fallback) {
    NNRT_ASSIGN(const StoredModel stored,
                StoredModel::open(std::make_unique<Source>(file_), SourceLife::open));
    return stored.restore({device, fallback, {}, nullptr});
  }
  // Positions in the file of the contents of tensor `id` of the client's graph.
  size_t position_of(TensorId id) const {
    const ByteView data = *compiled_->graph->tensors[id].data;
    const auto found = std::find_end(stored_.begin(), stored_.end(), data.begin(), data.end());
    return size_t(found - stored_.begin());
  }
  static std::vector<float> run(const std::shared_ptr<const CompiledModel>& model, Status& status) {
    const TensorView x = test::view_of<float>({kRows, kSize}, repeated(kRows * kSize, 0.125f));
    OutputSlot y{test::view_of<float>({64, kRows, kSize}, std::vector<float>(size_t(64 * kRows * kSize)))};
    status = Execution(model).run({&x, 1}, {&y, 1}, {});
    return test::values_of<float>(y.view);
  }
  static std::vector<float> run(const std::shared_ptr<const CompiledModel>& model) {
    Status status;
    std::vector<float> y = run(model, status);
    EXPECT_TRUE(status.ok()) << status.error().message;
    return y;
  }
  // The code of an export of the model, or success.
  static std::optional<Code> export_error(const CompiledModel& model) {
    const auto image = make_image(model, 1);
    return image.ok() ? std::nullopt : std::optional(image.error().code);
  }

  static constexpr TensorId kWeight = 1, kSummand = 2;
  const std::shared_ptr<Device> cpu_ = cpu::make_device();
  const std::shared_ptr<const CompiledModel> compiled_ = compile(product(), *cpu_, nullptr, {}).value();
  Bytes stored_;
  std::shared_ptr<File> file_;
};

TEST_F(DeferredWeights, PackedOnesAreNotRead) {
  const auto restored = restore().value();
  EXPECT_EQ(run(restored.model), run(compiled_));
  const auto read = [&](TensorId id) {
    const auto first = file_->is_read.begin() + ptrdiff_t(position_of(id));
    const auto size = ptrdiff_t(compiled_->graph->tensors[id].data->size());
    return std::count(first, first + size, true) == size;
  };
  EXPECT_FALSE(read(kWeight));
  EXPECT_TRUE(read(kSummand));
  EXPECT_TRUE(is_deferred(restored.model->graph->tensors[kWeight].data));
}

TEST_F(DeferredWeights, AreReadByTheThreadsOfThePool) {
  constexpr int64_t kLarge = int64_t{5} << 18;  // 5 MiB
  test::GraphMaker maker;
  TensorId sum = maker.input({kLarge});
  for (int i = 0; i < 6; ++i)
    sum = maker.op(Op::add, {sum, maker.floats({kLarge}, repeated(kLarge, 0.25f))}, {kLarge});
  stored_ = image_bytes_of(*compile(maker.finish({sum}), *cpu_, nullptr, {}).value());
  file_ = std::make_shared<File>(stored_);
  ASSERT_TRUE(restore().ok());
  EXPECT_TRUE(std::ranges::all_of(file_->is_read, [](bool is_read) { return is_read; }));
  EXPECT_LE(file_->readers.size(), cpu::ThreadPool::shared().threads());
}

TEST_F(DeferredWeights, AreReadByAnExport) {
  const auto restored = restore().value();
  EXPECT_EQ(image_bytes_of(*restored.model), stored_);
}

TEST_F(DeferredWeights, PackedOnesMayBeDamaged) {
  file_->bytes[position_of(kWeight) + 5] ^= std::byte{1};
  const auto restored = restore().value();
  EXPECT_EQ(run(restored.model), run(compiled_));
  EXPECT_EQ(export_error(*restored.model), Code::invalid_file);
}

TEST_F(DeferredWeights, DamageFailsRuns) {
  file_->bytes[position_of(kSummand) + 5] ^= std::byte{1};
  const auto restored = restore();
  ASSERT_FALSE(restored.ok());
  EXPECT_EQ(restored.error().code, Code::invalid_file);
}

TEST_F(DeferredWeights, MayBeDamagedAfterRestore) {
  const std::vector<float> expected = run(compiled_);
  for (const bool truncate : {false, true}) {
    file_ = std::make_shared<File>(stored_);
    const auto restored = restore().value();
    if (truncate) {
      file_->bytes.resize(100);
    } else {
      std::ranges::fill(file_->bytes, std::byte{0x5a});
    }
    EXPECT_EQ(run(restored.model), expected);
    EXPECT_EQ(export_error(*restored.model), Code::invalid_file);
    EXPECT_EQ(run(restored.model), expected);
  }
}

TEST_F(DeferredWeights, AreReadByFallback) {
  PoorDevice poor;
  stored_ = image_bytes_of(*compile(product(), poor, cpu_.get(), {}).value());
  for (const bool is_damaged : {false, true}) {
    file_ = std::make_shared<File>(stored_);
    const auto restored = restore(poor, cpu_.get()).value();
    const SharedBytes& weight = restored.model->graph->tensors[kWeight].data;
    EXPECT_TRUE(is_deferred(weight));
    if (is_damaged) file_->bytes[position_of(kWeight) + 5] ^= std::byte{1};
    Status status;
    const std::vector<float> y = run(restored.model, status);
    EXPECT_EQ(is_deferred(weight), is_damaged);
    if (is_damaged) {
      ASSERT_FALSE(status.ok());
      EXPECT_EQ(status.error().code, Code::invalid_file);
    } else {
      EXPECT_TRUE(status.ok()) << status.error().message;
      EXPECT_EQ(y, run(compiled_));
    }
  }
}

TEST_F(DeferredWeights, AreReadForRepacking) {
  const std::vector<float> expected = run(compiled_);
  const test::KernelsVariable other_key("-winograd4");
  const std::shared_ptr<Device> other = cpu::make_device();
  const auto restored = restore(*other, nullptr).value();
  EXPECT_TRUE(restored.renewed);
  EXPECT_EQ(run(restored.model), expected);
  EXPECT_FALSE(is_deferred(restored.model->graph->tensors[kWeight].data));
  file_->bytes[position_of(kWeight)] ^= std::byte{1};
  const auto damaged = restore(*other, nullptr);
  ASSERT_FALSE(damaged.ok());
  EXPECT_EQ(damaged.error().code, Code::invalid_file);
}

}  // namespace
}  // namespace nnrt
