import CShims
import Platform
import PluginHost

/// What this process gives up before foreign code runs in it, constructors of libraries included. None of it
/// can be taken back.
///
/// Best effort: where the kernel lacks a part, the rest still holds, and `IsolationProbe` tells.
struct Confinement {
  /// Why there is no filter of system calls; 0 where there is one.
  let filterCode: Int32
  /// Why Landlock does not hold; 0 where it does.
  let landlockCode: Int32
  /// Bytes a plugin can take in any way.
  let memoryLimit: UInt64

  /// Before the library is loaded. Of libraries, only the files that the host names can be read from here on.
  init() {
    memoryLimit = shim_memory_share()
    _ = shim_limit_memory(memoryLimit)
    let paths = getenv(ReadableFiles.variable)
    landlockCode = shim_restrict_files(paths) == 0 ? 0 : errno
    unsetenv(ReadableFiles.variable)
    _ = shim_drop_privileges()
    filterCode = shim_filter_calls() == 0 ? 0 : errno
  }

  /// After the library is loaded: without Landlock nothing can be read any more.
  func closeFiles() {
    if landlockCode != 0 { _ = shim_refuse_files() }
  }
}
