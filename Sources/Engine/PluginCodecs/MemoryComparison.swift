import ImageCore
import PluginHost

/// Decodes files in two workers whose new memory is filled with different bytes. Pixels that differ between the workers
/// come from memory that was never written.
package final class MemoryComparison {
  private let codecs: [PluginCodec]

  /// The size in bytes of the largest picture that is compared.
  private static let largestByteCount = 64 << 20

  /// - Returns: nil for a codec that only writes, and for one in this process or under a debugger, whose memory cannot
  ///   be filled.
  package init?(_ codec: PluginCodec) {
    codecs = [0x5a, 0xa5].compactMap { codec.plugin.filled($0).map { PluginCodec(plugin: $0, base: nil) } }
    guard codecs.count == 2, codec.reads else { return nil }
  }

  deinit { for codec in codecs { codec.plugin.pool.invalidate() } }

  /// Describes the difference; nil if the pixels are equal, or if both workers report an error.
  package func difference(_ sample: CodecCheck.Sample, acceptsDamage: Bool) -> String? {
    let results = codecs.map { pixels(sample, $0, acceptsDamage) }
    switch (results[0], results[1]) {
    case (.failure, .failure): return nil
    case (.success(let first), .success(let second)):
      if first == second { return nil }
      guard first.layout == second.layout else { return "a size that depends on unset memory" }
      let place = zip(first.bytes, second.bytes).enumerated().first { $1.0 != $1.1 }?.offset ?? 0
      return "pixels that depend on unset memory, from row \(place / first.layout.rowByteCount) on"
    case (.failure(let error), .success), (.success, .failure(let error)):
      return "an error that depends on unset memory: \(error)"
    }
  }

  private func pixels(_ sample: CodecCheck.Sample, _ codec: PluginCodec, _ acceptsDamage: Bool)
    -> Result<CodecCheck.Pixels, PictureError>
  {
    Result { () throws(PictureError) in
      let file = try sample.file()
      let header = try codec.readHeader(file)
      guard header.layout.byteCount <= Self.largestByteCount else {
        throw .codec(.tooLarge(width: header.layout.width, height: header.layout.height))
      }
      let source = try codec.makeDecoder(file, header: header, options: DecodeOptions(acceptsDamage: acceptsDamage))
      return CodecCheck.Pixels(layout: source.layout, bytes: try CheckPicture.bytes(of: source))
    }
  }
}

extension CodecCheck.Sample {
  /// Returns a damaged copy of the sample with one to four faults: changed bits, bytes or ranges, or truncations. The
  /// same number always gives the same copy.
  package func mutant(_ number: Int) -> Self {
    var random = SplitMix(UInt64(truncatingIfNeeded: number))
    var bytes = bytes
    // Positions near the beginning are more likely, because the header determines more than the rest.
    func place() -> Int { random.below(random.below(3) == 0 ? min(bytes.count, 256) : bytes.count) }
    for _ in 0...random.below(4) where !bytes.isEmpty {
      let at = place()
      switch random.below(8) {
      case 0, 1, 2: bytes[at] ^= 1 << UInt8(random.below(8))
      case 3, 4: bytes[at] = UInt8(random.below(256))
      case 5: bytes.replaceSubrange(at..<min(at + 4, bytes.count), with: [255, 255, 255, 255])
      case 6:
        let count = min(1 + random.below(64), bytes.count - at)
        bytes.replaceSubrange(at..<at + count, with: [UInt8](repeating: 0, count: count))
      default: bytes.removeSubrange(max(1, at)...)
      }
    }
    return Self(name: "\(name), mutant \(number)", bytes: bytes)
  }
}

/// The random number generator SplitMix64 (Steele, Lea, Flood 2014), with the same sequence on every run.
struct SplitMix {
  private var state: UInt64
  init(_ seed: UInt64) { state = seed }

  /// Returns a number from 0 to `limit - 1`.
  mutating func below(_ limit: Int) -> Int {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return Int((z ^ (z >> 31)) % UInt64(max(limit, 1)))
  }
}
