#include "tests/unit/api/tensor/tensor_files.h"

#include <algorithm>

using namespace api_tests;

namespace {

constexpr size_t kGiB = size_t{1} << 30;

File empty_file(size_t bytes) { return memory_file(std::string(bytes, '\0')); }

Tensor with_size(const Desc& desc, size_t size) {
  return Tensor(OH_NNTensor_CreateWithSize(0, desc.get(), size));
}

Tensor with_fd(const Desc& desc, int fd, size_t size, size_t offset) {
  return Tensor(OH_NNTensor_CreateWithFd(0, desc.get(), fd, size, offset));
}

}  // namespace

TEST(Tensor, HasZeroedMemoryOfItsByteSize) {
  const Tensor tensor = tensor_of({3, 5, 7});
  size_t offset = 1;
  ASSERT_EQ(OH_NNTensor_GetOffset(tensor.get(), &offset), OH_NN_SUCCESS);
  EXPECT_EQ(size_of(tensor), 420u);
  EXPECT_EQ(offset, 0u);
  EXPECT_EQ(values_of(tensor, 105), std::vector<float>(105, 0.0f));
}

TEST(Tensor, CopiesTheDescription) {
  Desc desc = desc_of({2, 3}, OH_NN_FLOAT32, "copied");
  const Tensor tensor(OH_NNTensor_Create(0, desc.get()));
  desc.reset();
  EXPECT_EQ(name_of(OH_NNTensor_GetTensorDesc(tensor.get())), "copied");
  EXPECT_EQ(shape_of(OH_NNTensor_GetTensorDesc(tensor.get())), (std::vector<int32_t>{2, 3}));
}

TEST(Tensor, DestroyNullsTheHandle) {
  NN_Tensor* tensor = tensor_of({2}).release();
  EXPECT_EQ(OH_NNTensor_Destroy(&tensor), OH_NN_SUCCESS);
  EXPECT_EQ(tensor, nullptr);
  EXPECT_EQ(OH_NNTensor_Destroy(&tensor), OH_NN_INVALID_PARAMETER);
}

TEST(Tensor, OfAScalarHasOneElement) {
  const Tensor tensor(OH_NNTensor_Create(0, desc_of({}, OH_NN_INT64).get()));
  EXPECT_EQ(size_of(tensor), 8u);
}

TEST(Tensor, CreateRejectsUnknownSize) {
  EXPECT_EQ(OH_NNTensor_Create(0, desc_of({2, -1}).get()), nullptr);
  EXPECT_EQ(OH_NNTensor_Create(0, desc_of({2, 0}).get()), nullptr);
  EXPECT_EQ(OH_NNTensor_Create(0, desc_of({2}, OH_NN_UNKNOWN).get()), nullptr);
  EXPECT_EQ(OH_NNTensor_Create(0, Desc(OH_NNTensorDesc_Create()).get()), nullptr);
  EXPECT_EQ(OH_NNTensor_Create(0, desc_of({1 << 30, 1 << 30, 1 << 30}, OH_NN_INT8).get()), nullptr);
}

TEST(Tensor, CreateRefusesMoreThanOneGiB) {
  EXPECT_EQ(OH_NNTensor_Create(0, desc_of({(1 << 30) + 1}, OH_NN_INT8).get()), nullptr);
  EXPECT_EQ(with_size(desc_of({-1}), kGiB + 1), nullptr);
}

TEST(Tensor, UnknownDevicesGiveNull) {
  const Desc desc = desc_of({2});
  const File file = empty_file(4096);
  EXPECT_EQ(OH_NNTensor_Create(12345, desc.get()), nullptr);
  EXPECT_EQ(OH_NNTensor_CreateWithSize(12345, desc.get(), 8), nullptr);
  EXPECT_EQ(OH_NNTensor_CreateWithFd(12345, desc.get(), file.fd(), 8, 0), nullptr);
}

