// This header declares nothing; see late.c.
#pragma once
