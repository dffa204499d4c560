#include <frei0r.h>
