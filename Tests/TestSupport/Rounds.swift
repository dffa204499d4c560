import Foundation
import Testing

/// Whether the run takes the time for every test and every random case: `Scripts/dev/test --thorough`.
public let isThorough = ProcessInfo.processInfo.environment["IMGHOST_THOROUGH"] == "1"

/// Whether the run takes every variant of what other tests show: `Scripts/dev/test --all`, as `.ci/run` does. A thorough
/// run does, too.
public let isWhole = isThorough || ProcessInfo.processInfo.environment["IMGHOST_ALL"] == "1"

/// How many of `all` random cases a run tries: the first quarter, or all of a thorough run's.
public func rounds(_ all: Int) -> Int { isThorough ? all : max(1, all / 4) }

/// Returns every fourth case, or all in a whole run: for tests whose cases take half a second each and prove the same
/// of many options.
public func sampled<Case>(_ all: [Case]) -> [Case] {
  isWhole ? all : all.indices.filter { $0 % 4 == 0 }.map { all[$0] }
}

extension Trait where Self == ConditionTrait {
  /// Leaves a test to thorough runs: one that takes seconds for sizes at the limit, or a second opinion on what
  /// smaller tests show.
  public static var thorough: Self { .enabled(if: isThorough, "left to thorough runs") }

  /// Leaves a test or a suite to whole runs, which continuous integration makes: variants of what others show, and what
  /// waits for deadlines.
  public static var wholeRuns: Self { .enabled(if: isWhole, "left to Scripts/dev/test --all") }

  /// Needs a program of the packages that `.ci/packages` lists.
  public static func installed(_ program: String) -> Self {
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/\(program)"), "\(program) is not installed")
  }

  /// Leaves out of Scripts/dev/check-sanitizers a test of how much memory or processor time something takes, or of another
  /// tool that looks at it.
  public static var unsanitized: Self { .enabled(if: !isSanitized, "a sanitizer takes memory and time") }
}

#if SANITIZED
  public let isSanitized = true
#else
  public let isSanitized = false
#endif

/// Leaves out a case whose text has Chinese, Japanese or Korean signs where Debian's package fonts-noto-cjk is not
/// installed: it is large, and only continuous integration needs it.
public func needFonts(for text: String) throws {
  let file = "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc"
  guard text.unicodeScalars.contains(where: { $0.value >= 0x3000 }), !FileManager.default.fileExists(atPath: file)
  else { return }
  try Test.cancel("Debian's package fonts-noto-cjk is not installed")
}
