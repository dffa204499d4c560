import BookExpectations
import ImageCore

/// Compares a page's annotations (PDF 32000-1:2008, 12.5) with the links that were written.
struct LinkCheck: PageCheck {
  func check(_ page: PageContext, _ result: inout PageResult) {
    guard let links = page.expected?.links else { return }
    Annotations(file: page.file, geometry: page.geometry, document: page.document.statements)
      .check(links, page.entries, &result.faults)
  }
}

private struct Annotations {
  let file: PDFFile
  let geometry: PageGeometry
  let document: DocumentReader

  private struct Link {
    /// The target of a link, or the type of an annotation that is not a link.
    let target: String
    let isLink: Bool
    /// Left, bottom, width and height in points from the MediaBox's lower left corner; empty if Rect is not a
    /// rectangle.
    let box: [Double]
  }

  func check(_ meant: [LinkExpectation], _ entries: [String: PDFValue], _ faults: inout [Fault]) {
    var found = annotations(entries)
    var missing: [(number: Int, link: LinkExpectation)] = []
    for (index, link) in meant.enumerated() {
      if let same = found.firstIndex(where: {
        $0.isLink && $0.target == link.address && isAt(link, $0)
      }) {
        found.remove(at: same)
      } else {
        missing.append((index + 1, link))
      }
    }
    for (number, link) in missing {
      if let other = found.firstIndex(where: { $0.isLink && isAt(link, $0) }) {
        faults.append(.link(.address(number, found[other].target, meant: link.address)))
        found.remove(at: other)
      } else if let moved = found.firstIndex(where: { $0.isLink && $0.target == link.address }) {
        faults.append(
          .link(
            .place(
              number, link.address, actual: found[moved].box,
              expected: [link.left, link.bottom, link.width, link.height])))
        found.remove(at: moved)
      } else {
        faults.append(.link(.missing(link.address)))
      }
    }
    for link in found.prefix(8) {
      faults.append(link.isLink ? .link(.added(link.target)) : .link(.annotationAdded(link.target)))
    }
  }

  private func annotations(_ entries: [String: PDFValue]) -> [Link] {
    (file.resolve(entries["Annots"]).array ?? []).compactMap { value in
      guard let annotation = file.resolve(value).dictionary else { return nil }
      let box = PageBox(file.resolve(annotation["Rect"]), file)
      let (unit, media) = (geometry.unit, geometry.media)
      let points =
        box.map {
          [$0.left - media.left, $0.bottom - media.bottom, $0.width, $0.height].map { $0 * unit }
        } ?? []
      let kind = file.resolve(annotation["Subtype"]).name
      guard kind == "Link" else { return Link(target: kind ?? "unknown", isLink: false, box: points) }
      return Link(target: document.target(annotation["A"] ?? annotation["Dest"] ?? .null), isLink: true, box: points)
    }
  }

  /// Returns whether a link is at its expected place. Coordinates are rounded to four decimals of a page unit.
  private func isAt(_ link: LinkExpectation, _ found: Link) -> Bool {
    let meant = [link.left, link.bottom, link.width, link.height]
    return found.box.count == 4 && zip(found.box, meant).allSatisfy { abs($0 - $1) < 0.001 * geometry.unit + 0.001 }
  }
}
