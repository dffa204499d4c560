#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>

// Macros that Swift cannot see.
enum {
  shim_isal_level1_bytes = ISAL_DEF_LVL1_DEFAULT,
  shim_isal_level2_bytes = ISAL_DEF_LVL2_DEFAULT,
};
