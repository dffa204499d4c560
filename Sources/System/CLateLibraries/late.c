// Libraries that imghost only opens when it needs them. The portable imghost must be able to start without them if
// /proc is not mounted, because the loader then cannot find libraries relative to a program.
//
// Each function here replaces the library's function with the same name, and `withoutLibraries` in Package.swift
// prevents linking the libraries. The functions are hidden, so that only imghost itself calls them, and libraries call
// each other as usual.
#include "CLateLibraries.h"

#ifdef __linux__

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>

#include <jerror.h>
#include <jpeglib.h>
#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <spng.h>

#include <CExitCleanup.h>

static const char isal[] = "libisal.so.2", jpeg[] = "libjpeg.so.62", spng[] = "libspng.so.0";

// Finds a function. If another thread finds it at the same time, both get the same address.
static void *find(const char *library, const char *name, _Atomic(void *) *known) {
  void *opened = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  void *function = opened ? dlsym(opened, name) : NULL;
  if (!function) {
    char line[512];
    snprintf(line, sizeof line, "imghost: cannot open a library: %s\n", dlerror());
    cexitcleanup_end(1, line);
  }
  atomic_store_explicit(known, function, memory_order_release);
  return function;
}

#define LATE(library, result, name, parameters, arguments) \
  __attribute__((visibility("hidden"))) result name parameters { \
    static _Atomic(void *) known; \
    void *function = atomic_load_explicit(&known, memory_order_acquire); \
    if (!function) function = find(library, #name, &known); \
    return ((__typeof__(&name))function)arguments; \
  }

LATE(isal, uint32_t, crc32_gzip_refl, (uint32_t seed, const unsigned char *bytes, uint64_t count), (seed, bytes, count))
LATE(isal, int, isal_inflate, (struct inflate_state * state), (state))
LATE(isal, void, isal_inflate_init, (struct inflate_state * state), (state))

LATE(jpeg, struct jpeg_error_mgr *, jpeg_std_error, (struct jpeg_error_mgr * manager), (manager))
LATE(jpeg, void, jpeg_CreateCompress, (j_compress_ptr codec, int version, size_t size), (codec, version, size))
LATE(jpeg, void, jpeg_CreateDecompress, (j_decompress_ptr codec, int version, size_t size), (codec, version, size))
LATE(jpeg, void, jpeg_destroy_compress, (j_compress_ptr codec), (codec))
LATE(jpeg, void, jpeg_destroy_decompress, (j_decompress_ptr codec), (codec))
LATE(jpeg, void, jpeg_set_defaults, (j_compress_ptr codec), (codec))
LATE(jpeg, void, jpeg_set_colorspace, (j_compress_ptr codec, J_COLOR_SPACE space), (codec, space))
LATE(jpeg, void, jpeg_set_quality, (j_compress_ptr codec, int quality, boolean baseline), (codec, quality, baseline))
LATE(jpeg, void, jpeg_simple_progression, (j_compress_ptr codec), (codec))
LATE(jpeg, void, jpeg_start_compress, (j_compress_ptr codec, boolean tables), (codec, tables))
LATE(jpeg, JDIMENSION, jpeg_write_scanlines, (j_compress_ptr codec, JSAMPARRAY rows, JDIMENSION count),
    (codec, rows, count))
LATE(jpeg, void, jpeg_write_marker, (j_compress_ptr codec, int marker, const JOCTET *bytes, unsigned int count),
    (codec, marker, bytes, count))
LATE(jpeg, void, jpeg_write_icc_profile, (j_compress_ptr codec, const JOCTET *profile, unsigned int count),
    (codec, profile, count))
LATE(jpeg, void, jpeg_finish_compress, (j_compress_ptr codec), (codec))
LATE(jpeg, int, jpeg_read_header, (j_decompress_ptr codec, boolean needs_image), (codec, needs_image))
LATE(jpeg, void, jpeg_set_marker_processor, (j_decompress_ptr codec, int marker, jpeg_marker_parser_method routine),
    (codec, marker, routine))
LATE(jpeg, boolean, jpeg_read_icc_profile, (j_decompress_ptr codec, JOCTET **profile, unsigned int *count),
    (codec, profile, count))
LATE(jpeg, void, jpeg_calc_output_dimensions, (j_decompress_ptr codec), (codec))
LATE(jpeg, boolean, jpeg_start_decompress, (j_decompress_ptr codec), (codec))
LATE(jpeg, JDIMENSION, jpeg_read_scanlines, (j_decompress_ptr codec, JSAMPARRAY rows, JDIMENSION count),
    (codec, rows, count))
LATE(jpeg, JDIMENSION, jpeg_skip_scanlines, (j_decompress_ptr codec, JDIMENSION count), (codec, count))
LATE(jpeg, void, jpeg_crop_scanline, (j_decompress_ptr codec, JDIMENSION *x, JDIMENSION *width), (codec, x, width))
LATE(jpeg, boolean, jpeg_has_multiple_scans, (j_decompress_ptr codec), (codec))
LATE(jpeg, boolean, jpeg_resync_to_restart, (j_decompress_ptr codec, int desired), (codec, desired))
LATE(jpeg, boolean, jpeg_finish_decompress, (j_decompress_ptr codec), (codec))

LATE(spng, spng_ctx *, spng_ctx_new, (int flags), (flags))
LATE(spng, void, spng_ctx_free, (spng_ctx * codec), (codec))
LATE(spng, int, spng_set_png_stream, (spng_ctx * codec, spng_rw_fn *stream, void *user), (codec, stream, user))
LATE(spng, int, spng_set_chunk_limits, (spng_ctx * codec, size_t chunk, size_t all), (codec, chunk, all))
LATE(spng, int, spng_set_crc_action, (spng_ctx * codec, int critical, int ancillary), (codec, critical, ancillary))
LATE(spng, int, spng_decode_image, (spng_ctx * codec, void *out, size_t count, int format, int flags),
    (codec, out, count, format, flags))
LATE(spng, int, spng_decode_row, (spng_ctx * codec, void *out, size_t count), (codec, out, count))
LATE(spng, int, spng_decode_chunks, (spng_ctx * codec), (codec))
LATE(spng, int, spng_get_row_info, (spng_ctx * codec, struct spng_row_info *row), (codec, row))
LATE(spng, int, spng_encode_chunks, (spng_ctx * codec), (codec))
LATE(spng, int, spng_get_ihdr, (spng_ctx * codec, struct spng_ihdr *chunk), (codec, chunk))
LATE(spng, int, spng_get_plte, (spng_ctx * codec, struct spng_plte *chunk), (codec, chunk))
LATE(spng, int, spng_get_trns, (spng_ctx * codec, struct spng_trns *chunk), (codec, chunk))
LATE(spng, int, spng_get_iccp, (spng_ctx * codec, struct spng_iccp *chunk), (codec, chunk))
LATE(spng, int, spng_get_phys, (spng_ctx * codec, struct spng_phys *chunk), (codec, chunk))
LATE(spng, int, spng_get_exif, (spng_ctx * codec, struct spng_exif *chunk), (codec, chunk))
LATE(spng, int, spng_set_ihdr, (spng_ctx * codec, struct spng_ihdr *chunk), (codec, chunk))
LATE(spng, int, spng_set_plte, (spng_ctx * codec, struct spng_plte *chunk), (codec, chunk))
LATE(spng, int, spng_set_trns, (spng_ctx * codec, struct spng_trns *chunk), (codec, chunk))
LATE(spng, int, spng_set_iccp, (spng_ctx * codec, struct spng_iccp *chunk), (codec, chunk))
LATE(spng, int, spng_set_phys, (spng_ctx * codec, struct spng_phys *chunk), (codec, chunk))
LATE(spng, int, spng_set_exif, (spng_ctx * codec, struct spng_exif *chunk), (codec, chunk))
LATE(spng, const char *, spng_strerror, (int code), (code))

#endif
