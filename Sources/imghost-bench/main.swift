#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

exit(BenchProgram.run(Array(CommandLine.arguments.dropFirst())))
