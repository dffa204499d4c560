import Foundation
import ImageCore
import Platform
import Testing

@testable import ImagePipeline

/// Dates in names and captions, compared with the C library's.
@Suite(.serialized) struct DateTextTests {
  @Test(arguments: [
    "2026:07:31 18:05:09", "2006:12:09 00:46:14", "2024:02:29 12:00:00", "2021:01:01 23:59:60",
    "2020:12:31 09:09:09", "2010:01:03 11:11:11", "2008:12:29 01:02:03", "1999:10:05 13:30:00",
    "1900:03:01 06:06:06", "1087:06:05 04:03:02", "2000:02:29 10:10:10", "2015:12:31 20:20:20",
  ])
  func equalTheSystems(_ date: String) throws {
    // The zone of a tm is the machine's.
    for conversion in DateText.conversions where !"szZ".contains(conversion) {
      for flag in [""] + ("%nt".contains(conversion) ? [] : DateText.flags.map { String($0) }) {
        // Its numbers with a space in front have none here.
        guard !["", "#"].contains(flag) || !"ekl".contains(conversion) else { continue }
        // A flag for one number says nothing of several, and glibc has its own mind about years.
        guard !"cDFrRTxX".contains(conversion) || ["", "^"].contains(flag) else { continue }
        guard flag != "^" || !"Pekl".contains(conversion) else { continue }
        guard !"YGC".contains(conversion) || flag == "" else { continue }
        let pattern = "%\(flag)\(conversion)"
        let found = DateText.text(date, pattern: "<\(pattern)>")
        #expect(found == "<\(try system(date, pattern))>", "\(pattern) of \(date)")
      }
    }
  }

