import ImageCore
import ImageOperations
import Synchronization
import TestSupport
import Testing

/// Properties of every operation.
@Suite struct OperationListTests {
  /// Calls of each operation, which together cover every path.
  static let calls: [Call] = [
    Call("auto_orient"),
    Call("crop", 0, 0, 1, 1),
    Call("ensure_alpha"),
    Call("extend", named: ["top": 2, "left": 3, "background": "#80604020"]),
    Call("extend", named: ["top": 3, "bottom": 40, "right": 9, "extend_with": "copy"]),
    Call("extend", named: ["top": 3, "left": 50, "bottom": 40, "extend_with": "mirror"]),
    Call("extend", named: ["left": 3, "right": 50, "extend_with": "repeat"]),
    Call("extract_band", "green"),
    Call("flatten", "#40c080"),
    Call("flip"),
    Call("flop"),
    Call("remove_alpha"),
    Call("affine", [0.8, 0.3, -0.2, 1.4], named: ["background": "#10a03080"]),
    Call("fill", 5, 9),
    Call("fit", 40, 7),
    Call("perspective", [1, 2, 18, -3, 22, 40, -1, 60], named: ["kernel": "lanczos3"]),
    Call("resize", 11, 3, named: ["fit": "contain", "background": "#10203040"]),
    Call("resize", named: ["width": 33, "kernel": "mitchell"]),
    Call("resize", named: ["width": 5, "light": "linear"]),
    Call("rotate", 90),
    Call("rotate", 33.3),
    Call("thumbnail", 6),
    Call("with_metadata", named: ["title": "a"]),
    Call("curves", [[0, 20], [90, 140], [255, 230]]),
    Call("gamma", 2.2),
    Call("grayscale"),
    Call("invert"),
    Call("invert", named: ["alpha": true]),
    Call("levels", 20, 230, 1.4),
    Call("linear", 1.5, -20),
    Call("modulate", named: ["brightness": 1.1, "saturation": 0.6, "hue": 77, "lightness": 3]),
    Call("normalize"),
    Call("clahe", named: ["columns": 3, "rows": 2, "clip": 4]),
    Call("recomb", [[0.4, 0.8, 0.2], [0.3, 0.7, 0.2], [0.3, 0.5, 0.1]]),
    Call("threshold", 100),
    Call("threshold", 100, named: ["grayscale": false]),
    Call("tint", "teal"),
    Call("to_profile", "srgb"),
    Call("blur", 0.3),
    Call("blur", 2),
    Call("blur", 17),
    Call("blur", 2, named: ["light": "linear"]),
    Call("blur", 17, named: ["light": "linear"]),
    Call("blur", 300),
    Call("convolve", [[0, 1, 0], [1, -4, 1], [0, 1, 0]], named: ["offset": 128]),
    Call("convolve", [1, 2, 3, 4], named: ["width": 4]),
    Call("dilate", 2),
    Call("erode", 40),
    Call("median", 3),
    Call("median", 5),
    Call("sharpen", named: ["amount": 0.4]),
    Call("sharpen", named: ["sigma": 3, "threshold": 9]),
    Call("composite", .picture(1)),
    Call(
      "composite", .picture(1), named: ["blend": "dest-atop", "tile": true, "opacity": 0.7]),
    Call("composite", .picture(1), named: ["blend": "soft-light", "left": -2, "top": 1]),
    Call("composite", .picture(1), named: ["opacity": 0.4, "light": "linear"]),
    Call("draw", named: ["line": [0, 0, 9.5, 30, 3, 50], "colour": "#ff000080", "width": 3]),
    Call("draw", named: ["box": [1, 2, 30, 20], "circle": [9, 9, 7], "fill": "teal", "radius": 4, "opacity": 0.6]),
    Call("draw", named: ["polygon": [0, 0, 40, 3, 11, 60], "ellipse": [9, 30, 4, 20], "fill": "white"]),
    Call("text", "aW", named: ["size": 9]),
    Call("text", "aW", named: ["size": 12, "angle": 20, "shadow": "black", "outline": "red", "background": "#00f8"]),
  ]

