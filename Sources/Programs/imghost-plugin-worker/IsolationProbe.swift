import ImageCore
import CShims
import Platform
import PluginHost

/// Tries, in a process that is confined as a plugin's is, what no plugin may do: by loading a library whose
/// constructor does. Nothing is left behind where it should succeed.
enum IsolationProbe {
  /// - Parameter library: the path of the library that tries.
  static func message(_ confinement: Confinement, library path: String) -> WireWriter {
    var message = Message.isolation.begin()
    message.append(UInt32(bitPattern: confinement.filterCode))
    message.append(UInt32(bitPattern: confinement.landlockCode))
    message.append(UInt32(shim_landlock_version()))
    message.append(confinement.memoryLimit)
    let outcomes = dlopen(path, RTLD_NOW | RTLD_LOCAL).flatMap {
      dlsym($0, "imghost_probe_outcomes")?.assumingMemoryBound(to: Int32.self)
    }
    for what in 0..<IsolationReport.attemptCount {
      // Without the library nothing has been tried.
      message.append(outcomes?[what] ?? -2)
    }
    return message
  }
}
