import BookExpectations
import ImageCore

/// The output intent of a file that follows a standard (PDF 32000-1:2008, 14.11.5): the device or printing condition
/// that the file's colours are prepared for.
package struct OutputIntent: Sendable, Hashable {
  /// The entries whose values are PDF names, and those whose values are text strings.
  private let names: [Entry]
  private let texts: [Entry]
  /// The ICC profile of the device.
  package let profile: [UInt8]
  /// The number of components of the device's colours: 1, 3 or 4.
  package let componentCount: Int

  private struct Entry: Sendable, Hashable {
    let key: String
    let value: String

    init(_ key: String, _ value: String) { (self.key, self.value) = (key, value) }
  }

  private init(subtype: String, texts: [Entry], profile: [UInt8], componentCount: Int) {
    names = [Entry("Type", "OutputIntent"), Entry("S", subtype)]
    (self.texts, self.profile, self.componentCount) = (texts, profile, componentCount)
  }

  private static let registry = Entry("RegistryName", "http://www.color.org")

  /// The output intent sRGB, for PDF/A.
  static let srgb = OutputIntent(
    subtype: "GTS_PDFA1",
    texts: [
      Entry("OutputConditionIdentifier", "sRGB IEC61966-2.1"), Entry("Info", "sRGB IEC61966-2.1"), registry,
    ], profile: SRGBProfile.bytes, componentCount: 3)

  /// The output intent FOGRA39, for PDF/X, under its name in the ICC's registry of printing conditions.
  static let fogra39 = OutputIntent(
    subtype: "GTS_PDFX",
    texts: [
      Entry("OutputConditionIdentifier", "FOGRA39"),
      Entry("OutputCondition", "Offset printing on coated paper, ISO 12647-2:2004"),
      Entry("Info", "Coated FOGRA39"), registry,
    ], profile: StandardProfile.cmyk.bytes, componentCount: 4)

  /// The name of `fogra39` in scripts.
  package static let standard = "fogra39"
  private static let largestProfile = 4 << 20

  /// Creates the output intent of PDF/X that a script asks for.
  ///
  /// - Parameters:
  ///   - name: `standard`, or the path of a printer's profile.
  ///   - isInk: whether the profile must be for CMYK, as in PDF/X-1a. PDF/X-4 (ISO 15930-7:2010) also allows gray and
  ///     RGB.
  /// - Throws: `OutputIntentFault` if the profile cannot be used.
  package init(named name: String, isInk: Bool) throws(OutputIntentFault) {
    guard name.lowercased() != Self.standard else {
      self = .fogra39
      return
    }
    let profile: [UInt8]
    do throws(FileError) {
      let file = try InputFile(path: name)
      profile = try file.bytes(at: 0, count: min(file.byteCount, Self.largestProfile + 1))
    } catch {
      throw OutputIntentFault(
        "there is no profile '\(name)' (\(error)); it is \(Self.standard), "
          + "or the path of an ICC profile")
    }
    // ICC.1:2022, 7.2: the class is at byte 12, the colour space at 16, the signature at 36.
    func word(_ place: Int) -> String { String(decoding: profile.dropFirst(place).prefix(4), as: UTF8.self) }
    guard profile.count > 128, profile.count <= Self.largestProfile, word(36) == "acsp", word(12) == "prtr",
      let model = ColourModel.allCases.first(where: { $0.signature == word(16) })
    else { throw OutputIntentFault("'\(name)' is no ICC profile of a printer") }
    guard model == .cmyk || !isInk else {
      let kind = model == .gray ? "a gray" : "an RGB"
      throw OutputIntentFault(
        "'\(name)' is the profile of \(kind) printer, and PDF/X-1a is for CMYK; use pdf/x-4")
    }
    let title = ProfileTitle.text(profile) ?? String(PathName.name(name))
    // A printing condition outside the registry is called Custom, and described in Info (14.11.5).
    self.init(
      subtype: "GTS_PDFX", texts: [Entry("OutputConditionIdentifier", "Custom"), Entry("Info", title)],
      profile: profile, componentCount: model.bandCount)
  }

  /// The entries of the output intent's dictionary, except the profile.
  var entries: String {
    names.map { "/\($0.key)/\($0.value)" }.joined() + texts.map { "/\($0.key)\(PDFString.text($0.value))" }.joined()
  }

  /// The output intent as a text that `imghost-verify` checks.
  var expectation: String {
    DocumentExpectation.outputIntent(
      names.map { ($0.key, "/" + $0.value) } + texts.map { ($0.key, TagDigest.text($0.value)) },
      profile: ShortDigest(SHA256.digest(of: profile)))
  }
}

/// The reason why a profile cannot be an output intent.
package struct OutputIntentFault: Error, Sendable {
  /// The problem with the option `output_intent`.
  package let problem: OptionProblem

  fileprivate init(_ reason: String) { problem = OptionProblem("output_intent", because: reason) }
}

/// Reads the description of an ICC profile.
enum ProfileTitle {
  /// Returns the ASCII text of the tag `desc` (ICC.1:2001-04, 6.5.17; ICC.1:2022, 10.15); nil if there is none.
  static func text(_ profile: [UInt8]) -> String? {
    func number(_ place: Int) -> Int? {
      guard place >= 0, place + 4 <= profile.count else { return nil }
      return profile[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
    }
    guard let count = number(128) else { return nil }
    let tags = (0..<min(count, 100)).map { 132 + 12 * $0 }
    guard let tag = tags.first(where: { number($0) == 0x6465_7363 }), let start = number(tag + 4),
      let kind = number(start)
    else { return nil }
    var bytes: ArraySlice<UInt8> = []
    if kind == 0x6465_7363, let length = number(start + 8), length > 0, start + 12 + length <= profile.count {
      bytes = profile[(start + 12)..<(start + 12 + length)].prefix { $0 != 0 }
    } else if kind == 0x6d6c_7563, let length = number(start + 20), let offset = number(start + 24),
      start + offset + length <= profile.count
    {
      // The text is UTF-16, big-endian.
      let text = profile[(start + offset)..<(start + offset + length)]
      bytes = ArraySlice(text.enumerated().filter { $0.offset % 2 == 1 }.map(\.element))
    }
    let text = String(decoding: bytes.filter { (0x20...0x7e).contains($0) }.prefix(200), as: UTF8.self)
    return text.isEmpty ? nil : text
  }
}
