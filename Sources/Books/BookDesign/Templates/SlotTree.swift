import PictureTraits

/// Slots as nested rows and columns: the result of repeatedly cutting a page from edge to edge.
///
/// For pictures with given aspect ratios and a given width, there is exactly one height at which no picture is cut.
/// This height is a linear function of the width, see `SlotTree.line`.
indirect enum SlotTree: Sendable, Hashable {
  case slot(Int)
  /// Parts next to each other, from the left.
  case across([SlotTree])
  /// Parts below each other, from the top.
  case down([SlotTree])

  /// Makes a tree; nil if no straight cuts separate the slots. Also nil if the slots of a row or column do not fill it,
  /// which suggests that the template is not meant to be flexible.
  init?(_ rectangles: [UnitRectangle]) {
    self.init(Array(rectangles.indices), rectangles)
  }

  private init?(_ slots: [Int], _ rectangles: [UnitRectangle]) {
    guard slots.count > 1 else {
      self = .slot(slots[0])
      return
    }
    let block = UnitRectangle(around: slots.map { rectangles[$0] })
    func near(_ a: Double, _ b: Double) -> Bool { abs(a - b) < 1e-6 }
    let columns = Self.parts(of: slots, by: { (rectangles[$0].left, rectangles[$0].right) })
    let rows = Self.parts(of: slots, by: { (rectangles[$0].top, rectangles[$0].bottom) })
    guard columns.count > 1 || rows.count > 1 else { return nil }
    let parts = columns.count > 1 ? columns : rows
    var children: [SlotTree] = []
    for part in parts {
      let own = UnitRectangle(around: part.map { rectangles[$0] })
      let fills =
        columns.count > 1
        ? near(own.top, block.top) && near(own.bottom, block.bottom)
        : near(own.left, block.left) && near(own.right, block.right)
      guard fills, let child = SlotTree(part, rectangles) else { return nil }
      children.append(child)
    }
    let ends = parts.map { part in UnitRectangle(around: part.map { rectangles[$0] }) }
    for (one, next) in zip(ends, ends.dropFirst()) {
      guard near(columns.count > 1 ? one.right : one.bottom, columns.count > 1 ? next.left : next.top) else {
        return nil
      }
    }
    self = columns.count > 1 ? .across(children) : .down(children)
  }

  /// Divides slots into groups, at positions where a straight cut crosses no slot.
  private static func parts(of slots: [Int], by ends: (Int) -> (Double, Double)) -> [[Int]] {
    let sorted = slots.sorted { (ends($0).0, $0) < (ends($1).0, $1) }
    var parts: [[Int]] = []
    var end = -Double.infinity
    for slot in sorted {
      let (start, stop) = ends(slot)
      if start >= end - 1e-6 { parts.append([slot]) } else { parts[parts.count - 1].append(slot) }
      end = max(end, stop)
    }
    return parts
  }
}

extension SlotTree {
  /// A height as a function of a width: `slope * width + offset`. Lengths are in points.
  struct Line {
    var slope: Double
    var offset: Double
  }

  /// Returns the tree's height as a function of its width if every slot has exactly the given aspect ratio.
  ///
  /// - Parameters:
  ///   - shapes: the height of each slot's picture divided by its width.
  ///   - strip: the height below or above each picture, for its caption.
  ///   - gap: the space between slots.
  func line(_ shapes: [Double], strip: Double, gap: Double) -> Line {
    switch self {
    case .slot(let index): return Line(slope: shapes[index], offset: strip)
    case .down(let parts):
      var sum = Line(slope: 0, offset: Double(parts.count - 1) * gap)
      for part in parts {
        let own = part.line(shapes, strip: strip, gap: gap)
        sum.slope += own.slope
        sum.offset += own.offset
      }
      return sum
    case .across(let parts):
      // All parts have the same height: the widths (height - offset) / slope and the gaps add up to the total width.
      var widths = 0.0
      var offsets = 0.0
      for part in parts {
        let own = part.line(shapes, strip: strip, gap: gap)
        widths += 1 / own.slope
        offsets += own.offset / own.slope
      }
      return Line(slope: 1 / widths, offset: (offsets - Double(parts.count - 1) * gap) / widths)
    }
  }

  /// Places the slots in an area. The area's height must be the value of `line` for its width.
  func place(
    in area: DesignRectangle, _ shapes: [Double], strip: Double, gap: Double, into places: inout [DesignRectangle]
  ) {
    switch self {
    case .slot(let index): places[index] = area
    case .down(let parts):
      var top = area.top
      for part in parts {
        let own = part.line(shapes, strip: strip, gap: gap)
        let height = own.slope * area.width + own.offset
        part.place(
          in: DesignRectangle(left: area.left, top: top, width: area.width, height: height), shapes, strip: strip,
          gap: gap, into: &places)
        top += height + gap
      }
    case .across(let parts):
      var left = area.left
      for part in parts {
        let own = part.line(shapes, strip: strip, gap: gap)
        let width = (area.height - own.offset) / own.slope
        part.place(
          in: DesignRectangle(left: left, top: area.top, width: width, height: area.height), shapes, strip: strip,
          gap: gap, into: &places)
        left += width + gap
      }
    }
  }
}

/// A place for one picture in a template.
package struct TemplateSlot: Sendable, Hashable {
  /// The place as drawn, before it adapts to its picture, in shares of the template's area.
  package var rectangle: UnitRectangle
  /// The accepted aspect ratios (width divided by height) of the visible part of a picture.
  package var shape: ClosedRange<Double>
  /// The importance among the slots of the template. On a page with more than three pictures, each picture is tried in
  /// the slot with the highest weight, if only one slot has it, while the others keep their order.
  package var weight: Double
  /// The largest share of a picture's area that may be cut off.
  package var crop: Double
  /// The place of the picture's caption, in shares of the template's area; nil if it is below, above or on the picture.
  package var text: UnitRectangle?

  package init(
    _ rectangle: UnitRectangle, shape: ClosedRange<Double> = TemplateSlot.anyShape, weight: Double = 1,
    crop: Double = TemplateSlot.usualCrop
  ) {
    self.rectangle = rectangle
    self.shape = shape
    self.weight = weight
    self.crop = crop
  }

  /// The default range of aspect ratios, from a tower to a panorama. More extreme pictures leave blank space or are
  /// cut.
  package static let anyShape = 0.2...5.0
  /// The default share that may be cropped: readers do not notice the loss of a tenth.
  package static let usualCrop = 0.1
}
