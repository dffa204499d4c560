import ImageCore

/// An arrangement of pictures in a book.
///
/// To add an arrangement, write a file such as `BookLayout+Masonry.swift` that declares it and lays out its pages, and
/// list the arrangement in `allCases`.
package struct LayoutKind: RawRepresentable, CaseIterable, Sendable, Hashable {
  package static let allCases: [LayoutKind] = [.single, .grid, .justified, .masonry, .spread, .auto, .cover]

  /// The value of the option `layout`.
  package let rawValue: String
  /// The phrase that describes the layout in the help of the option `layout`.
  let summary: String
  /// Options that this layout has, and that layouts lack if they do not list them.
  var options: [String] = []
  /// Options that this layout lacks, and that layouts have if they do not list them.
  var lacks: [String] = []
  /// The declarations of the options that this layout introduces.
  var parameters: [ParameterDescriptor] = []
  /// Whether pictures fill pages up to the upper and lower edges if they bleed.
  var fillsPages = false
  /// Adjusts a page target to the pictures: its layout, and the limits and content of its sections.
  var adapt: @Sendable (inout PageTarget, [LayoutPicture]) throws(PDFError) -> Void = { (_, _) throws(PDFError) in }
  /// Lays out the pictures of one group.
  let pages: @Sendable (BookLayout, [LayoutPicture]) throws(PDFError) -> [PlannedPage]
}

extension LayoutKind {
  package init?(rawValue: String) {
    guard let kind = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
    self = kind
  }

  /// Returns the layouts that have an option of `book`.
  static func having(_ option: String) -> [LayoutKind] {
    let named = allCases.filter { $0.options.contains(option) }
    return named.isEmpty ? allCases.filter { !$0.lacks.contains(option) } : named
  }
}
