import PictureTraits
import Platform

/// A template with pictures in its slots, measured in points.
///
/// In a flexible template, pictures keep their shapes: the slots change until all fit together. If the pictures then
/// nearly fill the template's block, all are cut slightly, by the same factor, to fill it completely.
struct PageFitting {
  /// A picture in its slot.
  struct Place {
    var subject: Int
    var rectangle: DesignRectangle
    var crop: UnitRectangle
    var kept: Double
    /// The place of the caption in the template; nil if the caption is below, above or on the picture.
    var text: DesignRectangle?
  }

  /// The places in the order of slots. Rectangles are relative to the left edge of the content area, or of the page for
  /// templates of whole pages and of spreads.
  private(set) var places: [Place] = []
  private(set) var cost = 0.0
  /// The area of all pictures, in square points.
  var covered: Double { places.reduce(0) { $0 + $1.rectangle.area } }
  /// The place of the page's own text; nil for none.
  let text: DesignRectangle?
  /// The upper and lower edges of all pictures.
  var top: Double { places.map(\.rectangle.top).min() ?? 0 }
  var bottom: Double { places.map(\.rectangle.bottom).max() ?? 0 }

  private let paper: DesignPaper
  private let template: PageTemplate

  /// Tries to fit pictures into a template; nil if the template does not suit them.
  ///
  /// - Parameters:
  ///   - order: for each slot, the index of its picture in `subjects`.
  ///   - usualArea: the ideal area of a picture with an average score, in square points.
  init?(
    _ template: PageTemplate, _ order: [Int], of subjects: [DesignSubject], on paper: DesignPaper, usualArea: Double
  ) {
    self.paper = paper
    self.template = template
    let found = Self.block(of: template, on: paper)
    text = found.flatMap { block in template.text.map { Self.place($0, of: template, in: block) } }
    // Areas reserved for captions must not stay empty.
    for (slot, subject) in zip(template.slots, order) where slot.text != nil && !subjects[subject].hasCaption {
      return nil
    }
    let hasCaptions = zip(template.slots, order).contains { $0.text == nil && subjects[$1].hasCaption }
    let strip = hasCaptions ? paper.captionStrip : 0
    if template.area == .page, strip > 0 { return nil }
    guard let block = found else { return nil }
    guard fill(block, order, subjects, strip), shrinkSpecks(subjects) else { return nil }
    addCost(of: block, subjects, usualArea)
    shrink(block, order, subjects, strip, usualArea)
    shrinkSoft(block, subjects, usualArea)
    for index in places.indices {
      places[index].text = template.slots[index].text.map { Self.place($0, of: template, in: block) }
    }
  }

  /// Reduces the block if its pictures have a low resolution and if a small, sharp block costs less than a large, soft
  /// one.
  private mutating func shrink(
    _ block: DesignRectangle, _ order: [Int], _ subjects: [DesignSubject], _ strip: Double, _ usualArea: Double
  ) {
    let scale = max(Self.leastScale, leastResolution(subjects) / DesignCost.leastResolution)
    guard scale < 1, template.area == .content else { return }
    var other = self
    let smaller = aligned(block.width * scale, block.height * scale, in: block)
    guard other.fill(smaller, order, subjects, strip), other.shrinkSpecks(subjects) else { return }
    other.addCost(of: block, subjects, usualArea)
    if other.cost < cost { (places, cost) = (other.places, other.cost) }
  }

  /// Reduces each low-resolution picture, centred in its slot, if that costs less than showing it soft.
  private mutating func shrinkSoft(_ block: DesignRectangle, _ subjects: [DesignSubject], _ usualArea: Double) {
    guard template.area == .content else { return }
    var other = self
    var count = 0
    for index in places.indices {
      let scale = Self.resolution(of: places[index], subjects[places[index].subject]) / DesignCost.leastResolution
      guard scale < 1 else { continue }
      count += 1
      other.places[index].rectangle.shrink(to: max(Self.leastScale, scale))
    }
    guard count > 0 else { return }
    other.addCost(of: block, subjects, usualArea)
    other.cost += DesignCost.smallInSlot * Double(count)
    if other.cost < cost { (places, cost) = (other.places, other.cost) }
  }

