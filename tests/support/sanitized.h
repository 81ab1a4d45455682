// True in sanitizer builds, which have additional threads, locks and large stack frames, and keep freed
// memory resident.
#pragma once

#ifdef __has_feature
#define NNRT_HAS_FEATURE(feature) __has_feature(feature)
#else
#define NNRT_HAS_FEATURE(feature) 0
#endif

namespace nnrt::test {

#if defined(__SANITIZE_THREAD__) || NNRT_HAS_FEATURE(thread_sanitizer)
inline constexpr bool kThreadSanitized = true;
#else
inline constexpr bool kThreadSanitized = false;
#endif

#if defined(__SANITIZE_ADDRESS__) || NNRT_HAS_FEATURE(address_sanitizer)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = kThreadSanitized;
#endif

}  // namespace nnrt::test
