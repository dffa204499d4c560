import CMemoryGuard
import CommandInterface
import Commands
import ImageCore
import Platform

_ = ProgramStart.time
cmemory_guard(ExitStatus.someFailed.rawValue)
PortableFiles.use()
// If the program that started this one had blocked all signals in its thread, the mask was inherited, and no signal
// could end this program.
var noSignals = sigset_t()
sigemptyset(&noSignals)
pthread_sigmask(SIG_SETMASK, &noSignals, nil)
// A file that exceeds `ulimit -f` causes an error instead of a signal.
signal(SIGXFSZ, SIG_IGN)
// A contact sheet of a thousand pictures opens as many files, but shells often allow only 1,024.
if var limit = ResourceLimit.openFiles.value {
  limit.rlim_cur = limit.rlim_max
  ResourceLimit.openFiles.set(limit)
}
// Pango would choose Chinese, Japanese or Korean glyphs by the user's languages. With a fixed language, a script
// produces the same book everywhere; its option 'language' selects other glyphs.
setenv("PANGO_LANGUAGE", "en", 1)
var status = CommandList.program.run(Array(commandWords.dropFirst()))
if let failure = Terminal.outputFailure {
  Terminal.error("imghost: cannot write to standard output: " + systemText(failure), .failure)
  if status == .success { status = .someFailed }
}
exit(status.rawValue)
