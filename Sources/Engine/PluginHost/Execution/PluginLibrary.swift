import ImageCore
import CPluginABI
import Platform

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

/// A loaded native plugin, never unloaded: the process ends with it.
struct PluginLibrary: ServedLibrary {
  let plugin: UnsafePointer<imghost_plugin>
  /// The functions of a codec; nil for the other kinds.
  package let codec: CodecTables?

  var allowsThreads: Bool { plugin.pointee.threads >= IMGHOST_THREADS_INSTANCES }

  /// Calls the entry, and checks what must be checked before any field can be read.
  ///
  /// - Parameter symbol: the address of `imghost_plugin_entry`.
  init(entry symbol: UnsafeMutableRawPointer) throws(LoadFailure) {
    typealias Entry = @convention(c) (UInt32, UnsafePointer<imghost_host>) -> UnsafePointer<imghost_plugin>?
    let entry = unsafeBitCast(symbol, to: Entry.self)
    guard let plugin = entry(IMGHOST_ABI_VERSION, HostFunctions.table) else {
      throw LoadFailure(.noDescription)
    }
    let version = plugin.pointee.abi_version
    guard version == IMGHOST_ABI_VERSION else { throw LoadFailure(.wrongVersion, number: version) }
    // Everything up to `input_count` was there when version 1 was published. That and what later headers
    // add may only be read below `struct_size`.
    guard Int(plugin.pointee.struct_size) >= Self.firstByteCount,
      plugin.pointee.parameter_count == 0 || plugin.pointee.parameter_size >= Self.firstParameterByteCount
    else { throw LoadFailure(.tooSmall) }
    codec = try Self.codec(of: plugin)
    guard codec != nil || plugin.hasFunctions else { throw LoadFailure(.noFunctions) }
    self.plugin = plugin
  }

  /// The plugin's description as a message; nil if it is too long for one. Texts are cut one byte above the limit, so that
  /// the host sees which one is too long.
  func description() -> WireWriter? {
    var message = Message.description.begin()
    message.append(text: bytes(plugin.pointee.name, limit: Limits.name))
    message.append(text: bytes(plugin.pointee.version, limit: Limits.version))
    message.append(text: bytes(plugin.pointee.summary, limit: Limits.text))
    for field in [
      plugin.pointee.kind, plugin.pointee.flags, plugin.pointee.samples, plugin.pointee.bands,
      plugin.pointee.alpha, plugin.pointee.extent, plugin.pointee.padding, plugin.pointee.threads,
      inputCount, PluginDescription.Origin.native.rawValue, plugin.pointee.parameter_count,
    ] { message.append(field) }
    // More than there may be are refused by their count alone.
    let declared = plugin.pointee.parameter_count
    let count = declared <= Limits.parameters ? Int(declared) : 0
    for index in 0..<count { append(parameter(index), to: &message) }
    if let codec { append(codec.codec.pointee, to: &message) }
    if let table = plugin.pointee.extension?(IMGHOST_DATA_EXTENSION) {
      append(
        table.assumingMemoryBound(to: UnsafePointer<CChar>?.self), atMost: Limits.dataPaths, limit: Limits.text,
        to: &message)
    }
    return message.bytes.count <= Message.maximumByteCount ? message : nil
  }

  /// Bytes of `imghost_plugin` in the first plugins for version 1.
  private static let firstByteCount = MemoryLayout<imghost_plugin>.offset(of: \.input_count)!
  /// Bytes of `imghost_parameter` in them.
  static let firstParameterByteCount = MemoryLayout<imghost_parameter>.offset(of: \.label)!

  /// How many pictures go in, by the plugin's word where it is a mixer: 2 for one that does not say.
  private var inputCount: UInt32 {
    switch plugin.pointee.kind {
    case IMGHOST_KIND_FILTER: return 1
    case IMGHOST_KIND_SOURCE, IMGHOST_KIND_CODEC: return 0
    default:
      let end = Self.firstByteCount + MemoryLayout<UInt32>.size
      guard Int(plugin.pointee.struct_size) >= end, plugin.pointee.input_count > 0 else { return 2 }
      return plugin.pointee.input_count
    }
  }

  private func parameter(_ index: Int) -> imghost_parameter { parameter(index, of: plugin.pointee.parameters) }

  /// Parameters lie as far apart as the plugin's own struct is large. Fields that it does not have are 0.
  func parameter(_ index: Int, of parameters: UnsafePointer<imghost_parameter>) -> imghost_parameter {
    let size = Int(plugin.pointee.parameter_size)
    let address = UnsafeRawPointer(parameters) + index * size
    let own = Int(address.load(as: UInt32.self))
    var parameter = imghost_parameter()
    // Nobody looked at the size of a parameter before there was a second one.
    let count = min(max(own, Self.firstParameterByteCount), size, MemoryLayout<imghost_parameter>.size)
    withUnsafeMutableBytes(of: &parameter) {
      $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: count))
    }
    return parameter
  }

  func append(_ parameter: imghost_parameter, to message: inout WireWriter) {
    message.append(text: bytes(parameter.name, limit: Limits.name))
    message.append(text: bytes(parameter.unit, limit: Limits.unit))
    message.append(text: bytes(parameter.help, limit: Limits.text))
    message.append(text: bytes(parameter.label, limit: Limits.name))
    message.append(text: bytes(parameter.group, limit: Limits.name))
    message.append(parameter.type)
    message.append(parameter.minimum)
    message.append(parameter.maximum)
    message.append(parameter.step)
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

  func bytes(_ text: UnsafePointer<CChar>?, limit: Int) -> [UInt8] {
    guard let text else { return [] }
    return UnsafeBufferPointer(start: text, count: strnlen(text, limit + 1)).map {
      UInt8(bitPattern: $0)
    }
  }
}

extension UnsafePointer<imghost_plugin> {
  /// Whether the functions that every plugin has are there.
  fileprivate var hasFunctions: Bool {
    pointee.create != nil && pointee.destroy != nil && pointee.process != nil
  }
}
