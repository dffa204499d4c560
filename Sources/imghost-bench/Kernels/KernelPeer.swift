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

  func start(_ job: KernelJob, source: String, result: String, _ peers: PeerFolder)
    throws(Worker.Failure) -> Worker
  {
    guard peers.has(python) else { throw .missing("") }
    return try Worker(
      [peers.interpreter(python), peers.program("kernels/worker.py"), module, source, result]
        + job.arguments,
      environment: peers.environment(python))
  }
}
