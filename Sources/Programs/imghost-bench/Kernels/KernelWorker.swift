import ImageKernels
import Platform

/// imghost's side of the protocol that Scripts/dev/peers.d/kernels/worker.py describes, in a process of
/// its own like the peers'.
enum KernelWorker {
  /// `INSTRUCTIONS SOURCE RESULT JOB…`.
  static func run(_ arguments: [String]) -> Int32 {
    guard arguments.count > 3, let instructions = InstructionSet(rawValue: arguments[0]),
      let job = KernelJob(arguments[3...])
    else { return 2 }
    guard InstructionSet.supported.contains(instructions) else {
      answer("unsupported this processor has no \(instructions.rawValue)")
      return 0
    }
    let source = UnsafeMutableRawPointer.allocate(byteCount: job.sourceBytes + StreamingResampler.slack, alignment: 64)
    let target = UnsafeMutableRawPointer.allocate(byteCount: job.targetBytes, alignment: 64)
    defer {
      source.deallocate()
      target.deallocate()
    }
    guard RawFile.read(arguments[1], into: source, count: job.sourceBytes) else { return 1 }
    let resampling = OurResampling(job: job, instructions: instructions)
    answer("ready \(instructions.rawValue)")
    while let line = readLine() {
      switch line {
      case "run":
        let (start, used) = (Clock.nanoseconds, Clock.processorNanoseconds)
        resampling.run(source, into: target)
        let passed = Clock.nanoseconds - start
        answer("\(passed) \(Clock.processorNanoseconds - used)")
      case "save":
        guard RawFile.write(target, count: job.targetBytes, to: arguments[2]) else { return 1 }
        answer("saved")
      default: return 2
      }
    }
    return 0
  }

  private static func answer(_ text: String) {
    let line = Array((text + "\n").utf8)
    _ = write(STDOUT_FILENO, line, line.count)
  }
}
