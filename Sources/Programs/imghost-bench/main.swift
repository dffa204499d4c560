import Platform

// A write to a closed pipe fails instead of ending this program.
signal(SIGPIPE, SIG_IGN)
let words = Array(CommandLine.arguments.dropFirst())
if let first = words.first, let part = Subprocess(rawValue: first) { exit(part.run(Array(words.dropFirst()))) }
exit(BenchProgram.run(words))
