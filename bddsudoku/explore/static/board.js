// The board: one component for the local page, for notebooks and for static pages.
//
// It talks to a model as anywidget has them: `get`, `set`, `on`, `save_changes`. It sets `ask`
// (a question with an `id`) and hears `change:answer` (events with that `id`). A model may have
// `opening`, the text of a puzzle, and `link`, whether the address holds the state.

import { Drawing } from "./drawing.js";
import { bit, button, choices, fieldset, make, nameOf } from "./elements.js";
import { Hands, MODES } from "./hands.js";
import { Picture } from "./picture.js";
import { RuleList } from "./rules.js";
import { State } from "./state.js";
import { TEXTS } from "./texts.js";

/** Milliseconds after which a tab asks again whether its server has come back. */
const RETRY = 3000;
/** Milliseconds after which the page says what it is waiting for. */
const LONG = 250;

class Board {
  constructor(model, el) {
    this.model = model;
    this.root = make("div", { class: "bx" });
    el.append(this.root);
    this.lang = (navigator.language ?? "en").startsWith("ja") ? "ja" : "en";
    this.id = 0;
    this.state = new State();
    this.busy = false;
    this.still = Boolean(model.get("still"));
    this.impactOn = this.still;
    this.checking = false;
    this.view = "marginals";
    this.fraction = null;
    this.begun = 0;
    this.ruleList = new RuleList(this);
    this.drawing = new Drawing(this);
    this.hands = new Hands(this);
    this.picture = new Picture(this);
    this.forget();
    this.onAnswer = () => this.hear(model.get("answer"));
    model.on("change:answer", this.onAnswer);
    this.onHash = () => { if (location.hash !== this.hash) this.fromLink(location.hash); };
    if (model.get("link")) addEventListener("hashchange", this.onHash);
    this.root.addEventListener("click", ({ target }) => {
      if (target.closest("button") && !target.closest("[data-stay]")) this.picture.focus();
    });
    this.frame();
    if (!(model.get("link") && this.fromLink(location.hash))) {
      this.ask({ kind: "read", text: model.get("opening") ?? "" });
    }
  }

  get t() { return TEXTS[this.lang]; }

  close() {
    clearTimeout(this.retry);
    this.model.off?.("change:answer", this.onAnswer);
    removeEventListener("hashchange", this.onHash);
    this.root.remove();
  }

  // -- questions and answers ---------------------------------------------------------------------

  ask(question) {
    clearTimeout(this.retry);
    this.id += 1;
    this.asked = question;
    this.busy = true;
    this.failed = false;
    this.begun = performance.now();
    this.fraction = null;
    clearTimeout(this.slow);
    this.slow = setTimeout(() => this.showBusy(), LONG + 50);
    this.model.set("ask", { ...question, id: this.id });
    this.model.save_changes();
  }

  askBoard(kind = "board", more = {}) { this.ask({ kind, board: this.state.question(), ...more }); }

  stop() {
    this.model.set("ask", { kind: "stop", id: this.id });
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
    this.clashes = new Set();
    this.wrong = new Set();
    this.without = null;
    this.rulesWithout = null;
    this.solution = null;
    this.why = null;
    this.followed = new Set();
  }

  hear(event) {
    if (!event || event.id !== this.id) return;
    const { t } = this;
    const counts = (names, values) =>
      new Map(names.map((name, i) => [name, values[i] === null ? null : BigInt(values[i])]));
    switch (event.kind) {
      case "read": this.take(event); return;
      case "ground": this.ground(event.ground); break;
      case "rule": this.takeRule(event); break;
      case "progress": this.fraction = event.fraction; this.showBusy(); return;
      case "clashes": this.clashes = new Set(event.pairs.flat()); break;
      case "possible":
        this.possible = event.masks;
        if (this.stale) { this.marginals = null; this.stale = false; }
        break;
      case "count": this.count = BigInt(event.count); break;
      case "marginals":
        this.count = BigInt(event.count);
        this.marginals = event.marginals.map((cell) => cell.map(BigInt));
        this.stale = false;
        break;
      case "hints": this.without = counts(event.cells, event.without); break;
      case "rules": this.rulesWithout = counts(event.rules, event.without); break;
      case "check": this.takeCheck(event.masks); break;
      case "reason": this.showReason(event); break;
      case "solution":
        this.solution = event.cells;
        this.count = BigInt(event.count);
        this.rankField.value = event.index;
        this.tell(t.shown(event.index, event.count), true);
        break;
      case "file": this.keep(event); break;
      case "limit": this.fail(event.limit === "stop" ? t.stopped : t.limit(event.text)); break;
      case "error": this.fail(event.text); break;
      case "gone":
        this.fail(t.gone);
        this.retry = setTimeout(() => (this.state.now ? this.askBoard() : location.reload()), RETRY);
        break;
      case "offline": this.failed = true; if (this.count === null) this.tell(t.offline); break;
      case "end": this.finish(); return;
    }
    this.update();
  }

