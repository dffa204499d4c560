#include "imghost_plugin.h"
