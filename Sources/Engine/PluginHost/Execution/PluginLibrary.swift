import CPluginABI
import ImageCore
import Platform

/// The reason why a library has no plugin, to be sent to the host.
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

/// A loaded native plugin, which is never unloaded before the process ends.
struct PluginLibrary: ServedLibrary {
  let plugin: UnsafePointer<imghost_plugin>
  package let codec: CodecTables?

  var allowsThreads: Bool { plugin.pointee.threads >= IMGHOST_THREADS_INSTANCES }

  /// Calls the entry function, and validates what is needed to read the plugin's fields safely.
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
    // All fields before `input_count` existed when version 1 was published. `input_count` and later fields may be read
    // only if `struct_size` includes them.
    guard Int(plugin.pointee.struct_size) >= Self.firstByteCount,
      plugin.pointee.parameter_count == 0 || plugin.pointee.parameter_size >= Self.firstParameterByteCount
    else { throw LoadFailure(.tooSmall) }
    codec = try Self.codec(of: plugin)
    guard codec != nil || plugin.hasFunctions else { throw LoadFailure(.noFunctions) }
    self.plugin = plugin
  }

  /// Returns the plugin's description as a message; nil if it is too long for one. Texts are truncated one byte above
  /// the limit, so that the host sees which one is too long.
  func description() -> WireWriter? {
    var message = Message.description.begin()
    message.append(text: bytes(plugin.pointee.name, byteLimit: Limits.name))
    message.append(text: bytes(plugin.pointee.version, byteLimit: Limits.version))
    message.append(text: bytes(plugin.pointee.summary, byteLimit: Limits.text))
    for field in [
      plugin.pointee.kind, plugin.pointee.flags, plugin.pointee.samples, plugin.pointee.bands,
      plugin.pointee.alpha, plugin.pointee.extent, plugin.pointee.padding, plugin.pointee.threads,
      inputCount, PluginDescription.Origin.native.rawValue,
    ] { message.append(field) }
    append(plugin.pointee.parameters, count: plugin.pointee.parameter_count, to: &message)
    if let codec { append(codec.codec.pointee, to: &message) }
    if let table = plugin.pointee.extension?(IMGHOST_DATA_EXTENSION) {
      append(
        table.assumingMemoryBound(to: UnsafePointer<CChar>?.self), atMost: Limits.dataPaths, byteLimit: Limits.text,
        to: &message)
    }
    return message.bytes.count <= Message.maximumByteCount ? message : nil
  }

  /// The size of `imghost_plugin` in the first plugins for version 1.
  private static let firstByteCount = MemoryLayout<imghost_plugin>.offset(of: \.input_count)!
  /// The size of `imghost_parameter` in the first plugins for version 1.
  static let firstParameterByteCount = MemoryLayout<imghost_parameter>.offset(of: \.label)!

  /// The number of input pictures. A mixer declares it; the default is 2.
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

  /// Returns a parameter. The distance between parameters is the size of the plugin's own struct; fields that it lacks
  /// are 0.
  func parameter(_ index: Int, of parameters: UnsafePointer<imghost_parameter>) -> imghost_parameter {
    let size = Int(plugin.pointee.parameter_size)
    let address = UnsafeRawPointer(parameters) + index * size
    let own = Int(address.load(as: UInt32.self))
    var parameter = imghost_parameter()
    // The declared size may be too small, because the first version-1 hosts do not check it.
    let count = min(max(own, Self.firstParameterByteCount), size, MemoryLayout<imghost_parameter>.size)
    withUnsafeMutableBytes(of: &parameter) {
      $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: count))
    }
    return parameter
  }

  /// Appends the number of parameters, and the parameters. Too many are a reason to reject the plugin, so they are left
  /// out.
  private func append(
    _ parameters: UnsafePointer<imghost_parameter>?, count: UInt32, to message: inout WireWriter
  ) {
    message.append(count)
    guard count <= Limits.parameters else { return }
    for index in 0..<Int(count) { append(parameter(index, of: parameters!), to: &message) }
  }

  private func append(_ parameter: imghost_parameter, to message: inout WireWriter) {
    message.append(text: bytes(parameter.name, byteLimit: Limits.name))
    message.append(text: bytes(parameter.unit, byteLimit: Limits.unit))
    message.append(text: bytes(parameter.help, byteLimit: Limits.text))
    message.append(text: bytes(parameter.label, byteLimit: Limits.name))
    message.append(text: bytes(parameter.group, byteLimit: Limits.name))
    message.append(parameter.type)
    message.append(parameter.minimum)
    message.append(parameter.maximum)
    message.append(parameter.step)
    let value = parameter.default_value
    for number in [value.numbers.0, value.numbers.1, value.numbers.2, value.numbers.3] {
      message.append(number)
    }
    let isText = parameter.type == IMGHOST_TYPE_STRING
    message.append(text: isText ? bytes(value.text, byteLimit: Limits.text) : [])
    let choices = parameter.type == IMGHOST_TYPE_ENUM ? parameter.choices : nil
    append(choices, atMost: Limits.choices, byteLimit: Limits.name, to: &message)
  }

  func bytes(_ text: UnsafePointer<CChar>?, byteLimit: Int) -> [UInt8] {
    guard let text else { return [] }
    return UnsafeBufferPointer(start: text, count: strnlen(text, byteLimit + 1)).map {
      UInt8(bitPattern: $0)
    }
  }
}

