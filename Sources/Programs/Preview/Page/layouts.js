// Computes the places of tiles. A layout is { width, height, tiles, rows }, in CSS pixels: `tiles` has a rectangle for
// each item, with a frame for the picture above a caption; `rows` has the top, the bottom, and the first and last tile
// of each row.

const gap = 20, captionHeight = 42, pageCaptionHeight = 26, spreadGap = 32;
const pointsPerInch = 72, pixelsPerInch = 96;

/** The sizes of cells: each value with its name. */
export const gridSizes = new Map([["auto", "Automatic"], ["150", "Small"], ["240", "Medium"], ["400", "Large"]]);

/** The zooms of pages: each value with its name. */
export const zooms = new Map([
    ["page", "Fit page"], ["width", "Fit width"], ["0.25", "25 %"], ["0.5", "50 %"], ["0.75", "75 %"], ["1", "100 %"],
    ["1.5", "150 %"], ["2", "200 %"],
]);

/** Returns the layout of pictures in cells of one size. `size` is a key of `gridSizes`. */
export function gridLayout(items, room, size) {
    const columns = size === "auto" ? automaticColumns(items.length, room) : columnsOf(Number(size), room);
    const cell = Math.floor((room.width - gap * (columns - 1)) / columns);
    const tallest = Math.max(80, room.height - captionHeight - gap);
    const frameHeight = Math.round(Math.min(cell * cellRatio(items), tallest));
    const layout = { width: room.width, height: 0, tiles: [], rows: [] };
    for (let first = 0; first < items.length; first += columns) {
        const top = layout.height;
        const last = Math.min(first + columns, items.length) - 1;
        for (let index = first; index <= last; index += 1) {
            layout.tiles.push({
                x: (index - first) * (cell + gap), y: top, width: cell,
                height: frameHeight + captionHeight, frameHeight,
            });
        }
        layout.rows.push({ top, bottom: top + frameHeight + captionHeight, first, last });
        layout.height = top + frameHeight + captionHeight + gap;
    }
    return layout;
}

/** Returns the layout of a book's pages as spreads. `zoom` is a key of `zooms`. */
export function spreadLayout(pages, room, zoom) {
    const spreads = spreadsOf(pages);
    const scale = spreadScale(spreads, room, zoom);
    const layout = { width: room.width, height: 0, tiles: [], rows: [] };
    for (const row of rowsOf(spreads, room.width, scale)) {
        placeRow(layout, row, scale, room.width);
    }
    return layout;
}

/** Returns the first and the last tile of the rows that overlap the range from `top` to `bottom`, or null. */
export function tilesBetween(layout, top, bottom) {
    const { rows } = layout;
    let low = 0, high = rows.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (rows[middle].bottom < top) low = middle + 1;
        else high = middle;
    }
    let end = low;
    while (end < rows.length && rows[end].top <= bottom) end += 1;
    return end > low ? { first: rows[low].first, last: rows[end - 1].last } : null;
}

/** Returns the index of the tile whose middle is nearest in the row above or below; `index` if there is no such row. */
export function tileInNextRow(layout, index, direction) {
    const row = layout.rows.findIndex((each) => index <= each.last);
    const target = layout.rows[row + direction];
    if (!target) return index;
    const middle = (tile) => tile.x + tile.width / 2;
    const from = middle(layout.tiles[index]);
    let best = target.first;
    for (let each = target.first; each <= target.last; each += 1) {
        if (Math.abs(middle(layout.tiles[each]) - from) < Math.abs(middle(layout.tiles[best]) - from)) best = each;
    }
    return best;
}

/** Returns the size in CSS pixels at which a whole item fits into a box. Pictures are never enlarged. */
export function fitted(item, width, height, pixelRatio) {
    if (!(item.width > 0 && item.height > 0)) return { width, height };
    let scale = Math.min(width / item.width, height / item.height);
    if (!item.page) scale = Math.min(scale, 1 / pixelRatio);
    return { width: Math.max(1, item.width * scale), height: Math.max(1, item.height * scale) };
}

