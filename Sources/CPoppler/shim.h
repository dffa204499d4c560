#ifdef __linux__
#include <malloc.h> // malloc_trim
#endif
#include <poppler.h>
