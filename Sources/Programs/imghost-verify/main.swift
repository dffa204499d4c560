import CMemoryGuard
import Platform

cmemory_guard(1)
// A reader that stops early still gets the files and the exit status.
_ = signal(SIGPIPE, SIG_IGN)
do throws(Options.Mistake) {
  var words: [String] = []
  for index in 1..<max(1, Int(CommandLine.argc)) {
    guard let word = CommandLine.unsafeArgv[index] else { continue }
    // Repaired, it would be another file's name.
    guard let text = String(validatingCString: word) else {
      throw Options.Mistake(text: "'\(String(cString: word))' is not UTF-8; rename the file")
    }
    words.append(text)
  }
  let options = try Options(words)
  // The program that started it reports a lack of memory.
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
