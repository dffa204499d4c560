// Nothing to call: see late.c.
#pragma once
