import CPoppler
import CPopplerData
import Platform

/// Poppler's encodings and character maps.
package enum PopplerData {
  /// Makes poppler use the data that the portable distribution has next to this program, if any, instead of the
  /// system's. Call before opening the first document.
  package static func useOwn() {
    guard let program = ownProgramFile, let end = program.lastIndex(of: "/") else { return }
    let folder = program[..<end] + "/plugins/poppler"
    guard access(String(folder), R_OK) == 0 else { return }
    _ = PathBytes.withBytes(of: String(folder)) { cpoppler_use_data($0) }
  }
}

/// Differences between versions of poppler.
package enum PopplerVersion {
  /// Whether poppler draws the opacity in JPEG 2000 data even if the picture does not request it: since 24.12.0,
  /// "cairo: Fix rendering of JPX images with transparency".
  package static let drawsOpacityInData: Bool = {
    let numbers = String(cString: poppler_get_version()).split(separator: ".").compactMap { Int($0) }
    return numbers.count >= 2 && (numbers[0], numbers[1]) >= (24, 12)
  }()
}

/// A document opened by poppler-glib. Belongs to one thread; each thread opens its own.
///
/// Poppler tolerates faults, and its return codes say little, so the rendered pixels must be checked.
final class PopplerRenderer {
  private let mapping: FileMapping
  private let document: OpaquePointer

  /// Opens a document with `poppler_document_new_from_bytes`. Poppler reads from the mapping, which this object keeps.
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

  /// Releases the memory of the data that poppler has read.
  func release() { mapping.release() }

  /// Releases the memory of one stream, given its range in the file.
  func release(_ range: Range<Int>) { mapping.release(range) }

  var pageCount: Int { Int(poppler_document_get_n_pages(document)) }

  /// Returns a page by its index from 0; wraps `poppler_document_get_page`.
  ///
  /// - Parameters:
  ///   - quarters: the page's Rotate in right angles, which rendering undoes; 0 to show the page rotated.
  ///   - shrinksLargePictures: whether `render` may reduce large pictures to save memory.
  func page(
    _ index: Int, quarters: Int = 0, shrinksLargePictures: Bool = false
  ) -> RenderingPage? {
    poppler_document_get_page(document, Int32(index)).map {
      RenderingPage($0, quarters, shrinksLargePictures)
    }
  }
}

/// One page of a document, used on the document's thread. Coordinates are those of the page before Rotate is applied.
final class RenderingPage {
  fileprivate let page: OpaquePointer
  fileprivate let turn: PageRotation
  private let shrinksLargePictures: Bool

  /// The longest side at which poppler keeps a picture for printing: `MAX_PRINT_IMAGE_SIZE` of its CairoOutputDev.
  /// Larger pictures are reduced row by row while they are decoded. For the screen, poppler keeps every picture whole.
  static let longestPrintedSide = 8_192

  /// Returns the number of pixels that poppler keeps of a picture for printing.
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

  /// The page's width and height in page units, with Rotate but without UserUnit; wraps `poppler_page_get_size`.
  let size: (width: Double, height: Double)

  /// Renders a part of the page over white; wraps `poppler_page_render` and `poppler_page_render_for_printing`.
  ///
  /// - Parameters:
  ///   - left: the part's left edge, in page units from the page's left edge.
  ///   - top: the part's upper edge, in page units from the page's upper edge.
  ///   - scaleX: pixels per page unit.
  ///   - width: the width in pixels, at most 32,767.
  ///   - isAsShown: whether Rotate is applied, so that coordinates are those of the displayed page.
  /// - Returns: nil if memory is short.
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

/// Rendered pixels of 32 bits in native byte order: `0xRRGGBB` in the lower 24 bits; the highest byte is undefined.
///
/// `@unchecked Sendable`: nothing is drawn on it once a second thread can access it.
final class RenderedPixels: @unchecked Sendable {
  let surface: OpaquePointer
  let width: Int
  let height: Int

  /// The longest side that cairo supports.
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

