#pragma once
#include <stdbool.h>

#include "imghost_prefetch.h"
#include "imghost_sha256.h"

/// Returns the level of x86-64 that the processor and the system support (psABI, section 3.1.1): 4 for x86-64-v4 with
/// VNNI, 3 for x86-64-v3, 1 for less, 0 for another architecture.
///
/// The checks are those of GCC and Clang: CPUID for the processor's features, XCR0 for the registers that the system
/// saves.
int imghost_processor_level(void);

/// Returns whether this program was built with AddressSanitizer.
bool imghost_has_address_sanitizer(void);
