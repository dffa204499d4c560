import CPluginABI

#if canImport(Glibc)
  import Glibc
#endif

/// Why a library gives no plugin, on its way to the host.
package struct LoadFailure: Error {
  private let refusal: WorkerRefusal
  private let text: String
  private let number: UInt32?

  package init(_ refusal: WorkerRefusal, text: String = "", number: UInt32? = nil) {
    self.refusal = refusal
    self.text = text
    self.number = number
  }

  package var message: WireWriter {
    var message = Message.refused.begin()
    message.append(refusal.rawValue)
    if let number { message.append(number) } else { message.append(text) }
    return message
  }
}

/// A loaded plugin, never unloaded: the process ends with it.
package struct PluginLibrary {
  package let plugin: UnsafePointer<imghost_plugin>

  /// Wraps `dlopen(3)` and `dlsym(3)`, calls the entry, and checks what must be checked before any field
  /// can be read.
  package init(path: String) throws(LoadFailure) {
    guard let library = dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
      let words = dlerror().map { String(cString: $0) } ?? ""
      throw LoadFailure(.cannotLoad, text: String(words.prefix(Limits.text)))
    }
    guard let symbol = dlsym(library, "imghost_plugin_entry") else { throw LoadFailure(.noEntry) }
    typealias Entry =
      @convention(c) (UInt32, UnsafePointer<imghost_host>) -> UnsafePointer<imghost_plugin>?
    let entry = unsafeBitCast(symbol, to: Entry.self)
    guard let plugin = entry(IMGHOST_ABI_VERSION, HostFunctions.table) else {
      throw LoadFailure(.noDescription)
    }
    let version = plugin.pointee.abi_version
    guard version == IMGHOST_ABI_VERSION else {
      throw LoadFailure(.wrongVersion, number: version)
    }
    // Everything up to here is in version 1, and so is all that is read later. Fields that a later header
    // adds may only be read below `struct_size`.
    guard plugin.pointee.struct_size >= MemoryLayout<imghost_plugin>.size,
      plugin.pointee.parameter_count == 0
        || plugin.pointee.parameter_size >= MemoryLayout<imghost_parameter>.size
    else { throw LoadFailure(.tooSmall) }
    guard plugin.pointee.hasFunctions else { throw LoadFailure(.noFunctions) }
    self.plugin = plugin
  }

  /// What the plugin says of itself, as a message; nil when it is too long for one. Texts are cut one
  /// byte above what is allowed, so that the host sees which one is too long.
  package func description() -> WireWriter? {
    let plugin = plugin.pointee
    var message = Message.description.begin()
    message.append(text: bytes(plugin.name, limit: Limits.name))
    message.append(text: bytes(plugin.version, limit: Limits.version))
    message.append(text: bytes(plugin.summary, limit: Limits.text))
    for field in [
      plugin.kind, plugin.flags, plugin.samples, plugin.bands, plugin.alpha, plugin.extent,
      plugin.padding, plugin.threads, plugin.parameter_count,
    ] { message.append(field) }
    // More than there may be are refused by their count alone.
    let count = plugin.parameter_count <= Limits.parameters ? Int(plugin.parameter_count) : 0
    for index in 0..<count { append(parameter(index), to: &message) }
    return message.bytes.count <= Message.maximumByteCount ? message : nil
  }

  /// Parameters lie as far apart as the plugin's own struct is large.
  private func parameter(_ index: Int) -> imghost_parameter {
    (UnsafeRawPointer(plugin.pointee.parameters)! + index * Int(plugin.pointee.parameter_size))
      .assumingMemoryBound(to: imghost_parameter.self).pointee
  }

  private func append(_ parameter: imghost_parameter, to message: inout WireWriter) {
    message.append(text: bytes(parameter.name, limit: Limits.name))
    message.append(text: bytes(parameter.unit, limit: Limits.unit))
    message.append(text: bytes(parameter.help, limit: Limits.text))
    message.append(parameter.type)
    message.append(parameter.minimum)
    message.append(parameter.maximum)
    let value = parameter.default_value
    for number in [value.numbers.0, value.numbers.1, value.numbers.2, value.numbers.3] {
      message.append(number)
    }
    let isText = parameter.type == IMGHOST_TYPE_STRING
    message.append(text: isText ? bytes(value.text, limit: Limits.text) : [])
    let choices = parameter.type == IMGHOST_TYPE_ENUM ? self.choices(parameter) : []
    message.append(UInt32(choices.count))
    for choice in choices { message.append(text: choice) }
  }

  private func choices(_ parameter: imghost_parameter) -> [[UInt8]] {
    var choices: [[UInt8]] = []
    while choices.count <= Limits.choices, let text = parameter.choices?[choices.count] {
      choices.append(bytes(text, limit: Limits.name))
    }
    return choices
  }

  private func bytes(_ text: UnsafePointer<CChar>?, limit: Int) -> [UInt8] {
    guard let text else { return [] }
    return UnsafeBufferPointer(start: text, count: strnlen(text, limit + 1)).map {
      UInt8(bitPattern: $0)
    }
  }
}

extension imghost_plugin {
  /// Whether the functions that every plugin has are there.
  fileprivate var hasFunctions: Bool { create != nil && destroy != nil && process != nil }
}
