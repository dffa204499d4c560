import CMemoryGuard
import CommandInterface
import Commands
import ImageCore
import Platform

cmemory_guard(ExitStatus.someFailed.rawValue)
PortableFiles.use()
// A program that starts others from a thread without signals hands that mask on, and no signal would end this one.
var noSignals = sigset_t()
sigemptyset(&noSignals)
pthread_sigmask(SIG_SETMASK, &noSignals, nil)
// A file that grows beyond `ulimit -f` gives an error instead of a signal.
signal(SIGXFSZ, SIG_IGN)
// A contact sheet of a thousand pictures has as many files open; shells often allow 1,024.
if var limit = ResourceLimit.openFiles.value {
  limit.rlim_cur = limit.rlim_max
  ResourceLimit.openFiles.set(limit)
}
// Pango would choose Chinese, Japanese or Korean forms by the user's languages. The same script gives the same book
// everywhere; the option 'language' chooses.
setenv("PANGO_LANGUAGE", "en", 1)
var status = CommandList.program.run(CommandWords.own)
if let failure = Terminal.outputFailure {
  Terminal.error("imghost: cannot write to standard output: " + systemText(failure), .failure)
  if status == .success { status = .someFailed }
}
exit(status.rawValue)
