import ImageCore
import Platform
import PluginHost

/// Calls a plugin in a worker and in this process in alternation. This process is made for that, so that pictures and
/// foreign code stay out of the one that measures.
enum PluginCalls {
  /// A call that takes longer, in seconds, is not repeated: hundreds of them would take an hour.
  private static let longest = 3.0

  /// Every frei0r filter that is found, a line each.
  static func runList(_ arguments: [String]) -> Int32 {
    let host = host(inProcess: false)
    defer { host.invalidate() }
    for listing in host.discover() {
      guard case .success(let plugin) = listing.outcome, plugin.origin != .native, plugin.kind == .filter
      else { continue }
      print(plugin.name)
    }
    return 0
  }

  /// The path of each codec's library, a line each.
  static func runCodecList(_ arguments: [String]) -> Int32 {
    let host = host(inProcess: false)
    defer { host.invalidate() }
    for codec in host.codecs() { print(codec.path) }
    return 0
  }

  static func host(inProcess: Bool) -> PluginHost {
    func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
    var configuration = PluginHost.Configuration(
      searchPath: PluginFolder.standard(pluginPath: nil, executableFolder: Executable.folder)
        + PluginFolder.frei0r(path: variable("FREI0R_PATH"), home: variable("HOME")),
      worker: Executable.folder + "/imghost-plugin-worker")
    configuration.inProcess = inProcess
    return PluginHost(configuration)
  }

  /// `NAME WIDTH HEIGHT PAIRS`: one line a pair, `ISOLATED IN-PROCESS` in nanoseconds. Nothing for a plugin
  /// that takes too long or fails, which is then not tried in this process.
  static func run(_ arguments: [String]) -> Int32 {
    let numbers = arguments.dropFirst().compactMap { Int($0) }
    guard let name = arguments.first, numbers.count == 3 else { return 2 }
    let (isolated, local) = (host(inProcess: false), host(inProcess: true))
    defer {
      isolated.invalidate()
      local.invalidate()
    }
    do {
      guard let one = try Call(isolated, name), let two = try Call(local, name) else { return 1 }
      let picture = picture(numbers[0], numbers[1])
      let target = PixelBuffer(picture.layout)
      guard Double(try one.nanoseconds(picture, target)) < longest * 1e9 else { return 0 }
      // Pairs that do not count: loading, and pages that nobody has touched yet.
      for pair in -3..<numbers[2] {
        // They alternate in going first.
        let first = try (pair % 2 == 0 ? one : two).nanoseconds(picture, target)
        let second = try (pair % 2 == 0 ? two : one).nanoseconds(picture, target)
        guard pair >= 0 else { continue }
        print(pair % 2 == 0 ? "\(first) \(second)" : "\(second) \(first)")
      }
      return 0
    } catch {
      BenchProgram.message("\(name): \(error)")
      return 1
    }
  }

  /// A plugin with its defaults, ready to be called.
  private struct Call {
    private let operation: any PictureOperation

    init?(_ host: PluginHost, _ name: String) throws {
      guard let definition = host.definition(named: name) else { return nil }
      operation = try definition.make(Arguments(RawArguments(), for: definition.descriptor))
    }

    /// A whole call as in a run: rows in, the plugin, rows out.
    func nanoseconds(_ picture: PixelBuffer, _ target: PixelBuffer) throws -> Int {
      let start = Clock.nanoseconds
      let source = try operation.open([BufferSource(picture)], nominal: [picture.layout], context: .serial)
      var row = 0
      while row < picture.layout.height {
        let count = min(64, picture.layout.height - row)
        try source.read(count, into: target.row(row), stride: target.stride)
        row += count
      }
      return Clock.nanoseconds - start
    }
  }

  private static func picture(_ width: Int, _ height: Int) -> PixelBuffer {
    let picture = PixelBuffer(PictureLayout(width: width, height: height, format: .rgba8))
    for y in 0..<height {
      let row = picture.row(y).assumingMemoryBound(to: UInt8.self)
      for x in 0..<width * 4 { row[x] = UInt8(truncatingIfNeeded: x &* 7 &+ y &* 13) | 0x80 }
    }
    return picture
  }

  private enum Executable {
    /// The folder of this program; wraps `readlink(2)`.
    static var folder: String {
      var bytes = [UInt8](repeating: 0, count: 4096)
      let count = bytes.withUnsafeMutableBytes {
        readlink("/proc/self/exe", $0.baseAddress!, $0.count)
      }
      let path = String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
      return path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    }
  }
}
