import CShims
import Platform
import PluginHost

/// The rights that this process gives up before foreign code runs in it, including constructors of libraries. They
/// cannot be regained.
///
/// If the kernel lacks a part, the rest still holds, and `IsolationProbe` reports it.
struct Confinement {
  /// The error of the filter of system calls; 0 if it works.
  let filterCode: Int32
  /// The error of Landlock; 0 if it works.
  let landlockCode: Int32
  /// The bytes that a plugin can take.
  let memoryLimit: UInt64

  /// Confines the process before the library is loaded. From here on only the files that the host names can be read.
  init() {
    memoryLimit = shim_memory_share()
    _ = shim_limit_memory(memoryLimit)
    let paths = getenv(ReadableFiles.variable)
    landlockCode = shim_restrict_files(paths) == 0 ? 0 : errno
    unsetenv(ReadableFiles.variable)
    _ = shim_drop_privileges()
    var listener: Int32 = -1
    filterCode = shim_filter_calls(&listener) == 0 ? 0 : errno
    guard listener >= 0 else { return }
    // Its holder answers for the threads of this process, and foreign code must not.
    Channel.send(Message.threads.begin(), descriptor: listener)
    close(listener)
  }

  /// Ends reading after the library is loaded, in case there is no Landlock.
  func closeFiles() { if landlockCode != 0 { _ = shim_refuse_files() } }
}
