// Compiles the header by itself, with all warnings.
#include "CKernels.h"
