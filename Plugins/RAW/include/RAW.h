/* RAW.h: the RAW plugin has one file; the package manager wants this folder. */
#pragma once

#include "imghost_plugin.h"
