import ImageCore
import CProcesses
import CSandbox

/// The last message of a worker whose plugin did something forbidden.
package enum Fault: Error, Equatable {
  case memory(Zone, Access, address: UInt64)
  /// The number of the system call.
  case forbiddenCall(UInt64)

  /// The part of memory that was accessed; raw values as in `CProcesses.h`.
  package enum Zone: UInt32 {
    case input = 1
    case besideInput = 2
    case besideOutput = 3
    case elsewhere = 4
  }

  package enum Access: UInt32 {
    case unknown = 0
    case read = 1
    case write = 2
  }

  /// Reads the body of a `fault` message.
  init(from body: inout WireReader) throws(WireError) {
    let (zone, access) = (try body.integer(UInt32.self), try body.integer(UInt32.self))
    let detail = try body.integer(UInt64.self)
    try body.finish()
    if zone == UInt32(shim_forbidden_call) {
      self = .forbiddenCall(detail)
      return
    }
    guard let zone = Zone(rawValue: zone), let access = Access(rawValue: access) else { throw WireError() }
    self = .memory(zone, access, address: detail)
  }
}

extension Fault: CustomStringConvertible {
  /// The rest of a sentence that starts with the plugin's name.
  package var description: String {
    switch self {
    case .memory(let zone, let access, let address):
      "\(Self.words(zone, access)) (segmentation fault at 0x\(String(address, radix: 16)))"
    case .forbiddenCall(let number): "crashed (forbidden system call \(Self.name(number)))"
    }
  }

  private static func words(_ zone: Zone, _ access: Access) -> String {
    let verb =
      switch access {
      case .unknown: "accessed memory"
      case .read: "read"
      case .write: "wrote"
      }
    return switch zone {
    case .input: "wrote to its input"
    case .besideInput: "\(verb) outside its input"
    case .besideOutput: "\(verb) outside its output"
    case .elsewhere: "crashed"
    }
  }

  private static func name(_ number: UInt64) -> String {
    shim_call_name(number).map { String(cString: $0) } ?? "\(number)"
  }
}
