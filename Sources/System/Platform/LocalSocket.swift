/// Opens a socket that listens only on this machine; wraps `bind(2)` on 127.0.0.1 and `listen(2)`.
///
/// - Parameter port: the port; 0 for any.
/// - Returns: its descriptor, or -1 with `errno` set.
public func listenLocally(port: UInt16) -> Int32 {
  #if canImport(Glibc)
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
  #else
    let kind = SOCK_STREAM
  #endif
  let descriptor = socket(AF_INET, kind, 0)
  guard descriptor >= 0 else { return -1 }
  // Without this option, a restarted preview finds its port in use for a minute.
  var yes: Int32 = 1
  setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
  let code = withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
  guard code == 0, listen(descriptor, 64) == 0 else {
    let reason = errno
    close(descriptor)
    errno = reason
    return -1
  }
  return descriptor
}

/// Returns the port of a socket; wraps `getsockname(2)`.
public func localPort(of descriptor: Int32) -> UInt16 {
  var address = sockaddr_in()
  var size = socklen_t(MemoryLayout<sockaddr_in>.size)
  _ = withUnsafeMutablePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
  }
  return UInt16(bigEndian: address.sin_port)
}
