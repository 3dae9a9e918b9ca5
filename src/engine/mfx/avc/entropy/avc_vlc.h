/* avc_vlc.h: tables that gen_vlc.py makes of avc_vlc.csv. */
#ifndef ENGINE_MFX_AVC_VLC_H
#define ENGINE_MFX_AVC_VLC_H

#include "engine/mfx/avc/entropy/entropy.h"

extern const struct avc_vlc avc_vlc_token_0[], avc_vlc_token_1[],
    avc_vlc_token_2[], avc_vlc_zeros_1[], avc_vlc_zeros_2[], avc_vlc_zeros_3[],
    avc_vlc_zeros_4[], avc_vlc_zeros_5[], avc_vlc_zeros_6[], avc_vlc_zeros_7[],
    avc_vlc_zeros_8[], avc_vlc_zeros_9[], avc_vlc_zeros_10[],
    avc_vlc_zeros_11[], avc_vlc_zeros_12[], avc_vlc_zeros_13[],
    avc_vlc_zeros_14[], avc_vlc_zeros_15[], avc_vlc_zeros_dc_1[],
    avc_vlc_zeros_dc_2[], avc_vlc_zeros_dc_3[], avc_vlc_run_1[],
    avc_vlc_run_2[], avc_vlc_run_3[], avc_vlc_run_4[], avc_vlc_run_5[],
    avc_vlc_run_6[], avc_vlc_run_7[];

#endif
