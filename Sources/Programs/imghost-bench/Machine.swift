import Platform

enum Machine {
  static func description(runs: Int) -> String {
    let system = field("/etc/os-release", "PRETTY_NAME", separator: "=").filter { $0 != "\"" }
    let processor = field("/proc/cpuinfo", "model name", separator: ":")
    let sets = [("avx512_vnni", "AVX-512"), ("avx2", "AVX2")]
    let flags = field("/proc/cpuinfo", "flags", separator: ":").split(separator: " ")
    let best = sets.first { flags.contains(Substring($0.0)) }?.1 ?? "SSE2"
    let model = field("/proc/cpuinfo", "model", separator: ":")
    let family = field("/proc/cpuinfo", "cpu family", separator: ":")
    return """
      \(sysconf(Int32(_SC_NPROCESSORS_ONLN))) cores of \(processor) (family \(family), model \(model), \(best)), \
      \(system). Medians of \(runs) alternating pairs of programs; ratio: the median of the pairs' ratios, imghost's \
      time over the peer's. \
      Memory: the most resident, of several processes the sum, in which shared memory counts once, in MB of 10^6 bytes.
      """
  }

  /// Returns the first value of a key in a file with lines of the form `key separator value`; `unknown` without one.
  private static func field(_ path: String, _ key: String, separator: Character) -> String {
    for line in (TextFile.read(path) ?? "").split(separator: "\n") {
      let parts = line.split(separator: separator, maxSplits: 1)
      if parts.count == 2, trimmed(parts[0]) == key { return trimmed(parts[1]) }
    }
    return "unknown"
  }

  private static func trimmed(_ text: Substring) -> String {
    let start = text.drop { $0.isWhitespace }
    let count = start.reversed().drop { $0.isWhitespace }.count
    return String(start.prefix(count))
  }
}
