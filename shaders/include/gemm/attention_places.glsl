// The offsets of query rows and of their results. A matrix's rows are the queries of all heads of a group;
// the strides are push constants of the shader.
#ifndef NNRT_ATTENTION_PLACES
#define NNRT_ATTENTION_PLACES

#define ROW_AT(strides, matrix, row)                                                                   \
  ((matrix) / key_heads * strides[0] + ((matrix) % key_heads * group + (row) / queries) * strides[1] + \
   (row) % queries * strides[2])
#define ROWS_AT(strides, matrix, row)                                       \
  uvec4(ROW_AT(strides, matrix, (row).x), ROW_AT(strides, matrix, (row).y), \
        ROW_AT(strides, matrix, (row).z), ROW_AT(strides, matrix, (row).w))

#endif
