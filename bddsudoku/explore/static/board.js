// The board: one component for the local page, for notebooks and for static pages.
//
// It talks to a model as anywidget has them: `get`, `set`, `on`, `save_changes`. It sets `ask`
// (a question with an `id` and a `lane`) and hears `change:answer` (events with that `id`). A model
// may have `opening`, the text of a puzzle, `link`, whether the address holds the state, and
// `size`, the greatest width in pixels.
//
// Questions go in two lanes: in "count" the board is counted, which may take long; in "quick" is
// asked what must not wait for it. A new question ends only the one before in its lane.

import { Drawing } from "./drawing.js";
import { bit, make } from "./elements.js";
import { Hands } from "./hands.js";
import { Panels } from "./panels.js";
import { Picture } from "./picture.js";
import { Publish } from "./publish.js";
import { RuleList } from "./rules.js";
import { State } from "./state.js";
import { TEXTS } from "./texts.js";
import { Why } from "./why.js";

/** Milliseconds after which a tab asks again whether its server has come back. */
const RETRY = 3000;
/** Milliseconds after which the page says what it is waiting for. */
const LONG = 250;
/** Kinds of questions that count; all others are answered at once. */
const COUNTING = ["board", "hints", "rules", "check"];

class Board {
  constructor(model, el) {
    this.model = model;
    this.root = make("div", { class: "bx" });
    if (model.get("size")) this.root.style.maxWidth = `${model.get("size")}px`;
    el.append(this.root);
    this.lang = (navigator.language ?? "en").startsWith("ja") ? "ja" : "en";
    this.id = 0;
    this.lanes = { count: { busy: false }, quick: { busy: false } };
    this.queue = [];
    this.state = new State();
    this.impactOn = false;
    this.checking = false;
    this.view = "marginals";
    this.tab = "solve";
    this.why = new Why(this);
    this.ruleList = new RuleList(this);
    this.drawing = new Drawing(this);
    this.hands = new Hands(this);
    this.picture = new Picture(this);
    this.publish = new Publish(this);
    this.panels = new Panels(this);
    this.forget();
    this.onAnswer = () => this.hear(model.get("answer"));
    model.on("change:answer", this.onAnswer);
    this.onHash = () => { if (location.hash !== this.hash) this.fromLink(location.hash); };
    if (model.get("link")) addEventListener("hashchange", this.onHash);
    this.root.addEventListener("click", ({ target }) => {
      if (target.closest("button") && !target.closest("[data-stay]")) this.picture.focus();
    });
    this.panels.frame();
    if (!(model.get("link") && this.fromLink(location.hash))) this.open(model.get("opening") ?? "");
  }

  get t() { return TEXTS[this.lang]; }
  /** Whether a rule is on its way to the board. */
  get isMaking() {
    const { busy, asked } = this.lanes.quick;
    return [...(busy ? [asked] : []), ...this.queue].some(({ kind, trial }) => kind === "rule" && !trial);
  }

  isBusy(lane) { return this.lanes[lane].busy; }

  close() {
    clearTimeout(this.retry);
    this.panels.close();
    this.model.off?.("change:answer", this.onAnswer);
    removeEventListener("hashchange", this.onHash);
    this.root.remove();
  }

  // -- questions and answers ---------------------------------------------------------------------

  ask(question) {
    clearTimeout(this.retry);
    const name = COUNTING.includes(question.kind) ? "count" : "quick";
    const { busy, asked } = this.lanes[name];
    if (name === "quick" && busy && ["draw", "rule"].includes(asked.kind) && !asked.trial) {
      this.queue.push(question);  // the board waits for the answer
      return;
    }
    this.id += 1;
    const lane = { id: this.id, asked: question, busy: true, failed: false, begun: performance.now(), fraction: null };
    clearTimeout(this.lanes[name].slow);
    lane.slow = setTimeout(() => this.showBusy(), LONG + 50);
    this.lanes[name] = lane;
    const { trial, place, ...sent } = question;
    this.model.set("ask", { ...sent, id: this.id, lane: name });
    this.model.save_changes();
  }

  askBoard(kind = "board", more = {}) { this.ask({ kind, board: this.state.question(), ...more }); }

  open(text) { this.ask(text ? { kind: "read", text } : { kind: "read", side: 9 }); }

  stop() {
    this.model.set("ask", { kind: "stop", lane: "count", id: this.id });
    this.model.save_changes();
  }

