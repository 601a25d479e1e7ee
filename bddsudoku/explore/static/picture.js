// The board as it is seen: cells, what stands in them, and what is lit.

import { columnOf, has, make, nameOf, place, rowOf, short } from "./elements.js";

/** Units of the server's drawing to a cell. */
const UNIT = 100;

/** A mark is larger and stronger the greater its share. */
function enlarge(mark, share) {
  mark.style.setProperty("--s", (0.5 + 0.65 * Math.sqrt(share)).toFixed(3));
  mark.style.setProperty("--ink-part", `${Math.round(62 + 38 * Math.sqrt(share))}%`);
}

/** Draws the state and the answers of `app` (the component); never changes them. */
export class Picture {
  constructor(app) {
    this.app = app;
    this.node = make("div", { class: "bx-scroll" });
    this.legend = make("ul", { class: "bx-legend" });
    this.nodes = new Map();
  }

  get board() { return this.app.state.now.board; }

  /** The index of the cell at a place; -1 beside the board. */
  cellAt(at) {
    const { n } = this.board;
    const [r, c] = [rowOf(at), columnOf(at)];
    return r >= 0 && c >= 0 && r < n && c < n ? r * n + c : -1;
  }

  placeOf(cell) { return place(Math.floor(cell / this.board.n), cell % this.board.n); }

  /** New elements for a board of another shape, or when the margin is opened or closed. */
  build() {
    const { app, board } = this;
    const { n } = board;
    const rim = (this.rim = app.drawing.wantsMargin ? 1 : 0);
    this.shown = board.ground;
    const side = n + 2 * rim;
    this.holder = make("div", { class: "bx-board" });
    this.holder.style.setProperty("--across", Math.ceil(Math.sqrt(n)));
    this.grid = make("div", {
      class: "bx-grid", role: "grid", "aria-label": app.t.board, "aria-rowcount": side,
      "aria-colcount": side, "aria-multiselectable": "true",
    });
    this.grid.style.gridTemplate =
      `repeat(${side}, minmax(0, 1fr)) / repeat(${side}, minmax(0, 1fr))`;
    this.nodes.clear();
    for (let r = -rim; r < n + rim; r += 1) {
      const row = make("div", { class: "bx-row", role: "row" });
      for (let c = -rim; c < n + rim; c += 1) {
        const at = place(r, c);
        const inside = this.cellAt(at) >= 0;
        const node = make("div", { class: inside ? "bx-cell" : "bx-cell bx-margin", role: "gridcell" });
        if (!inside) node.append(make("span", { class: "bx-hidden", text: `${nameOf(at)} ${app.t.beside}` }));
        this.nodes.set(at, node);
        row.append(node);
      }
      this.grid.append(row);
    }
    this.ground = make("img", { class: "bx-ground", alt: "", draggable: "false" });
    this.path = make("canvas", { class: "bx-path", "aria-hidden": "true" });
    this.holder.append(this.ground, this.grid, this.path);
    this.node.replaceChildren(this.holder);
    this.peers = board.cells.map(() => new Set());
    for (const house of board.houses) {
      for (const a of house) for (const b of house) if (a !== b) this.peers[a].add(b);
    }
    this.drawn = [];
    this.lay();
    app.hands.attach(this.grid, this.holder);
  }

  /** Show the drawing of a rule that is being drawn; null: that of the board. */
  preview(ground) {
    const shown = ground ?? this.board.ground;
    if (shown === this.shown) return;
    this.shown = shown;
    this.lay();
  }

