import Platform

/// A transfer function of high dynamic range (ITU-R BT.2100-2), and the curve that maps its light to the range of
/// ordinary screens.
///
/// Light is in cd/m². White in ordinary pictures is 203 cd/m² (ITU-R BT.2408-7).
package enum HDRTransfer: Sendable, CaseIterable {
  /// The perceptual quantizer, SMPTE ST 2084.
  case pq
  /// Hybrid log-gamma, ARIB STD-B67.
  case hlg

  /// - Parameter code: the transfer characteristics of ITU-T H.273.
  package init?(code: Int) {
    switch code {
    case 16: self = .pq
    case 18: self = .hlg
    default: return nil
    }
  }

  package var name: String {
    switch self {
    case .pq: "PQ (SMPTE ST 2084)"
    case .hlg: "HLG (ARIB STD-B67)"
    }
  }

  package static let white = 203.0
  /// The peak of a picture that does not state one, in cd/m²: the nominal peak of HLG and of most PQ pictures.
  package static let nominalPeak = 1000.0

  /// Returns the light that becomes white, in cd/m². The argument is the brightest light that the file states, or 0 if
  /// it states none.
  ///
  /// HLG is relative to the screen, so its peak is fixed. 10,000 cd/m² is the limit of PQ, which encoders write if they
  /// do not know the peak.
  package func peak(stated light: Double) -> Double {
    guard self == .pq, light >= 1, light < 10_000 else { return Self.nominalPeak }
    return max(light.rounded(), Self.white)
  }

  /// Returns the light of an encoded value from 0 to 1: the screen's light in cd/m² for PQ, the scene's from 0 to 1 for
  /// HLG.
  func light(_ value: Double) -> Double {
    switch self {
    case .pq: Self.pqLight(value)
    case .hlg: Self.sceneLight(value)
    }
  }

  // MARK: PQ

  // The constants of SMPTE ST 2084, and of table 4 of BT.2100-2.
  private static let (m1, m2) = (2610.0 / 16_384, 2523.0 / 4096 * 128)
  private static let (c1, c2, c3) = (3424.0 / 4096, 2413.0 / 4096 * 32, 2392.0 / 4096 * 32)

  static func pqLight(_ value: Double) -> Double {
    let root = pow(max(value, 0), 1 / m2)
    return 10_000 * pow(max(root - c1, 0) / (c2 - c3 * root), 1 / m1)
  }

  static func pqValue(_ light: Double) -> Double {
    let root = pow(max(light, 0) / 10_000, m1)
    return pow((c1 + c2 * root) / (1 + c3 * root), m2)
  }

  // MARK: HLG

  /// The exponent that converts the scene's luminance to the luminance of a screen with a peak of 1,000 cd/m²: table 5
  /// of BT.2100-2. Colours are multiplied by the luminance to the power of this exponent minus one.
  static let systemGamma = 1.2

  /// Applies the inverse of the opto-electronic transfer function: table 5 of BT.2100-2.
  private static func sceneLight(_ value: Double) -> Double {
    let a = 0.17883277
    let (b, c) = (1 - 4 * a, 0.5 - a * log(4 * a))
    return value <= 0.5 ? value * value / 3 : (exp((value - c) / a) + b) / 12
  }

  // MARK: Tone mapping

  /// Returns the light of an ordinary screen for light up to a peak: the electrical-electrical transfer function of
  /// ITU-R BT.2390-10, 5.4.1, with a black level of 0 on both sides. Dark light is unchanged. A peak of `white` changes
  /// nothing.
  static func mapped(_ light: Double, peak: Double) -> Double {
    let brightest = pqValue(peak)
    let limit = pqValue(white) / brightest
    let knee = 1.5 * limit - 0.5
    let value = min(pqValue(light) / brightest, 1)
    guard value > knee else { return light }
    let t = (value - knee) / (1 - knee)
    let (t2, t3) = (t * t, t * t * t)
    let bent = (2 * t3 - 3 * t2 + 1) * knee + (t3 - 2 * t2 + t) * (1 - knee) + (3 * t2 - 2 * t3) * limit
    return pqLight(bent * brightest)
  }
}