  /// Returns the pixels of row `y`; wraps `cairo_image_surface_get_data`.
  func row(_ y: Int) -> UnsafePointer<UInt32> {
    let base = UnsafeRawPointer(cairo_image_surface_get_data(surface)!)
    return (base + y * Int(cairo_image_surface_get_stride(surface))).assumingMemoryBound(to: UInt32.self)
  }
}

extension RenderingPage {
  /// Returns the page's text, without rendering the page or decoding a picture.
  func text() -> PageText {
    text(in: PageBox(left: 0, bottom: 0, right: turn.width, top: turn.height))
  }

  /// Returns the text in a box, which is given in page units from the lower left corner of the visible part. The result
  /// may contain text that is missing from the text of the whole page.
  func text(in box: PageBox) -> PageText {
    let area = turn.shown(box)
    func read(_ left: Double, _ right: Double) -> PageText {
      text(left: left, right: right, top: area.bottom, bottom: area.top)
    }
    // On pages that are mostly right-to-left, poppler selects from the upper right to the lower left corner. In the
    // other direction, it would miss some or all of the text.
    let (fromLeft, fromRight) = (read(area.left, area.right), read(area.right, area.left))
    return fromRight.glyphs.count > fromLeft.glyphs.count ? fromRight : fromLeft
  }

  /// Returns the text of an area; wraps `poppler_page_get_text_for_area` and `poppler_page_get_text_layout_for_area`.
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
    // There is one rectangle per character, measured from the upper edge. The marks that poppler puts around
    // right-to-left text have none.
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

/// A rectangle of pixels.
struct PixelArea {
  let columns: Range<Int>
  let rows: Range<Int>
}

/// Converts between a page's own coordinates, which its content uses, and those after Rotate is applied, which poppler
/// uses (PDF 32000-1:2008, table 30).
private struct PageRotation {
  /// The rotation in right angles clockwise, 0 to 3.
  var quarters = 0
  /// The page's width and height in page units, before rotation.
  var width = 0.0
  var height = 0.0

  /// The map from the displayed page to the page's own coordinates. Both origins are the upper left corner.
  var matrix: cairo_matrix_t {
    switch quarters {
    case 1: cairo_matrix_t(xx: 0, yx: -1, xy: 1, yy: 0, x0: 0, y0: height)
    case 2: cairo_matrix_t(xx: -1, yx: 0, xy: 0, yy: -1, x0: width, y0: height)
    case 3: cairo_matrix_t(xx: 0, yx: 1, xy: -1, yy: 0, x0: width, y0: 0)
    default: cairo_matrix_t(xx: 1, yx: 0, xy: 0, yy: 1, x0: 0, y0: 0)
    }
  }

  /// Converts a box in the page's own coordinates (origin at the lower left) to a box on the displayed page (origin at
  /// the upper left).
  func shown(_ box: PageBox) -> PageBox {
    let (top, bottom) = (height - box.top, height - box.bottom)
    return switch quarters {
    case 1: PageBox(left: box.bottom, bottom: box.left, right: box.top, top: box.right)
    case 2:
      PageBox(
        left: width - box.right, bottom: box.bottom, right: width - box.left, top: box.top)
    case 3: PageBox(left: top, bottom: width - box.right, right: bottom, top: width - box.left)
    default: PageBox(left: box.left, bottom: top, right: box.right, top: bottom)
    }
  }

  /// Converts a box on the displayed page to the page's own coordinates; the inverse of `shown`.
  func unturned(_ box: PageBox) -> PageBox {
    switch quarters {
    case 1: PageBox(left: box.bottom, bottom: box.left, right: box.top, top: box.right)
    case 2:
      PageBox(
        left: width - box.right, bottom: box.bottom, right: width - box.left, top: box.top)
    case 3:
      PageBox(left: width - box.top, bottom: height - box.right, right: width - box.bottom, top: height - box.left)
    default:
      PageBox(
        left: box.left, bottom: height - box.top, right: box.right, top: height - box.bottom)
    }
  }
}
