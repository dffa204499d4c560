/// Libraries whose resampling is measured, each by a module of Scripts/dev/peers.d/kernels.
struct KernelPeer {
  let name: String
  let python: PeerFolder.Python
  let module: String

  static let all = [
    KernelPeer(name: "fast_image_resize", python: .main, module: "fast_image_resize"),
    KernelPeer(name: "Pillow-SIMD", python: .pillowSIMD, module: "pillow"),
    KernelPeer(name: "zimg", python: .vapourSynth, module: "zimg"),
    KernelPeer(name: "libvips", python: .main, module: "libvips"),
    KernelPeer(name: "Intel IPP", python: .main, module: "ipp"),
    KernelPeer(name: "OpenCV, Lanczos 4", python: .main, module: "opencv"),
  ]

  /// - Parameter heldToAVX2: the peer may use no newer instructions than AVX2, where it has a switch.
  func start(_ job: KernelJob, heldToAVX2: Bool, source: String, result: String, _ peers: PeerFolder) throws(Worker
    .Failure) -> Worker
  {
    guard peers.has(python) else { throw .missing("") }
    return try Worker(
      [peers.interpreter(python), peers.program("kernels/worker.py"), module, source, result]
        + job.arguments + [heldToAVX2 ? "avx2" : "any"],
      environment: peers.environment(python))
  }
}
