#pragma once

#include <stddef.h>
#include <stdint.h>

/// Returns the ICC profile of FOGRA39 (offset printing on coated paper, ISO 12647-2:2004), which is never freed.
/// Scripts/dev/fogra39 generates it; its licence is in LICENSE.
const uint8_t *imghost_fogra39(size_t *count);
