import CProcesses
import CSandbox
import ImageCore
import Platform
import PluginHost

/// The program that runs a plugin for imghost in a process of its own, so that a crash or hang affects only one
/// picture.
///
///     imghost-plugin-worker describe FILE    sends the description of the plugin, and ends
///     imghost-plugin-worker serve FILE       sends the description, and processes pictures until the channel closes
///     imghost-plugin-worker isolation FILE   loads a library that attempts what plugins must not do,
///                                            sends the outcomes, and ends
///     imghost-plugin-worker check-… FILE     serves, but processes pictures in pieces, see `ServeMode`
///
/// Under a debugger (`IMGHOST_WORKER_DEBUGGING`, see `WorkerDebugging`) the process is not confined.
///
/// The worker exchanges `Message`s on descriptor 3. It is single-threaded, except for threads of the plugin.
@main
enum Worker {
  static func main() {
    let arguments = commandWords
    let probes = arguments.count == 3 && arguments[1] == "isolation"
    let mode = arguments.count == 3 ? ServeMode(rawValue: arguments[1]) : nil
    guard arguments.count == 3, probes || mode != nil || arguments[1] == "describe",
      fcntl(Channel.descriptor, F_GETFD) >= 0
    else { leave("is started by imghost, not by hand", status: 2) }
    if isDebugged { _ = shim_end_with_parent() }
    let confinement = isDebugged ? nil : confine()
    if let confinement, probes {
      Channel.send(IsolationProbe.message(confinement, library: arguments[2]))
      _exit(0)
    }
    let library: any ServedLibrary
    do throws(LoadFailure) {
      library = try Library.load(path: arguments[2])
    } catch {
      Channel.send(error.message)
      exit(0)
    }
    guard let description = library.description() else {
      Channel.send(LoadFailure(.tooLong).message)
      exit(0)
    }
    confinement?.closeFiles()
    Channel.send(description)
    if let mode {
      if let codec = library.codec { CodecServer(codec).run() } else { Server(library, mode: mode).run() }
    }
    // Exit handlers that the plugin registered must not run, except under a leak checker, whose check is an exit
    // handler, too.
    if isDebugged { exit(0) }
    _exit(0)
  }

  /// Whether the author of a plugin runs this process under a debugger or a checker. These need files, signals and
  /// memory of their own, so the process is not confined.
  static let isDebugged = getenv(WorkerDebugging.variable) != nil

  private static func confine() -> Confinement {
    guard shim_limit_worker() == 0 else {
      leave("cannot limit itself: " + String(cString: strerror(errno)), status: 1)
    }
    shim_watch_signals(Channel.descriptor)
    return Confinement()
  }

  private static func leave(_ words: String, status: Int32) -> Never {
    let line = "imghost-plugin-worker: \(words)\n"
    _ = write(STDERR_FILENO, line, line.utf8.count)
    exit(status)
  }
}

/// Permanently removes rights of this process, before any foreign code, such as the constructor of a library, runs in
/// it.
///
/// If the kernel does not support a part of the confinement, the other parts still work, and `IsolationProbe` reports
/// the missing part.
struct Confinement {
  /// The error code of the system call filter; 0 if it is active.
  let filterCode: Int32
  /// The error code of Landlock; 0 if it is active.
  let landlockCode: Int32
  /// The maximum memory for a plugin, in bytes.
  let memoryLimit: UInt64

  /// Confines the process before the library is loaded. From here on, it can only read the files that the host allows.
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
    // The holder of this descriptor decides about the system calls of this process, so foreign code must not have it.
    Channel.send(Message.threads.begin(), descriptor: listener)
    close(listener)
  }

  /// Forbids reading files after the library is loaded, if Landlock is not available.
  func closeFiles() { if landlockCode != 0 { _ = shim_refuse_files() } }
}

/// Attempts everything that plugins must not do. It loads a library whose constructor makes the attempts, in a process
/// that is confined like a plugin's. Attempts that succeed leave nothing behind.
enum IsolationProbe {
  /// - Parameter library: the path of the library with the attempts.
  static func message(_ confinement: Confinement, library path: String) -> WireWriter {
    var message = Message.isolation.begin()
    message.append(UInt32(bitPattern: confinement.filterCode))
    message.append(UInt32(bitPattern: confinement.landlockCode))
    message.append(UInt32(shim_landlock_version()))
    message.append(confinement.memoryLimit)
    let outcomes = PathBytes.withBytes(of: path) { dlopen($0, RTLD_NOW | RTLD_LOCAL) }.flatMap {
      dlsym($0, "imghost_probe_outcomes")?.assumingMemoryBound(to: Int32.self)
    }
    for what in 0..<IsolationReport.attemptCount {
      // Without the library, nothing was attempted.
      message.append(outcomes?[what] ?? -2)
    }
    return message
  }
}
