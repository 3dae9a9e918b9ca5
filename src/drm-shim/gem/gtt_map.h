/* gtt_map.h: GTT maps: objects mapped through the aperture, where a tiled
 * object looks linear (gtt_merge.h).
 *
 * A GTT map of a linear object maps its pages. All GTT maps of a tiled object
 * in a process map one linear view. GEM_SET_TILING moves the maps that exist
 * from one to the other, in place. View and object are made to agree
 *
 * - for the client, in both directions: by a GTT map, GEM_SET_DOMAIN,
 *   GEM_SW_FINISH, GEM_PREAD and PWRITE, DMA_BUF_IOCTL_SYNC, another kind of
 *   map, an export, GEM_SET_TILING, a flip to it, MODE_DIRTYFB and scanout; by
 *   GEM_BUSY and GEM_WAIT once the object is idle. The first three do nothing
 *   while only the view can have been written: no batch, no other kind of map,
 *   no other process;
 * - for the GPU, from the view to the object: by each batch that lists the
 *   object;
 * - for other processes, too: when the object is closed and when the process
 *   exits.
 *
 * So a client may write, unmap and submit without a call in between; it may
 * keep a map for ever, and may use CPU and GTT maps in turn with the usual
 * GEM_SET_DOMAIN. Not supported, because nothing tells that it happens:
 *
 * - reading what a batch has written after a wait for a syncobj or sync_file
 *   alone, or by polling; and writing then what the view still shows;
 * - handing the object to another process, by a message of the client's own,
 *   with no call of the above after the last write;
 * - a map that outlives its object's last handle in this process, while other
 *   processes use the object: it keeps its bytes to itself.
 *
 * Device lock held. For a batch that lists the object a megabyte takes 0.05 ms
 * if nothing was written, in both directions 0.2 ms; at most 1 ms if all has
 * changed. Objects without GTT maps pay one test of a pointer. */
#ifndef DRM_SHIM_GEM_GTT_MAP_H
#define DRM_SHIM_GEM_GTT_MAP_H

#include "drm-shim/gem/bo.h"

/* As mmap(): MAP_FAILED and errno. The length is not above the object's. */
void *gtt_map(struct bo *bo, void *addr, size_t length, int prot, int flags);
/* Notes that another kind of map of the object lies at this address now. */
void gtt_note_other(struct bo *bo, const void *at, size_t length);
/* View and object agree afterwards. Follows a change of the tiling, too. */
void gtt_sync(struct bo *bo);
/* The client is about to use the view: it shows what the object has. Costs
 * nothing if only the view can have been written. */
void gtt_sync_view(struct bo *bo);
/* gtt_sync() if batches have used the object since, and it is idle. */
void gtt_sync_used(struct bo *bo);
/* The library has written into the object. */
void gtt_note_write(struct bo *bo);
/* A batch is about to use the object. */
void gtt_before_batch(struct bo *bo);
/* The process ends: other processes may see what was written. */
void gtt_before_exit(void);
/* Releases the view; the object is being destroyed. */
void gtt_forget(struct bo *bo);

#endif
