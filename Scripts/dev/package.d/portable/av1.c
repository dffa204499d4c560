// Replaces three AV1 libraries that Debian's libavif needs but imghost does not use, because it decodes with dav1d and
// encodes with libaom. They would make up a tenth of a portable file. All functions that libavif calls are defined
// here. They fail or do nothing, except those that return versions, which libavif always calls.
#include <stddef.h>

#define FAILS(name) \
  int name(void) { return -1; }
#define RETURNS_NULL(name) \
  void *name(void) { return NULL; }
#define DOES_NOTHING(name) \
  void name(void) {}
#define IS_NONE(name) \
  const char *name(void) { return "none"; }

// SVT-AV1, EbSvtAv1Enc.h.
IS_NONE(svt_av1_get_version)
FAILS(svt_av1_enc_init_handle)
FAILS(svt_av1_enc_set_parameter)
FAILS(svt_av1_enc_init)
FAILS(svt_av1_enc_send_picture)
FAILS(svt_av1_enc_get_packet)
DOES_NOTHING(svt_av1_enc_release_out_buffer)
FAILS(svt_av1_enc_deinit)
FAILS(svt_av1_enc_deinit_handle)

// rav1e.h.
IS_NONE(rav1e_version_full)
IS_NONE(rav1e_version_short)
RETURNS_NULL(rav1e_config_default)
FAILS(rav1e_config_parse)
FAILS(rav1e_config_parse_int)
FAILS(rav1e_config_set_color_description)
FAILS(rav1e_config_set_pixel_format)
DOES_NOTHING(rav1e_config_unref)
RETURNS_NULL(rav1e_context_new)
DOES_NOTHING(rav1e_context_unref)
RETURNS_NULL(rav1e_frame_new)
DOES_NOTHING(rav1e_frame_fill_plane)
FAILS(rav1e_frame_set_type)
DOES_NOTHING(rav1e_frame_unref)
FAILS(rav1e_send_frame)
FAILS(rav1e_receive_packet)
DOES_NOTHING(rav1e_packet_unref)

// libgav1, gav1/decoder.h.
IS_NONE(Libgav1GetVersionString)
DOES_NOTHING(Libgav1DecoderSettingsInitDefault)
FAILS(Libgav1DecoderCreate)
FAILS(Libgav1DecoderEnqueueFrame)
FAILS(Libgav1DecoderDequeueFrame)
DOES_NOTHING(Libgav1DecoderDestroy)
