import ImageCore
import CProcesses
import Platform
import PluginHost

/// The socket to the host.
enum Channel {
  static let descriptor: Int32 = 3

  /// Sends a message, optionally with a descriptor. If the host is gone, the worker exits.
  static func send(_ message: WireWriter, descriptor lent: Int32? = nil) {
    let descriptors = lent.map { [$0] } ?? []
    if shim_send(descriptor, message.bytes, message.bytes.count, descriptors, descriptors.count) != 0 {
      Worker.isDebugged ? exit(0) : _exit(0)
    }
  }

  /// Sends a line of a call's log.
  static func sendLog(call number: UInt64, _ level: UInt32, _ text: String) {
    var message = Message.log.begin(call: number)
    message.append(level)
    message.append(text)
    send(message)
  }

  /// Returns the message that a call failed.
  static func failure(call number: UInt64, _ words: String) -> WireWriter {
    var message = Message.failed.begin(call: number)
    message.append(words)
    return message
  }

  /// Waits for a message; returns nil once the host has closed the channel, or if receiving fails.
  static func receive() -> (bytes: [UInt8], descriptors: [Int32])? {
    _ = shim_wait(descriptor, -1, -1, 1)
    var descriptors: (Int32, Int32) = (-1, -1)
    let bytes = [UInt8](unsafeUninitializedCapacity: Message.maximumByteCount) { buffer, filled in
      let count = withUnsafeMutableBytes(of: &descriptors) { target in
        shim_receive(descriptor, buffer.baseAddress, buffer.count, target.bindMemory(to: Int32.self).baseAddress)
      }
      filled = max(count, 0)
    }
    guard !bytes.isEmpty else { return nil }
    return (bytes, [descriptors.0, descriptors.1].filter { $0 >= 0 })
  }
}
