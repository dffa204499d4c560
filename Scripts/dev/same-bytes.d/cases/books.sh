# shellcheck shell=bash
# Books of every layout and conformance, and commands that read them.
run imghost book photos/*.jpg -o book.pdf --paper a5 --margin 10mm --verify
run imghost book photos/* -o grid.pdf --layout grid --rows 2 --columns 2 --paper a5 --caption '{stem}' --page-number '{page} / {pages}'
run imghost book photos/* -o auto.pdf --layout auto --paper 20x20 --title Walks --outline '{stem}' --json
run imghost book photos/*.png samples/pages.tif -o archive.pdf --conformance pdf/a-2b --lossless --title Archive --verify
run imghost book photos/*.jpg -o print.pdf --conformance pdf/x-4 --paper a5 --bleed 3mm --crop-marks --title Print
run imghost book photos/*.jpg -o ink.pdf --conformance pdf/x-1a --paper a5 --title Ink
run imghost book photos/*.jpg -o tagged.pdf --alt 'Photograph {stem}' --lang en --tagged --linearize --compact
run imghost book photos/*.jpg -o locked.pdf --password 'same bytes' --allow print
run imghost book photos/*.jpg damaged/cut.jpg -o partly.pdf --paper a6 --on-error continue
run imghost book photos/*.jpg damaged/cut.jpg -j 1 -o none.pdf --paper a6
run imghost book photos/*.jpg -o - --paper a6
run imghost book photos/*.jpg -o bad.pdf --paper a99 --layout gird
run imghost sheet photos/* -o sheet.jpg --columns 4
run imghost sheet 'photos/*' 'samples/*' -o sheet.pdf --columns 3 --title Sheet
run imghost verify -- *.pdf
run imghost verify --json --page-texts book.pdf grid.pdf auto.pdf tagged.pdf samples/two.pdf
run imghost verify --password 'same bytes' locked.pdf
run imghost verify --pages 4 --size a5 --dpi 300 --text rocket --embedded-fonts --against photos --sealed book.pdf
run imghost verify --junit report.xml --contact contact.png auto.pdf
run bash -c 'head -c 60000 book.pdf >cut.pdf; imghost verify cut.pdf photos/coffee.png missing.pdf'
run bash -c 'cp grid.pdf changed.pdf; printf x | dd of=changed.pdf bs=1 seek=40000 conv=notrunc status=none; imghost verify --json changed.pdf'
run env -u SOURCE_DATE_EPOCH imghost book photos/*.png -o undated.pdf --paper a6
