import CPoppler
import CPopplerData
import Platform

/// Poppler's encodings and character maps.
package enum PopplerData {
  /// Has poppler read those of the portable files, which lie beside this program; elsewhere it reads the system's. Call it
  /// before the first document.
  package static func useOwn() {
    guard let program = ownProgramFile, let end = program.lastIndex(of: "/") else { return }
    let folder = program[..<end] + "/plugins/poppler"
    guard access(String(folder), R_OK) == 0 else { return }
    _ = PathBytes.withBytes(of: String(folder)) { cpoppler_use_data($0) }
  }
}

/// Differences between versions of poppler.
package enum PopplerVersion {
  /// Whether poppler draws the opacity in JPEG 2000 data, even where the picture does not ask for it: from 24.12.0 on,
  /// "cairo: Fix rendering of JPX images with transparency".
  package static let drawsOpacityInData: Bool = {
    let numbers = String(cString: poppler_get_version()).split(separator: ".").compactMap { Int($0) }
    return numbers.count >= 2 && (numbers[0], numbers[1]) >= (24, 12)
  }()
}

/// A document opened by poppler-glib. Belongs to one thread; another thread opens its own.
///
/// Poppler is lenient and its return codes say little: judge the pixels.
final class PopplerRenderer {
  private let mapping: FileMapping
  private let document: OpaquePointer

  /// Wraps `poppler_document_new_from_bytes`; poppler reads from the mapping, which is kept.
  init(_ mapping: FileMapping) throws(Fault) {
    self.mapping = mapping
    let bytes = g_bytes_new_static(mapping.bytes.baseAddress, gsize(mapping.count))
    defer { g_bytes_unref(bytes) }
    var error: UnsafeMutablePointer<GError>?
    guard let document = poppler_document_new_from_bytes(bytes, nil, &error) else {
      defer { g_error_free(error) }
      throw .poppler(.refuses(error.map { String(cString: $0.pointee.message) } ?? "no reason given"))
    }
    self.document = document
  }

  deinit { g_object_unref(UnsafeMutableRawPointer(document)) }

  /// Gives back the memory of what poppler has read.
  func release() { mapping.release() }

  /// The same of one stream, by its place in the file.
  func release(_ range: Range<Int>) { mapping.release(range) }

  /// Wraps `poppler_document_get_n_pages`.
  var pageCount: Int { Int(poppler_document_get_n_pages(document)) }

  /// A page by its index from 0; wraps `poppler_document_get_page`.
  ///
  /// - Parameters:
  ///   - quarters: by how many right angles Rotate turns it, which is undone; 0 to have it as shown.
  ///   - shrinksLargePictures: whether `render` may show pictures with fewer pixels, to keep memory small.
  func page(
    _ index: Int, quarters: Int = 0, shrinksLargePictures: Bool = false
  ) -> RenderingPage? {
    poppler_document_get_page(document, Int32(index)).map {
      RenderingPage($0, quarters, shrinksLargePictures)
    }
  }
}

/// One page of a document, on the document's thread. Places are those of the page before Rotate turns it.
final class RenderingPage {
  fileprivate let page: OpaquePointer
  fileprivate let turn: PageRotation
  private let shrinksLargePictures: Bool

  /// The longest side of a picture that poppler keeps for a printer. It makes a larger one smaller row by row, while it
  /// decodes it; for a screen it keeps every picture whole. `MAX_PRINT_IMAGE_SIZE` of its CairoOutputDev.
  static let longestPrintedSide = 8_192

  /// The pixels that poppler keeps of a picture for a printer.
  static func printedPixels(_ width: Int, _ height: Int) -> Int {
    let side = max(width, height)
    guard side > longestPrintedSide else { return width * height }
    return longestPrintedSide * (min(width, height) * longestPrintedSide / side + 1)
  }

  fileprivate init(_ page: OpaquePointer, _ quarters: Int, _ shrinksLargePictures: Bool) {
    self.page = page
    self.shrinksLargePictures = shrinksLargePictures
    var (width, height) = (0.0, 0.0)
    poppler_page_get_size(page, &width, &height)
    size = (width, height)
    turn =
      quarters % 2 == 0
      ? PageRotation(quarters: quarters, width: width, height: height)
      : PageRotation(quarters: quarters, width: height, height: width)
  }

  deinit { g_object_unref(UnsafeMutableRawPointer(page)) }

  /// Page units across and down, Rotate applied, UserUnit not; wraps `poppler_page_get_size`.
  let size: (width: Double, height: Double)

