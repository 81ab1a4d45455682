#include "backends/vulkan/passes/operand_views.h"

#include "core/schema/infer.h"
#include "tests/support/graph_maker.h"
#include "tests/unit/vulkan/program/program_maker.h"

#include <gtest/gtest.h>

namespace nnrt::vulkan {
namespace {

constexpr int kAxis = 10;  // OH_NN_CONCAT_AXIS

class Views {
 public:
  explicit Views(GraphPtr graph)
      : graph_(std::move(graph)),
        plan_(small_gpu()),
        values_(constant_values(*graph_)),
        views_(*graph_, graph_->shapes, values_, plan_) {}

  bool skips(size_t node) { return views_.skip({*graph_, graph_->nodes[node], graph_->shapes, values_}); }
  View read(TensorId id, View::Takes takes) { return views_.read(own(id), takes); }
  View write(TensorId id, View::Takes takes) { return views_.write(own(id), takes); }
  bool is_own(TensorId id, const View& view) const { return view == own(id); }
  std::vector<const Node*> needed_by(TensorId id) {
    std::vector<const Node*> nodes;
    for (const auto& needed : views_.needed_by(id)) nodes.push_back(needed.node);
    return nodes;
  }
  // The first elements of the operands that may be computed in the CONCAT's result, by tensor.
  std::map<TensorId, uint32_t> slices() {
    std::map<TensorId, uint32_t> found;
    for (TensorId id = 0; id < graph_->tensors.size(); ++id) {
      const View view = write(id, View::slice);
      if (view.buffer.id != id) found[id] = view.offset;
    }
    return found;
  }
  const Node* node(size_t i) const { return &graph_->nodes[i]; }

 private:
  View own(TensorId id) const {
    return View::dense({Buffer::Space::tensor, id}, graph_->tensors[id].dtype, graph_->shapes[id]);
  }

  const GraphPtr graph_;
  const DevicePlan plan_;
  const std::vector<const std::byte*> values_;
  OperandViews views_;
};

// A convolution of a TRANSPOSE's result.
struct Images : test::GraphMaker {
  explicit Images(const std::vector<int32_t>& order, const Shape& planes = {1, 3, 8, 8}) {
    x = input(planes);
    for (size_t d = 0; d < 4; ++d) image.push_back(planes[size_t(order[d])]);
    y = op(Op::transpose, {x, ints(order)}, image);
    const auto zeros = [&](const Shape& shape) {
      return floats(shape, std::vector<float>(size_t(*element_count(shape))));
    };
    z = op(Op::conv2d, {y, zeros({4, 1, 1, image[3]}), zeros({4})}, {image[0], image[1], image[2], 4}, {},
           DType::f32, Format::nhwc);
  }

