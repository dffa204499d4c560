import Foundation
import Testing

@testable import ImagePipeline

/// Dates in names and captions, compared with the C library's.
@Suite struct DateTextTests {
  @Test(arguments: [
    "2026:07:31 18:05:09", "2006:12:09 00:46:14", "2024:02:29 12:00:00", "2021:01:01 23:59:60",
    "2020:12:31 09:09:09", "2010:01:03 11:11:11", "2008:12:29 01:02:03", "1999:10:05 13:30:00",
    "1900:03:01 06:06:06", "1087:06:05 04:03:02", "2000:02:29 10:10:10", "2015:12:31 20:20:20",
  ])
  func equalTheSystems(_ date: String) throws {
    for conversion in DateText.conversions {
      for flag in [""] + ("%nt".contains(conversion) ? [] : DateText.flags.map { String($0) }) {
        // Its numbers with a space in front have none here.
        guard flag != "" || !"ekl".contains(conversion) else { continue }
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
  ])
  func asAsked(_ pattern: String, _ text: String) {
    #expect(DateText.text("2020:04:05 19:08:03", pattern: pattern) == text)
  }

  @Test(arguments: [
    ("%Q", "%Q"), ("%", "%"), ("%d%", "%"), ("%z", "%z"), ("%Z", "%Z"), ("%s", "%s"), ("%Ey", "%E"),
    ("%-", "%-"), ("%-Q", "%-Q"), ("%-%", "%-%"), ("%é", "%é"), ("%10d", "%1"),
  ])
  func refused(_ pattern: String, _ conversion: String) {
    #expect(DateText.wrongConversion(in: pattern) == conversion)
  }

  @Test(arguments: [
    "", "    :  :     :  :  ", "0000:00:00 00:00:00", "2023:02:29 10:00:00", "2023:13:01 10:00:00",
    "2023:04:31 10:00:00", "2023:04:00 10:00:00", "2023:04:01 24:00:00", "2023:04:01 23:60:00",
    "2023:04:01", "2023-04-01T10:00:00", "2023:04:01 10:00:0x", "1900:02:29 00:00:00",
  ])
  func noDates(_ text: String) { #expect(DateText.text(text, pattern: "%Y") == nil) }
}
