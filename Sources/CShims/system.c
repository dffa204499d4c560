#include "shim_system.h"