  forget() {
    this.count = null;
    this.possible = null;
    this.marginals = null;
    this.stale = false;
    this.forgetDetails();
  }

  /** What was asked about the board beside its count and marginals. */
  forgetDetails() {
    this.least = null;
    this.estimate = null;
    this.example = null;
    this.clashes = new Set();
    this.wrong = new Set();
    this.without = null;
    this.rulesWithout = null;
    this.solution = null;
    this.givenUp = "";
    this.why.forget();
    this.followed = new Set();
  }

  hear(event) {
    const [name, lane] = Object.entries(this.lanes).find(([, { id }]) => id === event?.id) ?? [];
    if (!lane) return;
    const { t } = this;
    const { asked } = lane;
    const counts = (names, values) =>
      new Map(names.map((key, i) => [key, values[i] === null ? null : BigInt(values[i])]));
    switch (event.kind) {
      case "read": this.take(event); return;
      case "ground": this.ground(event.ground); break;
      case "rule":
        if (asked.trial) this.drawing.judged(true, event.ground);
        else this.takeRule(event, asked.place);
        return;
      case "progress": lane.fraction = event.fraction; this.showBusy(); return;
      case "clashes": this.clashes = new Set(event.pairs.flat()); break;
      case "statement": this.takeStatement(event); break;
      case "possible":
        this.possible = event.masks;
        if (this.stale) { this.marginals = null; this.stale = false; }
        break;
      case "count": this.takeStatement({ state: "exact", count: event.count }); break;
      case "marginals":
        this.takeStatement({ state: "exact", count: event.count });
        this.marginals = event.marginals.map((cell) => cell.map(BigInt));
        this.stale = false;
        break;
      case "hints": this.without = counts(event.cells, event.without); break;
      case "rules": this.rulesWithout = counts(event.rules, event.without); break;
      case "check": this.takeCheck(event.masks); break;
      case "reason": this.why.take(event, asked.cell); break;
      case "solution": this.takeSolution(event); break;
      case "file": this.publish.save(event); break;
      case "link": this.publish.copyLink(event); break;
      case "limit":
        lane.failed = true;
        if (name === "count") this.givenUp = event.limit in t.givenUp ? event.limit : "time";
        else this.tell(event.limit === "stop" ? t.stopped : t.limit);
        break;
      case "error":
        lane.failed = true;
        if (asked.trial || (asked.kind === "rule" && this.drawing.tool)) { this.drawing.judged(false, null, event.text); return; }
        this.tell(event.text);
        break;
      case "gone":
        lane.failed = true;
        this.tell(t.gone);
        this.retry = setTimeout(() => (this.state.now ? this.askBoard() : location.reload()), RETRY);
        break;
      case "end": this.finish(name); return;
    }
    this.update();
  }

  /** What is known about the number of solutions; each event says more than the one before. */
  takeStatement({ state, count, example, estimate }) {
    if (state === "more") this.least = BigInt(count);
    else this.count = state === "none" ? 0n : BigInt(count);
    this.example = example ?? this.example;
    this.estimate = estimate ?? this.estimate;
    if (this.count !== 0n || this.followed.has("reason")) return;
    this.followed.add("reason");
    this.askBoard("reason", { cell: 0 });
  }

  takeSolution({ cells, index, count }) {
    const { t } = this;
    this.solution = cells;
    if (index === null || index === undefined) { this.tell(t.example, true); return; }
    this.count = BigInt(count);
    this.panels.rankField.value = index;
    this.tell(t.shown(index, count), true);
  }

  finish(name) {
    const lane = this.lanes[name];
    lane.busy = false;
    clearTimeout(lane.slow);
    const next = name === "quick" && this.queue.shift();
    if (next) this.ask(next);
    if (name === "count") this.follow();
    this.update();
  }

  /** Ask what else is shown about this board, one question after the other. */
  follow() {
    const { state: { now }, followed, lanes: { count: { failed, asked } } } = this;
    if (!now || this.count === null || this.stale || (failed && asked.kind === "board")) return;
    const wanted = {
      check: this.checking,
      hints: this.impactOn && this.count !== 0n,
      rules: this.impactOn && this.count !== 0n && now.rules.some((r) => !r.off),
    };
    const kind = Object.keys(wanted).find((key) => wanted[key] && !followed.has(key));
    if (!kind) return;
    followed.add(kind);
    if (kind === "check") {
      const hints = now.cells.map((d, i) => (d === now.given[i] ? d : 0));
      this.ask({ kind, board: { ...this.state.question(hints), masks: null } });
    } else this.askBoard(kind);
  }

