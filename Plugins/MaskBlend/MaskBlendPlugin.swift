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

/// The names of the choices of `space`, terminated by NULL. `nonisolated(unsafe)`, because they are created once on
/// first use, never changed, and never freed.
private nonisolated(unsafe) let spaces: UnsafePointer<UnsafePointer<CChar>?> = {
  let names = UnsafeMutablePointer<UnsafePointer<CChar>?>.allocate(capacity: 3)
  names.initialize(to: text("encoded"))
  (names + 1).initialize(to: text("linear"))
  (names + 2).initialize(to: nil)
  return UnsafePointer(names)
}()

/// The parameters. `MaskBlend` reads their values in this order.
private func parameters() -> [imghost_parameter] {
  var space = parameter(
    "space", IMGHOST_TYPE_ENUM, default: (0, 0, 0, 0),
    help: "How samples are mixed: as they are, or as light (of sRGB)")
  space.choices = spaces
  return [
    parameter(
      "opacity", IMGHOST_TYPE_FLOAT, 0...1, default: (1, 0, 0, 0),
      help: "How much of the second picture shows where the mask is white"),
    parameter(
      "invert", IMGHOST_TYPE_BOOL, default: (0, 0, 0, 0),
      help: "Shows the second picture where the mask is black instead"),
    parameter(
      "softness", IMGHOST_TYPE_FLOAT, 0...MaskBlend.maximumSoftness, default: (0, 0, 0, 0),
      unit: "px", help: "Blurs the mask: about the gaussian's standard deviation"),
    space,
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
  plugin.kind = IMGHOST_KIND_MIXER
  plugin.input_count = 3
  plugin.flags = IMGHOST_FLAG_DETERMINISTIC | IMGHOST_FLAG_ANY_RGB | IMGHOST_FLAG_SCALES
  plugin.name = text("mask_blend")
  plugin.version = text("1.0")
  plugin.summary = text("Lays a second picture over the first where a third, the mask, is bright")
  plugin.samples = 1 << 1 | 1 << 2 | 1 << 3
  plugin.bands = 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4
  plugin.alpha = IMGHOST_ALPHA_STRAIGHT
  plugin.extent = IMGHOST_EXTENT_ROWS
  plugin.padding = UInt32(SoftMask.reach(upTo: MaskBlend.maximumSoftness))
  plugin.threads = IMGHOST_THREADS_REGIONS
  plugin.parameter_size = UInt32(MemoryLayout<imghost_parameter>.stride)
  plugin.parameter_count = UInt32(parameters.count)
  plugin.parameters = UnsafePointer(table)
  plugin.create = { _, values, _ in create(values) }
  plugin.destroy = { instance in
    guard let instance = instance?.assumingMemoryBound(to: MaskBlend.self) else { return }
    instance.deinitialize(count: 1)
    instance.deallocate()
  }
  plugin.process = { instance, request in process(instance, request) }
  let result = UnsafeMutablePointer<imghost_plugin>.allocate(capacity: 1)
  result.initialize(to: plugin)
  return UnsafePointer(result)
}()

private func create(_ values: UnsafePointer<imghost_value>?) -> UnsafeMutableRawPointer? {
  guard let values else { return nil }
  let instance = UnsafeMutablePointer<MaskBlend>.allocate(capacity: 1)
  instance.initialize(to: MaskBlend(values))
  return UnsafeMutableRawPointer(instance)
}

private func process(_ instance: UnsafeMutableRawPointer?, _ request: UnsafePointer<imghost_request>?) -> Int32 {
  guard let instance, let request = request?.pointee, let host = host.pointee?.pointee else {
    return IMGHOST_FAILED
  }
  let blend = instance.assumingMemoryBound(to: MaskBlend.self).pointee
  let finished = blend.process(
    request, isCancelled: { host.is_cancelled(request.call) != 0 },
    progress: { host.progress(request.call, $0) })
  return finished ? IMGHOST_OK : IMGHOST_CANCELLED
}

/// Returns the plugin's description; nil if the host is too old.
///
/// The host looks this function up as `imghost_plugin_entry` of imghost_plugin.h.
@_cdecl("imghost_plugin_entry")
public func maskBlendEntry(
  _ hostVersion: UInt32, _ functions: UnsafePointer<imghost_host>?
) -> UnsafePointer<imghost_plugin>? {
  guard hostVersion >= IMGHOST_ABI_VERSION else { return nil }
  host.initialize(to: functions)
  return description
}
