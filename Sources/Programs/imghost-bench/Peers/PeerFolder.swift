/// Where Scripts/dev/peers has installed what imghost is measured against.
struct PeerFolder {
  let path: String

  /// Environments of Python that cannot be one.
  enum Python: String {
    case main = "python"
    case pillowSIMD = "pillow-simd"
    case vapourSynth = "vapoursynth"
  }

  func interpreter(_ python: Python) -> String { "\(path)/\(python.rawValue)/bin/python3" }

  /// Whether an environment has been made.
  func has(_ python: Python) -> Bool { RawFile.exists(interpreter(python)) }

  /// A Python program of Scripts/dev/peers.d.
  func program(_ name: String) -> String { "\(path)/programs/\(name)" }

  /// What every peer that is to use one thread is told.
  func environment(_ python: Python, threads: Int = 1) -> [String: String] {
    [
      "LD_LIBRARY_PATH": "\(path)/\(python.rawValue)/lib", "VIPS_CONCURRENCY": String(threads),
      "RAYON_NUM_THREADS": String(threads), "OMP_NUM_THREADS": String(threads),
      "PYTHONDONTWRITEBYTECODE": "1",
    ]
  }
}