  private func system(_ date: String, _ pattern: String) throws -> String {
    let numbers = date.split(whereSeparator: { $0 == ":" || $0 == " " }).compactMap { Int32($0) }
    try #require(numbers.count == 6)
    var parts = tm()
    parts.tm_year = numbers[0] - 1900
    parts.tm_mon = numbers[1] - 1
    parts.tm_mday = numbers[2]
    // Finds the day of the week and of the year.
    _ = timegm(&parts)
    parts.tm_hour = numbers[3]
    parts.tm_min = numbers[4]
    parts.tm_sec = numbers[5]
    var buffer = [CChar](repeating: 0, count: 200)
    let count = strftime(&buffer, buffer.count, pattern, &parts)
    return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  @Test(arguments: [
    ("%A %e %B", "Sunday 5 April"), ("%a %j %-d", "Sun 096 5"), ("%I %p", "07 PM"),
    ("%F %T", "2020-04-05 19:08:03"), ("%y/%m", "20/04"), ("%H:%M:%S", "19:08:03"), ("%u", "7"),
    ("%^b %-I%P", "APR 7pm"), ("%_d|%0e|%l", " 5|05|7"), ("100%% %Y", "100% 2020"), ("", ""),
    ("%Ey %OB", "20 April"), ("%10d|%_4d", "0000000005|   5"), ("%#a %#p %10B", "SUN pm      April"),
    ("%s", "1586113683"), ("[%z%Z]", "[]"),
  ])
  func asAsked(_ pattern: String, _ text: String) {
    #expect(DateText.text("2020:04:05 19:08:03", pattern: pattern) == text)
  }

  @Test(arguments: [
    ("%Q", "%Q"), ("%", "%"), ("%d%", "%"), ("%EQ", "%EQ"), ("%:d", "%:d"), ("%E", "%E"), ("%100d", "%100"),
    ("%-", "%-"), ("%-Q", "%-Q"), ("%-%", "%-%"), ("%é", "%é"), ("%1", "%1"),
  ])
  func refused(_ pattern: String, _ conversion: String) {
    #expect(DateText.wrongConversion(in: pattern) == conversion)
  }

  @Test(arguments: [
    "", "    :  :     :  :  ", "0000:00:00 00:00:00", "2023:02:29 10:00:00", "2023:13:01 10:00:00",
    "2023:04:31 10:00:00", "2023:04:00 10:00:00", "1900:02:29 00:00:00", "a day in May",
  ])
  func noDates(_ text: String) { #expect(DateText.text(text, pattern: "%Y") == nil) }

  @Test(arguments: [
    ("2023:04:01 24:00:00", "2 00:00"), ("2023:04:01 23:60:00", "1 00:00"), ("2023:04:01", "1 00:00"),
    ("2023-04-01T10:00:00", "1 10:00"), ("2023", "1 00:00"),
  ])
  func otherForms(_ text: String, _ written: String) {
    #expect(DateText.text(text, pattern: "%-d %H:%M") == written)
  }

  @Test func zonesOfDatesThemselvesPrevail() {
    #expect(DateText.text("2020-04-05T19:08:03+02:00", offset: -60, pattern: "%z") == "+0200")
  }

  @Test(arguments: [
    (120, "+0200 +02:00 +02:00 1586106483"), (0, "+0000 +00:00 UTC 1586113683"),
    (-210, "-0330 -03:30 -03:30 1586126283"),
  ])
  func zones(_ offset: Int, _ text: String) {
    #expect(DateText.text("2020:04:05 19:08:03", offset: offset, pattern: "%z %:z %Z %s") == text)
  }

  /// In some locales, `%c` contains `%Z`.
  @Test func patternsThatMayNeedTheZone() {
    #expect(["%z", "%Z", "%s", "%c", "%Y %:z"].allSatisfy(DateText.needsZone))
    #expect(!["%x %X", "%Y", "%%z"].contains(where: DateText.needsZone))
  }

  @Test func zonesStandInTheirOwnFieldsFirst() {
    let fields: [String: MetadataValue] = [
      "OffsetTimeOriginal": .text("+02:00"), "OffsetTime": .text("-01:00"), "OffsetTimeDigitized": .text("no zone"),
    ]
    #expect(PictureDate.offset(of: "DateTimeOriginal", fields) == 120)
    #expect(PictureDate.offset(of: "DateTimeDigitized", fields) == -60)
    #expect(PictureDate.offset(of: "DateTime", fields) == -60)
    #expect(PictureDate.offset(of: "DateTime", [:]) == nil)
  }

  @Test func datesOfPictures() throws {
    let exif: [String: MetadataValue] = [
      "DateTimeOriginal": .text("2026:08:01 00:30:00"), "OffsetTime": .text("+02:00"),
      "DateTime": .text("2020:01:01 00:00:00"),
    ]
    let date = try #require(PictureDate(PictureMetadata(exif: exif)))
    #expect(date.day == "2026-08-01" && date.month == "2026-08")
    let other = try #require(
      PictureDate(PictureMetadata(exif: ["DateTimeDigitized": .text("2026:07:31 22:30:00"), "OffsetTime": .text("Z")])))
    #expect(other.day == "2026-07-31" && other.order == date.order)
    #expect(PictureDate(PictureMetadata(exif: ["DateTimeOriginal": .text("    :  :     :  :  ")])) == nil)
  }

  /// The names and forms of locales that the test makes, in their own words.
  @Test(arguments: [
    ("de_DE", "Freitag Fr 31 Juli Juli Jul 31.07.2026 Fr 31 Jul 2026 18:05:09 "),
    ("pl_PL", "pi\u{105}tek pi\u{105} 31 lipca lipiec lip 31.07.2026 pi\u{105}, 31 lip 2026, 18:05:09"),
  ])
  func localesHaveTheirWords(_ name: String, _ expected: String) throws {
    let folder = NSTemporaryDirectory() + "imghost-locales-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let make = Process()
    make.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    make.arguments = ["localedef", "-i", name, "-f", "UTF-8", "\(folder)/\(name).UTF-8"]
    try make.run()
    make.waitUntilExit()
    try #require(make.terminationStatus == 0)
    setenv("LOCPATH", folder, 1)
    defer { unsetenv("LOCPATH") }
    let locale = try #require(TimeLocale(name))
    #expect(TimeLocale(name.replacingOccurrences(of: "_", with: "-")) == locale)
    #expect(TimeLocale(String(name.prefix(2))) == locale)
    let found = DateText.text("2026:07:31 18:05:09", pattern: "%A %a %d %B %OB %b %x %c", locale: locale)
    #expect(found == expected)
    #expect(TimeLocale("xx_XX") == nil && TimeLocale("") == nil && TimeLocale("../../etc") == nil)
  }
}
