import ImageCore
import ImageMetadata
import Platform

/// The time when a picture was taken.
package struct PictureDate: Sendable {
  private let stated: StatedDate
  /// Minutes east of UTC; nil if unknown.
  private let offset: Int?

  /// The EXIF fields that may contain the date, in order of preference, each with the field for its offset from UTC, if
  /// there is one.
  private static let fields = [
    ("DateTimeOriginal", "OffsetTimeOriginal"), ("DateTimeDigitized", "OffsetTimeDigitized"), ("DateTime", ""),
  ]

  /// Reads the date from EXIF, or else from XMP. Nil if neither has a date.
  package init?(_ metadata: PictureMetadata) {
    for (field, _) in Self.fields {
      guard case .text(let text)? = metadata.exif[field], let stated = StatedDate(text) else { continue }
      self.stated = stated
      offset = stated.offset ?? Self.offset(of: field, metadata.exif)
      return
    }
    guard !metadata.xmp.isEmpty, let packet = try? XMPPacket(metadata.xmp) else { return nil }
    let names = ["photoshop:DateCreated", "exif:DateTimeOriginal", "xmp:CreateDate"]
    let fields = packet.fields
    let found = names.lazy.compactMap { name -> StatedDate? in
      if case .text(let text)? = fields[name] { StatedDate(text) } else { nil }
    }.first
    guard let found else { return nil }
    stated = found
    offset = found.offset
  }

  private var date: CivilDate { CivilDate(stated) }

  /// A number for sorting by date: the seconds since 1970, in UTC, or in local time if the zone is unknown. A date that
  /// is only a year or month counts as its start.
  package var order: Int { date.secondsSince1970 - (offset ?? 0) * 60 }

  /// Returns the date formatted according to a pattern of strftime(3), in the picture's local time.
  func text(_ pattern: String, _ locale: TimeLocale) -> String {
    DateText.text(date, offset: offset, pattern: pattern, locale: locale)
  }

  /// The date as `2026-07-31`, in the picture's local time; only the month or the year if no more is known.
  package var day: String { Self.text([stated.month, stated.day], of: stated.year) }

  /// The month as `2026-07`, in the picture's local time; only the year if no more is known.
  package var month: String { Self.text([stated.month], of: stated.year) }

  private static func text(_ parts: [Int?], of year: Int) -> String {
    parts.compactMap(\.self).reduce(RunningText.padded(year, digits: 4)) {
      $0 + "-" + RunningText.padded($1, digits: 2)
    }
  }

  /// Returns the offset from UTC, in minutes, of a date in EXIF: from the field that belongs to it, or else from
  /// OffsetTime.
  static func offset(of field: String, _ exif: [String: MetadataValue]) -> Int? {
    let own = fields.first { $0.0 == field }?.1
    for name in [own, "OffsetTime"].compactMap({ $0 }) {
      if case .text(let text)? = exif[name], let offset = offset(text) { return offset }
    }
    return nil
  }

  /// Parses `+02:00`, `-03:30` or `Z`, and returns the offset in minutes.
  private static func offset(_ text: String) -> Int? { StatedDate("2000-01-01T00:00" + text)?.offset }
}
