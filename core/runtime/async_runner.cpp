#include "core/runtime/async_runner.h"

#include <condition_variable>
#include <deque>

namespace nnrt {

struct AsyncRunner::Queue {
  std::mutex mutex;  // guards the following members and thread_
  std::condition_variable changed;
  std::deque<std::unique_ptr<Job>> jobs;
  bool finished = false;  // accepts no more jobs
  Owner owner{nullptr, [](void*) {}};
};

AsyncRunner::AsyncRunner() : queue_(std::make_shared<Queue>()) {}

AsyncRunner::~AsyncRunner() {
  if (on_thread()) {
    thread_.detach();
  } else {
    finish();
  }
}

Status AsyncRunner::start(std::unique_ptr<Job> job) {
  const std::lock_guard lock(queue_->mutex);
  if (queue_->finished) return Error{Code::forbidden, "The executor is being destroyed."};
  if (!thread_.joinable()) thread_ = std::thread([queue = queue_] { work(queue); });
  queue_->jobs.push_back(std::move(job));
  queue_->changed.notify_one();
  return {};
}

void AsyncRunner::finish() {
  {
    const std::lock_guard lock(queue_->mutex);
    queue_->finished = true;
    queue_->changed.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

void AsyncRunner::finish(Owner owner) {
  const std::lock_guard lock(queue_->mutex);
  queue_->finished = true;
  queue_->owner = std::move(owner);
}

bool AsyncRunner::on_thread() const {
  const std::lock_guard lock(queue_->mutex);
  return thread_.get_id() == std::this_thread::get_id();
}

void AsyncRunner::work(const std::shared_ptr<Queue>& queue) {
  std::unique_lock lock(queue->mutex);
  while (true) {
    queue->changed.wait(lock, [&] { return queue->finished || !queue->jobs.empty(); });
    if (queue->jobs.empty()) break;
    std::unique_ptr<Job> job = std::move(queue->jobs.front());
    queue->jobs.pop_front();
    lock.unlock();
    job->run();
    job.reset();
    lock.lock();
  }
  const Owner owner = std::move(queue->owner);
  lock.unlock();  // the owner's destructor checks which thread it is on
}

}  // namespace nnrt
