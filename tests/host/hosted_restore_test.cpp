// Which constants a client sends to have a model restored from a cache.
#include "backends/host/transport/graph_message.h"
#include "core/device/cache_traits.h"
#include "core/memory/deferred_bytes.h"
#include "core/passes/normalize.h"
#include "tests/host/hosted_fixture.h"
#include "tests/support/page_aligned_bytes.h"

#include <algorithm>
#include <cstring>

namespace nnrt::test {
namespace {

constexpr int64_t kRows = 8, kSize = 64;
constexpr size_t kWeightBytes = kSize * kSize * 4, kSummandBytes = kRows * kSize * 4;

// A constant in a file that can be damaged.
struct File {
  Bytes bytes;
  std::atomic<size_t> read = 0;
  bool is_damaged = false;
};

class HostedRestore : public Hosted {
 protected:
  // y = x weight + summand: runs read the weight only in packed form, and the summand as it is.
  HostedRestore() {
    GraphMaker maker;
    const auto floats = [&](const Shape& shape, float step) {
      std::vector<float> values(size_t(*element_count(shape)));
      for (size_t i = 0; i < values.size(); ++i) values[i] = float(i % 13) * step - 1;
      return maker.floats(shape, values);
    };
    const TensorId x = maker.input({kRows, kSize});
    weight_ = floats({kSize, kSize}, 0.25f);
    summand_ = floats({kRows, kSize}, 0.5f);
    const TensorId product = maker.op(Op::matmul, {x, weight_}, {kRows, kSize});
    graph_ = normalize(maker.finish({maker.op(Op::add, {product, summand_}, {kRows, kSize})}));
    prepared_ = prepare(graph_);
    exported_ = prepared_->export_cache(graph_).value();
  }

  // The graph with its constants in files.
  GraphPtr deferred() {
    auto graph = std::make_shared<Graph>(*graph_);
    for (const auto& [id, file] : {std::pair(weight_, &weight_file_), std::pair(summand_, &summand_file_)}) {
      const SharedBytes& data = graph_->tensors[id].data;
      file->bytes.assign(data->begin(), data->end());
      file->read = 0;
      graph->tensors[id].data =
          deferred_bytes(data->size(), data->size(), [of = file](std::span<std::byte> to) -> Status {
            if (of->is_damaged) return Error{Code::invalid_file, "It is damaged."};
            std::ranges::copy(of->bytes, to.begin());
            of->read += to.size();
            return {};
          });
    }
    return graph;
  }
  static std::vector<float> run_once(PreparedModel& model) {
    TensorView y = empty_view(kSummandBytes);
    const Status status =
        run(model, {view_of<float>({kRows, kSize}, std::vector<float>(kRows * kSize, 0.5f))}, y);
    EXPECT_TRUE(status.ok()) << status.error().message;
    return values_of<float>(y);
  }
  void restores(size_t weight_bytes, size_t summand_bytes) {
    auto restored = device_->restore(deferred(), {}, in_pages(exported_)).value();
    EXPECT_EQ(weight_file_.read, weight_bytes);
    EXPECT_EQ(summand_file_.read, summand_bytes);
    EXPECT_EQ(run_once(*restored), run_once(*prepared_));
    EXPECT_EQ(restored->export_cache(graph_).value(), exported_);
    EXPECT_FALSE(restored->kernels(graph_).operations.empty());
    EXPECT_EQ(started_, 1);
  }
  // The host's response to a request that withholds every constant of the graph.
  Status request_without_constants(host::Kind kind, const Graph& graph) {
    host::Session::Request request = host::Session::request_for(kind, device_->info().id);
    request.body.put(CompileOptions());
    host::write_graph(request.body, graph, std::vector<host::ConstantPlace>(4, {host::kWithheld, 0}));
    const ByteView exported = exported_;
    const host::Fd fd = host::make_blob({&exported, 1}).value();
    request.attachments.push_back({host::AttachmentKind::bytes, 0, exported.size(), fd.get()});
    const auto response = session().checked_call(std::move(request));
    return response.ok() ? Status() : Status(response.error());
  }

