/* depth_avx512.c: depth_tmpl.h with avx512. Called only where the processor has
 * it. */
#include "engine/raster/x86/rows_avx512.h"

#define DEPTH_TABLE depth_avx512
#define DEPTH_LIST_TABLE depth_list_avx512
#define DEPTH_MIXED_TABLE depth_mixed_avx512
#define DEPTH_SCAN_TABLE depth_scan_avx512
#include "engine/raster/depth/x86/depth_tmpl.h"
