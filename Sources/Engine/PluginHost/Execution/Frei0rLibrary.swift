import CFrei0r
import CPluginABI
import CProcesses
import ImageCore
import Platform

/// A loaded frei0r library: https://frei0r.dyne.org/codedoc/html, version 1.2 of frei0r.h.
struct Frei0rLibrary: ServedLibrary {
  /// The functions of a frei0r library. A mixer has `f0r_update2`; other plugins have at least one of the two update
  /// functions.
  struct Functions {
    typealias Construct = @convention(c) (UInt32, UInt32) -> f0r_instance_t?
    typealias Destruct = @convention(c) (f0r_instance_t) -> Void
    typealias Access = @convention(c) (f0r_instance_t, f0r_param_t, Int32) -> Void
    typealias Update =
      @convention(c) (
        f0r_instance_t, Double, UnsafePointer<UInt32>?, UnsafeMutablePointer<UInt32>
      ) -> Void
    typealias Update2 =
      @convention(c) (
        f0r_instance_t, Double, UnsafePointer<UInt32>?, UnsafePointer<UInt32>?, UnsafePointer<UInt32>?,
        UnsafeMutablePointer<UInt32>
      ) -> Void

    let construct: Construct
    let destruct: Destruct
    let setValue, getValue: Access
    let update: Update?
    let update2: Update2?
  }

  /// The width and height, in pixels, of the instance that provides the default values.
  private static let trialSide: UInt32 = 64

  /// Always false, because some plugins share variables between instances.
  var allowsThreads: Bool { false }
  let functions: Functions
  let parameters: [Frei0rParameter]
  let inputCount: Int
  /// Whether the last value of a call is the picture's time in seconds.
  let hasTime: Bool
  private let name: String
  private let version: String
  private let summary: [UInt8]
  private let kind: UInt32
  private let origin: PluginDescription.Origin

  /// - Parameters:
  ///   - library: the handle from `dlopen(3)`.
  ///   - path: the path of its file, which gives the plugin its name.
  init(_ library: UnsafeMutableRawPointer, path: String) throws(LoadFailure) {
    // Some plugins read memory before writing it. Clearing memory makes their results reproducible.
    shim_clear_new_memory(1)
    var info = f0r_plugin_info_t()
    try Self.initialise(library, &info)
    guard let name = Frei0rName.plugin(path: path) else {
      throw Self.failure("its file's name has no letter or digit")
    }
    self.name = name
    version = "\(info.major_version).\(info.minor_version)"
    let words = Self.line(info.explanation)
    summary = words.isEmpty ? Self.line(info.name) : words
    (kind, inputCount) = try Self.kind(info.plugin_type)
    origin = info.color_model == F0R_COLOR_MODEL_BGRA8888 ? .frei0rBlueFirst : .frei0r
    functions = try Self.functions(library, isMixer: inputCount > 1)
    guard (0...Int32(Limits.parameters)).contains(info.num_params) else {
      throw Self.failure("invalid number of parameters \(info.num_params)")
    }
    guard let instance = functions.construct(Self.trialSide, Self.trialSide) else {
      throw Self.failure("f0r_construct returned NULL")
    }
    parameters = try Frei0rParameter.all(
      library, count: info.num_params, instance: instance, getValue: functions.getValue,
      taken: Self.taken(kind, inputCount))
    functions.destruct(instance)
    shim_clear_new_memory(0)
    hasTime = parameters.count < Limits.parameters && !parameters.contains { $0.name == "time" }
  }

  func description() -> WireWriter? {
    var message = Message.description.begin()
    message.append(name)
    message.append(version)
    message.append(text: summary)
    for field in [
      kind, 0, 1 << IMGHOST_SAMPLE_U8, 1 << 4, IMGHOST_ALPHA_STRAIGHT,
      IMGHOST_EXTENT_FRAME, 0, IMGHOST_THREADS_ONE, UInt32(inputCount), origin.rawValue,
      UInt32(parameters.count + (hasTime ? 1 : 0)),
    ] { message.append(field) }
    for parameter in parameters { parameter.append(to: &message) }
    if hasTime { Frei0rParameter.appendTime(to: &message) }
    return message.bytes.count <= Message.maximumByteCount ? message : nil
  }

  // MARK: Loading

  static func failure(_ words: String) -> LoadFailure { LoadFailure(.frei0r, text: words) }

  /// Returns a function by its name. The caller states its type.
  static func function<Function>(
    _ library: UnsafeMutableRawPointer, _ name: String, _ type: Function.Type
  ) throws(LoadFailure) -> Function {
    guard let symbol = dlsym(library, name) else { throw failure("no symbol \(name)") }
    return unsafeBitCast(symbol, to: type)
  }

