import ImageCore

import CShims
import Glibc

/// What this process gives up before foreign code runs in it. Nothing of it can be taken back.
///
/// Best effort: where the kernel lacks a part, the rest still holds, and `IsolationProbe` tells.
struct Confinement {
  /// Why there is no filter of system calls; 0 where there is one.
  let filterCode: Int32
  let memoryLimit: UInt64

  /// Before the library is loaded, whose constructors are foreign code, too. Files can still be read:
  /// loading is that.
  init() {
    memoryLimit = shim_memory_share()
    _ = shim_limit_memory(memoryLimit)
    filterCode = shim_filter_calls() == 0 ? 0 : errno
  }

  /// After it, before the first call: only what plugins load lazily can still be read. Without Landlock,
  /// or with threads that it does not reach, nothing can.
  ///
  /// - Returns: why Landlock does not hold; 0 where it does.
  @discardableResult
  func closeFiles(library: String?) -> Int32 {
    var code: Int32 = ENOSYS
    if shim_landlock_version() > 0 {
      let paths = Self.readable(library: library)
      let copies = paths.map { UnsafePointer(strdup($0)) }
      code = shim_restrict_files(copies, copies.count) == 0 ? 0 : errno
      for copy in copies { free(UnsafeMutablePointer(mutating: copy)) }
    }
    // Landlock holds for this thread and those it starts.
    if code == 0 && shim_thread_count() > 1 { code = EBUSY }
    if code != 0 { _ = shim_refuse_files() }
    return code
  }

  /// Libraries, fonts, models and locales of the system, what the C library asks about the machine, and
  /// the folder of the plugin itself.
  private static func readable(library: String?) -> [String] {
    var paths = [
      "/usr", "/lib", "/lib32", "/lib64", "/opt", "/nix/store", "/gnu/store", "/etc/ld.so.cache",
      "/etc/fonts", "/etc/localtime", "/etc/locale.alias", "/etc/alternatives",
      "/var/cache/fontconfig",
      "/sys/devices/system/cpu", "/sys/devices/system/node", "/proc/cpuinfo", "/proc/meminfo",
      "/proc/stat", "/proc/self", "/dev/null", "/dev/zero", "/dev/urandom", "/dev/random",
    ]
    if let search = getenv("LD_LIBRARY_PATH") {
      paths += String(cString: search).split(separator: ":").map(String.init)
    }
    if let library, let folder = PathName.folder(library) {
      paths.append(folder.isEmpty ? library : String(folder))
    }
    return paths
  }
}
