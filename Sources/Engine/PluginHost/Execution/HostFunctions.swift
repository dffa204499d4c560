import CPluginABI
import Platform

/// A call in progress: the state behind the opaque type `imghost_call`. All threads of the plugin may log, and ask
/// whether the call is cancelled, but only one of them may set the error.
package struct Call {
  /// Receives each line of the log with its level.
  let log: (UInt32, String) -> Void
  let isCancelled: () -> Bool
  /// Receives the completed share, from 0 to 1.
  let progress: (Double) -> Void
  /// The plugin's message about its failure.
  package var error = ""
  /// Receives bytes of a file that a codec writes.
  var write: (UnsafeRawBufferPointer) -> Void = { _ in }

  package init(
    log: @escaping (UInt32, String) -> Void, isCancelled: @escaping () -> Bool, progress: @escaping (Double) -> Void
  ) {
    self.log = log
    self.isCancelled = isCancelled
    self.progress = progress
  }
}

/// The functions that a plugin may call: `imghost_host` of imghost_plugin.h.
enum HostFunctions {
  /// The table that plugins receive.
  ///
  /// `nonisolated(unsafe)`: initialised once before its first use, and neither changed nor freed afterwards.
  nonisolated(unsafe) static let table: UnsafePointer<imghost_host> = {
    let table = UnsafeMutablePointer<imghost_host>.allocate(capacity: 1)
    table.initialize(
      to: imghost_host(
        struct_size: UInt32(MemoryLayout<imghost_host>.size),
        abi_version: IMGHOST_ABI_VERSION,
        name: UnsafePointer(strdup("imghost")),
        log: { call, level, text in state(of: call)?.pointee.log(level, string(text)) },
        set_error: { call, text in state(of: call)?.pointee.error = string(text) },
        is_cancelled: { call in state(of: call)?.pointee.isCancelled() == true ? 1 : 0 },
        progress: { call, fraction in
          state(of: call)?.pointee.progress(fraction > 0 ? min(fraction, 1) : 0)
        },
        alloc: { byteCount in aligned_alloc(64, (byteCount + 63) & ~63) },
        free: { memory in free(memory) },
        extension: { _ in nil }))
    return UnsafePointer(table)
  }()

  /// The `write` function of `imghost_writing`.
  static let write: @convention(c) (_ call: OpaquePointer?, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int32 = {
    call, bytes, count in
    guard let call = state(of: call), !call.pointee.isCancelled() else { return 1 }
    call.pointee.write(UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count))
    return 0
  }

  private static func state(of call: OpaquePointer?) -> UnsafeMutablePointer<Call>? {
    call.map { UnsafeMutablePointer<Call>($0) }
  }

  private static func string(_ text: UnsafePointer<CChar>?) -> String {
    guard let text else { return "" }
    let bytes = UnsafeRawBufferPointer(start: text, count: strnlen(text, Limits.text))
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension PluginHost {
  /// The version of the plugin interface in `imghost_plugin.h`.
  package static var abiVersion: Int { Int(IMGHOST_ABI_VERSION) }
}
