import CProcessor
import Platform

/// A variant of the kernels. All variants compute the same bytes.
package enum InstructionSet: String, Sendable, CaseIterable {
  /// Plain loops for any processor, which are the reference for the other variants.
  case portable
  /// SSE2, which every x86-64 processor has.
  case baseline
  /// x86-64-v3 of the psABI: AVX2.
  case v3
  /// x86-64-v4 of the psABI (AVX-512 F, BW, CD, DQ and VL), and VNNI.
  case v4

  /// The best set for this processor and system, or the one named by the environment variable `IMGHOST_CPU`.
  ///
  /// An unknown or unsupported name is ignored.
  package static let current: InstructionSet = {
    let best = supported.last ?? .portable
    guard let text = getenv("IMGHOST_CPU"),
      let wanted = InstructionSet(rawValue: String(cString: text)), supported.contains(wanted)
    else { return best }
    return wanted
  }()

  /// The sets that can run here, slowest first.
  package static let supported: [InstructionSet] = {
    switch imghost_processor_level() {
    case 4: [.portable, .baseline, .v3, .v4]
    case 3: [.portable, .baseline, .v3]
    case 1: [.portable, .baseline]
    default: [.portable]
    }
  }()
}
