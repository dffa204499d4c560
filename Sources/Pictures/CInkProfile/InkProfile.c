// The bytes of the profile for CMYK pictures without a profile. They are compiled into the program, so that no file is
// needed at run time.
#include "CInkProfile.h"

// `#embed` is C23 (6.10.4), but clang also accepts it in earlier versions of C.
#pragma clang diagnostic ignored "-Wc23-extensions"
static const uint8_t fogra39[] = {
#embed "FOGRA39.icc"
};

const uint8_t *imghost_fogra39(size_t *count) {
  *count = sizeof fogra39;
  return fogra39;
}
