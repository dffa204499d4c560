// Compiles the header on its own, with all warnings.
#include "CKernels.h"
