#include "core/memory/deferred_bytes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <thread>

namespace nnrt::test {
namespace {

// Elements 0, 1, 2, ... of `element` bytes each.
Bytes counted(size_t count, size_t element) {
  Bytes bytes(count * element);
  for (uint64_t i = 0; i < count; ++i)
    std::memcpy(bytes.data() + i * element, &i, std::min(element, sizeof i));
  return bytes;
}

// Element by element, by the definition.
Bytes transposed(const StoredOrder& stored) {
  const size_t rank = stored.shape.size(), element = stored.element_bytes;
  Bytes result(stored.data->size());
  std::vector<int64_t> at(rank, 0);
  for (size_t i = 0; i < result.size() / element; ++i) {
    int64_t from = 0;
    for (size_t d = 0; d < rank; ++d) {
      const auto axis = size_t(std::ranges::find(stored.order, d) - stored.order.begin());
      from = from * stored.shape[d] + at[axis];
    }
    std::memcpy(result.data() + i * element, stored.data->data() + size_t(from) * element, element);
    for (size_t d = rank; d-- > 0;) {
      if (++at[d] < stored.shape[stored.order[d]]) break;
      at[d] = 0;
    }
  }
  return result;
}

StoredOrder stored_of(const Shape& shape, const std::vector<size_t>& order, size_t element) {
  const auto count = size_t(product(shape, 0, shape.size()));
  return {std::make_shared<const Bytes>(counted(count, element)), shape, order, element};
}

TEST(DeferredTranspose, IsMadeForEachOrderAndElement) {
  for (const Shape& shape : {Shape{}, Shape{5}, Shape{3, 7}, Shape{4, 1, 6}, Shape{5, 4, 3, 2}}) {
    std::vector<size_t> order(shape.size());
    std::iota(order.begin(), order.end(), size_t{0});
    do {
      for (const size_t element : {1, 2, 4, 8}) {
        const StoredOrder stored = stored_of(shape, order, element);
        const SharedBytes bytes = deferred_transpose(stored);
        EXPECT_TRUE(is_deferred(bytes));
        ASSERT_TRUE(ensure_read(bytes).ok());
        EXPECT_TRUE(std::ranges::equal(*bytes, transposed(stored)));
      }
    } while (std::ranges::next_permutation(order).found);
  }
}

TEST(DeferredTranspose, HoldsItsSource) {
  StoredOrder stored = stored_of({64, 3, 5, 7}, {0, 2, 3, 1}, 4);
  const std::weak_ptr<const void> source = stored.data.owner();
  const Bytes want = transposed(stored);
  const SharedBytes bytes = deferred_transpose(std::move(stored));
  ASSERT_NE(stored_order(bytes), nullptr);
  EXPECT_EQ(stored_order(bytes)->shape, (Shape{64, 3, 5, 7}));
  EXPECT_NE(stored_order(bytes.part(16, 32)), nullptr);
  EXPECT_FALSE(source.expired());
  ASSERT_TRUE(ensure_read(bytes).ok());
  EXPECT_EQ(stored_order(bytes), nullptr);
  EXPECT_TRUE(source.expired());
  EXPECT_TRUE(std::ranges::equal(*bytes, want));
}

TEST(DeferredTranspose, OfManyConstantsAreMadeTogether) {
  std::vector<SharedBytes> constants;
  std::vector<Bytes> want;
  for (const int64_t out : {64, 1, 128, 7}) {
    const StoredOrder stored = stored_of({out, 64, 5, 5}, {0, 2, 3, 1}, 4);
    want.push_back(transposed(stored));
    constants.push_back(deferred_transpose(stored));
  }
  int reads = 0;
  constants.push_back(deferred_bytes(4, 4, [&](std::span<std::byte> to) {
    ++reads;
    std::ranges::fill(to, std::byte{7});
    return Status();
  }));
  want.emplace_back(4, std::byte{7});
  constants.push_back(std::make_shared<const Bytes>(4));
  want.emplace_back(4);
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(ensure_read(constants).ok());
  for (size_t i = 0; i < constants.size(); ++i) EXPECT_TRUE(std::ranges::equal(*constants[i], want[i])) << i;
  EXPECT_EQ(reads, 1);
}

TEST(DeferredTranspose, OfManyConstantsReportsAFailure) {
  const SharedBytes lost = deferred_bytes(4, 4, [](std::span<std::byte>) {
    return Status(Error{Code::invalid_file, "The file is lost."});
  });
  const std::vector<SharedBytes> constants{deferred_transpose(stored_of({3, 7}, {1, 0}, 4)), lost};
  EXPECT_EQ(ensure_read(constants).error().message, "The file is lost.");
  EXPECT_TRUE(is_deferred(lost));
}

// Also when several threads need it.
TEST(DeferredTranspose, IsMadeOnce) {
  const StoredOrder stored = stored_of({256, 64, 5, 5}, {0, 2, 3, 1}, 4);
  const SharedBytes bytes = deferred_transpose(stored);
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&] { EXPECT_TRUE(ensure_read(bytes).ok()); });
  threads.clear();
  EXPECT_TRUE(std::ranges::equal(*bytes, transposed(stored)));
}

TEST(DeferredTranspose, IsNothingElse) {
  EXPECT_EQ(stored_order({}), nullptr);
  EXPECT_EQ(stored_order(std::make_shared<const Bytes>(4)), nullptr);
  EXPECT_EQ(stored_order(deferred_bytes(8, 8, [](std::span<std::byte>) { return Status(); })), nullptr);
}

}  // namespace
}  // namespace nnrt::test
