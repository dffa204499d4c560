/// The folder in which Scripts/dev/peers has installed the programs to compare with.
struct PeerFolder {
  let path: String

  /// Environments of Python that cannot be one.
  enum Python: String {
    case main = "python"
    case pillowSIMD = "pillow-simd"
    /// pyvips with Debian's libvips.
    case debian = "pyvips-debian"
  }

  func interpreter(_ python: Python) -> String { "\(path)/\(python.rawValue)/bin/python3" }

  /// Whether an environment has been made.
  func has(_ python: Python) -> Bool { RawFile.exists(interpreter(python)) }

  /// A Python program of Scripts/dev/peers.d.
  func program(_ name: String) -> String { "\(path)/programs/\(name)" }

  /// The environment of peers that must use a number of threads.
  func environment(threads: Int = 1) -> [String: String] {
    ["VIPS_CONCURRENCY": "\(threads)", "OMP_NUM_THREADS": "\(threads)", "PYTHONDONTWRITEBYTECODE": "1"]
  }
}
