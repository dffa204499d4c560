import ImageCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

// A file that grows beyond `ulimit -f` is an error to be told, not a death.
signal(SIGXFSZ, SIG_IGN)
var status = CommandLineProgram.run(Array(CommandLine.arguments.dropFirst()))
if let failure = Terminal.outputFailure {
  Terminal.error("imghost: cannot write to standard output: " + systemText(failure))
  if status == .success { status = .someFailed }
}
exit(status.rawValue)
