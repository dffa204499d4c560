import Platform

// A peer that dies is reported and does not end this program.
signal(SIGPIPE, SIG_IGN)
let words = Array(CommandLine.arguments.dropFirst())
if let first = words.first, let part = Subprocess(rawValue: first) { exit(part.run(Array(words.dropFirst()))) }
exit(BenchProgram.run(words))
