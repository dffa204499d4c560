import CShims
import PluginHost

/// Tries, in a process that is confined as a plugin's is, what no plugin may do. Nothing is left behind
/// where it should succeed.
enum IsolationProbe {
  static func message(_ confinement: Confinement) -> WireWriter {
    let landlockCode = confinement.closeFiles(library: nil)
    var message = Message.isolation.begin()
    message.append(UInt32(bitPattern: confinement.filterCode))
    message.append(UInt32(bitPattern: landlockCode))
    message.append(UInt32(shim_landlock_version()))
    message.append(confinement.memoryLimit)
    for what in 0..<Int32(shim_try_count) { message.append(shim_try(what)) }
    return message
  }
}
