# shellcheck shell=bash
# Descriptions of the program itself, of pictures and of plugins.
run imghost --version
run imghost help
for command in $(imghost --help </dev/null | sed -nE 's/^  ([a-z][a-z0-9-]*) .*/\1/p' | sort -u); do
  run imghost "$command" --help
  run imghost help --man "$command"
done
run imghost ops
run imghost ops --json
run imghost ops --stubs
run imghost ops templates
run imghost ops book
run imghost ops nothing
run imghost plugins
run imghost plugins --json
run imghost plugin list vignette
run imghost plugin run vignette photos/coffee.png vignette.png --set strength=0.5
run imghost plugin run test_card --set width=64 --set height=48 card.png
run imghost completion bash
run imghost completion zsh
run imghost completion fish
run imghost info photos/* samples/* damaged/*
run imghost info --json photos/* samples/* damaged/*
run imghost info --page 2 samples/pages.tif samples/two.pdf samples/animated.webp
run imghost status nothing
run imghost new project
run imghost new plugin glow --lang c
run imghost new plugin shine --lang lua
run imghost new plugin beam --lang swift
run imghost new plugin tile --lang c --kind codec