  /// The resolution in pixels per inch below which single pixels are visible, and the minimum side of a reduced picture
  /// in points.
  private static let (speck, leastSpeck) = (36.0, 28.0)

  /// Reduces pictures whose single pixels would be visible, centred in their slots. Returns false if this would leave
  /// gaps in a template of the whole page.
  private mutating func shrinkSpecks(_ subjects: [DesignSubject]) -> Bool {
    for index in places.indices {
      let area = places[index].rectangle
      let resolution = Self.resolution(of: places[index], subjects[places[index].subject])
      let scale = max(resolution / Self.speck, Self.leastSpeck / min(area.width, area.height))
      guard resolution < Self.speck, scale < 1 else { continue }
      guard template.area == .content else { return false }
      places[index].rectangle.shrink(to: scale)
    }
    return true
  }

  /// Returns the area of a template's block of pictures; nil if there is no room.
  private static func block(of template: PageTemplate, on paper: DesignPaper) -> DesignRectangle? {
    let pages = Double(template.pageCount)
    let area =
      switch (template.area, template.isSpread) {
      case (.page, _): DesignRectangle(left: 0, top: 0, width: paper.width * pages, height: paper.height)
      case (.content, false):
        DesignRectangle(left: 0, top: paper.margins.top, width: paper.contentWidth, height: paper.contentHeight)
      case (.content, true):
        DesignRectangle(
          left: paper.margins.outer, top: paper.margins.top, width: paper.width * 2 - paper.margins.outer * 2,
          height: paper.contentHeight)
      }
    let block = template.block
    let rectangle = DesignRectangle(
      left: area.left + block.left * area.width, top: area.top + block.top * area.height,
      width: block.width * area.width, height: block.height * area.height)
    return rectangle.width >= leastSide && rectangle.height >= leastSide ? rectangle : nil
  }

  /// The minimum size of a block or a picture that is reduced for its low resolution, as a share of its place.
  private static let leastScale = 0.3

  /// Returns the lowest resolution of a picture, in pixels per inch.
  private func leastResolution(_ subjects: [DesignSubject]) -> Double {
    places.reduce(.infinity) { min($0, Self.resolution(of: $1, subjects[$1.subject])) }
  }

  private static func resolution(of place: Place, _ subject: DesignSubject) -> Double {
    subject.width * place.crop.width * 72 / place.rectangle.width
  }

  /// The least height of a band (see `PageTemplate.isBand`), as a share of its height in the template.
  private static let leastBand = 0.5

  /// The least side of a picture, in points.
  private static let leastSide = 6.0

  /// Converts a rectangle in shares of the template's area to points.
  private static func place(
    _ share: UnitRectangle, of template: PageTemplate, in block: DesignRectangle
  ) -> DesignRectangle {
    let rest = template.block
    return DesignRectangle(
      left: block.left + (share.left - rest.left) / rest.width * block.width,
      top: block.top + (share.top - rest.top) / rest.height * block.height,
      width: share.width / rest.width * block.width, height: share.height / rest.height * block.height)
  }

  // MARK: - Places