TEST(Tensor, CreateWithSizeComparesStaticShapesOnly) {
  EXPECT_EQ(with_size(desc_of({2, 3}), 23), nullptr);
  EXPECT_NE(with_size(desc_of({2, 3}), 24), nullptr);
  EXPECT_NE(with_size(desc_of({2, 3}), 1000), nullptr);
  EXPECT_NE(with_size(desc_of({2, -1}), 1), nullptr);
  EXPECT_EQ(with_size(desc_of({2, -1}), 0), nullptr);
  EXPECT_EQ(size_of(with_size(desc_of({2, -1}), 77)), 77u);
}

TEST(Tensor, CreateWithFdMapsAtAnyOffset) {
  const File file = empty_file(100);
  const Tensor tensor = with_fd(desc_of({2, 3}), file.fd(), 100, 61);
  ASSERT_NE(tensor, nullptr);
  size_t offset = 0;
  EXPECT_EQ(OH_NNTensor_GetOffset(tensor.get(), &offset), OH_NN_SUCCESS);
  EXPECT_EQ(fd_of(tensor), file.fd());
  EXPECT_EQ(size_of(tensor), 100u);
  EXPECT_EQ(offset, 61u);
  std::memcpy(OH_NNTensor_GetDataBuffer(tensor.get()), "here", 4);
  char text[5] = {};
  EXPECT_EQ(pread(file.fd(), text, 4, 61), 4);
  EXPECT_STREQ(text, "here");
}

TEST(Tensor, CreateWithFdRejectsShortFile) {
  const File file = empty_file(100);
  const Desc desc = desc_of({2, 3});
  EXPECT_EQ(with_fd(desc, -1, 100, 0), nullptr);
  EXPECT_EQ(with_fd(desc, file.fd(), 0, 0), nullptr);
  EXPECT_EQ(with_fd(desc, file.fd(), 100, 101), nullptr);
  EXPECT_EQ(with_fd(desc, file.fd(), 100, 77), nullptr);
  EXPECT_EQ(with_fd(desc, file.fd(), 101, 0), nullptr) << "the file is shorter";
  EXPECT_EQ(with_fd(desc, file.fd(), SIZE_MAX, 0), nullptr);
  EXPECT_NE(with_fd(desc, file.fd(), 100, 76), nullptr);
  EXPECT_NE(with_fd(desc_of({-1}), file.fd(), 100, 100), nullptr);
}

TEST(Tensor, CreateWithFdRejectsUnmappableFile) {
  const Desc desc = desc_of({2});
  const File empty = empty_file(0);
  EXPECT_EQ(with_fd(desc, empty.fd(), 8, 0), nullptr);
  const int closed = dup(empty.fd());
  close(closed);
  EXPECT_EQ(with_fd(desc, closed, 8, 0), nullptr);
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  for (const int fd : pipe_ends) {
    EXPECT_EQ(with_fd(desc, fd, 8, 0), nullptr);
    close(fd);
  }
  const int write_only = open("/dev/zero", O_WRONLY | O_CLOEXEC);
  EXPECT_EQ(with_fd(desc, write_only, 8, 0), nullptr);
  close(write_only);
}

TEST(Tensor, OutlivesTheCallersDescriptorAndLeavesItOpen) {
  const int fd = memfd_create("api_tests", MFD_CLOEXEC);
  ASSERT_EQ(ftruncate(fd, 4096), 0);
  Tensor tensor = with_fd(desc_of({2}), fd, 4096, 0);
  const int second = dup(fd);
  close(fd);
  std::memcpy(OH_NNTensor_GetDataBuffer(tensor.get()), "kept", 4);
  tensor.reset();
  char text[5] = {};
  EXPECT_EQ(pread(second, text, 4, 0), 4);
  EXPECT_STREQ(text, "kept");
  close(second);
}

TEST(Tensor, OfOneTensorsFdSharesItsBytes) {
  const Tensor first = tensor_of({2}, {1.5f, -2.5f});
  const Tensor second = with_fd(desc_of({2}), fd_of(first), 8, 0);
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(values_of(second, 2), (std::vector<float>{1.5f, -2.5f}));
}

TEST(Tensor, LeaksNoFileDescriptors) {
  const int before = dup(0);
  close(before);
  for (int i = 0; i < 100; ++i) tensor_of({3});
  const int after = dup(0);
  close(after);
  EXPECT_EQ(after, before);
}