  /// Renders a part of the page over white; wraps `poppler_page_render` and `poppler_page_render_for_printing`.
  ///
  /// - Parameters:
  ///   - left: of the part, page units from the page's left edge.
  ///   - top: of the part, page units from the page's upper edge.
  ///   - scaleX: pixels to a page unit.
  ///   - width: pixels, at most 32,767.
  ///   - isAsShown: whether Rotate turns it, and places are those of the page as shown.
  /// - Returns: nil where there is no memory for it.
  func render(
    left: Double, top: Double, scaleX: Double, scaleY: Double, width: Int, height: Int, isAsShown: Bool = false
  ) -> RenderedPixels? {
    guard let pixels = RenderedPixels(width: width, height: height) else { return nil }
    let context = cairo_create(pixels.surface)
    defer { cairo_destroy(context) }
    cairo_set_source_rgb(context, 1, 1, 1)
    cairo_paint(context)
    cairo_scale(context, scaleX, scaleY)
    cairo_translate(context, -left, -top)
    if turn.quarters != 0, !isAsShown {
      var matrix = turn.matrix
      cairo_transform(context, &matrix)
    }
    if shrinksLargePictures {
      poppler_page_render_for_printing(page, context)
    } else {
      poppler_page_render(page, context)
    }
    pixels.finish()
    return pixels
  }
}

/// Rendered pixels of 32 bits, `0x00RRGGBB` in the machine's byte order.
///
/// `@unchecked Sendable`: nobody draws on it after it was handed to a second thread.
final class RenderedPixels: @unchecked Sendable {
  let surface: OpaquePointer
  let width: Int
  let height: Int

  /// The longest side cairo draws.
  static let maximumSide = 32_767

  init?(width: Int, height: Int) {
    guard let surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, Int32(width), Int32(height))
    else { return nil }
    guard cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS else {
      cairo_surface_destroy(surface)
      return nil
    }
    self.surface = surface
    self.width = width
    self.height = height
  }

  deinit { cairo_surface_destroy(surface) }

  func finish() { cairo_surface_flush(surface) }

  /// The pixels of row `y`; wraps `cairo_image_surface_get_data`.
  func row(_ y: Int) -> UnsafePointer<UInt32> {
    let base = UnsafeRawPointer(cairo_image_surface_get_data(surface)!)
    return (base + y * Int(cairo_image_surface_get_stride(surface))).assumingMemoryBound(to: UInt32.self)
  }
}

extension RenderingPage {
  /// The page's text. Nothing is rendered for it, and no picture decoded.
  func text() -> PageText {
    // On pages that mostly run from the right poppler selects from the upper right corner to the lower left
    // one, and finds nothing, or not all, the other way.
    text(in: PageBox(left: 0, bottom: 0, right: turn.width, top: turn.height))
  }

  /// The text of an area, in page units from the lower left corner of what readers show: what the whole page's
  /// text lacks may be there.
  func text(in box: PageBox) -> PageText {
    let area = turn.shown(box)
    func read(_ left: Double, _ right: Double) -> PageText {
      text(left: left, right: right, top: area.bottom, bottom: area.top)
    }
    let (fromLeft, fromRight) = (read(area.left, area.right), read(area.right, area.left))
    return fromRight.glyphs.count > fromLeft.glyphs.count ? fromRight : fromLeft
  }

  /// Wraps `poppler_page_get_text_for_area` and `poppler_page_get_text_layout_for_area`.
  private func text(left: Double, right: Double, top: Double, bottom: Double) -> PageText {
    var area = PopplerRectangle(x1: left, y1: top, x2: right, y2: bottom)
    guard let text = poppler_page_get_text_for_area(page, &area) else { return PageText(glyphs: []) }
    defer { g_free(text) }
    var boxes: UnsafeMutablePointer<PopplerRectangle>?
    var count: guint = 0
    guard poppler_page_get_text_layout_for_area(page, &area, &boxes, &count) != 0, let boxes else {
      return PageText(glyphs: [])
    }
    defer { g_free(boxes) }
    // One rectangle a character, from the upper edge down; none for the marks that poppler puts around what
    // runs from the right.
    let scalars = String(cString: text).unicodeScalars.filter { !(0x202a...0x202e ~= $0.value) }
    let glyphs = zip(scalars, 0..<Int(count)).map { scalar, index in
      PageText.Glyph(
        scalar: scalar,
        box: turn.unturned(
          PageBox(
            left: boxes[index].x1, bottom: boxes[index].y1, right: boxes[index].x2,
            top: boxes[index].y2)))
    }
    return PageText(glyphs: glyphs)
  }
}