extension UnsafePointer<imghost_plugin> {
  /// Whether the functions that every plugin must have are present.
  fileprivate var hasFunctions: Bool {
    pointee.create != nil && pointee.destroy != nil && pointee.process != nil
  }
}

// MARK: - Process

extension PluginLibrary {
  func process(_ work: PluginWork, _ call: UnsafeMutablePointer<Call>) -> Bool {
    let opaque = OpaquePointer(call)
    guard let instance = create(opaque, work.values) else { return false }
    var more: [UnsafeMutableRawPointer] = []
    defer { for instance in [instance] + more { plugin.pointee.destroy(instance) } }
    while work.mode == .instances && more.count < 3 {
      guard let instance = create(opaque, work.values) else { return false }
      more.append(instance)
    }
    let call = PluginCall(
      plugin: plugin.pointee, call: opaque,
      inputs: work.inputs.map { picture(work.picture, $0, isWritable: false) },
      output: picture(work.picture, work.output, isWritable: true), rows: work.rows)
    return call.run(work.mode, instance, more: more)
  }

  private func create(_ call: OpaquePointer, _ values: [WireValue]) -> UnsafeMutableRawPointer? {
    values.withDescribed { plugin.pointee.create(call, $0, $1) }
  }

  private func picture(_ picture: WirePicture, _ rows: UnsafeMutableRawPointer, isWritable: Bool) -> imghost_picture {
    let (width, height) = (Int32(picture.width), Int32(picture.height))
    return imghost_picture(
      struct_size: UInt32(MemoryLayout<imghost_picture>.size), sample: picture.sample,
      bands: picture.bands, alpha: picture.alpha, width: width, height: height,
      valid: imghost_region(left: 0, top: 0, width: width, height: height),
      stride: Int(picture.stride), pixels: rows, writable: isWritable ? rows : nil)
  }
}

// MARK: - Codec

extension PluginLibrary {
  /// Returns the functions of a codec; nil for a plugin of another kind.
  ///
  /// - Throws: `noCodec` if the table, or a function required by its flags, is missing; `tooSmall` for a short struct.
  static func codec(of plugin: UnsafePointer<imghost_plugin>) throws(LoadFailure) -> CodecTables? {
    guard plugin.pointee.kind == IMGHOST_KIND_CODEC else { return nil }
    guard let table = plugin.pointee.extension?(IMGHOST_CODEC_EXTENSION) else { throw LoadFailure(.noCodec) }
    let codec = table.assumingMemoryBound(to: imghost_codec.self)
    guard Int(codec.pointee.struct_size) >= MemoryLayout<imghost_codec>.size,
      codec.pointee.read_parameter_count == 0
        || plugin.pointee.parameter_size >= Self.firstParameterByteCount
    else { throw LoadFailure(.tooSmall) }
    let functions = codec.pointee
    let reads = functions.open != nil && functions.read != nil && functions.close != nil
    let writes =
      functions.begin != nil && functions.write_rows != nil && functions.end_page != nil && functions.finish != nil
      && functions.abandon != nil
    guard functions.flags & IMGHOST_CODEC_READS == 0 || reads, functions.flags & IMGHOST_CODEC_WRITES == 0 || writes
    else { throw LoadFailure(.noCodec) }
    let stored: UnsafePointer<imghost_stored_codec>? = try self.table(IMGHOST_STORED_EXTENSION, of: plugin)
    guard functions.flags & IMGHOST_CODEC_WRAPS == 0 || stored?.pointee.wrap != nil else { throw LoadFailure(.noCodec) }
    return CodecTables(codec: codec, stored: stored, rewriting: try self.table(IMGHOST_REWRITING_EXTENSION, of: plugin))
  }

  /// Returns a further table of a codec's functions, which begins with its size; nil if the codec does not have it.
  private static func table<Table>(_ name: String, of plugin: UnsafePointer<imghost_plugin>) throws(LoadFailure)
    -> UnsafePointer<Table>?
  {
    guard let table = plugin.pointee.extension?(name) else { return nil }
    guard Int(table.load(as: UInt32.self)) >= MemoryLayout<Table>.size else { throw LoadFailure(.tooSmall) }
    return table.assumingMemoryBound(to: Table.self)
  }

  /// Appends the data that `CodecDescription` reads.
  func append(_ codec: imghost_codec, to message: inout WireWriter) {
    message.append(text: bytes(codec.title, byteLimit: Limits.name))
    message.append(codec.flags)
    append(codec.extensions, atMost: Limits.extensions, byteLimit: Limits.name, to: &message)
    append(codec.signatures, atMost: Limits.signatures, byteLimit: Limits.text, to: &message)
    append(codec.read_parameters, count: codec.read_parameter_count, to: &message)
    message.append(codec.maximum_pixels)
    for limit in [codec.maximum_side, codec.maximum_pages, codec.read_seconds, codec.write_seconds] {
      message.append(limit)
    }
    message.append(codec.write_bytes)
    message.append(codec.write_bytes_per_pixel)
  }

  /// Appends the texts of a list that ends with NULL. At most one text more than allowed is appended, which shows the
  /// host that there are too many.
  func append(
    _ texts: UnsafePointer<UnsafePointer<CChar>?>?, atMost most: Int, byteLimit: Int, to message: inout WireWriter
  ) {
    var list: [[UInt8]] = []
    while list.count <= most, let text = texts?[list.count] { list.append(bytes(text, byteLimit: byteLimit)) }
    message.append(UInt32(list.count))
    for text in list { message.append(text: text) }
  }
}
