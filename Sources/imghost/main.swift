#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

// A file that grows beyond `ulimit -f` is an error to be told, not a death.
signal(SIGXFSZ, SIG_IGN)
exit(CommandLineProgram.run(Array(CommandLine.arguments.dropFirst())).rawValue)
