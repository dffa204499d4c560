// The memory of a worker: new blocks hold zeros, so that a library that reads what it has not written shows nothing of an
// earlier file.
#pragma once

/// The variable of the environment with a byte, as a decimal number, that new memory holds instead of zeros. Two workers
/// with different bytes give different results for code that reads unset memory: `imghost plugin check` compares them.
#define CWORKER_MEMORY_FILL "IMGHOST_WORKER_FILL"

/// Sets the unused part of the calling thread's stack, as far as code of a library usually reaches, to the same byte as
/// new memory.
///
/// Including this module wraps malloc(3) and its kin in the whole program. Under a debugger or checker
/// (`IMGHOST_WORKER_DEBUGGING`) nothing is set, since memory checkers look for reads of unset memory themselves.
void cworker_memory_set_stack(void);
