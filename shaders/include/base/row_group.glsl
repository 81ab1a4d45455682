// Workgroups that share rows, so that few long ones keep a GPU busy: variant GROUP of a kernel has ACROSS
// neighbouring rows in a workgroup, each with every ACROSS-th of its invocations. In variant SUBGROUPS, which
// is one of it with one row, subgroups reduce by themselves, and shared memory holds one value of each. In
// neither variant an invocation has a row of its own. It comes before other includes, and a kernel with
// variant GROUP declares the constant ACROSS before its functions.
#ifndef NNRT_ROW_GROUP
#define NNRT_ROW_GROUP
#ifdef SUBGROUPS
#define GROUP
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#endif
#extension GL_EXT_control_flow_attributes : require
#include "base/words.glsl"

#ifdef GROUP
#define OWN_LANE (gl_LocalInvocationIndex / ACROSS)
#define ROW_LANES (gl_WorkGroupSize.x / ACROSS)
// All of a workgroup must come to its barriers: what has no row computes the last one once more.
#define OWN_ROW(rows)                                                       \
  min((gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * ACROSS + \
          gl_LocalInvocationIndex % ACROSS,                                 \
      (rows)-1u)
#else
#define OWN_LANE 0u
#define ROW_LANES 1u
#define OWN_ROW(rows) global_word()
#endif

// Runs `body` for each `k` of an invocation's own in [from, end), which begins at OWN_LANE, with `v` for what
// `load` gives there. In variants GROUP and SUBGROUPS the loads of four do not wait for each other: there are
// too few invocations to hide it.
#ifdef GROUP
#define FOR_EACH_LOAD(k, from, end, type, v, load, body)                      \
  for (uint k##_first = from; k##_first < end; k##_first += 4u * ROW_LANES) { \
    type v##_of[4];                                                           \
    [[unroll]] for (uint nth = 0u; nth < 4u; ++nth) {                         \
      uint k = k##_first + nth * ROW_LANES;                                   \
      if (k >= end) k = k##_first;                                            \
      v##_of[nth] = load;                                                     \
    }                                                                         \
    [[unroll]] for (uint nth = 0u; nth < 4u; ++nth) {                         \
      const uint k = k##_first + nth * ROW_LANES;                             \
      const type v = v##_of[nth];                                             \
      if (k < end) body                                                       \
    }                                                                         \
  }
#else
#define FOR_EACH_LOAD(k, from, end, type, v, load, body) \
  for (uint k = from; k < end; ++k) {                    \
    const type v = load;                                 \
    body                                                 \
  }
#endif

// Defines `type name(type own)`: the values of all invocations of a row, merged. `merge` takes two of them,
// `by_subgroup` is the same for those of a subgroup. All of a workgroup calls it.
#if defined(SUBGROUPS)
#define ROW_REDUCTION(name, type, merge, by_subgroup)                              \
  shared type name##_parts[gl_WorkGroupSize.x];                                    \
  type name(type own) {                                                            \
    own = by_subgroup(own);                                                        \
    if (gl_NumSubgroups == 1u) return own;                                         \
    barrier();                                                                     \
    if (subgroupElect()) name##_parts[gl_SubgroupID] = own;                        \
    barrier();                                                                     \
    type all = name##_parts[0];                                                    \
    for (uint i = 1u; i < gl_NumSubgroups; ++i) all = merge(all, name##_parts[i]); \
    return all;                                                                    \
  }
#elif defined(GROUP)
#define ROW_REDUCTION(name, type, merge, by_subgroup)                                       \
  shared type name##_parts[gl_WorkGroupSize.x];                                             \
  type name(type own) {                                                                     \
    const uint at = gl_LocalInvocationIndex;                                                \
    barrier();                                                                              \
    name##_parts[at] = own;                                                                 \
    for (uint apart = gl_WorkGroupSize.x / 2u; apart >= ACROSS; apart /= 2u) {              \
      barrier();                                                                            \
      if (at < apart) name##_parts[at] = merge(name##_parts[at], name##_parts[at + apart]); \
    }                                                                                       \
    barrier();                                                                              \
    return name##_parts[at % ACROSS];                                                       \
  }
#else
#define ROW_REDUCTION(name, type, merge, by_subgroup) \
  type name(type own) { return own; }
#endif

#endif
