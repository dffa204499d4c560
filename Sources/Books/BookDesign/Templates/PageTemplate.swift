import PictureTraits

/// An arrangement of pictures on a page or on two facing pages.
package struct PageTemplate: Sendable, Hashable {
  /// The area to which the rectangles of slots refer.
  package enum Area: String, Sendable, Hashable, CaseIterable {
    /// The area inside the margins.
    case content
    /// The whole page; pictures at its edges extend into the bleed.
    case page
  }

  /// The edge that pictures are aligned to if they do not fill their slots.
  package enum Alignment: String, Sendable, Hashable, CaseIterable {
    case centre, top, bottom, left, right
  }

  package var name: String
  package var slots: [TemplateSlot]
  package var area: Area
  /// Whether the template covers two facing pages. Its area then consists of both pages, with the spine in the middle.
  package var isSpread: Bool
  /// Whether slots adapt to the aspect ratios of their pictures, so that less is cut off.
  package var flexes: Bool
  package var alignment: Alignment
  /// Whether the template suits a picture that a script marks as a hero.
  package var isForHeroes: Bool
  /// A cost added to each use of the template: a positive cost makes it rarer, a negative one more frequent.
  package var cost: Double
  /// The minimum number of pictures; the remaining slots stay empty. Flexible templates need a picture in every slot.
  package var leastPictures: Int
  /// The place of the page's own text, in shares of the area; nil for none. Only declared pages have such a text.
  package var text: UnitRectangle?
  /// The rows and columns into which the slots can be divided; nil if the template is not flexible, if a slot has a
  /// place for its caption, or if no such division exists.
  let tree: SlotTree?
  /// The smallest rectangle around all slots.
  let block: UnitRectangle
  /// Whether the template spans the width of the page but not its height. Its block then takes the height that its
  /// pictures require, if that is half to all of its height in the template.
  var isBand: Bool { area == .page && block.width > 1 - 1e-6 && block.height < 1 - 1e-6 }
  /// For each slot, the edges inside the template's block. Half a gap is left there.
  let insets: [SlotInsets]

  package init(
    name: String, slots: [TemplateSlot], area: Area = .content, isSpread: Bool = false, flexes: Bool = true,
    alignment: Alignment = .centre, isForHeroes: Bool = false, cost: Double = 0, leastPictures: Int? = nil
  ) {
    self.name = name
    self.slots = slots
    self.area = area
    self.isSpread = isSpread
    self.flexes = flexes
    self.alignment = alignment
    self.isForHeroes = isForHeroes
    self.cost = cost
    self.leastPictures = leastPictures ?? slots.count
    let rectangles = slots.map(\.rectangle)
    // An area reserved for a caption is fixed, so the slots of a template with such an area do not adapt to pictures.
    tree = flexes && !slots.contains { $0.text != nil } ? SlotTree(rectangles) : nil
    block = UnitRectangle(around: rectangles)
    insets = rectangles.map { SlotInsets(of: $0, in: UnitRectangle(around: rectangles)) }
  }

  /// The number of pages that the template covers.
  package var pageCount: Int { isSpread ? 2 : 1 }
}

/// The edges at which a slot leaves half a gap: those inside the template's block.
struct SlotInsets: Sendable, Hashable {
  let left, top, right, bottom: Bool

  init(of slot: UnitRectangle, in block: UnitRectangle) {
    left = slot.left > block.left + 1e-6
    top = slot.top > block.top + 1e-6
    right = slot.right < block.right - 1e-6
    bottom = slot.bottom < block.bottom - 1e-6
  }
}

extension UnitRectangle {
  /// Makes the smallest rectangle around one or more others.
  init(around others: [UnitRectangle]) {
    let left = others.map(\.left).min() ?? 0
    let top = others.map(\.top).min() ?? 0
    self.init(
      left: left, top: top, width: (others.map(\.right).max() ?? 1) - left,
      height: (others.map(\.bottom).max() ?? 1) - top)
  }
}