  fail(text) {
    this.failed = true;
    this.tell(text);
  }

  finish() {
    this.busy = false;
    clearTimeout(this.slow);
    this.showBusy();
    const { kind } = this.asked;
    if (kind === "draw" || (kind === "rule" && !this.failed)) this.askBoard();
    else this.follow();
    this.update();
  }

  /** Ask what else is shown about this board, one question after the other. */
  follow() {
    const { state: { now }, followed, still } = this;
    if (!now || this.count === null || this.stale || (this.failed && this.asked.kind === "board")) return;
    const wanted = {
      reason: this.count === 0n && !still,
      check: this.checking && !still,
      hints: this.impactOn && this.count !== 0n,
      rules: this.impactOn && this.count !== 0n && now.rules.some((r) => !r.off),
    };
    const kind = Object.keys(wanted).find((name) => wanted[name] && !followed.has(name));
    if (!kind) return;
    followed.add(kind);
    if (kind === "check") {
      const hints = now.cells.map((d, i) => (d === now.given[i] ? d : 0));
      this.ask({ kind, board: { ...this.state.question(hints), masks: null } });
    } else this.askBoard(kind, { cell: 0 });
  }

  /** A board that was read. */
  take(event) {
    this.drawing.tools = event.tools ?? [];
    this.drawing.put(null);
    this.ruleList.chosen = null;
    this.state.take(event.board, this.loading ?? {});
    this.loading = null;
    this.forget();
    this.tell(event.notes.join(" · "), true);
    this.build();
    this.drawing.show();
    if (this.model.get("link")) this.picture.focus();
    if (this.state.now.rules.some((r) => r.off)) this.askBoard("draw");
    else this.askBoard();
    this.toLink();
  }

  /** The drawing behind the cells belongs to what is on the board now. */
  ground(ground) {
    const { state } = this;
    state.now = { ...state.now, board: { ...state.now.board, ground } };
    this.picture.lay();
  }

  /** Add the rule of a line, or put it in the place of rule `i`. */
  addRule(line, i = this.state.now.rules.length) {
    if (!line.trim()) return;
    const board = this.state.question();
    const { rules } = this.state.now;
    board.rules = rules.filter((rule, j) => j !== i && !rule.off).map((rule) => rule.text);
    this.ask({ kind: "rule", line, board, place: i });
  }

  takeRule({ text, about, lit, ground }) {
    this.state.setRule(this.asked.place, { text, about, lit, off: false });
    this.ground(ground);
    this.drawing.made();
    this.become(null);
    this.picture.focus();
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
    this.askBoard(ruled ? "draw" : "board");
  }

  /** After a change of marks and colours, about which nothing is asked. */
  marked() {
    this.toLink();
    this.update();
  }

  /** Undo or redo. */
  step(name) {
    const was = this.state.now;
    if (!was || !this.state[name]()) return;
    const { now } = this.state;
    this.arrive(was, now);
  }

  arrive(was, now) {
    if (was.board.n !== now.board.n || was.board.lines.join() !== now.board.lines.join()) this.build();
    if (was.cells === now.cells && was.masks === now.masks && was.rules === now.rules
      && was.given === now.given) this.marked();
    else this.changed(null, was.rules !== now.rules || was.board !== now.board);
  }

