import ImageKernels

/// A resampling by `ImageKernels`, from one array to another, on the calling thread.
///
/// The only file here that knows the kernels' interface.
struct OurResampling {
  let job: KernelJob
  let instructions: InstructionSet

  /// Everything a call has to do: weights, buffers and pixels.
  func run(_ source: UnsafeRawPointer, into target: UnsafeMutableRawPointer) {
    let geometry = ResampleGeometry(
      sourceWidth: job.width, sourceHeight: job.height, targetWidth: job.targetWidth,
      targetHeight: job.targetHeight)
    let plan = ResamplePlan(
      geometry,
      pixels: ResamplePixels(
        bands: job.bands, bytesPerSample: job.bytesPerSample, hasAlpha: job.hasAlpha),
      kernel: job.kernel == .lanczos3 ? .lanczos3 : .cubic, instructions: instructions)
    let resampler = StreamingResampler(
      plan, frame: source, stride: job.rowBytes, stripRows: plan.rowsAtOnce, workers: 1)
    for first in stride(from: 0, to: job.targetHeight, by: resampler.stripRows) {
      let strip = first..<min(first + resampler.stripRows, job.targetHeight)
      let end = resampler.sourceRows(of: strip).upperBound
      resampler.advance(by: max(0, end - resampler.nextRow))
      resampler.filterRows(0..<resampler.rowsToFilter(for: strip), worker: 0)
      resampler.render(strip, into: target + first * job.targetRowBytes, stride: job.targetRowBytes, worker: 0)
    }
  }
}
