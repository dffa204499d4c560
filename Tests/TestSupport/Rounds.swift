import Foundation

/// Whether the run takes the time for every random case: `Scripts/dev/test --thorough`, as continuous integration does.
public let isThorough = ProcessInfo.processInfo.environment["IMGHOST_THOROUGH"] == "1"

/// How many of `all` random cases a run tries: the first quarter, or all of a thorough run's.
public func rounds(_ all: Int) -> Int { isThorough ? all : max(1, all / 4) }
