import os
import sys

from imghost import executable

os.execv(executable(), ["imghost"] + sys.argv[1:])
