import Foundation
import Testing

/// Whether the run includes every test and all random cases: `Scripts/dev/test --thorough`.
public let isThorough = ProcessInfo.processInfo.environment["IMGHOST_THOROUGH"] == "1"

/// Whether the run includes all tests but those that take longest: `Scripts/dev/test --all`, as in `.ci/run`. True in a thorough run,
/// too.
public let isWhole = isThorough || ProcessInfo.processInfo.environment["IMGHOST_ALL"] == "1"

/// Returns how many of `all` random cases to try: the first eighth, a quarter in a whole run, or all in a thorough run.
public func rounds(_ all: Int) -> Int { isThorough ? all : max(1, all / (isWhole ? 4 : 8)) }

/// Returns every fourth case, every second one in a whole run, or all in a thorough run. For tests whose cases take
/// half a second each and check the same property for many options.
public func sampled<Case>(_ all: [Case]) -> [Case] {
  isThorough ? all : stride(from: 0, to: all.count, by: isWhole ? 2 : 4).map { all[$0] }
}

extension Trait where Self == ConditionTrait {
  /// Runs a test only in thorough runs: a test that takes seconds for sizes at the limit, or that checks a result of
  /// smaller tests in another way.
  public static var thorough: Self { .enabled(if: isThorough, "left to thorough runs") }

  /// Runs a test or a suite only in whole runs, as in continuous integration: variants of other tests, and tests that
  /// wait for deadlines.
  public static var wholeRuns: Self { .enabled(if: isWhole, "left to Scripts/dev/test --all") }

  /// Runs a test only if a program of the packages in `.ci/packages` is installed.
  public static func installed(_ program: String) -> Self {
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/\(program)"), "\(program) is not installed")
  }

  /// Leaves out a test in Scripts/dev/check-sanitizers, because it measures memory or processor time, or uses another
  /// tool that examines the process.
  public static var unsanitized: Self { .enabled(if: !isSanitized, "a sanitizer takes memory and time") }
}

#if SANITIZED
  public let isSanitized = true
#else
  public let isSanitized = false
#endif

/// Leaves out a case whose text has Chinese, Japanese or Korean characters if Debian's package fonts-noto-cjk is not
/// installed. The package is large, and only continuous integration needs it.
public func needFonts(for text: String) throws {
  let file = "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc"
  guard text.unicodeScalars.contains(where: { $0.value >= 0x3000 }), !FileManager.default.fileExists(atPath: file)
  else { return }
  try Test.cancel("Debian's package fonts-noto-cjk is not installed")
}
