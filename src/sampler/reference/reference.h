/* reference.h: the reference sampler. Answers any sampler message, lane by
 * lane, in plain C. It defines the results of plan/'s kernels, and runs where
 * no kernel fits.
 *
 * Who calls: plan/, and the engine by sampler.h (messages). Pure functions over
 * const data, any thread; nothing here allocates. Surfaces, samplers, requests
 * and answers are the caller's. sample.h has the declarations that the files
 * share. */
#ifndef SAMPLER_REFERENCE_REFERENCE_H
#define SAMPLER_REFERENCE_REFERENCE_H

#include "sampler/surface/surface.h"

enum sample_op {
    SAMPLE_PLAIN,   /* implicit LOD */
    SAMPLE_BIAS,    /* + lod_or_bias */
    SAMPLE_LOD,     /* explicit lod_or_bias */
    SAMPLE_LZ,      /* LOD 0 */
    SAMPLE_GRAD,    /* d{u,v,r}d{x,y} */
    SAMPLE_GATHER4, /* offsets per lane in off_u/off_v if offsets_per_lane */
    SAMPLE_LD,      /* integer coordinates, integer lod */
    SAMPLE_LD_MS,   /* + sample index; MCS word already fetched by kernel */
    SAMPLE_LD_MCS,
    SAMPLE_LOD_QUERY,
    SAMPLE_RESINFO,
    SAMPLE_SAMPLEINFO,
};

#define SAMPLE_LANES 16

struct sampler {
    bool disabled;
    uint8_t min_filter, mag_filter, mip_filter; /* SAMPLER_STATE values */
    bool anisotropic_ewa;
    uint8_t max_anisotropy; /* 2..16 */
    uint8_t wrap[3];        /* TCX, TCY, TCZ: TCM values */
    uint8_t shadow_func;
    bool non_normalized;
    bool cube_override;
    uint8_t lod_preclamp;
    bool dx9_border;
    float lod_bias, min_lod, max_lod;
    uint8_t mag_clamp_mode;
    uint8_t rounding_enable; /* bit per address_*_rounding, R min first */
    uint8_t reduction;       /* 0 none, 2 minimum, 3 maximum (when enabled) */
    bool chromakey;
    uint8_t key_mode, key_index;
    uint32_t key_low, key_high;      /* of that index; the caller sets them */
    uint8_t mono_width, mono_height; /* 1..7; the caller sets them */
    union color border;              /* as stored; float or raw by format */
};

/* Decodes SAMPLER_STATE (4 dwords). *border_offset_B is the border colour's
 * offset from Dynamic State Base: the caller reads the colour from there. */
void sampler_decode(struct sampler *s, const uint32_t state[4],
                    uint32_t *border_offset_B, unsigned gen);

/* A request as a structure of arrays. Lanes 4k..4k+3 are a 2x2 quad (top left,
 * top right, bottom left, bottom right). Derivatives come from all four lanes,
 * even if exec_mask lacks some. The op decides whether coordinates are float or
 * integer. Unused members are zero. */
struct sample_req {
    enum sample_op op;
    bool compare; /* shadow: compare ref with the texel */
    bool force_array_index_zero;
    unsigned lanes; /* 8 or 16 */
    uint32_t exec_mask;
    union {
        float f[SAMPLE_LANES];
        uint32_t u[SAMPLE_LANES];
        int32_t i[SAMPLE_LANES];
    } u, v, r, ai, lod, ref, si, mcs[4];
    float dudx[SAMPLE_LANES], dudy[SAMPLE_LANES];
    float dvdx[SAMPLE_LANES], dvdy[SAMPLE_LANES];
    float drdx[SAMPLE_LANES], drdy[SAMPLE_LANES];
    bool offsets_per_lane;
    int32_t off_u[SAMPLE_LANES], off_v[SAMPLE_LANES]; /* if per lane */
    int8_t offset[3];            /* header offsets u, v, r */
    uint8_t gather_channel;      /* 0..3 */
    uint8_t reduction;           /* replaces the sampler's, if not 0 */
    bool ignore_mcs;             /* SAMPLE_LD_MS: si is the slice */
    float min_lod[SAMPLE_LANES]; /* "mlod": least LOD, per lane */
    uint32_t *killed; /* gets a mark for each lane that matches a chroma key */
};

/* Answers a request: out[channel][lane] for all lanes of exec_mask. sp may be
 * NULL for ops without a sampler (ld, resinfo, sampleinfo). */
void sampler_sample(const struct surface *s, const struct sampler *sp,
                    const struct sample_req *req,
                    uint32_t out[4][SAMPLE_LANES]);

/* Texels that a lane's answer is made of, on one level. */
enum sample_filter {
    SAMPLE_FILTER_NONE, /* ld */
    SAMPLE_FILTER_NEAREST,
    SAMPLE_FILTER_LINEAR,
    SAMPLE_FILTER_ANISOTROPIC,
    SAMPLE_FILTER_MONO,
    SAMPLE_FILTER_GATHER,
    SAMPLE_FILTERS
};

struct sample_taps {
    uint8_t lane, level;
    uint8_t filter;  /* enum sample_filter */
    bool minified;   /* the derivatives ask for a level beyond the first */
    uint16_t texels; /* of the filter, those of weight zero included */
};

/* A lane reads two levels at most. */
#define SAMPLE_TAPS_MAX (2 * SAMPLE_LANES)

/* The texels that sampler_sample() reads; returns the number of entries. */
unsigned sampler_find_taps(const struct surface *s, const struct sampler *sp,
                           const struct sample_req *req,
                           struct sample_taps list[SAMPLE_TAPS_MAX]);

#endif