  /// Odd sizes; the last picture is higher than any strip.
  static let sizes = [(1, 1), (1, 70), (45, 1), (19, 67)]

  @Test func everyOperationIsTested() {
    let tested = Set(Self.calls.map(\.name))
    for name in OperationList.all.map(\.descriptor.name) {
      #expect(tested.contains(name), "calls has no call of \(name)")
    }
  }

  @Test func namesAreUniqueAndSortedWithinFamilies() {
    let descriptors = OperationList.all.map(\.descriptor)
    #expect(Set(descriptors.map(\.name)).count == descriptors.count)
    let families = ["conversion", "resample", "colour", "convolution", "arithmetic"]
    let order = descriptors.map { (families.firstIndex(of: $0.family) ?? 99, $0.name) }
    #expect(order.map(\.1) == order.sorted { $0 < $1 }.map(\.1))
  }

  @Test func helpIsOneLineWithoutFullStop() {
    for definition in OperationList.all {
      let descriptor = definition.descriptor
      for line in [descriptor.summary] + descriptor.parameters.map(\.help) {
        #expect(!line.isEmpty && !line.hasSuffix(".") && !line.contains("\n"), "\(line)")
      }
      #expect(Set(descriptor.parameters.map(\.name)).count == descriptor.parameters.count)
    }
  }

  @Test(arguments: calls)
  func stripHeightMakesNoDifference(_ call: Call) throws {
    for format in PixelFormat.all {
      for (width, height) in format.sample == .u8 ? Self.sizes : Self.sizes.suffix(1) {
        let picture = Picture.noise(width, height, format)
        let overlay = Picture.noise(5, 3, .rgba8, seed: 7)
        let whole = try call.run(picture, overlay, stripRows: 64)
        for stripRows in [1, 3] {
          let result = try call.run(picture, overlay, stripRows: stripRows)
          #expect(result == whole, "\(format) \(width)x\(height) by \(stripRows)")
        }
      }
    }
  }

  #if DEBUG
    /// Each writes every pixel that it gives, and reads none that nobody has written.
    @Test(.thorough, arguments: calls)
    func memoryMakesNoDifference(_ call: Call) throws {
      defer { BufferPool.poison.store(0xa5, ordering: .relaxed) }
      for format in PixelFormat.all {
        for (width, height) in Self.sizes {
          let results = try [UInt8(0), 0x5b].map { poison in
            BufferPool.poison.store(poison, ordering: .relaxed)
            return try call.run(.noise(width, height, format), .noise(5, 3, .rgba8, seed: 7))
          }
          #expect(results[0] == results[1], "\(format) \(width)x\(height)")
        }
      }
    }
  #endif

  @Test(arguments: calls)
  func workersMakeNoDifference(_ call: Call) throws {
    for format in [PixelFormat.rgba16, .rgb8] {
      let picture = Picture.noise(403, 70, format)
      let overlay = Picture.noise(50, 30, .rgba8, seed: 7)
      let serial = try call.run(picture, overlay)
      #expect(try call.run(picture, overlay, in: .threaded) == serial)
    }
  }

  @Test(arguments: calls)
  func cancellationIsNoticed(_ call: Call) {
    // These hand rows on as they come, or give the input itself back.
    let passing: Set = ["auto_orient", "ensure_alpha", "with_metadata"]
    guard !passing.contains(call.name) else { return }
    #expect(throws: PictureError.cancelled) {
      _ = try call.run(.noise(9, 9, .rgba8), .noise(2, 2, .rgba8), in: .cancelled)
    }
  }

  /// The pipeline asks for operations by these.
  @Test(arguments: [OperationRole.convertsToProfile, .fills]) func eachRoleIsDeclaredOnce(_ role: OperationRole) {
    #expect(OperationList.all.count { $0.descriptor.role == role } == 1)
  }
}
