import ImageCore
import CPluginABI
import Platform

/// A library with one of the supported interfaces. Once loaded, it is never unloaded before the process ends.
package protocol ServedLibrary {
  /// The functions of a codec; nil for a plugin that processes pictures.
  var codec: CodecTables? { get }

  /// Whether several instances may run at the same time, each on a thread of its own.
  var allowsThreads: Bool { get }

  /// Returns the plugin's description as a message; nil if it is too long for one.
  func description() -> WireWriter?

  /// Creates an instance, processes one frame, and destroys the instance. Returns false on failure; the message is then
  /// in `call`.
  func process(_ work: PluginWork, _ call: UnsafeMutablePointer<Call>) -> Bool
}

extension ServedLibrary {
  package var codec: CodecTables? { nil }
}

/// The tables of a codec's functions, which are valid while its library is loaded.
package struct CodecTables {
  let codec: UnsafePointer<imghost_codec>
  /// The functions for stored forms; nil for a codec that neither provides them nor wraps files.
  let stored: UnsafePointer<imghost_stored_codec>?
  /// The function for replacing metadata; nil for a codec that encodes pixels again.
  let rewriting: UnsafePointer<imghost_rewriting_codec>?
}

/// One call's pictures and values.
package struct PluginWork {
  /// The size and format of each picture.
  package let picture: WirePicture
  /// The first row of each input, which must not be written.
  package let inputs: [UnsafeMutableRawPointer]
  /// The first row of the output, writable.
  package let output: UnsafeMutableRawPointer
  package let values: [WireValue]
  /// The rows of the output to write; only native plugins can write some of the rows.
  package let rows: Range<UInt32>
  /// The mode; frei0r plugins support only `whole`.
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

/// The supported interfaces, identified by their symbols.
package enum Library {
  /// Loads a library; wraps `dlopen(3)` and `dlsym(3)`.
  package static func load(path: String) throws(LoadFailure) -> any ServedLibrary {
    guard let library = PathBytes.withBytes(of: path, { dlopen($0, RTLD_NOW | RTLD_LOCAL) }) else {
      let words = dlerror().map { String(cString: $0) } ?? ""
      throw LoadFailure(.cannotLoad, text: String(words.prefix(Limits.text)))
    }
    if let entry = dlsym(library, "imghost_plugin_entry") { return try PluginLibrary(entry: entry) }
    guard dlsym(library, "f0r_get_plugin_info") != nil else { throw LoadFailure(.noEntry) }
    return try Frei0rLibrary(library, path: path)
  }
}