  TensorId weight_ = 0, summand_ = 0;
  GraphPtr graph_;
  std::unique_ptr<PreparedModel> prepared_;
  Bytes exported_;
  File weight_file_, summand_file_;
};

TEST_F(HostedRestore, SendsOnlyRequestedConstants) { restores(0, kSummandBytes); }

TEST_F(HostedRestore, SendsAllRequestedConstants) {
  script_->restore = [](const Graph& graph) { return ensure_read(graph); };
  restores(kWeightBytes, kSummandBytes);
}

// The third request has all.
TEST_F(HostedRestore, SendsAllOnThirdRequest) {
  int asked = 0;
  script_->restore = [&](const Graph& graph) -> Status {
    ++asked;
    NNRT_TRY(ensure_read(graph.tensors[summand_].data));
    require_read(graph.tensors[weight_].data);
    return {};
  };
  restores(kWeightBytes, kSummandBytes);
  EXPECT_EQ(asked, 3);
}

TEST_F(HostedRestore, RejectsUnreadableConstants) {
  weight_file_.is_damaged = true;
  restores(0, kSummandBytes);
  summand_file_.is_damaged = true;
  const auto restored = device_->restore(deferred(), {}, in_pages(exported_));
  ASSERT_FALSE(restored.ok());
  EXPECT_EQ(restored.error().code, Code::invalid_file);
}

TEST_F(HostedRestore, ReportsADamagedCacheAtOnce) {
  int asked = 0;
  script_->restore = [&](const Graph&) -> Status {
    ++asked;
    return {};
  };
  const auto restored = device_->restore(deferred(), {}, in_pages(std::span(exported_).first(20)));
  ASSERT_FALSE(restored.ok());
  EXPECT_EQ(restored.error().code, Code::invalid_file);
  EXPECT_EQ(asked, 1);
}

TEST_F(HostedRestore, HostsRefusePackedConstantsOfAnotherSize) {
  constexpr int64_t kIn = 16, kOut = 512, kSide = 8;
  constexpr size_t kStart = 64;  // of the packed constants; their size comes before
  GraphMaker maker;
  const TensorId x = maker.input({1, kSide, kSide, kIn}, DType::f32, Format::nhwc);
  const TensorId weight = maker.floats({kOut, 1, 1, kIn}, std::vector<float>(kOut * kIn, 0.25f)),
                 bias = maker.floats({kOut}, std::vector<float>(kOut, 0.5f)),
                 pad_mode = maker.parameter<int8_t>(14, DType::i8, {0});
  const GraphPtr graph = normalize(maker.finish({maker.op(
      Op::conv2d, {x, weight, bias}, {1, kSide, kSide, kOut}, {pad_mode}, DType::f32, Format::nhwc)}));
  exported_ = prepare(graph)->export_cache(graph).value();
  uint64_t size = 0;
  size_t at = 0;
  for (; at < kStart; at += sizeof size) {
    std::memcpy(&size, exported_.data() + at, sizeof size);
    if (size == exported_.size() - kStart) break;
  }
  ASSERT_LT(at, kStart);
  size -= kStart;
  std::memcpy(exported_.data() + at, &size, sizeof size);
  exported_.resize(kStart + size);
  EXPECT_EQ(request_without_constants(host::Kind::restore, *graph).error().code, Code::invalid_file);
}

TEST_F(HostedRestore, HostRejectsMissingConstants) {
  EXPECT_TRUE(request_without_constants(host::Kind::restore, *graph_).ok());
  for (const host::Kind kind : {host::Kind::prepare, host::Kind::supports})
    EXPECT_EQ(request_without_constants(kind, *graph_).error().code, Code::invalid_parameter);
  GraphMaker maker;
  const TensorId x = maker.op(Op::relu, {maker.input({4})}, {4});
  const TensorId numbers = maker.floats({512}, std::vector<float>(512, 1));  // shape inference reads them
  const GraphPtr found = maker.finish({x, maker.op(Op::non_zero, {numbers}, {1, 512}, {}, DType::i64)});
  EXPECT_EQ(request_without_constants(host::Kind::restore, *found).error().code, Code::invalid_parameter);
}

}  // namespace
}  // namespace nnrt::test
