// The bytes of the profile for CMYK without one, inside the program: no file of this name need be found when it runs.
#include "CInkProfile.h"

// C23, 6.10.4, which clang also has in older C.
#pragma clang diagnostic ignored "-Wc23-extensions"
static const uint8_t fogra39[] = {
#embed "FOGRA39.icc"
};

const uint8_t *imghost_fogra39(size_t *count) {
  *count = sizeof fogra39;
  return fogra39;
}
