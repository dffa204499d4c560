import Glibc
import PluginHost

/// A loaded library of one of the interfaces that are known, never unloaded: the process ends with it.
protocol ServedLibrary {
  /// What the plugin says of itself, as a `description` message; nil when it is too long for one.
  func description() -> WireWriter?

  /// Makes an instance, has it work on one frame, and ends it. False for a failure, whose words are then in
  /// `call`.
  func process(_ work: Work, _ call: UnsafeMutablePointer<Call>) -> Bool
}

/// One call's pictures and values.
struct Work {
  /// What each picture looks like.
  let picture: WirePicture
  /// The first row of each input, readable.
  let inputs: [UnsafeMutableRawPointer]
  /// The first row of the output, writable.
  let output: UnsafeMutableRawPointer
  let values: [WireValue]
}

/// The interfaces, told apart by the symbols a library has.
enum Library {
  /// Wraps `dlopen(3)` and `dlsym(3)`.
  static func load(path: String) throws(LoadFailure) -> any ServedLibrary {
    guard let library = dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
      let words = dlerror().map { String(cString: $0) } ?? ""
      throw LoadFailure(.cannotLoad, text: String(words.prefix(Limits.text)))
    }
    if let entry = dlsym(library, "imghost_plugin_entry") {
      return try PluginLibrary(entry: entry)
    }
    guard dlsym(library, "f0r_get_plugin_info") != nil else { throw LoadFailure(.noEntry) }
    return try Frei0rLibrary(library, path: path)
  }
}
