#include <poppler.h>

#ifdef __linux__
// Of malloc.h, which would take declarations of the system's own module.
int malloc_trim(__SIZE_TYPE__ pad);
#endif
