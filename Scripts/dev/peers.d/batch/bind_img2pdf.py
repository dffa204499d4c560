"""JPEG files to a PDF as they are, with img2pdf: bind_img2pdf.py PDF FILE…"""

import sys

import img2pdf

with open(sys.argv[1], "wb") as file:
    img2pdf.convert(sys.argv[2:], outputstream=file, engine=img2pdf.Engine.internal)
