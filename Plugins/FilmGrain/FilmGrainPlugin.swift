import CPluginABI

/// Returns a text for the description as a C pointer. Texts are constants of the program, which are never freed.
private func text(_ string: StaticString) -> UnsafePointer<CChar> {
  UnsafeRawPointer(string.utf8Start).assumingMemoryBound(to: CChar.self)
}

private func parameter(
  _ name: StaticString, _ type: UInt32, _ range: ClosedRange<Double> = 0...0,
  default value: (Double, Double, Double, Double), unit: StaticString = "", help: StaticString
) -> imghost_parameter {
  var parameter = imghost_parameter()
  parameter.struct_size = UInt32(MemoryLayout<imghost_parameter>.size)
  parameter.type = UInt32(type)
  parameter.name = text(name)
  parameter.help = text(help)
  parameter.unit = text(unit)
  parameter.minimum = range.lowerBound
  parameter.maximum = range.upperBound
  parameter.default_value.numbers = value
  return parameter
}

/// The parameters. `FilmGrain` reads their values in this order.
private func parameters() -> [imghost_parameter] {
  [
    parameter(
      "amount", IMGHOST_TYPE_FLOAT, 0...1, default: (0.3, 0, 0, 0),
      help: "How strong the grain is in the middle tones"),
    parameter(
      "size", IMGHOST_TYPE_FLOAT, 1...20, default: (1.5, 0, 0, 0), unit: "px",
      help: "Distance from grain to grain"),
    parameter(
      "colour", IMGHOST_TYPE_FLOAT, 0...1, default: (0.2, 0, 0, 0),
      help: "0 is the grain of black-and-white film, 1 has each band its own"),
    parameter(
      "seed", IMGHOST_TYPE_INT, 0...1_000_000_000, default: (1, 0, 0, 0),
      help: "Which grain; the same number gives the same grain"),
  ]
}

/// The host's functions. `nonisolated(unsafe)`, because the pointer is written once by the entry function before
/// anything reads it, and is never freed.
private nonisolated(unsafe) let host = UnsafeMutablePointer<UnsafePointer<imghost_host>?>.allocate(capacity: 1)

/// The description. `nonisolated(unsafe)`, because it is created once on first use, never changed, and never freed.
private nonisolated(unsafe) let description: UnsafePointer<imghost_plugin> = {
  let parameters = parameters()
  let table = UnsafeMutablePointer<imghost_parameter>.allocate(capacity: parameters.count)
  table.initialize(from: parameters, count: parameters.count)
  var plugin = imghost_plugin()
  plugin.struct_size = UInt32(MemoryLayout<imghost_plugin>.size)
  plugin.abi_version = IMGHOST_ABI_VERSION
  plugin.kind = IMGHOST_KIND_FILTER
  plugin.flags = IMGHOST_FLAG_DETERMINISTIC | IMGHOST_FLAG_IN_PLACE | IMGHOST_FLAG_ANY_RGB
  plugin.name = text("film_grain")
  plugin.version = text("1.0")
  plugin.summary = text("Adds the grain of film, weaker in highlights and shadows")
  plugin.samples = 1 << 1 | 1 << 2 | 1 << 3
  plugin.bands = 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4
  plugin.alpha = IMGHOST_ALPHA_STRAIGHT
  plugin.extent = IMGHOST_EXTENT_ROWS
  plugin.threads = IMGHOST_THREADS_REGIONS
  plugin.parameter_size = UInt32(MemoryLayout<imghost_parameter>.stride)
  plugin.parameter_count = UInt32(parameters.count)
  plugin.parameters = UnsafePointer(table)
  plugin.create = { _, values, _ in create(values) }
  plugin.destroy = { instance in
    instance?.assumingMemoryBound(to: FilmGrain.self).deallocate()
  }
  plugin.process = { instance, request in process(instance, request) }
  let result = UnsafeMutablePointer<imghost_plugin>.allocate(capacity: 1)
  result.initialize(to: plugin)
  return UnsafePointer(result)
}()

private func create(_ values: UnsafePointer<imghost_value>?) -> UnsafeMutableRawPointer? {
  guard let values else { return nil }
  let instance = UnsafeMutablePointer<FilmGrain>.allocate(capacity: 1)
  instance.initialize(to: FilmGrain(values))
  return UnsafeMutableRawPointer(instance)
}

private func process(_ instance: UnsafeMutableRawPointer?, _ request: UnsafePointer<imghost_request>?) -> Int32 {
  guard let instance, let request = request?.pointee, let host = host.pointee?.pointee else {
    return IMGHOST_FAILED
  }
  let grain = instance.assumingMemoryBound(to: FilmGrain.self).pointee
  let finished = grain.process(
    request, isCancelled: { host.is_cancelled(request.call) != 0 },
    progress: { host.progress(request.call, $0) })
  return finished ? IMGHOST_OK : IMGHOST_CANCELLED
}

/// Returns the plugin's description; nil if the host is too old.
///
/// The host looks this function up as `imghost_plugin_entry` of imghost_plugin.h.
@_cdecl("imghost_plugin_entry")
public func filmGrainEntry(
  _ hostVersion: UInt32, _ functions: UnsafePointer<imghost_host>?
) -> UnsafePointer<imghost_plugin>? {
  guard hostVersion >= IMGHOST_ABI_VERSION else { return nil }
  host.initialize(to: functions)
  return description
}
