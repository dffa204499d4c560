/// The style sheet of a report page, for light and dark screens, narrow windows, and print.
enum ReportStyle {
  static let text = """
    :root {
      --ground: #f6f5f2; --card: #ffffff; --ink: #1c1b19; --faint: #6a6660; --line: #dedad2;
      --good: #1d7a4c; --good-ground: #e3f3ea; --bad: #b3261e; --bad-ground: #fbe9e7; --warn: #8a5a00;
      --warn-ground: #fdf2d8; --link: #24527a; --check: #e8e5df;
      font: 16px/1.5 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; color: var(--ink);
      background: var(--ground); color-scheme: light;
    }
    @media screen and (prefers-color-scheme: dark) {
      :root {
        --ground: #141517; --card: #1d1f22; --ink: #e9e7e3; --faint: #a09c95; --line: #34373b;
        --good: #6fcf9c; --good-ground: #16301f; --bad: #ff9a90; --bad-ground: #3a1a18; --warn: #f0c46a;
        --warn-ground: #332710; --link: #8fc1ee; --check: #2a2d31; color-scheme: dark;
      }
      .timeline svg { fill: var(--ink); }
      .timeline svg > rect:first-of-type { fill: var(--card); stroke: var(--line); }
      .timeline .faint { fill: var(--faint); }
      .timeline .grid { stroke: var(--line); }
      .timeline .row { fill: #26292d; }
    }
    * { box-sizing: border-box; }
    body { margin: 0 auto; max-width: 76rem; padding: 2.5rem 1.5rem 3rem; }
    h1, h2, h3, p, ul, ol, dl, dd, figure, pre { margin: 0; padding: 0; }
    h1 { font-size: clamp(1.6rem, 4vw, 2.4rem); line-height: 1.15; letter-spacing: -0.02em; overflow-wrap: anywhere; }
    h2 { font-size: 1.25rem; letter-spacing: -0.01em; padding-bottom: .5rem; border-bottom: 1px solid var(--line); }
    h3 { font-size: 1.05rem; overflow-wrap: anywhere; }
    a { color: var(--link); }
    section { margin-top: 2.75rem; display: grid; gap: 1rem; }
    section > * { min-width: 0; }
    code, pre, .plan { font-family: ui-monospace, "Cascadia Mono", "DejaVu Sans Mono", monospace; font-size: .82rem; }
    .kicker, .when, .details, .rest, .count, figcaption, dt { color: var(--faint); }
    .kicker { text-transform: uppercase; letter-spacing: .12em; font-size: .74rem; font-weight: 600; }
    .count { font-weight: 400; font-size: 1rem; }
    .good { color: var(--good); } .bad { color: var(--bad); }
    .status { display: inline-block; margin-top: .9rem; padding: .3rem .9rem; border-radius: 99rem; font-weight: 600;
      background: var(--good-ground); }
    .status.bad { background: var(--bad-ground); }
    .figures { display: flex; flex-wrap: wrap; gap: .6rem 2.4rem; margin: 1.4rem 0 .6rem; }
    .figures div { display: flex; flex-direction: column-reverse; }
    .figures dd { font-size: 1.5rem; font-weight: 650; letter-spacing: -0.02em; line-height: 1.2;
      font-variant-numeric: tabular-nums; }
    .figures dt, .when, .details, .rest { font-size: .85rem; }
    nav ul { list-style: none; display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; margin-top: 1.2rem;
      padding: .7rem 0; border-block: 1px solid var(--line); font-size: .9rem; }
    .messages { list-style: none; display: grid; gap: .6rem; grid-template-columns: minmax(0, 1fr); }
    .messages li { background: var(--warn-ground); border-left: 4px solid var(--warn); border-radius: .3rem;
      padding: .65rem .9rem; overflow-wrap: anywhere; }
    .messages strong { text-transform: uppercase; letter-spacing: .06em; font-size: .72rem; color: var(--warn);
      margin-right: .4rem; }
    .messages .text { white-space: pre-line; }
    .messages .error { background: var(--bad-ground); border-color: var(--bad); }
    .messages .error strong { color: var(--bad); }
    .messages .note { background: var(--card); border-color: var(--faint); }
    .messages .note strong { color: var(--faint); }
    .source { display: flex; gap: 1rem; margin-top: .5rem; padding: .45rem .7rem; background: var(--card);
      border-radius: .3rem; overflow-x: auto; white-space: pre; }
    .source .line { color: var(--faint); }
    .grid { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(11rem, 1fr)); }
    .card { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; overflow: hidden; }
    .picture { height: 10.5rem; display: flex; align-items: center; justify-content: center; padding: .75rem;
      background: var(--ground); }
    .picture img { max-width: 100%; max-height: 100%; width: auto; height: auto; min-width: 0;
      box-shadow: 0 1px 4px rgb(0 0 0 / .25);
      background: repeating-conic-gradient(var(--check) 0 25%, var(--card) 0 50%) 0 0 / 16px 16px; }
    figcaption { font-size: .8rem; line-height: 1.4; }
    .card figcaption { padding: .55rem .75rem .65rem; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
    .card strong { display: block; color: var(--ink); font-weight: 600; }
    table { border-collapse: collapse; width: 100%; font-size: .87rem; background: var(--card);
      border: 1px solid var(--line); }
    th, td { text-align: left; padding: .35rem .75rem; border-top: 1px solid var(--line); overflow-wrap: anywhere;
      font-variant-numeric: tabular-nums; vertical-align: top; }
    th { font-weight: 600; color: var(--faint); }
    .grid > *, .document > * { min-width: 0; }
    .document { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: 1.1rem 1.25rem;
      display: grid; gap: .5rem; }
    .proof { font-weight: 600; overflow-wrap: anywhere; }
    .proof:not(.good):not(.bad) { font-weight: 400; color: var(--faint); }
    .findings { padding-left: 1.2rem; font-size: .9rem; overflow-wrap: anywhere; }
    .pages { list-style: none; display: grid; gap: 1.1rem .9rem; margin-top: .5rem;
      grid-template-columns: repeat(auto-fill, minmax(8.5rem, 1fr)); align-items: end; }
    .pages p { font-size: .8rem; color: var(--faint); text-align: center; margin-top: .35rem; }
    .pages li ul { list-style: none; font-size: .78rem; color: var(--bad); margin-top: .2rem;
      overflow-wrap: anywhere; }
    .pages .warned ul { color: var(--warn); }
    .pages li { min-width: 0; }
    .sheet { position: relative; width: fit-content; max-width: 100%; margin: 0 auto; box-shadow: 0 1px 5px rgb(0 0 0 / .3); }
    .sheet img { display: block; max-width: 100%; height: auto; }
    .wrong .sheet { outline: 4px solid var(--bad); } .warned .sheet { outline: 4px solid var(--warn); }
    .wrong { align-self: start; } .warned { align-self: start; }
    .area { position: absolute; border: 2px solid #d11; background: rgb(221 17 17 / .18); min-width: 6px;
      min-height: 6px; box-shadow: 0 0 0 1px #fff; }
    .nothing { display: grid; place-items: center; width: 8rem; height: 10rem; color: var(--faint); font-size: .8rem; }
    .timeline svg { display: block; width: 100%; height: auto; }
    .timeline figcaption { margin-top: .5rem; }
    .box { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .8rem 1rem;
      max-height: 26rem; overflow: auto; }
    .plan { padding-left: 3.2rem; }
    .plan li { padding: .1rem 0; overflow-wrap: anywhere; }
    .plan li::marker { color: var(--faint); }
    .facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(18rem, 1fr)); gap: .7rem 2rem; }
    .facts dt { font-size: .8rem; }
    .facts dd { overflow-wrap: anywhere; }
    footer { margin-top: 3rem; padding-top: .8rem; border-top: 1px solid var(--line); color: var(--faint);
      font-size: .8rem; }
    @media print {
      @page { margin: 14mm; }
      :root { font-size: 10.5px; --ground: #ffffff; }
      * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
      body { max-width: none; padding: 0; }
      nav { display: none; }
      h2, h3 { break-after: avoid; }
      /* Browsers part a heading from what follows it in a grid. */
      section { display: block; }
      section > * + * { margin-top: 1rem; }
      .card, .pages li, .messages li, .timeline, .figures, tr { break-inside: avoid; }
      .box { max-height: none; overflow: visible; }
      .grid { grid-template-columns: repeat(4, 1fr); }
      .pages { grid-template-columns: repeat(6, 1fr); }
    }
    """
}