  private mutating func fill(
    _ block: DesignRectangle, _ order: [Int], _ subjects: [DesignSubject], _ strip: Double
  ) -> Bool {
    guard let tree = template.tree, order.count == template.slots.count else {
      return setPlaces(rigid(block, order.count, strip), order, subjects)
    }
    var shapes = [Double](repeating: 1, count: order.count)
    for (slot, subject) in order.enumerated() {
      let range = template.slots[slot].shape
      let shape = min(range.upperBound, max(range.lowerBound, subjects[subject].shape))
      if template.area == .page, abs(log(shape / subjects[subject].shape)) > 0.01 { return false }
      shapes[slot] = 1 / shape
    }
    if template.isBand {
      let line = tree.line(shapes, strip: strip, gap: paper.gap)
      // A band across the whole page is as high as its pictures require.
      let height = line.slope * block.width + line.offset
      if height <= block.height, height >= block.height * Self.leastBand {
        return setPlaces(flexed(tree, aligned(block.width, height, in: block), shapes, strip), order, subjects)
      }
    }
    let most = 1 - template.slots.reduce(1) { min($0, $1.crop) }
    if let factor = filling(tree, block, shapes, strip), min(factor, 1 / factor) >= most - 1e-9 {
      let cut = shapes.map { $0 * factor }
      if setPlaces(flexed(tree, block, cut, strip), order, subjects), template.area == .page || !hasBlanks {
        return true
      }
    }
    guard template.area == .content, let whole = whole(tree, block, shapes, strip) else { return false }
    return setPlaces(flexed(tree, whole, shapes, strip), order, subjects)
  }

  /// Whether any picture does not fill its slot, because a crop would have lost too much.
  private var hasBlanks: Bool { places.contains { $0.crop == .whole && $0.kept < 0 } }

  /// Returns the factor for all pictures' heights at which the pictures exactly fill the block; nil if no factor from
  /// 0.2 to 5 does.
  private func filling(_ tree: SlotTree, _ block: DesignRectangle, _ shapes: [Double], _ strip: Double) -> Double? {
    var factor = 1.0
    // Without captions and gaps, one step gives the exact result. With them, each step reduces the error to a fraction.
    for _ in 0..<6 {
      let line = tree.line(shapes.map { $0 * factor }, strip: strip, gap: paper.gap)
      let height = block.height - line.offset
      guard height > 0 else { return nil }
      let step = height / (line.slope * block.width)
      factor *= step
      guard factor > 0.2, factor < 5 else { return nil }
      if abs(step - 1) < 1e-9 { break }
    }
    return factor
  }

  /// Returns the largest area that fits into a block and has exactly the combined shape of the pictures.
  private func whole(
    _ tree: SlotTree, _ block: DesignRectangle, _ shapes: [Double], _ strip: Double
  ) -> DesignRectangle? {
    let line = tree.line(shapes, strip: strip, gap: paper.gap)
    var width = block.width
    var height = line.slope * width + line.offset
    if height > block.height {
      height = block.height
      width = (height - line.offset) / line.slope
    }
    guard width >= Self.leastSide, height >= Self.leastSide else { return nil }
    return aligned(width, height, in: block)
  }

  private func aligned(_ width: Double, _ height: Double, in place: DesignRectangle) -> DesignRectangle {
    let across = template.alignment == .left ? 0 : template.alignment == .right ? 1 : 0.5
    let down = template.alignment == .top ? 0 : template.alignment == .bottom ? 1 : 0.5
    return DesignRectangle(
      left: place.left + (place.width - width) * across, top: place.top + (place.height - height) * down, width: width,
      height: height)
  }

  private func flexed(_ tree: SlotTree, _ area: DesignRectangle, _ shapes: [Double], _ strip: Double)
    -> [DesignRectangle]
  {
    var places = [DesignRectangle](repeating: area, count: shapes.count)
    tree.place(in: area, shapes, strip: strip, gap: paper.gap, into: &places)
    return places.map { withoutStrip($0, strip) }
  }

  /// Returns the slots as drawn in the template, with the gaps between them.
  private func rigid(_ block: DesignRectangle, _ count: Int, _ strip: Double) -> [DesignRectangle] {
    let rest = template.block
    let gap = paper.gap / 2
    return (0..<count).map { index in
      let slot = template.slots[index].rectangle
      let inset = template.insets[index]
      let left = block.left + (slot.left - rest.left) / rest.width * block.width + (inset.left ? gap : 0)
      let top = block.top + (slot.top - rest.top) / rest.height * block.height + (inset.top ? gap : 0)
      let right = block.left + (slot.right - rest.left) / rest.width * block.width - (inset.right ? gap : 0)
      let bottom = block.top + (slot.bottom - rest.top) / rest.height * block.height - (inset.bottom ? gap : 0)
      return withoutStrip(
        DesignRectangle(left: left, top: top, width: right - left, height: bottom - top),
        template.slots[index].text == nil ? strip : 0)
    }
  }

