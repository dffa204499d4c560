import ImageCodecs
import ImageCore
import PluginHost

/// The outcome of a frei0r plugin on pictures of several sizes.
struct Frei0rTrial {
  /// The sizes that every plugin is tried at; a further one is only used for the table.
  static let sizes = [(1, 1), (63, 61), (640, 480)]
  static let largest = (6000, 4000)

  let name: String
  let kind: String
  /// The failure at each size in words, nil for success. Sizes that were not tried are missing.
  var failures: [(size: String, words: String?)] = []
  /// The failures at odd sizes without padding.
  var unpadded: [(size: String, words: String?)] = []
  /// Whether two results at 640x480 differed.
  var varies = false

  /// The table's last column.
  var verdict: String {
    let bad = failures.filter { $0.words != nil }
    if !bad.isEmpty { return "misbehaves: " + Self.text(bad) }
    let odd = unpadded.filter { $0.words != nil }
    let note = varies ? "; not the same every time" : ""
    return odd.isEmpty ? "works" + note : "works with padding, without it " + Self.text(odd) + note
  }

  /// `crashed (segmentation fault) at 1x1, 63x61`.
  private static func text(_ failures: [(size: String, words: String?)]) -> String {
    var texts: [(words: String, sizes: [String])] = []
    for failure in failures {
      let words = failure.words ?? ""
      if let index = texts.firstIndex(where: { $0.words == words }) {
        texts[index].sizes.append(failure.size)
      } else {
        texts.append((words, [failure.size]))
      }
    }
    return texts.map { "\($0.words) at \($0.sizes.joined(separator: ", "))" }.joined(separator: "; ")
  }
}

/// Tries the plugins of one folder on a photograph.
final class Frei0rTrials {
  private let folder: String
  private let deadline: Duration
  private let repeats: Int
  private let photograph: PixelBuffer
  private var pictures: [String: [PixelBuffer]] = [:]

  /// - Parameters:
  ///   - deadline: of a call.
  ///   - repeats: how often each size is tried: some misbehave now and then.
  init(folder: String, deadline: Duration, repeats: Int) throws {
    self.folder = folder
    self.deadline = deadline
    self.repeats = repeats
    let codec = PNGCodec()
    let file = try InputFile(path: Built.root + "/Scripts/photos/coffee.png")
    let header = try codec.readHeader(file)
    photograph = try codec.makeDecoder(file, header: header, options: DecodeOptions()).readAll(.serial)
  }

  /// Returns a host for one plugin, so that no workers or memory of others are left.
  private func trialHost(multiple: Int) -> PluginHost {
    host([PluginFolder(path: folder, files: .frei0r)]) {
      $0.deadline = deadline
      $0.describeDeadline = .seconds(10)
      $0.workersPerPlugin = 1
      $0.frei0rSideMultiple = multiple
    }
  }

  func listings() -> [PluginListing] { trialHost(multiple: 8).discover() }

  /// Runs one plugin at all sizes. After a call that did not return, the plugin is not called again.
  func run(_ plugin: PluginDescription, sizes: [(Int, Int)], repeats: Int? = nil) -> Frei0rTrial {
    let repeats = repeats ?? self.repeats
    let kind =
      switch plugin.kind {
      case .filter: "filter"
      case .source: "source"
      case .mixer(let count): "mixer of \(count)"
      case .codec: "codec"
      }
    var trial = Frei0rTrial(name: plugin.name, kind: kind)
    let (padded, unpadded) = (trialHost(multiple: 8), trialHost(multiple: 1))
    defer {
      padded.invalidate()
      unpadded.invalidate()
    }
    for (width, height) in sizes {
      let size = "\(width)x\(height)"
      var results: Set<SHA256Digest> = []
      var words: String?
      for _ in 0..<min(repeats, 3) where words == nil {
        words = attempt(plugin, padded, width, height, &results)
      }
      // Whether a step into the blue meets memory depends on where the system put things.
      for _ in 3..<max(repeats, 3) where words == nil {
        var ignored: Set<SHA256Digest> = []
        let fresh = trialHost(multiple: 8)
        words = attempt(plugin, fresh, width, height, &ignored)
        fresh.invalidate()
      }
      trial.failures.append((size, words))
      if words?.hasPrefix("did not answer") == true { return trial }
      guard (width, height) == (640, 480) else { continue }
      trial.varies = results.count > 1
      // Some write to their input where it is not opaque.
      let clear = attempt(plugin, padded, width, height, &results, isOpaque: false)
      trial.failures.append((size + " with alpha", clear))
    }
    for (width, height) in Frei0rTrial.sizes.prefix(2) {
      var ignored: Set<SHA256Digest> = []
      let words = attempt(plugin, unpadded, width, height, &ignored)
      trial.unpadded.append(("\(width)x\(height)", words))
      if words?.hasPrefix("did not answer") == true { break }
    }
    return trial
  }