  TensorId x = 0, y = 0, z = 0;
  Shape image;
};

TEST(ViewsOfImages, ArePlanesForSupportingKernels) {
  Images images({0, 2, 3, 1}, {1, 3, 8, 5});
  Views views(images.finish({images.z}));
  EXPECT_TRUE(views.is_own(images.y, views.read(images.y, View::planes)));  // not yet visited
  ASSERT_TRUE(views.skips(0));
  EXPECT_FALSE(views.skips(1));
  const View view = views.read(images.y, View::planes);
  EXPECT_EQ(view.buffer.id, images.x);
  EXPECT_EQ(view.strides, (std::array<uint32_t, 4>{120, 5, 1, 40}));
  EXPECT_TRUE(views.needed_by(images.y).empty());
}

TEST(ViewsOfImages, AreTransposedForOthers) {
  Images images({0, 2, 3, 1});
  Views views(images.finish({images.z}));
  ASSERT_TRUE(views.skips(0));
  EXPECT_TRUE(views.is_own(images.y, views.read(images.y, View::floats | View::heads)));
  EXPECT_EQ(views.needed_by(images.y), (std::vector{views.node(0)}));
  EXPECT_TRUE(views.is_own(images.y, views.read(images.y, View::planes)));
}

TEST(ViewsOfImages, RejectOtherOrdersAndReaders) {
  const auto skips = [](const GraphPtr& graph) { return Views(graph).skips(0); };
  Images other({0, 3, 2, 1});
  EXPECT_FALSE(skips(other.finish({other.z})));
  Images output({0, 2, 3, 1});
  EXPECT_FALSE(skips(output.finish({output.z, output.y})));
  Images read({0, 2, 3, 1});
  EXPECT_FALSE(skips(read.finish({read.z, read.op(Op::relu, {read.y}, read.image)})));
  Images one_channel({0, 2, 3, 1}, {2, 1, 8, 8});  // moves nothing
  EXPECT_FALSE(skips(one_channel.finish({one_channel.z})));
}

// The client's CAST, a node between it and the next CAST.
struct Casts : test::GraphMaker {
  TensorId cast(TensorId x, DType to) { return op(Op::cast, {x, ints({int32_t(to)})}, {4}, {}, to); }
};

TEST(ViewsOfCasts, RoundFloats) {
  Casts make;
  const TensorId x = make.input({4}), fp16 = make.cast(x, DType::f16),
                 y = make.op(Op::relu, {fp16}, {4}, {}, DType::f16), floats = make.cast(y, DType::f32);
  Views views(make.finish({floats}));
  ASSERT_TRUE(views.skips(0));
  EXPECT_TRUE(views.is_own(fp16, views.read(fp16, View::floats)));
  const View read = views.read(fp16, View::rounded);
  EXPECT_EQ(read.buffer.id, x);
  EXPECT_EQ(read.stored, DType::f32);
  EXPECT_TRUE(read.rounds);
  EXPECT_FALSE(views.skips(2));
  EXPECT_EQ(views.write(y, View::rounded).buffer.id, floats);
  EXPECT_TRUE(views.skips(2));
}

TEST(ViewsOfCasts, RequireSingleReader) {
  Casts make;
  const TensorId fp16 = make.cast(make.input({4}), DType::f16),
                 y = make.op(Op::relu, {fp16}, {4}, {}, DType::f16),
                 z = make.op(Op::abs, {fp16}, {4}, {}, DType::f16);
  Views views(make.finish({y, z}));
  EXPECT_FALSE(views.skips(0));
}

class Concats : public test::GraphMaker {
 public:
  TensorId relu(Shape shape, DType dtype = DType::f32) {
    return op(Op::relu, {input(shape, dtype)}, shape, {}, dtype);
  }
  TensorId concat(const std::vector<TensorId>& parts, Shape shape, int64_t axis = -1,
                  DType dtype = DType::f32) {
    return op(Op::concat, parts, std::move(shape), {parameter<int64_t>(kAxis, DType::i64, {axis})}, dtype);
  }
  std::map<TensorId, uint32_t> slices(const std::vector<TensorId>& outputs) {
    return Views(finish(outputs)).slices();
  }
};

using Slices = std::map<TensorId, uint32_t>;

TEST(ViewsOfConcats, PlaceInputsSideBySide) {
  Concats make;
  const TensorId a = make.relu({2, 3, 8}), b = make.relu({2, 3, 4}), c = make.relu({2, 3, 12});
  const TensorId all = make.concat({a, b, c}, {2, 3, 24});
  Views views(make.finish({make.op(Op::abs, {all}, {2, 3, 24})}));
  EXPECT_TRUE(views.is_own(b, views.write(b, View::heads)));
  EXPECT_TRUE(views.is_own(b, views.read(b, View::none)));
  const View written = views.write(b, View::slice);
  EXPECT_EQ(written.buffer.id, all);
  EXPECT_EQ(written.row(), 24u);
  EXPECT_EQ(views.read(b, View::none), written);  // the CONCAT finds it there
  EXPECT_EQ(views.slices(), (Slices{{a, 0}, {b, 8}, {c, 12}}));
}

TEST(ViewsOfConcats, SupportFp16) {
  Concats make;
  const TensorId a = make.relu({3, 8}, DType::f16), b = make.relu({3, 4}, DType::f16);
  const TensorId all = make.concat({a, b}, {3, 12}, -1, DType::f16);
  EXPECT_EQ(make.slices({make.op(Op::abs, {all}, {3, 12}, {}, DType::f16)}), (Slices{{a, 0}, {b, 8}}));
}

TEST(ViewsOfConcats, SkipSharedAndClientTensors) {
  Concats make;
  const TensorId a = make.relu({3, 8}), b = make.relu({3, 4}), c = make.relu({3, 4});
  const TensorId fed = make.input({3, 4}), fixed = make.floats({3, 4}, std::vector<float>(12));
  const TensorId all = make.concat({a, b, c, c, fed, fixed}, {3, 28});
  EXPECT_EQ(make.slices({all, b}), (Slices{{a, 0}}));
}

TEST(ViewsOfConcats, NeedVec4AlongTheLastDimension) {
  Concats odd;
  EXPECT_TRUE(odd.slices({odd.concat({odd.relu({3, 6}), odd.relu({3, 6})}, {3, 12})}).empty());
  Concats outer;
  EXPECT_TRUE(outer.slices({outer.concat({outer.relu({3, 8}), outer.relu({3, 8})}, {6, 8}, 0)}).empty());
}

TEST(ViewsOfConcats, ExcludeTensorsCopiedFurther) {
  Concats make;
  const TensorId all = make.concat({make.relu({3, 8}), make.relu({3, 8})}, {3, 16});
  EXPECT_TRUE(make.slices({make.op(Op::flatten, {all}, {3, 16})}).empty());
}

// As in DenseNet: what one layer adds is part of the next result too.
TEST(ViewsOfConcats, IncludeTensorsReadAndCopiedFurther) {
  Concats make;
  const TensorId a = make.relu({3, 8}), b = make.relu({3, 8});
  const TensorId all = make.concat({a, b}, {3, 16});
  const TensorId read = make.op(Op::abs, {all}, {3, 16});
  EXPECT_EQ(make.slices({read, make.op(Op::flatten, {all}, {3, 16})}), (Slices{{a, 0}, {b, 8}}));
}

}  // namespace
}  // namespace nnrt::vulkan