  /// Returns a text truncated to `Limits.text` bytes, without white space at its ends and without full stops at its
  /// end; an empty text for NULL.
  static func line(_ text: UnsafePointer<CChar>?) -> [UInt8] {
    guard let text else { return [] }
    // Some more bytes are read than the limit, so that a character at the limit is complete.
    let bytes = UnsafeBufferPointer(start: text, count: strnlen(text, Limits.text + 4))
    var line: [UInt8] = []
    for scalar in String(decoding: bytes.map(UInt8.init(bitPattern:)), as: UTF8.self).unicodeScalars {
      let character = Array(String(scalar).utf8)
      guard line.count + character.count <= Limits.text else { break }
      line += character
    }
    return line.trimmed
  }

  private static func initialise(
    _ library: UnsafeMutableRawPointer, _ info: inout f0r_plugin_info_t
  ) throws(LoadFailure) {
    let start = try function(library, "f0r_init", (@convention(c) () -> Int32).self)
    let getInfo = try function(
      library, "f0r_get_plugin_info",
      (@convention(c) (UnsafeMutablePointer<f0r_plugin_info_t>) -> Void).self)
    // According to the specification, 1 means success; many plugins return 0, and all hosts accept both.
    guard start() >= 0 else { throw failure("f0r_init failed") }
    getInfo(&info)
    guard info.frei0r_version == FREI0R_MAJOR_VERSION else {
      throw failure("it needs version \(info.frei0r_version) of frei0r")
    }
    guard (0...2).contains(info.color_model) else { throw failure("unknown colour model \(info.color_model)") }
  }

  private static func kind(_ type: Int32) throws(LoadFailure) -> (UInt32, inputCount: Int) {
    switch type {
    case F0R_PLUGIN_TYPE_FILTER: (IMGHOST_KIND_FILTER, 1)
    case F0R_PLUGIN_TYPE_SOURCE: (IMGHOST_KIND_SOURCE, 0)
    case F0R_PLUGIN_TYPE_MIXER2: (IMGHOST_KIND_MIXER, 2)
    case F0R_PLUGIN_TYPE_MIXER3: (IMGHOST_KIND_MIXER, 3)
    default: throw failure("unknown plugin type \(type)")
    }
  }

  /// Returns option names that are reserved for the host.
  private static func taken(_ kind: UInt32, _ inputCount: Int) -> Set<String> {
    kind == IMGHOST_KIND_SOURCE ? ["width", "height"] : kind == IMGHOST_KIND_MIXER ? ["second", "third"] : []
  }

  private static func functions(_ library: UnsafeMutableRawPointer, isMixer: Bool) throws(LoadFailure) -> Functions {
    let functions = Functions(
      construct: try function(library, "f0r_construct", Functions.Construct.self),
      destruct: try function(library, "f0r_destruct", Functions.Destruct.self),
      setValue: try function(library, "f0r_set_param_value", Functions.Access.self),
      getValue: try function(library, "f0r_get_param_value", Functions.Access.self),
      update: dlsym(library, "f0r_update").map { unsafeBitCast($0, to: Functions.Update.self) },
      update2: dlsym(library, "f0r_update2").map { unsafeBitCast($0, to: Functions.Update2.self) })
    guard functions.update2 != nil || !isMixer && functions.update != nil else {
      throw failure("no symbol \(isMixer ? "f0r_update2" : "f0r_update")")
    }
    return functions
  }
}

extension Collection<UInt8> {
  /// The text without white space at its ends, and without full stops at its end.
  fileprivate var trimmed: [UInt8] {
    var bytes = Array(drop { $0 <= 0x20 })
    while let last = bytes.last, last <= 0x20 || last == UInt8(ascii: ".") { bytes.removeLast() }
    return bytes
  }
}

// MARK: - Process

extension Frei0rLibrary {
  /// Makes one picture with a new instance, because at least 11 of Debian's plugins carry state from one picture to the
  /// next.
  ///
  /// Only values other than the plugin's defaults are set, because some plugins do not accept their own defaults.
  func process(_ work: PluginWork, _ call: UnsafeMutablePointer<Call>) -> Bool {
    let picture = work.picture
    // Random numbers are the same for each picture, unless the plugin sets its own seed.
    srand(1)
    srand48(1)
    guard work.inputs.count == inputCount,
      work.values.count == parameters.count + (hasTime ? 1 : 0),
      let instance = functions.construct(picture.width, picture.height)
    else {
      call.pointee.error = "does not take pictures of \(picture.width)x\(picture.height) pixels"
      return false
    }
    defer { functions.destruct(instance) }
    for (index, parameter) in parameters.enumerated()
    where !parameter.isInitial(work.values[index]) {
      parameter.set(work.values[index], Int32(index), instance, functions.setValue)
    }
    let time = hasTime ? work.values[parameters.count].numbers[0] : 0
    let output = work.output.assumingMemoryBound(to: UInt32.self)
    func input(_ index: Int) -> UnsafePointer<UInt32>? {
      guard index < work.inputs.count else { return nil }
      return UnsafePointer(work.inputs[index].assumingMemoryBound(to: UInt32.self))
    }
    if let update = functions.update, inputCount < 2 {
      update(instance, time, input(0), output)
    } else if let update2 = functions.update2 {
      update2(instance, time, input(0), input(1), input(2), output)
    }
    return true
  }
}
