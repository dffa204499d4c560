import CPoppler

/// Converts between a page's own coordinates, which its content uses, and those after Rotate is applied, which poppler
/// uses (PDF 32000-1:2008, table 30).
struct PageRotation {
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