  /** The server's drawing behind the cells, and the size of both. */
  lay() {
    const { board: { n }, rim, app } = this;
    const ground = this.shown;
    // room for clues beside the board is there before they are, so that the board keeps its size
    const pad = Math.max(rim, app.panels.hasMargin ? 1 : 0);
    const view = /viewBox="([^"]+)"/.exec(ground)[1].split(" ").map((x) => Number(x) / UNIT);
    const left = Math.min(view[0], -pad);
    const top = Math.min(view[1], -pad);
    const wide = Math.max(view[0] + view[2], n + pad) - left;
    const high = Math.max(view[1] + view[3], n + pad) - top;
    this.holder.classList.toggle("bx-worded", ground.includes('class="sum'));
    const put = (node, x, y, w, h) => Object.assign(node.style, {
      left: `${((x - left) / wide) * 100}%`, top: `${((y - top) / high) * 100}%`,
      width: `${(w / wide) * 100}%`, height: `${(h / high) * 100}%`,
    });
    this.holder.style.setProperty("--ratio", wide / high);
    put(this.ground, ...view);
    put(this.grid, -rim, -rim, n + 2 * rim, n + 2 * rim);
    put(this.path, -rim, -rim, n + 2 * rim, n + 2 * rim);
    this.holder.style.setProperty("--cell", `${100 / wide}cqw`);
    const source = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(ground)}`;
    if (this.ground.src !== source) this.ground.src = source;
  }

  update() {
    const { app, board } = this;
    this.grid.classList.toggle("bx-stale", app.stale);
    for (const [at, node] of this.nodes) {
      const cell = this.cellAt(at);
      if (cell >= 0) this.draw(node, cell);
    }
    this.select();
    this.showLegend(board);
  }

  /** What is chosen, and what a rule or a reason lights. */
  select() {
    const { app } = this;
    const { at, selected } = app.hands;
    const lit = app.ruleList.lit();
    const drawn = new Set(app.drawing.lists.flat());
    const isMade = app.drawing.editing !== null && !app.drawing.held;  // its marks are on the board
    const reason = app.why.hintCells();
    for (const [here, node] of this.nodes) {
      const cell = this.cellAt(here);
      const chosen = !isMade && selected.includes(here);
      node.tabIndex = here === at ? 0 : -1;
      node.setAttribute("aria-selected", String(chosen));
      node.classList.toggle("at", here === at);
      node.classList.toggle("chosen", chosen || (!isMade && drawn.has(here)));
      node.classList.toggle("lit", lit.has(cell));
      node.classList.toggle("why", reason.has(cell));
    }
    this.drawPath();
  }

  /** The line that is being drawn. */
  drawPath() {
    const { drawing, hands } = this.app;
    const side = this.board.n + 2 * this.rim;
    const size = 40 * side;
    if (this.path.width !== size) this.path.width = this.path.height = size;
    const pen = this.path.getContext("2d");
    pen.clearRect(0, 0, size, size);
    if (!drawing.isLine && !drawing.isPicked) return;
    const point = (at) => [(columnOf(at) + this.rim + 0.5) * 40, (rowOf(at) + this.rim + 0.5) * 40];
    pen.strokeStyle = pen.fillStyle = getComputedStyle(this.grid).getPropertyValue("--focus");
    pen.lineWidth = drawing.isPicked ? 3 : 5;
    pen.lineJoin = pen.lineCap = "round";
    const way = [...drawing.lists.flat(), ...hands.selected].map(point);
    if (!way.length) return;
    const isMade = drawing.editing !== null && !drawing.held;
    const handles = drawing.isPicked && drawing.isWhole && !drawing.isPoint;
    if (drawing.isLine && !isMade) {
      pen.beginPath();
      for (const [x, y] of way) pen.lineTo(x, y);
      pen.stroke();
    }
    const ends = isMade ? (handles ? [way.at(-1), ...(drawing.isLine && !drawing.isArrow ? [way[0]] : [])] : []) : [way[0]];
    for (const [x, y] of ends) {
      pen.beginPath();
      pen.arc(x, y, isMade ? 7 : 9, 0, 7);
      if (isMade) pen.stroke();
      else pen.fill();
    }
  }

  focus() { this.nodes.get(this.app.hands.at)?.focus({ preventScroll: true }); }

  /** The candidates of an open cell: [digit, state, solutions], in the order of the digits. */
  candidates(cell) {
    const { marginals, possible, stale, count, state: { now } } = this.app;
    const seen = new Set([...this.peers[cell]].map((p) => now.cells[p]));
    const known = !stale && count !== 0n;
    const out = [];
    for (let d = 1; d <= this.board.n; d += 1) {
      const number = marginals?.[cell][d - 1] ?? null;
      if (now.masks && !has(now.masks[cell], d)) out.push([d, "struck", null]);
      else if (seen.has(d)) continue;
      else if (known && (marginals ? number === 0n : possible && !has(possible[cell], d))) {
        out.push([d, "gone", 0n]);
      } else out.push([d, "open", number === 0n ? null : number]);
    }
    return out;
  }

  /** Share of a number among those of its cell, from 0 to 1. */
  part(cell, number) {
    const all = this.app.marginals[cell].reduce((a, b) => a + b, 0n);
    return all ? Number((number * 1000000n) / all) / 1e6 : 0;
  }

  /** What is said of a candidate, or of several of which the same is to be said. */
  words(cell, [sign, state, number]) {
    const { t } = this.app;
    if (state === "gone") return t.dead(sign);
    if (state === "struck") return t.struck(sign);
    if (number === null || this.app.stale) return t.maybe(sign);
    const p = this.part(cell, number);
    return t.leaves(sign, number, p > 0 && p < 0.001 ? "<0.1%" : `${(100 * p).toFixed(1)}%`);
  }

  /** The symbols of a mask. */
  signs(mask) { return [...this.board.symbols].filter((_, d) => has(mask, d + 1)).join(""); }

  /** All that is said of a cell, one line after the other. */
  lines(cell) {
    const { app, board } = this;
    const { t, solution, state: { now } } = app;
    const digit = now.cells[cell];
    const more = [
      now.corners[cell] && `${t.corner} ${this.signs(now.corners[cell])}`,
      now.centres[cell] && `${t.centre} ${this.signs(now.centres[cell])}`,
      now.colours[cell] && `${t.colour} ${now.colours[cell]}`,
      app.wrong.has(cell) && t.wrong, app.why.hintCells().has(cell) && t.reason,
    ].filter(Boolean);
    if (digit) {
      const kind = now.given[cell] === digit ? t.hint : t.own;
      return [`${kind} ${board.symbols[digit - 1]}`, app.impactText(app.without?.get(cell)), ...more]
        .filter(Boolean);
    }
    if (solution) return [board.symbols[solution[cell] - 1], ...more];
    if (app.view === "none") return [t.empty, ...more];
    const groups = Object.groupBy(this.candidates(cell), ([, state, number]) => `${state}${number}`);
    const together = (list) => this.words(cell, [list.map(([d]) => board.symbols[d - 1]).join(" "), ...list[0].slice(1)]);
    return [t.empty, ...Object.values(groups).map(together), ...more];
  }

  /**
   * One cell, if anything about it has changed. What is seen is drawn by the style from
   * `data-sign`; what is said is the text of the cell.
   */
  draw(node, cell) {
    const { app, board } = this;
    const { state: { now }, view } = app;
    const sign = (d) => board.symbols[d - 1];
    const digit = now.cells[cell];
    const inner = [];
    let unknown = 0;
    const large = (kind, text) => {
      inner.push(make("span", { class: `bx-big ${kind}`, "data-sign": text, "aria-hidden": "true" }));
    };
    const label = this.lines(cell).join(", ");
    const key = [label, app.clashes.has(cell), app.lang, view, app.stale, app.count === 0n].join("|");
    if (this.drawn[cell] === key) return;
    this.drawn[cell] = key;
    if (digit) {
      large(now.given[cell] === digit ? "hint" : "added", sign(digit));
      const impact = app.without?.get(cell);
      if (impact !== undefined) {
        const same = impact === app.count;
        inner.push(make("span", {
          class: `bx-impact${same ? " none" : ""}`, "aria-hidden": "true",
          "data-sign": impact === null ? "×" : same ? "=" : short(impact),
        }));
      }
    } else if (app.solution) large("found", sign(app.solution[cell]));
    else if (now.centres[cell]) {
      inner.push(make("span", { class: "bx-centre", "data-sign": this.signs(now.centres[cell]), "aria-hidden": "true" }));
    } else if (view !== "none") {
      const list = this.candidates(cell);
      const live = list.filter(([, state]) => state === "open");
      const settled = live.length === 1 && !app.stale && (app.marginals || app.possible)
        && app.count !== 0n;
      if (view === "heat") unknown = (live.length - 1) / (board.n - 1);
      else if (app.marginals && !settled) {
        for (const [, , number] of live) {
          const p = number === null ? 0 : this.part(cell, number);
          if (p > 0) unknown -= (p * Math.log2(p)) / Math.log2(board.n);
        }
      }
      if (settled) large("found", sign(live[0][0]));
      else if (view === "heat") large("heat", String(live.length));
      else inner.push(this.marks(cell, list));
    }
    if (now.corners[cell]) {
      inner.push(make("span", { class: "bx-corner", "data-sign": this.signs(now.corners[cell]), "aria-hidden": "true" }));
    }
    node.classList.toggle("clash", app.clashes.has(cell));
    node.classList.toggle("wrong", app.wrong.has(cell));
    node.dataset.colour = now.colours[cell] || "";
    node.style.setProperty("--unknown", (0.5 * Math.max(unknown, 0)).toFixed(3));
    const name = nameOf(this.placeOf(cell));
    node.replaceChildren(make("span", { class: "bx-hidden", text: `${name} ${label}` }), ...inner);
  }

  /** The candidates of a cell, small, each where its digit always stands. */
  marks(cell, list) {
    const { app, board } = this;
    const across = Math.ceil(Math.sqrt(board.n));
    const box = make("span", { class: "bx-marks", "aria-hidden": "true" });
    for (const [d, state, number] of list) {
      const mark = make("span", {
        class: `bx-mark ${state}`, "data-sign": board.symbols[d - 1], title: this.words(cell, [board.symbols[d - 1], state, number]),
      });
      mark.style.gridArea = `${Math.floor((d - 1) / across) + 1} / ${((d - 1) % across) + 1}`;
      if (state === "open" && number !== null && app.marginals) {
        enlarge(mark, this.part(cell, number));
      }
      box.append(mark);
    }
    return box;
  }

  /** What sizes, shades and shapes mean. */
  showLegend(board) {
    const { t, view, lang, impactOn } = this.app;
    const key = [lang, view, board.n, impactOn].join();
    if (this.legend.dataset.key === key) return;
    this.legend.dataset.key = key;
    const item = (text, ...signs) => make("li", {},
      make("span", { class: "bx-key", "aria-hidden": "true" }, ...signs), text);
    const sign = (kind) => make("span", { class: kind, "data-sign": board.symbols[2] });
    const sized = [0.05, 0.3, 0.7].map((p) => {
      const node = sign("bx-mark open");
      enlarge(node, p);
      return node;
    });
    const heat = [0, 0.25, 0.5].map((p) => {
      const node = make("span", { class: "bx-heat" });
      node.style.setProperty("--unknown", p);
      return node;
    });
    const shading = view === "heat" ? t.heatScale(board.n) : t.shading;
    const signs = view === "none" ? ["hint", "added"] : ["hint", "added", "found"];
    const marks = view === "marginals" ? ["gone", "struck"] : [];
    this.legend.replaceChildren(
      ...(view === "marginals" ? [item(t.share, ...sized)] : []),
      ...(view === "none" ? [] : [item(shading, ...heat)]),
      ...signs.map((kind) => item(t.signs[kind], sign(`bx-big ${kind}`))),
      ...marks.map((kind) => item(t.signs[kind], sign(`bx-mark ${kind}`))),
      ...(impactOn ? [item(t.needless, make("span", { class: "bx-impact none", "data-sign": "=" }))] : []));
  }
}
