#include "core/platform/shared_memory.h"

#include "core/base/text.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

namespace nnrt {
namespace {

TEST(SharedMemory, IsZeroedAndRoundedUpToPages) {
  const auto memory = SharedMemory::create(5).value();
  EXPECT_EQ(memory->bytes(), 5u);
  EXPECT_EQ(memory->mapped_bytes() % 4096, 0u);
  EXPECT_TRUE(memory->owns_tail());
  for (size_t i = 0; i < memory->mapped_bytes(); ++i) ASSERT_EQ(memory->data()[i], std::byte{0});
}

TEST(SharedMemory, TwoMappingsShareBytes) {
  const auto first = SharedMemory::create(4096).value();
  const auto second = SharedMemory::adopt(first->fd(), 4096).value();
  first->data()[17] = std::byte{42};
  EXPECT_EQ(second->data()[17], std::byte{42});
  EXPECT_FALSE(second->owns_tail());
}

TEST(SharedMemory, SharesEqualMappings) {
  const int fd = memfd_create("test", 0), other = memfd_create("test", 0);
  ASSERT_EQ(ftruncate(fd, 100), 0);
  ASSERT_EQ(ftruncate(other, 100), 0);
  auto memory = SharedMemory::adopt(fd, 100).value();
  const std::weak_ptr<SharedMemory> first = memory;
  EXPECT_EQ(SharedMemory::adopt(fd, 100).value(), memory);
  EXPECT_NE(SharedMemory::adopt(fd, 99).value(), memory);
  EXPECT_NE(SharedMemory::adopt(other, 100).value(), memory);
  memory.reset();
  EXPECT_TRUE(first.expired()) << "nobody else keeps it";
  close(fd);
  close(other);
}

TEST(SharedMemory, OfAReadOnlyDescriptorIsAnotherMapping) {
  const int fd = memfd_create("test", 0);
  ASSERT_EQ(ftruncate(fd, 100), 0);
  const int reader = open(cat("/proc/self/fd/", fd).c_str(), O_RDONLY | O_CLOEXEC);
  const auto writable = SharedMemory::adopt(fd, 100).value(), read = SharedMemory::adopt(reader, 100).value();
  EXPECT_FALSE(writable->read_only());
  EXPECT_TRUE(read->read_only());
  writable->data()[99] = std::byte{42};
  EXPECT_EQ(read->data()[99], std::byte{42});
  EXPECT_TRUE(SharedMemory::overlap(*writable, 0, 1, *read, 0, 1));
  close(fd);
  close(reader);
}

TEST(SharedMemory, FindsOverlapAlsoThroughAnotherMapping) {
  const auto a = SharedMemory::create(4096).value();
  const auto b = SharedMemory::adopt(a->fd(), 4096).value();
  const auto other = SharedMemory::create(4096).value();
  EXPECT_TRUE(SharedMemory::overlap(*a, 0, 11, *b, 10, 5));
  EXPECT_FALSE(SharedMemory::overlap(*a, 0, 10, *b, 10, 5));
  EXPECT_FALSE(SharedMemory::overlap(*a, 0, 11, *other, 10, 5));
}

TEST(SharedMemory, OfACharacterDeviceOverlapsOnlyItself) {
  const int fd =
      open("/dev/zero", O_RDWR | O_CLOEXEC);  // each mapping is a memory of its own, as with ashmem
  const auto a = SharedMemory::adopt(fd, 4096).value();
  const auto b = SharedMemory::adopt(fd, 4096).value();
  close(fd);
  EXPECT_TRUE(SharedMemory::overlap(*a, 0, 8, *a, 4, 8));
  EXPECT_FALSE(SharedMemory::overlap(*a, 0, 8, *b, 4, 8));
}

class Owner {
 public:
  class Kept final : public SharedMemory::Attachment {
   public:
    explicit Kept(const Owner& owner) : owner_(owner) {}
    bool is_of(const void* owner) const override { return owner == &owner_; }
    bool is_stale() const override { return owner_.is_gone; }

   private:
    const Owner& owner_;
  };

  std::shared_ptr<SharedMemory::Attachment> attach_to(SharedMemory& memory) {
    return memory.attachment(this, [&] {
      ++made;
      return std::make_shared<Kept>(*this);
    });
  }
  int made = 0;
  bool is_gone = false;
};

TEST(SharedMemory, MakesAnAttachmentOnceForEachOwner) {
  Owner a, b;
  const auto memory = SharedMemory::create(8).value();
  const auto first = a.attach_to(*memory);
  EXPECT_EQ(a.attach_to(*memory), first);
  EXPECT_NE(b.attach_to(*memory), first);
  EXPECT_EQ(a.made, 1);
  EXPECT_EQ(b.made, 1);
}

TEST(SharedMemory, DropsStaleAttachments) {
  Owner a, b;
  const auto memory = SharedMemory::create(8).value();
  const std::weak_ptr<SharedMemory::Attachment> first = a.attach_to(*memory);
  a.is_gone = true;
  EXPECT_FALSE(first.expired());
  b.attach_to(*memory);
  EXPECT_TRUE(first.expired());
}

}  // namespace
}  // namespace nnrt
