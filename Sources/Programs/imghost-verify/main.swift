import CMemoryGuard
import Platform

cmemory_guard(1)
// If a reader of the output stops early, the files and the exit status must still be complete.
_ = signal(SIGPIPE, SIG_IGN)
do throws(Options.Mistake) {
  let options = try Options(Array(commandWords.dropFirst()))
  // The parent process reports a lack of memory.
  if options.isWorker || options.expectations != nil { cmemory_guard(Limits.memoryStatus) }
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