  /** A board that was read. */
  take(event) {
    this.drawing.tools = event.tools ?? [];
    this.drawing.put(null);
    const isFirst = !this.state.now;
    this.state.take(event.board, this.loading ?? {});
    this.loading = null;
    this.forget();
    if (isFirst && this.isBlank) this.tab = "rules";
    this.tell(event.notes.join(" · "), true);
    this.build();
    this.drawing.show();
    if (this.model.get("link")) this.picture.focus();
    if (this.state.now.rules.some((r) => r.off)) this.askBoard("draw");
    this.askBoard();
    this.toLink();
  }

  /** Whether nothing is on the board, so that examples are offered. */
  get isBlank() {
    const { now } = this.state;
    return Boolean(now) && !now.rules.length && !now.masks && !now.cells.some(Boolean) && !now.board.lines.length;
  }

  /** The drawing behind the cells belongs to what is on the board now. */
  ground(ground) {
    const { state } = this;
    state.now = { ...state.now, board: { ...state.now.board, ground } };
    this.picture.preview(null);
  }

  /** The question for the rule of a line in the place of rule `i`. */
  #rule(line, i, more) {
    const board = this.state.question();
    board.rules = this.state.now.rules.filter((rule, j) => j !== i && !rule.off).map((rule) => rule.text);
    this.ask({ kind: "rule", line, board, ...more });
  }

  /** Add the rule of a line, or put it in the place of rule `i`. */
  addRule(line, i = this.state.now.rules.length) {
    if (line.trim()) this.#rule(line, i, { place: i });
  }

  /** Ask how the board looks with a rule, or what the rule lacks. */
  tryRule(line, i) { this.#rule(line, i, { trial: true }); }

  takeRule({ text, about, lit, ground }, i) {
    this.state.setRule(i, { text, about, lit, off: false });
    this.ground(ground);
    this.lanes.quick.busy = false;
    this.drawing.made(i, text);
    this.become(null);
    this.askBoard();
    this.drawing.show();
  }

  takeCheck(masks) {
    const { now } = this.state;
    const own = now.cells.flatMap((d, i) => (d && d !== now.given[i] ? [i] : []));
    this.wrong = new Set(own.filter((i) => Math.floor(masks[i] / bit(now.cells[i])) % 2 === 0));
    if (!this.wrong.size) this.tell(this.t.fits, true);
  }

  // -- changes -----------------------------------------------------------------------------------

  /** Show what was changed; `count` is the number of solutions where it is known. */
  become(count) {
    this.count = count;
    this.stale = this.marginals !== null || this.possible !== null;
    this.forgetDetails();
    this.tell("");
    this.toLink();
    this.update();
  }

  /** After a change: show it, then ask; `ruled` when the drawing of the rules is another. */
  changed(count, ruled = false) {
    this.become(count);
    if (ruled) this.askBoard("draw");
    this.askBoard();
  }

  /** After a change of marks, colours and words, about which nothing is asked. */
  marked() {
    this.toLink();
    this.update();
  }

  /** Undo or redo. */
  step(name) {
    const was = this.state.now;
    if (!was || !this.state[name]()) return;
    this.arrive(was);
  }

  arrive(was) {
    const { now } = this.state;
    const same = (key) => was[key] === now[key];
    this.drawing.release();
    if (was.board.n !== now.board.n || was.board.lines.join() !== now.board.lines.join()) this.build();
    if (["cells", "masks", "rules", "given"].every(same)) this.marked();
    else this.changed(null, !same("rules") || !same("board"));
    this.drawing.show();
  }

  reset() {
    const was = this.state.now;
    this.state.change(this.state.start);
    this.arrive(was);
  }

  fix() {
    this.state.change({ given: this.state.now.cells });
    this.marked();
  }

  toLink() {
    if (!this.model.get("link")) return;
    this.hash = this.state.link();
    history.replaceState(null, "", this.hash);
  }

  /** Read the board that the fragment of a link holds; false when there is none. */
  fromLink(hash) {
    if (hash.length < 2) return false;
    try {
      const { off, given, corners, centres, colours, ...board } = JSON.parse(decodeURIComponent(hash.slice(1)));
      this.loading = { off, given, corners, centres, colours, info: board.info };
      this.ask({ kind: "read", board });
      return true;
    } catch {
      return false;
    }
  }

  /** Read a puzzle in any form, or a link to a board. */
  read(text) {
    if (text.length > 200000) { this.tell(this.t.long); return; }
    const link = /^\S*?(#%7B\S+)$/.exec(text.trim());
    if (link && this.fromLink(link[1])) return;
    if (text.trim()) this.ask({ kind: "read", text });
  }

  unrank(step) {
    let index = 0n;
    try { index = BigInt(this.panels.rankField.value.replaceAll(/[\s,._]/g, "") || "0"); } catch { /* 0 */ }
    if (this.solution) index += step;
    if (this.count) index = ((index % this.count) + this.count) % this.count;
    this.askBoard("unrank", { index: String(index < 0n ? 0n : index) });
  }

  /** Show the candidates, or what else of a cell, in place of a solution. */
  show(view) {
    this.view = view;
    this.solution = null;
    this.tell("");
    this.update();
  }

  /** Show one solution, or the candidates again. */
  showExample() {
    this.solution = this.solution ? null : this.example;
    this.tell(this.solution ? this.t.example : "", true);
    this.update();
  }

  toggleImpact() {
    this.without = this.rulesWithout = null;
    this.#toggle("impactOn", "hints", "rules");
  }

  toggleCheck() {
    this.wrong = new Set();
    this.tell("");
    this.#toggle("checking", "check");
  }

  /** Turn on or off what is asked about each board. */
  #toggle(name, ...kinds) {
    this[name] = !this[name];
    for (const kind of kinds) this.followed.delete(kind);
    this.update();
    if (this[name] && !this.isBusy("count")) this.follow();
  }

  // -- what is seen ------------------------------------------------------------------------------

  speak(lang) {
    this.lang = lang;
    this.panels.frame();
    this.root.querySelector(".bx-head select").focus();
  }

  /** A board of another shape. */
  build() {
    const focused = this.picture.node.contains(document.activeElement);
    this.picture.build();
    this.panels.buildPad();
    this.update();
    if (focused) this.picture.focus();
  }

  /** A key of the pad: for the number of the rule that is drawn, or for the cells. */
  press(digit, sign) {
    if (this.drawing.wantsNumber) this.drawing.type(sign);
    else this.hands.write(digit);
  }

  erase() {
    if (!this.drawing.tool || !this.drawing.takes("Backspace", "")) this.hands.erase();
  }

  setMode(mode) {
    this.hands.mode = mode;
    this.update();
  }

  tell(text, quiet = false) {
    this.message.textContent = text;
    this.message.classList.toggle("quiet", quiet);
  }

  /** The head: what is known, in words, and what is still going on. */
  showBusy() {
    const { t, count, least, lanes: { count: lane, quick } } = this;
    const long = ({ busy, begun }) => busy && performance.now() - begun > LONG;
    const { bar, stopButton, againButton, countText } = this.panels;
    bar.hidden = stopButton.hidden = !long(lane);
    if (lane.fraction === null) bar.removeAttribute("value");
    else bar.value = lane.fraction ?? 0;
    againButton.hidden = lane.busy || !this.state.now || count !== null;
    const slow = long(quick) && !quick.asked.trial ? quick : long(lane) ? lane : null;
    const doing = slow && t.doing[slow.asked.kind];
    if (doing && !this.message.textContent) this.tell(doing, true);
    if (!doing && Object.values(t.doing).includes(this.message.textContent)) this.tell("");
    let text = lane.busy ? t.looking : t.unknown;
    if (count !== null) text = count === 0n ? t.none : t.solutions(count);
    else if (least !== null) text = t.moreThan(least);
    // what stands there stays until something is known, or it takes long
    const waits = count === null && least === null;
    if (waits && lane.busy && !long(lane) && countText.textContent) text = countText.textContent;
    if (countText.textContent !== text) countText.textContent = text;
    countText.classList.toggle("waiting", waits);
    this.panels.showAside(long(lane));
  }

  impactText(number) {
    const { t } = this;
    if (number === undefined || number === null) return number === null ? t.open : "";
    return number === this.count ? t.same : t.without(number);
  }

  update() {
    if (!this.state.now || !this.picture.grid) return;
    this.panels.update();
    this.picture.update();
    this.ruleList.update();
    this.drawing.update();
    this.why.update();
    this.showBusy();
  }
}

export default {
  render({ model, el }) {
    const board = new Board(model, el);
    return () => board.close();
  },
};