  private func withoutStrip(_ area: DesignRectangle, _ strip: Double) -> DesignRectangle {
    DesignRectangle(
      left: area.left, top: area.top + (paper.captionsAreAbove ? strip : 0), width: area.width,
      height: area.height - strip)
  }

  /// Puts each picture into its slot: cropped to the slot's shape if that loses little, otherwise whole. Returns false
  /// if there is no room, or if a picture would not fill its slot in a template of the whole page.
  private mutating func setPlaces(_ slots: [DesignRectangle], _ order: [Int], _ subjects: [DesignSubject]) -> Bool {
    places.removeAll(keepingCapacity: true)
    for (slot, subject) in order.enumerated() {
      let area = slots[slot]
      guard area.width >= Self.leastSide, area.height >= Self.leastSide else { return false }
      let ratio = area.width / area.height / subjects[subject].shape
      if abs(ratio - 1) < 1e-3 {
        places.append(Place(subject: subject, rectangle: area, crop: .whole, kept: 1))
        continue
      }
      if min(ratio, 1 / ratio) >= 1 - template.slots[slot].crop - 1e-9,
        let found = subjects[subject].attention.crop(ratio: ratio, keeping: subjects[subject].keep),
        found.kept >= DesignCost.leastKept
      {
        places.append(Place(subject: subject, rectangle: area, crop: found.part, kept: found.kept))
        continue
      }
      guard template.area == .content else { return false }
      let width = ratio > 1 ? area.height * subjects[subject].shape : area.width
      let height = ratio > 1 ? area.height : area.width / subjects[subject].shape
      guard min(width, height) > 0.01 else { return false }
      places.append(Place(subject: subject, rectangle: aligned(width, height, in: area), crop: .whole, kept: -1))
    }
    return true
  }

  // MARK: - Cost

  /// Returns the cost of a fold through a picture over two pages.
  private func foldCost(of place: Place, _ subject: DesignSubject) -> Double {
    let share = (paper.width - place.rectangle.left) / place.rectangle.width
    guard share > 0, share < 1 else { return 0 }
    let weight = subject.attention.weight(
      ofStripAt: place.crop.left + share * place.crop.width, width: DesignCost.foldStrip)
    return DesignCost.fold * max(0, weight - 1)
  }

  private mutating func addCost(of block: DesignRectangle, _ subjects: [DesignSubject], _ usualArea: Double) {
    var cost = template.cost
    for (slot, place) in places.enumerated() {
      let subject = subjects[place.subject]
      let area = place.rectangle.area
      if place.kept >= 0 { cost += DesignCost.attention * (1 - place.kept) }
      if template.isSpread { cost += foldCost(of: place, subject) }
      let range = template.slots[slot].shape
      let shown = min(range.upperBound, max(range.lowerBound, subject.shape))
      cost += DesignCost.shape * abs(log(shown / subject.shape))
      // Pictures that reach the edges of the page cannot be reduced.
      let factor = template.area == .page ? DesignCost.softAtEdges : 1
      cost += factor * DesignCost.resolution(Self.resolution(of: place, subject))
      if !subject.isHero { cost += DesignCost.size(area, wanted: usualArea * subject.wantedArea) }
      for later in places[(slot + 1)...] where later.subject < place.subject { cost += DesignCost.disorder }
    }
    cost += DesignCost.blank(max(0, 1 - covered / block.area))
    if places.contains(where: { subjects[$0.subject].isHero }), !template.isForHeroes { cost += DesignCost.plainHero }
    self.cost = cost
    // Pictures shown whole keep all their attention. Negative values were only marks for `hasBlanks`.
    for index in places.indices where places[index].kept < 0 { places[index].kept = 1 }
  }
}
