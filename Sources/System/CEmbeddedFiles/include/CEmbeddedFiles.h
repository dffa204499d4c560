#pragma once

#include <stddef.h>
#include <stdint.h>

/// Returns the bytes of a file of the source code that is compiled into the program, and their number; NULL if there is
/// no file of this name. The bytes are never freed.
///
/// The files are listed in EmbeddedFiles.c, by their names without folders.
const uint8_t *_Nullable imghost_embedded_file(const char *_Nonnull name, size_t *_Nonnull count);
