#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

exit(CommandLineProgram.run(Array(CommandLine.arguments.dropFirst())).rawValue)
