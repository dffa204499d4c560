// The files of the preview's page.
#pragma once

#include <stddef.h>

/// Finds a file by its name, such as "plan.js".
///
/// - Returns: its bytes, which live as long as the program, and sets their `count`; NULL if there is no such file.
const unsigned char *cpreview_file(const char *name, size_t *count);