/** Returns the size of an item at 100 %: a picture's pixel is a pixel of the screen, a page has its size on paper. */
export function naturalSize(item, pixelRatio) {
    const scale = item.page ? pixelsPerInch / pointsPerInch : 1 / pixelRatio;
    return { width: item.width * scale, height: item.height * scale };
}

// A few pictures share the room; many get cells of medium size.
function automaticColumns(count, room) {
    if (count <= 1) return 1;
    if (count <= 4 && room.width >= 480) return 2;
    return columnsOf(count <= 12 ? 280 : 220, room);
}

function columnsOf(size, room) {
    return Math.max(1, Math.floor((room.width + gap) / (size + gap)));
}

// Returns the median of the ratios of height to width, limited to 0.6 to 1, so that most pictures fill their cells.
function cellRatio(items) {
    const ratios = items.filter((each) => each.width > 0 && each.height > 0).map((each) => each.height / each.width);
    ratios.sort((a, b) => a - b);
    const middle = ratios.length ? ratios[ratios.length >> 1] : 0.75;
    return Math.min(1, Math.max(0.6, middle));
}

// Returns spreads { left, right, single, width, height, pages }: the indices of their pages in `pages`, and their size
// in points. A side without an index stays empty.
function spreadsOf(pages) {
    const spreads = [];
    pages.forEach((page, index) => {
        const before = spreads.at(-1);
        if (page.side === "right" && before?.left !== undefined && before.right === undefined) {
            before.right = index;
            before.width = 2 * Math.max(before.width / 2, page.width);
            before.height = Math.max(before.height, page.height);
        } else {
            const single = page.side !== "left" && page.side !== "right";
            const place = single ? "single" : page.side;
            spreads.push({ [place]: index, width: page.width * (single ? 1 : 2), height: page.height, pages });
        }
    });
    return spreads;
}

function spreadScale(spreads, room, zoom) {
    if (!Number.isNaN(Number(zoom))) return Number(zoom) * pixelsPerInch / pointsPerInch;
    const widest = Math.max(1, ...spreads.map((each) => each.width));
    if (zoom === "width") return room.width / widest;
    const tallest = Math.max(1, ...spreads.map((each) => each.height));
    const height = Math.max(80, room.height - pageCaptionHeight - gap);
    return Math.min(room.width / widest, height / tallest);
}

function* rowsOf(spreads, width, scale) {
    let row = [], used = 0;
    for (const spread of spreads) {
        const needed = spread.width * scale + (row.length ? spreadGap : 0);
        if (row.length && used + needed > width + 1) {
            yield row;
            row = [];
            used = 0;
        }
        used += spread.width * scale + (row.length ? spreadGap : 0);
        row.push(spread);
    }
    if (row.length) yield row;
}

function placeRow(layout, row, scale, roomWidth) {
    const rowWidth = row.reduce((sum, each) => sum + each.width * scale, spreadGap * (row.length - 1));
    const rowHeight = Math.max(...row.map((each) => each.height * scale));
    const top = layout.height;
    const first = layout.tiles.length;
    let x = Math.max(0, (roomWidth - rowWidth) / 2);
    for (const spread of row) {
        const middle = x + spread.width * scale / 2;
        for (const side of ["left", "right", "single"]) {
            if (spread[side] === undefined) continue;
            const page = spread.pages[spread[side]];
            const width = page.width * scale, frameHeight = page.height * scale;
            const left = side === "left" ? middle - width : side === "right" ? middle : middle - width / 2;
            layout.tiles.push({
                x: left, y: top + rowHeight - frameHeight, width,
                height: frameHeight + pageCaptionHeight, frameHeight, side,
            });
        }
        x += spread.width * scale + spreadGap;
    }
    layout.width = Math.max(layout.width, rowWidth);
    layout.rows.push({ top, bottom: top + rowHeight + pageCaptionHeight, first, last: layout.tiles.length - 1 });
    layout.height = top + rowHeight + pageCaptionHeight + gap;
}
