import BookExpectations
import ImageCore

/// Checks pages on one thread, one after another.
struct PageChecker {
  let document: DocumentContext
  let renderer: PopplerRenderer

  /// Releases the memory of the parts of the file that were read.
  func release() {
    document.file.mapping.release()
    renderer.release()
  }

  func cost(_ record: PageRecord) -> PageCost {
    PageCost(record.entries(document.file), document.file, document.settings.limits)
  }

  /// - Parameter index: the index of the page, from 0.
  func check(_ record: PageRecord, index: Int, _ cost: PageCost) -> PageResult {
    var result = PageResult(number: index + 1)
    guard let page = open(record, index, cost, &result) else { return result }
    for check in CheckList.page where !result.isGivenUp { check.check(page, &result) }
    guard !result.isGivenUp else { return result }
    finish(page, &result)
    return result
  }

  /// Reads a page, and opens it with poppler.
  ///
  /// - Returns: nil if the page cannot be rendered; the faults give the reason.
  private func open(_ record: PageRecord, _ index: Int, _ cost: PageCost, _ result: inout PageResult) -> PageContext? {
    let entries = record.entries(document.file)
    if let fault = document.alignment?.pageFaults[index] { result.faults.append(fault) }
    let number = document.alignment?.counterparts[index].map { $0 + 1 }
    let expected = number.flatMap { document.expectations?.page($0) }
    guard let geometry = geometry(entries, expected, &result) else { return nil }
    let content = PageContent(entries, visible: geometry.visible, document.file) {
      document.expectations?.knows(content: $0) == true
    }
    result.faults += content.faults
    let limits = document.settings.limits
    let fits = cost.share(of: limits) != nil
    if !fits { result.faults.append(.page(.memory(cost.bytes, limit: limits.bytes))) }
    // Poppler would process the whole content, whatever its size.
    guard content.isRenderable, fits else { return nil }
    guard
      let rendering = renderer.page(index, quarters: geometry.quarters, shrinksLargePictures: cost.bytes > limits.bytes)
    else {
      result.faults.append(.poppler(.refuses("it has no page \(index + 1)")))
      result.faults += LogCapture.take()
      return nil
    }
    return PageContext(
      document: document, renderer: renderer, rendering: rendering, record: record, index: index, entries: entries,
      geometry: geometry, content: content, cost: cost, expected: expected, meantNumber: number)
  }

  /// Reads the page's boxes. If its UserUnit is wrong, the expected one is used for measuring, so that the unit is the
  /// only fault.
  private func geometry(_ entries: [String: PDFValue], _ expected: PageExpectation?, _ result: inout PageResult)
    -> PageGeometry?
  {
    var geometry: PageGeometry
    do {
      geometry = try PageGeometry(entries, document.file)
    } catch {
      result.faults.append(error)
      return nil
    }
    let size = geometry.size
    result.report.width = geometry.isOnItsSide ? size.height : size.width
    result.report.height = geometry.isOnItsSide ? size.width : size.height
    let unitCheck = UnitCheck(geometry: geometry, expected: expected, wanted: document.settings.requirements.size)
    if let (fault, unit) = unitCheck.run() {
      result.faults.insert(fault, at: 0)
      geometry.unit = unit
    }
    result.unit = geometry.unit
    result.visible = geometry.isTurned ? nil : geometry.visible
    result.finishedSize = PageSize(
      width: geometry.trim.width * geometry.unit, height: geometry.trim.height * geometry.unit)
    return geometry
  }

  private func finish(_ page: PageContext, _ result: inout PageResult) {
    let expected = page.expected
    result.report.otherChecks = [
      expected?.captions.isEmpty == false && !page.geometry.isTurned ? "text" : nil,
      result.fonts.isEmpty ? nil : "fonts",
      document.tags.isThere ? "tags" : nil,
      expected?.links.isEmpty == false ? "links" : nil,
    ].compactMap(\.self)
    if document.settings.drawsPages {
      let side = ContactSheet.side(pages: document.pages.count)
      result.thumbnail = thumbnail(of: page.rendering, side: Double(side))
    }
    for index in result.report.pictures.indices { result.report.pictures[index].fingerprint = nil }
    result.faults += LogCapture.take()
    if expected != nil { result.faults = result.faults.map { $0.asWritten() } }
  }

  /// - Parameter side: the longer side in pixels.
  private func thumbnail(of page: RenderingPage, side: Double) -> RenderedPixels? {
    let (width, height) = page.size
    guard width > 0, height > 0, width.isFinite, height.isFinite else { return nil }
    let scale = side / max(width, height)
    let (across, down) = (max(1, (width * scale).rounded()), max(1, (height * scale).rounded()))
    return page.render(
      left: 0, top: 0, scaleX: across / width, scaleY: down / height, width: Int(across), height: Int(down),
      isAsShown: true)
  }
}

/// Determines whether the UserUnit (PDF 32000-1:2008, 14.11.2 and table 30) is the cause of a page's wrong size.
private struct UnitCheck {
  let geometry: PageGeometry
  /// The expectation of the page; nil if there is none.
  let expected: PageExpectation?
  /// The required finished size; nil for any.
  let wanted: PageSize?

  /// Returns the fault, and the unit for all other measurements; nil if the unit is not at fault.
  func run() -> (fault: Fault, unit: Double)? {
    if let expected { return check(against: expected) }
    if let wanted { return check(against: wanted) }
    let size = geometry.size
    guard max(size.width, size.height) > PageGeometry.mostUnits else { return nil }
    return (.page(.userUnit(geometry.unit, size, meant: nil)), geometry.unit)
  }

  /// Looks for a unit that was added or changed, or that was removed although the page is too large to do without one.
  private func check(against expected: PageExpectation) -> (fault: Fault, unit: Double)? {
    let (media, size) = (geometry.media, geometry.size)
    let meant = PageSize(width: expected.width, height: expected.height)
    guard !Self.areEqual(size, meant) else { return nil }
    let unit = meant.width / media.width
    let isLarge = max(meant.width, meant.height) > PageGeometry.mostUnits
    guard geometry.unit != 1 || isLarge, isLarge || abs(meant.width - media.width) <= 0.01,
      Self.areEqual(
        PageSize(width: media.width * unit, height: media.height * unit), meant)
    else { return nil }
    return (.page(.userUnit(geometry.unit, size, meant: meant)), unit)
  }

  private static func areEqual(_ size: PageSize, _ meant: PageSize) -> Bool {
    abs(size.width - meant.width) <= 0.01 && abs(size.height - meant.height) <= 0.01
  }

  private func check(against wanted: PageSize) -> (fault: Fault, unit: Double)? {
    let trim = geometry.trim
    let plain = PageSize(width: trim.width, height: trim.height)
    let size = PageSize(
      width: trim.width * geometry.unit, height: trim.height * geometry.unit)
    guard geometry.unit != 1, !wanted.isMet(by: size), wanted.isMet(by: plain) else { return nil }
    return (.page(.userUnit(geometry.unit, size, meant: wanted)), 1)
  }
}
