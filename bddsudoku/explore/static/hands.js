// Keys, mouse and fingers on the board: what is chosen, and what is written there.

import { columnOf, place, rowOf } from "./elements.js";

/** What keys write, in the order in which the space bar changes it. */
export const MODES = ["digit", "corner", "centre", "strike", "colour"];
/** Half the width of the part of a cell that a drag must cross, so that diagonals can be drawn. */
const CORE = 0.36;

/** `at` is the place of the cursor, `selected` the chosen places in the order of choosing. */
export class Hands {
  constructor(app) {
    this.app = app;
    this.at = place(0, 0);
    this.selected = [this.at];
    this.mode = "digit";
    this.several = false;
  }

  /** Hear the grid, and the pointer around it, too: clues beside the board can be pressed. */
  attach(grid, holder) {
    this.grid = grid;
    this.holder = holder;
    this.pressed = undefined;
    this.clamp();
    grid.onkeydown = (event) => this.key(event);
    holder.onpointerdown = (event) => this.press(event);
    holder.onpointermove = (event) => this.drag(event);
    holder.onpointerup = holder.onpointercancel = (event) => this.lift(event);
    // a stroke of one finger is no gesture of the browser, which would swallow the next tap
    holder.addEventListener("touchmove", (event) => {
      if (holder.style.touchAction === "pinch-zoom" && event.touches.length === 1) event.preventDefault();
    }, { passive: false });
    this.setTouch();
  }

  /** A finger scrolls the page unless it draws or selects; two fingers always enlarge. */
  setTouch() {
    const draws = this.several || this.app.drawing.tool;
    this.holder.style.touchAction = draws ? "pinch-zoom" : "pan-y pinch-zoom";
  }

  /** Back onto the board, after its shape has changed. */
  clamp() {
    const { picture } = this.app;
    this.selected = this.selected.filter((at) => picture.nodes.has(at));
    const [low, high] = [-picture.rim, picture.board.n - 1 + picture.rim];
    const within = (i) => Math.min(Math.max(i, low), high);
    this.at = place(within(rowOf(this.at)), within(columnOf(this.at)));
    if (!this.selected.length && !this.app.drawing.isNew) this.selected = [this.at];
  }

  cells() { return this.selected.map((at) => this.app.picture.cellAt(at)).filter((c) => c >= 0); }

  /** Move the cursor; `how` is "only", "add" or "keep" for the places chosen before. */
  go(at, how = "only") {
    if (how === "only" && !this.app.drawing.isNew) {
      if (this.app.drawing.isPicked) this.app.drawing.release();
      this.selected = [at];
    }
    if (how === "add") this.add(at);
    this.at = at;
    this.shown();
    this.app.picture.focus();
  }

  /** Choose a further place; going back to the one before takes the last one away. */
  add(at) {
    const { selected } = this;
    if (at === selected.at(-2)) this.selected = selected.slice(0, -1);
    else if (!selected.includes(at)) this.selected = [...selected, at];
  }

  toggle(at) {
    this.selected = this.selected.includes(at)
      ? this.selected.filter((other) => other !== at) : [...this.selected, at];
  }

  shown() {
    this.app.drawing.update();
    this.app.picture.select();
    this.app.ruleList.mark();
    this.app.panels.showDetail();
  }

  key(event) {
    const { app } = this;
    const { drawing, picture: { rim } } = app;
    const { n, symbols } = app.state.now.board;
    const ctrl = event.ctrlKey || event.metaKey;
    const [r, c] = [rowOf(this.at), columnOf(this.at)];
    const [low, high] = [-rim, n - 1 + rim];
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    const far = {
      Home: ctrl ? [0, 0] : [r, 0], End: ctrl ? [n - 1, n - 1] : [r, n - 1],
      PageUp: [0, c], PageDown: [n - 1, c],
    }[event.key];
    const code = /^(?:Digit|Numpad)([0-9])$/.exec(event.code);
    const key = event.key.toUpperCase();
    const sign = code?.[1] ?? (key.length === 1 ? key : " ");
    const digit = symbols.indexOf(sign) + 1;
    const within = (x) => Math.min(Math.max(x, low), high);
    if (event.altKey) {
      if (!step || !app.ruleList.shift(...step)) return;
    } else if (step) {
      const next = place(within(r + step[0]), within(c + step[1]));
      if (event.shiftKey) drawing.begin();
      if (event.shiftKey && !this.selected.length) this.add(this.at);
      this.go(next, event.shiftKey ? "add" : ctrl ? "keep" : "only");
    } else if (far) this.go(place(...far));
    else if (ctrl && key === "Z") app.step(event.shiftKey ? "redo" : "undo");
    else if (ctrl && key === "Y") app.step("redo");
    else if (ctrl && key === "A") { this.selected = [...app.picture.nodes.keys()].filter((at) => app.picture.cellAt(at) >= 0); this.shown(); }
    else if (event.key === " " && (ctrl || drawing.isNew)) {
      drawing.begin();
      this.toggle(this.at);
      drawing.aim(this.at);
      this.shown();
    }
    else if (ctrl) return;
    else if (event.key === "Escape") this.escape();
    else if (drawing.tool && drawing.takes(event.key, sign)) { /* the tool has used it */ }
    else if (event.key === "Backspace" || event.key === "Delete" || sign === "0") this.erase();
    else if (event.key === " ") app.setMode(MODES[(MODES.indexOf(this.mode) + 1) % MODES.length]);
    else if (event.key === "?") app.why.ask();
    else if (digit > 0) this.write(digit, event.shiftKey ? "strike" : this.mode);
    else return;
    event.preventDefault();
  }

