#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

// Who reads no further still gets the files and the exit status.
_ = signal(SIGPIPE, SIG_IGN)
do {
  let options = try Options(Array(CommandLine.arguments.dropFirst()))
  if options.isHelp {
    print(Options.help, terminator: "")
  } else if options.isWorker {
    exit(Worker(options: options).run())
  } else {
    var supervisor = Supervisor(options: options)
    exit(supervisor.run())
  }
} catch {
  complain(error.text)
  exit(2)
}