  reset() {
    const { state } = this;
    const was = state.now;
    state.change(state.start);
    this.arrive(was, state.now);
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
      const { off, given, corners, colours, ...board } = JSON.parse(decodeURIComponent(hash.slice(1)));
      this.loading = { off, given, corners, colours };
      this.ask({ kind: "read", board });
      return true;
    } catch {
      this.tell("#?");
      return false;
    }
  }

  // -- what is seen ------------------------------------------------------------------------------

  /** Everything around the board, in the language that is chosen. */
  frame() {
    const { t, still } = this;
    const linked = this.model.get("link");
    this.root.lang = this.lang;
    if (linked) document.documentElement.lang = this.lang;
    const group = (label, name, ...inner) =>
      make("div", { class: `bx-set ${name}`, role: "group", "aria-label": label }, ...inner);
    this.countText = make("p", {
      class: "bx-count", role: "status", "aria-live": "polite", "aria-atomic": "true",
    });
    this.message = make("p", { class: "bx-message", role: "status", "aria-live": "polite" });
    this.giveUp = make("div", { class: "bx-set bx-give-up" });
    this.bar = make("progress", { max: "1", "aria-label": t.counting });
    this.stopButton = button(t.stop, () => this.stop());
    this.againButton = button(t.again, () => this.askBoard());
    this.undoButton = button(t.undo, () => this.step("undo"));
    this.redoButton = button(t.redo, () => this.step("redo"));
    this.pad = group(t.digits, "bx-pad");
    this.modes = group(t.input, "bx-modes");
    this.views = group(t.view, "bx-views");
    this.severalButton = button(t.several, () => { this.hands.several = !this.hands.several; this.hands.setTouch(); this.update(); }, { class: "bx-for-fingers" });
    this.checkButton = button(t.check, () => this.toggleCheck());
    this.detail = make("ul", { class: "bx-detail" });
    this.detailName = make("legend", { text: t.detail });
    this.rankField = make("input", {
      class: "bx-rank", inputmode: "numeric", "aria-label": t.rank, value: "0",
      on: { change: () => this.unrank(0n) },
    });
    this.impactButton = button(t.impactOn, () => this.toggleImpact());
    const text = make("textarea", { "aria-label": t.paste, placeholder: t.paste, spellcheck: "false" });
    const sizes = make("select", { "aria-label": t.size },
      ...[4, 6, 8, 9, 10, 12, 14, 15, 16, 18, 20, 24, 25].map((n) =>
        make("option", { value: n, text: `${n}×${n}`, selected: n === 9 })));
    const languages = make("select", {
      "aria-label": t.lang, on: { change: () => this.speak(languages.value) },
    }, make("option", { value: "en", text: "English", selected: this.lang === "en" }),
    make("option", { value: "ja", text: "日本語", selected: this.lang === "ja" }));
    const save = ([form, name]) => button(name, () => this.save(form), { "aria-label": `${t.file}: ${name}` });
    const forms = [["text", "Text"], ["f-puzzles", "f-puzzles"], ["svg", "SVG"], ["png", "PNG"], ["set", "Set"]];
    const only = (...nodes) => (still ? [] : nodes);
    const draw = this.drawing.frame();
    const rules = this.ruleList.frame();
    this.root.replaceChildren(
      make("div", { class: "bx-head" }, ...only(make("h1", { text: t.title })), languages),
      make("div", { class: "bx-top" }, this.countText,
        make("div", { class: "bx-busy" }, this.bar, this.stopButton, this.againButton)),
      make("div", { class: "bx-body" },
        make("div", { class: "bx-left" }, this.picture.node, this.picture.legend,
          this.message, this.giveUp),
        make("div", { class: "bx-side" },
          this.pad, ...only(this.modes),
          group(t.steps, "", this.undoButton, this.redoButton, ...only(this.severalButton),
            button(t.reset, () => this.reset()),
            ...only(button(t.fix, () => this.fix()), this.checkButton)),
          ...only(draw), rules,
          make("fieldset", {}, this.detailName, this.detail,
            ...only(button(t.why, () => this.askReason()))),
          fieldset(t.view, this.views, this.impactButton),
          ...only(
            fieldset(t.see, button(t.random, () => this.askBoard("sample")),
              button("‹", () => this.unrank(-1n), { "aria-label": t.before }), this.rankField,
              button("›", () => this.unrank(1n), { "aria-label": t.after }),
              button(t.back, () => { this.solution = null; this.update(); })),
            fieldset(t.boardSet, sizes,
              button(t.newBoard, () => this.ask({ kind: "read", side: Number(sizes.value) }), { "data-do": "new" }),
              text, button(t.read, () => this.read(text.value))),
            fieldset(t.keep, ...forms.map(save), ...(linked ? [button(t.link, () => this.copy())] : []))),
          make("p", { class: "bx-soft bx-for-keys", text: t.keys }),
          make("p", { class: "bx-soft bx-for-fingers", text: t.touch }))));
    this.root.onpaste = (event) => {
      if (still || event.target.closest?.("textarea, input")) return;
      event.preventDefault();
      this.read(event.clipboardData.getData("text"));
    };
    if (this.state.now) this.build();
    else this.showBusy();
  }

  speak(lang) {
    this.lang = lang;
    this.frame();
    this.root.querySelector(".bx-head select").focus();
  }

  /** A board of another shape. */
  build() {
    const { symbols } = this.state.now.board;
    const focused = this.picture.node.contains(document.activeElement);
    this.picture.build();
    this.pad.dataset.n = symbols.length;
    this.pad.replaceChildren(
      ...[...symbols].map((sign, i) => button(sign, () => this.press(i + 1, sign))),
      this.zero = button("0", () => this.drawing.type("0"), { class: "bx-zero" }),
      button(this.t.erase, () => this.erase(), { class: "bx-erase" }));
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

  askReason() {
    if (this.why) { this.why = null; this.tell(""); this.update(); return; }
    const cell = this.picture.cellAt(this.hands.at);
    if (cell >= 0) this.askBoard("reason", { cell });
  }

  /** Light the hints and rules that are enough, and say how many they are. */
  showReason({ cells, rules }) {
    const { t, asked: { cell } } = this;
    const { board } = this.state.now;
    const dead = this.count === 0n;
    this.why = { cells: new Set(cells), rules: new Set(rules), dead };
    const digit = dead ? 0 : Math.log2(this.possible[cell]) + 1;
    const what = digit ? t.because(nameOf(this.picture.placeOf(cell)), board.symbols[digit - 1]) : t.clashing;
    this.tell(`${what}: ${t.parts(cells.length, rules.length)}`, true);
  }

  /** Buttons for what can be given up when nothing is left. */
  showGiveUp() {
    const { t, why, state: { now } } = this;
    const dead = why?.dead && !this.still;
    const key = dead ? JSON.stringify([this.lang, [...why.cells], [...why.rules]]) : "";
    if (this.giveUp.dataset.key === key) return;
    this.giveUp.dataset.key = key;
    this.giveUp.replaceChildren(...(dead ? [
      make("span", { text: t.giveUp }),
      ...[...why.cells].map((cell) =>
        button(`${nameOf(this.picture.placeOf(cell))} = ${now.board.symbols[now.cells[cell] - 1] ?? ""}`,
          () => { this.state.write([cell], 0); this.changed(null); })),
      ...[...why.rules].map((text) =>
        button(text, () => this.ruleList.toggle(now.rules.findIndex((r) => r.text === text && !r.off)))),
    ] : []));
  }

  toggleImpact() {
    this.impactOn = !this.impactOn;
    this.without = this.rulesWithout = null;
    this.followed.delete("hints");
    this.followed.delete("rules");
    this.update();
    if (this.impactOn && !this.busy) this.follow();
  }

  toggleCheck() {
    this.checking = !this.checking;
    this.wrong = new Set();
    this.followed.delete("check");
    this.tell("");
    this.update();
    if (this.checking && !this.busy) this.follow();
  }

  read(text) {
    if (text.length > 200000) { this.tell(this.t.long); return; }
    const link = text.trim().match(/^https?:\/\/\S*?(#\S+)$/);
    if (link) this.fromLink(link[1]);
    else if (text.trim()) this.ask({ kind: "read", text });
  }

  unrank(step) {
    let index = 0n;
    try { index = BigInt(this.rankField.value.replaceAll(/[\s,._]/g, "") || "0"); } catch { /* 0 */ }
    if (this.solution) index += step;
    if (this.count) index = ((index % this.count) + this.count) % this.count;
    this.askBoard("unrank", { index: String(index < 0n ? 0n : index) });
  }

  tell(text, quiet = false) {
    this.message.textContent = text;
    this.message.classList.toggle("quiet", quiet);
  }

  async copy() {
    try {
      await navigator.clipboard.writeText(location.href);
      this.tell(this.t.copied, true);
    } catch {
      this.tell(location.href, true);
    }
  }

  save(form) {
    this.wanted = form;
    this.askBoard("save", { form: form === "png" ? "svg" : form, marginals: true });
  }

  async keep({ name, type, data }) {
    let blob = new Blob([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))], { type });
    if (this.wanted === "png") {
      const image = new Image();
      image.src = `data:${type};base64,${data}`;
      await image.decode();
      const canvas = make("canvas", { width: 2 * image.width, height: 2 * image.height });
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      blob = await new Promise((done) => { canvas.toBlob(done, "image/png"); });
      name = "puzzle.png";
    }
    const href = URL.createObjectURL(blob);
    make("a", { href, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(href), 10000);
  }

  showBusy() {
    const { t, count, busy } = this;
    const long = busy && performance.now() - this.begun > LONG;
    this.bar.hidden = this.stopButton.hidden = !long;
    if (this.fraction === null) this.bar.removeAttribute("value");
    else this.bar.value = this.fraction;
    this.againButton.hidden = busy || !this.state.now || count !== null;
    const doing = t.doing[this.asked?.kind];
    if (long && doing && !this.message.textContent) this.tell(doing, true);
    if (!busy && Object.values(t.doing).includes(this.message.textContent)) this.tell("");
    let text = busy ? t.counting : t.unknown;
    if (count !== null) text = count === 0n ? t.none : t.solutions(count);
    // what stands there stays until something better is known, or it takes long
    if (count === null && busy && !long && this.countText.textContent) text = this.countText.textContent;
    if (this.countText.textContent !== text) this.countText.textContent = text;
    this.countText.classList.toggle("waiting", count === null);
  }

  impactText(number) {
    const { t } = this;
    if (number === undefined) return "";
    if (number === null) return t.open;
    return number === this.count ? t.same : t.without(number);
  }

  update() {
    if (!this.state.now || !this.picture.grid) return;
    const { t, hands, state } = this;
    this.undoButton.disabled = !state.past.length;
    this.redoButton.disabled = !state.future.length;
    const pressed = (node, on) => node.setAttribute("aria-pressed", String(Boolean(on)));
    pressed(this.severalButton, hands.several);
    pressed(this.checkButton, this.checking);
    pressed(this.impactButton, this.impactOn);
    this.showChoices(this.modes, Object.fromEntries(MODES.map((m) => [m, t.modes[m]])), hands.mode, (m) => this.setMode(m));
    this.showChoices(this.views, t.views, this.view, (view) => { this.view = view; this.update(); });
    this.picture.update();
    this.ruleList.update();
    this.showBusy();
    this.showDetail();
    this.showGiveUp();
  }

  showChoices(node, names, chosen, act) {
    const key = this.lang + chosen;
    if (node.dataset.key === key) return;
    node.dataset.key = key;
    node.replaceChildren(...choices(names, chosen, act));
  }

  showDetail() {
    const { hands, picture, t } = this;
    const cell = picture.cellAt(hands.at);
    this.detailName.textContent = `${t.detail} ${nameOf(hands.at)}`;
    this.detail.replaceChildren(...(cell < 0 ? [t.beside] : picture.lines(cell)).map((text) => make("li", { text })));
  }
}

export default {
  render({ model, el }) {
    const board = new Board(model, el);
    return () => board.close();
  },
};
