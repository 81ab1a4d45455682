// Rows shared by workgroups, so that few long rows keep a GPU busy. In variant GROUP a workgroup has ACROSS
// adjacent rows, each with every ACROSS-th of its invocations. Variant SUBGROUPS is a GROUP with one row, in
// which subgroups reduce first and shared memory holds one value per subgroup. In other variants each
// invocation has its own row. Include this first; a kernel with variant GROUP declares the constant ACROSS
// before its functions.
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
// The entire workgroup must reach its barriers, so invocations without a row repeat the last one.
#define OWN_ROW(rows)                                                       \
  min((gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * ACROSS + \
          gl_LocalInvocationIndex % ACROSS,                                 \
      (rows)-1u)
#else
#define OWN_LANE 0u
#define ROW_LANES 1u
#define OWN_ROW(rows) global_word()
#endif

// Runs `body` for each `k` in [from, end) that belongs to this invocation, which starts at OWN_LANE; `v` is
// the value of `load`. Variants GROUP and SUBGROUPS have too few invocations to hide latency, so they issue
// four loads at a time, then two and one for the rest. No load is conditional: compilers sink a conditional
// load to its use, and wait there.
#ifdef GROUP
#define LOAD_AND_RUN(count, k, first, type, v, load, body) \
  {                                                        \
    type v##_of[count];                                    \
    [[unroll]] for (uint nth = 0u; nth < count; ++nth) {   \
      const uint k = (first) + nth * ROW_LANES;            \
      v##_of[nth] = load;                                  \
    }                                                      \
    [[unroll]] for (uint nth = 0u; nth < count; ++nth) {   \
      const uint k = (first) + nth * ROW_LANES;            \
      const type v = v##_of[nth];                          \
      body                                                 \
    }                                                      \
    first += count * ROW_LANES;                            \
  }
#define FOR_EACH_LOAD(k, from, end, type, v, load, body)                                       \
  {                                                                                            \
    uint k##_next = from;                                                                      \
    while (k##_next + 3u * ROW_LANES < end) LOAD_AND_RUN(4u, k, k##_next, type, v, load, body) \
    if (k##_next + ROW_LANES < end) LOAD_AND_RUN(2u, k, k##_next, type, v, load, body)         \
    if (k##_next < end) LOAD_AND_RUN(1u, k, k##_next, type, v, load, body)                     \
  }
#else
#define FOR_EACH_LOAD(k, from, end, type, v, load, body) \
  for (uint k = from; k < end; ++k) {                    \
    const type v = load;                                 \
    body                                                 \
  }
#endif

// Defines `type name(type own)`, which reduces the values of all invocations of a row. `merge` combines two
// values, `by_subgroup` reduces a subgroup. Must be called by the entire workgroup.
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
