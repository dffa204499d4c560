import CPluginABI

/// A picture operation written in Swift and exported by a plugin. An instance has one set of parameter values.
///
/// A library exports one operation, from its function `imghost_plugin_entry`:
///
///     Glow.plugin(version, host, name: "glow", summary: "Lets lights glow", flags: IMGHOST_FLAG_DETERMINISTIC,
///       parameters: [imghost_parameter("amount", IMGHOST_TYPE_FLOAT, 0...1, help: "How bright it is")])
package protocol ExportedOperation {
  /// - Parameter values: one value for each parameter, in order, checked by the host.
  init(_ values: UnsafePointer<imghost_value>)

  /// Processes the request's region. Returns false if the call was cancelled.
  func process(_ request: imghost_request, isCancelled: () -> Bool, progress: (Double) -> Void) -> Bool
}

extension ExportedOperation {
  /// Returns the description of the plugin, which is never freed; nil if the host is too old. The operation accepts all
  /// formats, and can process any range of rows, given `padding` more input rows above and below.
  ///
  /// - Parameter inputs: the number of pictures that are combined; 1 for a filter.
  package static func plugin(
    _ hostVersion: UInt32, _ functions: UnsafePointer<imghost_host>?, name: StaticString, summary: StaticString,
    flags: UInt32, inputs: Int = 1, padding: Int = 0, parameters: [imghost_parameter]
  ) -> UnsafePointer<imghost_plugin>? {
    guard hostVersion >= IMGHOST_ABI_VERSION else { return nil }
    (host, operation) = (functions, Self.self)
    var plugin = imghost_plugin()
    plugin.struct_size = UInt32(MemoryLayout<imghost_plugin>.size)
    plugin.abi_version = IMGHOST_ABI_VERSION
    plugin.kind = inputs == 1 ? IMGHOST_KIND_FILTER : IMGHOST_KIND_MIXER
    plugin.input_count = inputs == 1 ? 0 : UInt32(inputs)
    plugin.flags = flags
    plugin.name = text(name)
    plugin.version = text("1.0")
    plugin.summary = text(summary)
    plugin.samples = 1 << IMGHOST_SAMPLE_U8 | 1 << IMGHOST_SAMPLE_U16 | 1 << IMGHOST_SAMPLE_F32
    plugin.bands = 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4
    plugin.alpha = IMGHOST_ALPHA_STRAIGHT
    plugin.extent = IMGHOST_EXTENT_ROWS
    plugin.padding = UInt32(padding)
    plugin.threads = IMGHOST_THREADS_REGIONS
    plugin.parameter_size = UInt32(MemoryLayout<imghost_parameter>.stride)
    plugin.parameter_count = UInt32(parameters.count)
    plugin.parameters = kept(parameters)
    plugin.create = { _, values, _ in
      guard let values, let operation else { return nil }
      return Unmanaged.passRetained(Instance(operation.init(values))).toOpaque()
    }
    plugin.destroy = { instance in instance.map { Unmanaged<Instance>.fromOpaque($0).release() } }
    plugin.process = { instance, request in
      guard let instance, let request = request?.pointee, let host = host?.pointee else { return IMGHOST_FAILED }
      let finished = Unmanaged<Instance>.fromOpaque(instance).takeUnretainedValue().operation.process(
        request, isCancelled: { host.is_cancelled(request.call) != 0 }, progress: { host.progress(request.call, $0) })
      return finished ? IMGHOST_OK : IMGHOST_CANCELLED
    }
    return kept([plugin])
  }
}

private final class Instance {
  let operation: any ExportedOperation

  init(_ operation: any ExportedOperation) { self.operation = operation }
}

// `nonisolated(unsafe)`: the library's entry function sets both once, before the host calls another function.
private nonisolated(unsafe) var host: UnsafePointer<imghost_host>?
private nonisolated(unsafe) var operation: (any ExportedOperation.Type)?

/// Returns a text as a C pointer. Texts are constants of the program, which are never freed.
private func text(_ string: StaticString) -> UnsafePointer<CChar> {
  UnsafeRawPointer(string.utf8Start).assumingMemoryBound(to: CChar.self)
}

/// Returns a copy that is never freed.
private func kept<Element>(_ elements: [Element]) -> UnsafePointer<Element> {
  let copy = UnsafeMutablePointer<Element>.allocate(capacity: elements.count)
  copy.initialize(from: elements, count: elements.count)
  return UnsafePointer(copy)
}

extension imghost_parameter {
  /// - Parameter choices: the names of the choices of an enumeration.
  package init(
    _ name: StaticString, _ type: UInt32, _ range: ClosedRange<Double> = 0...0,
    default value: (Double, Double, Double, Double) = (0, 0, 0, 0), unit: StaticString = "",
    choices: [StaticString] = [], help: StaticString
  ) {
    self.init()
    struct_size = UInt32(MemoryLayout<imghost_parameter>.size)
    self.type = type
    self.name = text(name)
    self.help = text(help)
    self.unit = text(unit)
    minimum = range.lowerBound
    maximum = range.upperBound
    default_value.numbers = value
    if !choices.isEmpty { self.choices = kept(choices.map { Optional(text($0)) } + [nil]) }
  }
}

extension imghost_picture {
  /// Returns the address of a pixel, which must be in the valid part of the picture.
  package func address(x: Int32, y: Int32) -> UnsafeRawPointer {
    let sampleByteCount = sample == IMGHOST_SAMPLE_U8 ? 1 : sample == IMGHOST_SAMPLE_U16 ? 2 : 4
    let row: UnsafeRawPointer = pixels + Int(y - valid.top) * stride
    let offset: Int = Int(x - valid.left) * Int(bands) * sampleByteCount
    return row + offset
  }
}
