#include <string.h>

#include "TIFF.h"

/* Most camera raw files have a TIFF structure, and begin with a preview or a thumbnail, which must not be taken for the
 * picture if the RAW plugin is missing. */

/** Returns whether a directory contains sensor samples: by its colours, or by a compression that only cameras use. */
static bool is_sensor(const tiff_bytes *file, uint64_t directory) {
  // The compressions of SRW and ERF (the first two), NEF, DCR and KDC, and PEF.
  enum { samsung = 32769, samsung_other = 32770, nikon = 34713, kodak = 65000, pentax = 65535 };
  uint64_t photometric = tiff_value(file, directory, TIFFTAG_PHOTOMETRIC);
  if (photometric == PHOTOMETRIC_CFA || photometric == TIFF_PHOTOMETRIC_LINEAR_RAW) return true;
  switch (tiff_value(file, directory, TIFFTAG_COMPRESSION)) {
    case nikon:
    case samsung:
    case samsung_other:
    case kodak:
    case pentax: return true;
    default: return false;
  }
}

/** Returns whether the file is a camera raw file. As in dcraw and Adobe's DNG specification, such a file has the marks
 * of CR2 or IIQ, a DNG version, or a directory with sensor data. */
bool tiff_is_raw(const tiff_bytes *file, uint64_t first) {
  const char *mark = (const char *)file->bytes + 8;
  bool is_classic = file->count >= 12 && !file->big_tiff;
  // CR2 and IIQ.
  if (is_classic && (memcmp(mark, "CR\2", 3) == 0 || memcmp(mark, "IIII", 4) == 0 || memcmp(mark, "MMMM", 4) == 0)) {
    return true;
  }
  tiff_entry below;
  if (tiff_entry_find(file, first, TIFFTAG_DNGVERSION, &below) || is_sensor(file, first)) return true;
  if (!tiff_entry_find(file, first, TIFFTAG_SUBIFD, &below)) return false;
  for (uint64_t i = 0; i < below.count && i < 16; i++) {
    if (is_sensor(file, tiff_entry_number(file, &below, i))) return true;
  }
  return false;
}
