import ImageCore
import CPluginABI
import Platform

/// A loaded library of one of the interfaces that are known, never unloaded: the process ends with it.
package protocol ServedLibrary {
  /// The functions of a codec; nil for what processes pictures.
  var codec: CodecTables? { get }

  /// Whether several instances may be at work at once, each on a thread of its own.
  var allowsThreads: Bool { get }

  /// The plugin's description as a message; nil if it is too long for one.
  func description() -> WireWriter?

  /// Makes an instance, has it work on one frame, and ends it. False for a failure, whose words are then in
  /// `call`.
  func process(_ work: PluginWork, _ call: UnsafeMutablePointer<Call>) -> Bool
}

extension ServedLibrary {
  package var codec: CodecTables? { nil }
}

/// The tables of a codec's functions, which live as long as its library.
package struct CodecTables {
  let codec: UnsafePointer<imghost_codec>
  /// Nil for a codec that neither hands over stored forms nor wraps files.
  let stored: UnsafePointer<imghost_stored_codec>?
}

/// One call's pictures and values.
package struct PluginWork {
  /// The size and format of each picture.
  package let picture: WirePicture
  /// The first row of each input, readable.
  package let inputs: [UnsafeMutableRawPointer]
  /// The first row of the output, writable.
  package let output: UnsafeMutableRawPointer
  package let values: [WireValue]
  /// The rows of the output to write; other than all of them only for native plugins.
  package let rows: Range<UInt32>
  /// Other than `whole` only for native plugins.
  package let mode: ServeMode

  package init(
    picture: WirePicture, inputs: [UnsafeMutableRawPointer], output: UnsafeMutableRawPointer, values: [WireValue],
    rows: Range<UInt32>? = nil, mode: ServeMode = .whole
  ) {
    self.picture = picture
    self.inputs = inputs
    self.output = output
    self.values = values
    self.rows = rows ?? 0..<picture.height
    self.mode = mode
  }
}

/// The interfaces of libraries, identified by their symbols.
package enum Library {
  /// Wraps `dlopen(3)` and `dlsym(3)`.
  package static func load(path: String) throws(LoadFailure) -> any ServedLibrary {
    guard let library = dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
      let words = dlerror().map { String(cString: $0) } ?? ""
      throw LoadFailure(.cannotLoad, text: String(words.prefix(Limits.text)))
    }
    if let entry = dlsym(library, "imghost_plugin_entry") { return try PluginLibrary(entry: entry) }
    guard dlsym(library, "f0r_get_plugin_info") != nil else { throw LoadFailure(.noEntry) }
    return try Frei0rLibrary(library, path: path)
  }
}
