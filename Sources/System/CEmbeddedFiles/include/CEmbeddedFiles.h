#pragma once

#include <stddef.h>
#include <stdint.h>

/// Returns the bytes of a file that is embedded in the program, and sets `*count` to their number; NULL if no file has
/// this name. The bytes are never freed.
///
/// The files are listed in EmbeddedFiles.c, by their names without folders.
const uint8_t *_Nullable imghost_embedded_file(const char *_Nonnull name, size_t *_Nonnull count);
