import ImageCore

/// A chain of pictures, and the part of the file that it needs. The chain leads from a picture to its first input, to
/// the first input of that input, and so on, to the file or canvas at the start.
///
/// It is built by a loop instead of recursion, because a script may chain thousands of operations.
struct PlanChain {
  /// The pictures, beginning with the file or canvas, or with a picture that has already been made.
  let pictures: [Picture]
  /// The factor by which the file is shrunk while decoding.
  let shrink: Int
  /// The part of the file that is needed, in stored pixels; nil for all of it, and for a chain that does not start with
  /// a file.
  let region: Region?
  /// The number of pictures at the start of the chain that are the file itself, or differ from it only by crops,
  /// rotations, reflections and metadata; 0 if the chain does not start with a file.
  let cutCount: Int
  /// The number of pictures at the start of the chain whose rows are the file's own CMYK, because a later operation
  /// converts the colours, and all before it accept CMYK. It is 0 if the decoded rows become sRGB immediately.
  let cmykCount: Int

  private struct Link {
    let picture: Picture
    let layout: PictureLayout
    /// The operation; nil at the start of the chain.
    let operation: (any PictureOperation)?
    /// The maximum factor by which later steps allow the picture to be shrunk, relative to its layout.
    let tolerance: Double
    /// Whether a decoder may shrink by the whole tolerance, because the pixels are only measured.
    let isCoarse: Bool
  }

  /// - Parameters:
  ///   - kept: pictures that have already been made; the chain begins with the one nearest to its end.
  ///   - shared: the shrink factors of files that several pictures read.
  init(_ end: Picture, kept: [ObjectIdentifier: SharedFrame], shared: SharedShrinks = SharedShrinks())
    throws(Picture.Problem)
  {
    var links: [Link] = []
    var next: (picture: Picture, tolerance: Double, isCoarse: Bool)? = (end, 1, false)
    while let (picture, tolerance, isCoarse) = next {
      let info = try picture.info()
      links.append(
        Link(
          picture: picture, layout: info.layout, operation: info.operation, tolerance: tolerance, isCoarse: isCoarse))
      guard let operation = info.operation, kept[ObjectIdentifier(picture)] == nil else { break }
      let first = picture.inputs[0]
      let passes = operation.turning != nil || operation.cutRegion != nil
      next = (
        first, passes ? tolerance : operation.shrinkTolerance(of: try first.info().layout),
        passes ? isCoarse : operation.isCoarse
      )
    }
    links.reverse()
    pictures = links.map(\.picture)
    guard case .source(let file, let orient, _) = links[0].picture.step, let header = (try? file.read())?.header else {
      (shrink, region, cutCount, cmykCount) = (1, nil, 0, 0)
      return
    }
    cmykCount = header.layout.format.model == .cmyk ? Self.cmykCount(links) : 0
    let above = links.dropFirst().firstIndex {
      $0.operation!.turning == nil && $0.operation!.cutRegion == nil
    }
    let moves = links[..<(above ?? links.count)]
    cutCount = moves.count
    var region = Region(left: 0, top: 0, width: moves.last!.layout.width, height: moves.last!.layout.height)
    var isCut = false
    for index in moves.indices.dropFirst().reversed() {
      let (operation, input) = (moves[index].operation!, moves[index - 1].layout)
      if let cut = operation.cutRegion {
        region = region.moved(across: cut.left, down: cut.top)
        isCut = true
      } else if let turning = operation.turning {
        region = turning.stored(region, width: input.width, height: input.height)
      }
    }
    if orient {
      region = header.metadata.orientation.stored(region, width: header.layout.width, height: header.layout.height)
    }
    self.region = isCut ? region : nil
    let own = Self.shrink(
      header, cut: self.region, tolerance: links[0].tolerance, isExact: links[0].isCoarse || header.hasFineShrinks)
    shrink = isCut ? own : min(own, shared.factor(of: links[0].picture) ?? own)
  }

  /// Returns the number of pictures before the first one that converts colours, if all of them accept CMYK; otherwise
  /// 0.
  private static func cmykCount(_ links: [Link]) -> Int {
    for (index, link) in links.enumerated().dropFirst() {
      guard let operation = link.operation, operation.acceptsCMYK, link.picture.inputs.count == 1 else { return 0 }
      if operation.convertsColours { return index }
    }
    return 0
  }

  /// Returns the largest shrink factor that leaves twice the required pixels in each direction, or only the required
  /// pixels if shrunk ones are as good as resized ones.
  ///
  /// Shrunk pixels at the edges of a part also contain pixels outside the part. The fewer pixels the result has, the
  /// larger is the share of its edges. If its shorter side is below 48 pixels, the factor is therefore halved, and
  /// below 16 the file is not shrunk. Docs/Resampling.md contains the measured errors.
  ///
  /// The low-pass bands of wavelets alias, and are clipped to black and white, which moves edges by up to a quarter of
  /// their pixels. From these bands, four times the required pixels are kept.
  ///
  /// - Parameter isExact: whether the required pixels suffice, without a margin, if the whole file is shown.
  private static func shrink(_ header: PictureHeader, cut: Region?, tolerance: Double, isExact: Bool) -> Int {
    if cut == nil, isExact { return header.shrinkFactors.filter { Double($0) <= tolerance }.max() ?? 1 }
    var margin = header.hasCositedShrinks ? 4.0 : 2.0
    if let cut {
      let shorterSide = Double(min(cut.width, cut.height)) / tolerance
      if shorterSide < 16 { return 1 }
      if shorterSide < 48 { margin *= 2 }
    }
    return header.shrinkFactors.filter { Double($0) * margin <= tolerance }.max() ?? 1
  }
}

extension Region {
  func moved(across: Int, down: Int) -> Region {
    Region(left: left + across, top: top + down, width: width, height: height)
  }

  /// Returns the smallest region that contains this region and another one.
  func union(_ other: Region) -> Region {
    let (left, top) = (min(left, other.left), min(top, other.top))
    return Region(left: left, top: top, width: max(right, other.right) - left, height: max(bottom, other.bottom) - top)
  }

  /// Returns the same region of the picture shrunk by an integer factor, rounded outwards.
  ///
  /// - Parameter layout: the layout of the shrunk picture.
  func shrunk(by factor: Int, within layout: PictureLayout) -> Region {
    let (left, top) = (max(0, left) / factor, max(0, top) / factor)
    return Region(
      left: left, top: top,
      width: min((right + factor - 1) / factor, layout.width) - left,
      height: min((bottom + factor - 1) / factor, layout.height) - top)
  }
}
