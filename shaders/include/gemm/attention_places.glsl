// The places where rows of queries, and of their results, begin. Rows of a matrix are the queries of all
// heads of a group; their numbers are push constants of the shader.
#ifndef NNRT_ATTENTION_PLACES
#define NNRT_ATTENTION_PLACES

#define ROW_AT(strides, matrix, row)                                                                   \
  ((matrix) / key_heads * strides[0] + ((matrix) % key_heads * group + (row) / queries) * strides[1] + \
   (row) % queries * strides[2])
#define ROWS_AT(strides, matrix, row)                                       \
  uvec4(ROW_AT(strides, matrix, (row).x), ROW_AT(strides, matrix, (row).y), \
        ROW_AT(strides, matrix, (row).z), ROW_AT(strides, matrix, (row).w))

#endif
