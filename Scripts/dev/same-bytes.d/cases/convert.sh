# shellcheck shell=bash
# One-liners that convert pictures, with outputs of every kind.
run imghost convert photos/*.jpg --resize 300 --sharpen 0.4 -o 'web/{stem}.webp' --quality 80
run imghost convert photos/coffee.png --fit 200,200 --levels 'black={0,10,0},white=250' -o small.jpg --progressive --metadata public
run imghost convert 'samples/*' --thumbnail 64,64 -o thumbs/ --format png
run imghost convert photos/*.png photos/*.jpg --grayscale -o 'gray/{index:3}-{stem}.png' --palette 16 --json
run imghost convert photos/chelsea.png --composite over=samples/alpha.webp,gravity=south --text '© {exif.Artist|me}, 2026,size=24' -o text.png
run imghost convert samples/pages.tif --page 2 --rotate 90 -o page.jp2
run imghost convert photos/rocket.jpg -o same.jpg
run imghost convert photos/rocket.jpg --dry-run --width 100 -o a.jpg
run imghost convert photos/rocket.jpg --resize 1600 --sharpen 0.4 -o 'web/{stem}.webp' --print-script
run imghost convert photos/rocket.jpg --resize 100 -o - --format png
run imghost convert - --resize 100 -o - <photos/rocket.jpg
run bash -c 'cat photos/coffee.png | imghost convert - --flip -o flipped.bmp'
run bash -c 'printf "photos/rocket.jpg\0photos/coffee.png\0" | imghost convert --files0-from - --width 50 -o "list/{stem}.jpg"'
run imghost convert photos/coffee.png -o limited.jpg --max-bytes 20k
run imghost convert photos/coffee.png -o similar.jpg --target 0.95
run imghost convert photos/coffee.png --profile cmyk -o cmyk.tif --manifest made.json
