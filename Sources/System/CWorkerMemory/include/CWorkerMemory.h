// The memory of a worker. New blocks are filled with zeros, so that a library that reads uninitialised memory sees
// nothing of an earlier file.
#pragma once

/// The environment variable with the byte, as a decimal number, that fills new memory instead of zeros. Code that reads
/// uninitialised memory gives different results in two workers with different bytes; `imghost plugin check` compares
/// them.
#define CWORKER_MEMORY_FILL "IMGHOST_WORKER_FILL"

/// Fills the unused part of the calling thread's stack, as far as library code usually reaches, with the same byte as
/// new memory.
///
/// Linking this module wraps malloc(3) and related functions in the whole program. Under a debugger or checker
/// (`IMGHOST_WORKER_DEBUGGING`) nothing is filled, because memory checkers detect reads of uninitialised memory
/// themselves.
void cworker_memory_set_stack(void);
