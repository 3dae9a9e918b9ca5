/* depth_avx2.c: depth_tmpl.h with avx2. Called only where the processor has it.
 */
#include "engine/raster/x86/rows_avx2.h"

#define DEPTH_TABLE depth_avx2
#define DEPTH_LIST_TABLE depth_list_avx2
#define DEPTH_MIXED_TABLE depth_mixed_avx2
#define DEPTH_SCAN_TABLE depth_scan_avx2
#include "engine/raster/depth/x86/depth_tmpl.h"
