// An event for the interpreter's profiler.
#pragma once

#include <tensorflow/lite/core/api/profiler.h>
#include <tensorflow/lite/core/c/common.h>

namespace nnrt::tflite_plugin {

// Lasts from construction to destruction; does nothing without a profiler. Calls go through the profiler's
// vtable, so the plugin links none of the interpreter's symbols.
class ProfileEvent {
 public:
  // `tag`: a literal. `node`: the first of the partition's nodes, which tells partitions apart.
  ProfileEvent(const TfLiteContext* context, const char* tag, int32_t node)
      : profiler_(static_cast<tflite::Profiler*>(context->profiler)) {
    if (profiler_ != nullptr)
      handle_ =
          profiler_->BeginEvent(tag, tflite::Profiler::EventType::DELEGATE_OPERATOR_INVOKE_EVENT, node, 0);
  }
  ~ProfileEvent() {
    if (profiler_ != nullptr) profiler_->EndEvent(handle_);
  }
  ProfileEvent(const ProfileEvent&) = delete;
  ProfileEvent& operator=(const ProfileEvent&) = delete;

 private:
  tflite::Profiler* profiler_;
  uint32_t handle_ = 0;
};

}  // namespace nnrt::tflite_plugin
