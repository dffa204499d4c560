#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

do {
  let options = try Options(Array(CommandLine.arguments.dropFirst()))
  if options.isHelp {
    print(Options.help, terminator: "")
  } else if options.isWorker {
    exit(Worker(options: options).run())
  } else {
    exit(Supervisor(options: options).run())
  }
} catch {
  complain(error.text)
  exit(2)
}
