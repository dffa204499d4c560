import ImageKernels
import Testing

@Suite("Rotation kernels") struct RotationTests {
  private static func rotate(_ plan: RotationPlan, _ picture: TestPicture) -> [Int] {
    let pixels = picture.pixels
    let byteCount = RotationFrame.byteCount(plan, pixels)
    let memory = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 64)
    defer { memory.deallocate() }
    memory.initializeMemory(as: UInt8.self, repeating: 0xa5, count: byteCount)
    let frame = RotationFrame(
      plan, source: pixels, target: pixels, background: Array(repeating: 0, count: pixels.bands), memory: memory)
    let size = pixels.bands * pixels.bytesPerSample
    picture.bytes.withUnsafeBytes { bytes in
      for row in 0..<picture.height {
        frame.fill(row: row, from: bytes.baseAddress! + row * picture.width * size)
      }
    }
    let stride = plan.targetWidth * size
    var output = [UInt8](repeating: 0xa5, count: stride * plan.targetHeight)
    output.withUnsafeMutableBytes {
      frame.render(0..<plan.targetHeight, into: $0.baseAddress!, stride: stride)
    }
    if pixels.bytesPerSample == 1 { return output.map(Int.init) }
    return output.withUnsafeBytes { $0.bindMemory(to: UInt16.self).map(Int.init) }
  }

  @Test("every instruction set gives the same bytes", arguments: ResampleKernel.allCases)
  func instructionSetsAgree(_ kernel: ResampleKernel) {
    for pixels in layouts {
      let picture = Pattern.transparentEdges.picture((61, 43), pixels)
      let results = InstructionSet.supported.map { instructions in
        Self.rotate(
          RotationPlan(
            sourceWidth: 61, sourceHeight: 43, degrees: 23, expands: true, kernel: kernel, instructions: instructions),
          picture)
      }
      for result in results { #expect(result == results[0]) }
    }
  }

  @Test("agrees with the definition", arguments: [ResampleKernel.linear, .cubic, .lanczos3])
  func agreesWithDefinition(_ kernel: ResampleKernel) {
    let pixels = ResamplePixels(bands: 1, bytesPerSample: 1, hasAlpha: false)
    let picture = Pattern.gradient.picture((60, 40), pixels)
    let plan = RotationPlan(sourceWidth: 60, sourceHeight: 40, degrees: 30, expands: true, kernel: kernel)
    let result = Self.rotate(plan, picture)
    for row in 0..<plan.targetHeight {
      for column in 0..<plan.targetWidth {
        let exact = Self.reference(plan, picture, column, row, kernel)
        let value = Double(result[row * plan.targetWidth + column])
        // Half a level for rounding, the rest for the 1,024 phases.
        #expect(abs(value - min(max(exact, 0), 255)) < 0.75)
      }
    }
  }

  /// The inverse turn and the kernel's definition, background 0.
  private static func reference(
    _ plan: RotationPlan, _ picture: TestPicture, _ column: Int, _ row: Int, _ kernel: ResampleKernel
  ) -> Double {
    // cos 30° and sin 30°.
    let (cosine, sine) = (0.75.squareRoot(), 0.5)
    let x = Double(column) + 0.5 - Double(plan.targetWidth) / 2
    let y = Double(row) + 0.5 - Double(plan.targetHeight) / 2
    let sourceX = cosine * x + sine * y + Double(picture.width) / 2
    let sourceY = -sine * x + cosine * y + Double(picture.height) / 2
    var (sum, total) = (0.0, 0.0)
    for j in Int(sourceY - 4)...Int(sourceY + 5) {
      for k in Int(sourceX - 4)...Int(sourceX + 5) {
        let weight = kernel.weight(Double(k) + 0.5 - sourceX) * kernel.weight(Double(j) + 0.5 - sourceY)
        total += weight
        if (0..<picture.width).contains(k), (0..<picture.height).contains(j) {
          sum += weight * Double(picture.samples[j * picture.width + k])
        }
      }
    }
    return sum / total
  }

  @Test("sine and cosine are exact where they are simple")
  func halfTurns() {
    for turn in -8...8 {
      let angle = Double(turn) / 2
      #expect(HalfTurns.sine(angle) == [0, 1, 0, -1][(turn % 4 + 4) % 4])
      #expect(HalfTurns.cosine(angle) == [1, 0, -1, 0][(turn % 4 + 4) % 4])
    }
    #expect(abs(HalfTurns.sine(1.0 / 6) - 0.5) < 1e-15)
    #expect(abs(HalfTurns.cosine(0.25) - 0.5.squareRoot()) < 1e-15)
  }
}