  escape() {
    const { app } = this;
    if (app.drawing.tool) { app.drawing.leave(); return; }
    app.solution = null;
    app.why.close();
    this.selected = [this.at];
    app.update();
  }

  /** A digit (or the number of a colour) in the chosen cells. */
  write(digit, mode = this.mode) {
    const { app } = this;
    const { state } = app;
    const cells = this.cells();
    if (!cells.length) return;
    if (mode === "corner" || mode === "centre") { state.mark(`${mode}s`, cells, digit); app.marked(); return; }
    if (mode === "colour") { if (digit <= 9) { state.colour(cells, digit); app.marked(); } return; }
    if (mode === "strike") { if (state.strike(cells, digit)) app.changed(null); return; }
    const [cell] = cells;
    const was = state.now.cells[cell];
    const next = cells.every((i) => state.now.cells[i] === digit) ? 0 : digit;
    const known = cells.length === 1 && was === 0 && app.marginals && !app.stale
      ? app.marginals[cell][digit - 1] : null;
    state.write(cells, next);
    app.changed(known);
  }

  erase() {
    const { app } = this;
    const cells = this.cells();
    const known = app.stale || cells.length !== 1 ? null : app.without?.get(cells[0]) ?? null;
    const what = app.state.erase(cells);
    if (what === "digits") app.changed(known);
    else if (what) app.marked();
  }

  /** Where a pointer is: the place, and how far from its middle, in cells. */
  point(event) {
    const box = this.grid.getBoundingClientRect();
    const { rim, board: { n } } = this.app.picture;
    const side = n + 2 * rim;
    const x = ((event.clientX - box.x) / box.width) * side - rim;
    const y = ((event.clientY - box.y) / box.height) * side - rim;
    const at = place(Math.floor(y), Math.floor(x));
    const off = Math.max(Math.abs(x - Math.floor(x) - 0.5), Math.abs(y - Math.floor(y) - 0.5));
    return { at, x, y, off, on: this.app.picture.nodes.has(at) };
  }

  /** A tool draws, a rule is picked, held by its end or moved, or cells are chosen. */
  press(event) {
    const { at, x, y, on } = this.point(event);
    const { drawing, ruleList, tab } = this.app;
    if (event.button !== 0) return;
    const add = event.ctrlKey || event.metaKey || this.several;
    const held = drawing.holds(at);
    const picks = !held && !drawing.isNew && tab === "rules" && !add && !event.shiftKey;
    const picked = picks && ruleList.pick(x, y, at);
    if (!on && !picked) return;
    event.preventDefault();
    this.pressed = at;
    this.far = false;
    this.exact = null;
    if (event.pointerType !== "touch" || this.holder.style.touchAction === "pinch-zoom") {
      try { this.holder.setPointerCapture(event.pointerId); } catch { /* a script's event has no pointer */ }
    }
    if (picked || held) {
      if (on) this.at = at;
      this.shown();
    } else if (drawing.isNew) {
      drawing.begin();
      this.exact = drawing.near(x, y, at);
      this.at = at;
      if (this.exact) this.selected = this.exact;
      else this.toggle(at);
      drawing.aim(at);
      this.shown();
    } else if (add) {
      this.toggle(at);
      this.go(at, "keep");
    } else this.go(at, event.shiftKey ? "add" : "only");
    this.app.picture.focus();
  }

  drag(event) {
    if (this.pressed === undefined) return;
    const { at, off, on } = this.point(event);
    const { drawing } = this.app;
    if (off > CORE || at === this.at || this.exact) return;
    this.far ||= at !== this.pressed;
    if (!on || drawing.isPicked && !drawing.held) return;
    if (!this.selected.includes(this.pressed)) this.add(this.pressed);
    this.go(at, "add");
  }

  lift(event) {
    if (this.pressed === undefined) return;
    const from = this.pressed;
    this.pressed = undefined;
    const { drawing, ruleList } = this.app;
    const { at } = this.point(event);
    if (event.type === "pointercancel") return;
    if (drawing.isPicked && !drawing.held) {
      if (this.far) ruleList.shift(rowOf(at) - rowOf(from), columnOf(at) - columnOf(from));
      else ruleList.pickNext();
    } else if (drawing.tool) drawing.lifted(this.far);
  }
}