  /// Runs a plugin once. Returns the problem in words, or nil.
  private func attempt(
    _ plugin: PluginDescription, _ host: PluginHost, _ width: Int, _ height: Int,
    _ results: inout Set<SHA256Digest>, isOpaque: Bool = true
  ) -> String? {
    do {
      let definition = host.definition(named: plugin.name)!
      let inputs = inputs(width, height, max(plugin.kind.inputCount, 1), isOpaque)
      var named: [(name: String, value: ParameterValue)] = []
      if plugin.kind == .source { named = [("width", .integer(width)), ("height", .integer(height))] }
      for (index, parameter) in definition.descriptor.parameters.enumerated()
      where parameter.kind == .picture { named.append((parameter.name, .picture(index + 1))) }
      let operation = try definition.make(Arguments(RawArguments(named: named), for: definition.descriptor))
      let layouts = inputs.map(\.layout)
      let source = try operation.open(inputs.map { BufferSource($0) }, nominal: layouts, context: .serial)
      let result = try source.readAll(.serial)
      var hash = SHA256()
      for row in 0..<height {
        hash.update(UnsafeRawBufferPointer(start: result.row(row), count: result.layout.rowByteCount))
      }
      results.insert(hash.finish())
      return nil
    } catch PictureError.plugin(let failure) {
      // Without the address, which every run has its own.
      return "\(failure.cause)".replacing(#/ at 0x[0-9a-f]+/#, with: "")
    } catch {
      return "\(error)"
    }
  }

  /// Returns the photograph at a size, rotated by 180 degrees for the second and third input.
  private func inputs(_ width: Int, _ height: Int, _ count: Int, _ isOpaque: Bool) -> [PixelBuffer] {
    let key = "\(width)x\(height) \(isOpaque)"
    var all = pictures[key] ?? [scaled(width, height, turned: false, isOpaque)]
    if count > all.count { all.append(scaled(width, height, turned: true, isOpaque)) }
    pictures[key] = all
    return (0..<count).map { all[min($0, all.count - 1)] }
  }

  /// Returns the photograph scaled by nearest pixels, opaque or fading from left to right.
  private func scaled(_ width: Int, _ height: Int, turned: Bool, _ isOpaque: Bool) -> PixelBuffer {
    let buffer = PixelBuffer(PictureLayout(width: width, height: height, format: .rgba8))
    let (from, bands) = (photograph.layout, photograph.layout.bands)
    let columns = (0..<width).map { x in
      (turned ? width - 1 - x : x) * from.width / width * bands
    }
    for y in 0..<height {
      let row = photograph.row((turned ? height - 1 - y : y) * from.height / height)
      let target = buffer.row(y).assumingMemoryBound(to: UInt32.self)
      for x in 0..<width {
        let pixel = row + columns[x]
        let (red, green, blue) = (
          pixel.load(as: UInt8.self), pixel.load(fromByteOffset: 1, as: UInt8.self),
          pixel.load(fromByteOffset: 2, as: UInt8.self)
        )
        let alpha = isOpaque ? 255 : UInt32(x * 255 / width)
        target[x] = UInt32(red) | UInt32(green) << 8 | UInt32(blue) << 16 | alpha << 24
      }
    }
    return buffer
  }
}
