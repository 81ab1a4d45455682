#include "core/cache/graph_encoding.h"

#include "core/cache/cache_header.h"
#include "core/passes/normalize.h"
#include "core/schema/untrusted_graph_checks.h"
#include "tests/support/graph_maker.h"
#include "tests/support/random/describe_node.h"
#include "tests/support/random/random_graph.h"
#include "tests/support/random/random_node.h"

#include <gtest/gtest.h>

namespace nnrt {
namespace {

Bytes lowered_bytes(const Graph& graph, const Graph& lowered) {
  ByteWriter writer;
  write_lowered(writer, graph, lowered);
  return writer.take();
}

// Round trip: encoded, decoded, given its constants and verified, the graph is unchanged.
void expect_round_trip(const Graph& graph) {
  const Bytes bytes = encode_graph(graph);
  ByteReader reader(bytes);
  ReadGraph read = read_graph(reader);
  ASSERT_TRUE(reader.at_end() && !reader.bad());
  ASSERT_EQ(read.graph.tensors.size(), graph.tensors.size());
  for (TensorId id = 0; id < graph.tensors.size(); ++id) {
    EXPECT_EQ(read.is_constant[id], graph.tensors[id].is_constant());
    read.graph.tensors[id].data = graph.tensors[id].data;
  }
  EXPECT_EQ(encode_graph(read.graph), bytes);
  EXPECT_EQ(identity(read.graph), identity(graph));
  const Status status = check_untrusted_graph(read.graph);
  ASSERT_TRUE(status.ok()) << status.error().message;
  EXPECT_EQ(read.graph.shapes, graph.shapes);
}

void expect_lowered_round_trip(const GraphPtr& graph) {
  const GraphPtr lowered = normalize(graph);
  const Bytes bytes = lowered_bytes(*graph, *lowered);
  ByteReader reader(bytes);
  std::optional<ReadGraph> read = read_lowered(reader, *graph);
  ASSERT_TRUE(reader.at_end() && !reader.bad());
  ASSERT_TRUE(read || lowered->tensors.size() == graph->tensors.size());
  if (!read) return;
  ASSERT_EQ(read->graph.tensors.size(), lowered->tensors.size());
  for (size_t id = graph->tensors.size(); id < lowered->tensors.size(); ++id) {
    EXPECT_EQ(read->is_constant[id], lowered->tensors[id].is_constant());
    read->graph.tensors[id].data = lowered->tensors[id].data;
  }
  EXPECT_TRUE(is_normalized(read->graph));
  const Status status = check_untrusted_graph(read->graph);
  ASSERT_TRUE(status.ok()) << status.error().message;
  EXPECT_EQ(read->graph.shapes, lowered->shapes);
  EXPECT_EQ(lowered_bytes(*graph, read->graph), bytes);
}

TEST(GraphFormat, KeepsEveryOperator) {
  size_t refused = 0;
  for (const Op op : kOperators) {
    for (uint32_t seed = 0; seed < 1000; seed += 100) {
      const test::RandomNode node = test::valid_node(op, seed, refused);
      SCOPED_TRACE(describe(node));
      const auto graph = test::graph_of(node).value();
      expect_round_trip(*graph);
      expect_lowered_round_trip(graph);
    }
  }
}

TEST(GraphFormat, KeepsGraphs) {
  for (uint32_t seed = 0; seed < 100; ++seed) {
    const test::RandomGraph random = test::draw_graph(seed);
    SCOPED_TRACE(random.description);
    expect_round_trip(*random.graph);
    expect_lowered_round_trip(random.graph);
  }
}

GraphPtr sum_of(float summand, const std::string& name) {
  test::GraphMaker maker;
  Tensor tensor;
  tensor.dtype = DType::f32;
  tensor.name = name;
  EXPECT_TRUE(maker.builder().add_tensor(tensor).ok());
  const TensorId x = maker.input({3}), y = maker.floats({3}, {1, 2, summand});
  return maker.finish({maker.op(Op::add, {x, y}, {3})});
}

TEST(GraphFormat, RefusesNumbersOfNoOperator) {
  Graph graph = *sum_of(3, "a");
  for (const int number : {0, 109, 254, 255, 256, 65535}) {
    graph.nodes[0].op = Op(number);
    const Bytes bytes = encode_graph(graph);
    ByteReader reader(bytes);
    read_graph(reader);
    EXPECT_TRUE(reader.bad()) << number;
  }
}

TEST(Identity, TellsModelsApart) {
  EXPECT_EQ(identity(*sum_of(3, "a")), identity(*sum_of(3, "a")));
  EXPECT_NE(identity(*sum_of(3, "a")), identity(*sum_of(4, "a")));
  EXPECT_NE(identity(*sum_of(3, "a")), identity(*sum_of(3, "b")));
}

TEST(CacheHeader, IsReadAsItWasWritten) {
  const CacheHeader header{7, 1000, 200, 0x123456789abcdef0, 1, 2};
  const Bytes bytes = header.encode();
  ASSERT_EQ(bytes.size(), kHeaderBytes);
  EXPECT_EQ(CacheHeader::decode(bytes).value(), header);
}

TEST(CacheHeader, RejectsAnyChangedByte) {
  const Bytes bytes = CacheHeader{7, 1000, 200, 3, 1, 2}.encode();
  for (size_t i = 0; i < bytes.size(); ++i) {
    Bytes damaged = bytes;
    damaged[i] ^= std::byte{0x80};
    EXPECT_FALSE(CacheHeader::decode(damaged).ok()) << i;
    EXPECT_FALSE(CacheHeader::decode(ByteView(bytes).first(i)).ok()) << i;
  }
}

TEST(CacheHeader, HasABodyInsideItsLength) {
  EXPECT_FALSE(CacheHeader::decode(CacheHeader{1, 100, 37, 0, 0, 0}.encode()).ok());
  EXPECT_FALSE(CacheHeader::decode(CacheHeader{1, 63, 0, 0, 0, 0}.encode()).ok());
  EXPECT_FALSE(CacheHeader::decode(CacheHeader{1, 100, UINT64_MAX, 0, 0, 0}.encode()).ok());
}

}  // namespace
}  // namespace nnrt
