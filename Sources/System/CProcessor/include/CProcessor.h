#pragma once
#include <stdbool.h>

#include "imghost_prefetch.h"
#include "imghost_sha256.h"

/// How far the processor and the system support x86-64's levels (psABI, section 3.1.1), as GCC and
/// Clang find out: CPUID for what the processor has, XCR0 for what the system saves.
///
/// Returns 4 for x86-64-v4 with VNNI, 3 for x86-64-v3, 1 for less, 0 for another architecture.
int imghost_processor_level(void);

/// Whether this program was built for AddressSanitizer.
bool imghost_has_address_sanitizer(void);
