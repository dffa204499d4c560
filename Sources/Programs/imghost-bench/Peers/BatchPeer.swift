/// A peer's program for a whole job, from Scripts/dev/peers.d/batch.
struct BatchPeer {
  let name: String
  let python: PeerFolder.Python
  let program: String
  /// The number of threads that libvips uses for one picture.
  var threads = 1
  /// Whether the C library keeps freed memory, such as Pillow's frames. If the memory were returned to the system after
  /// each picture, the next picture would cause a page fault for each memory page.
  var keepsMemory = false
  /// The Python package whose version follows the name of the peer; nil for Debian's libvips.
  var package: String? = "pyvips-binary"

  static func libvips(_ program: String, threads: Int = 1) -> BatchPeer {
    BatchPeer(
      name: "libvips", python: .main, program: program + "_libvips.py", threads: threads)
  }

  static func pillow(_ program: String, keepsMemory: Bool = false) -> BatchPeer {
    BatchPeer(
      name: "Pillow-SIMD", python: .pillowSIMD, program: program + "_pillow.py", keepsMemory: keepsMemory,
      package: "pillow-simd")
  }

  /// Pillow itself, which reads more formats than Pillow-SIMD.
  static func plainPillow(_ program: String) -> BatchPeer {
    BatchPeer(name: "Pillow", python: .main, program: program + "_pillow.py", keepsMemory: true, package: "pillow")
  }

  /// Debian's libvips, which reads more formats than PyPI's.
  static func debianVips(_ program: String) -> BatchPeer {
    BatchPeer(name: "libvips", python: .debian, program: program + "_libvips.py", package: nil)
  }

  /// - Parameter how: the text that follows the version in the name of the peer.
  func command(_ arguments: [String], _ how: String, _ bench: Bench) -> PeerCommand {
    let peers = bench.peers
    guard peers.has(python) else { return PeerCommand(name: name, command: nil) }
    var environment = peers.environment(threads: threads)
    if keepsMemory {
      environment["MALLOC_TOP_PAD_"] = "268435456"
      environment["MALLOC_MMAP_THRESHOLD_"] = "268435456"
      environment["MALLOC_TRIM_THRESHOLD_"] = "1073741824"
    }
    return PeerCommand(
      name: "\(name) \(version(bench))\(how)",
      command: Command(
        words: [peers.interpreter(python), peers.program("batch/" + program)] + arguments,
        environment: environment))
  }

  private func version(_ bench: Bench) -> String {
    guard let package else { return VipsPrograms.version(bench) ?? "" }
    return bench.peers.version(of: package, python, bench.scratch) ?? ""
  }
}

extension PeerFolder {
  func version(of package: String, _ python: Python, _ scratch: Scratch) -> String? {
    let output = scratch.path + "/version.txt"
    let code = "from importlib.metadata import version; print(version('\(package)'))"
    guard Measurement([interpreter(python), "-c", code], output: output) != nil else { return nil }
    return TextFile.read(output).map { String($0.prefix { $0 != "\n" }) }
  }
}

/// The folder in which Scripts/dev/peers has installed the programs to compare with.
struct PeerFolder {
  let path: String

  /// The environments of Python, which cannot be merged into one.
  enum Python: String {
    case main = "python"
    case pillowSIMD = "pillow-simd"
    /// pyvips with Debian's libvips.
    case debian = "pyvips-debian"
  }

  func interpreter(_ python: Python) -> String { "\(path)/\(python.rawValue)/bin/python3" }

  func has(_ python: Python) -> Bool { RawFile.exists(interpreter(python)) }

  /// Returns the path of a Python program of Scripts/dev/peers.d.
  func program(_ name: String) -> String { "\(path)/programs/\(name)" }

  /// Returns the environment variables that limit a peer to a number of threads.
  func environment(threads: Int = 1) -> [String: String] {
    ["VIPS_CONCURRENCY": "\(threads)", "OMP_NUM_THREADS": "\(threads)", "PYTHONDONTWRITEBYTECODE": "1"]
  }
}

/// The programs of libvips in Debian's package libvips-tools.
enum VipsPrograms {
  static func version(_ bench: Bench) -> String? {
    let output = bench.scratch.path + "/version.txt"
    guard Measurement(["vips", "--version"], output: output) != nil else { return nil }
    return TextFile.read(output)?.split { $0 == " " || $0 == "\n" }.first { $0.hasPrefix("vips-") }
      .map { String($0.dropFirst(5)) }
  }
}
