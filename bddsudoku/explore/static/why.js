// Why there is no solution, or why a cell has its digit: the fewest hints and rules that are enough.

import { button, make, nameOf } from "./elements.js";

/** Shows a reason as a list, from the smallest element on, one after the other on the board. */
export class Why {
  constructor(app) {
    this.app = app;
    this.node = make("section", { class: "bx-why", "aria-live": "polite" });
    this.forget();
  }

  forget() {
    this.reason = null;
    this.isOpen = false;
    this.step = 0;
  }

  /** The button: show what is known, or ask about the chosen cell; a second press closes it. */
  ask() {
    const { app } = this;
    if (this.isOpen) { this.close(); return; }
    if (this.reason?.dead) { this.open(); return; }
    const cell = app.count === 0n ? 0 : app.picture.cellAt(app.hands.at);
    if (cell < 0) return;
    this.isOpen = true;
    app.askBoard("reason", { cell });
    app.update();
  }

  open() {
    this.isOpen = true;
    this.step = 0;
    this.app.update();
    this.node.querySelector("button")?.focus();
  }

  close() {
    this.isOpen = false;
    if (!this.reason?.dead) this.forget();
    this.app.update();
    this.app.picture.focus();
  }

  /** The answer: hints first, then rules, those about few cells first. */
  take({ cells, rules, smallest = true, smaller = null }, cell) {
    const { app } = this;
    const { now } = app.state;
    const found = rules.map((text) => now.rules.find((rule) => rule.text === text)).filter(Boolean);
    found.sort((a, b) => a.lit.length - b.lit.length);
    const dead = app.count === 0n;
    const digit = dead ? 0 : Math.round(Math.log2(app.possible?.[cell] ?? 1)) + 1;
    const parts = [...cells.map((at) => ({ cells: [at], hint: at })), ...found.map((rule) => ({ cells: rule.lit, rule }))];
    this.reason = { dead, cell, digit, parts, smallest, smaller, hints: cells.length, rules: found.length };
    if (this.isOpen) this.open();
    else app.tell(`${app.t.clashing}: ${this.summary()}`, true);
  }

  summary() {
    return this.app.t.parts(this.reason.hints, this.reason.rules);
  }

  /** Cells whose hints belong to the reason. */
  hintCells() { return new Set(this.reason?.parts.map((part) => part.hint).filter((cell) => cell !== undefined)); }

  /** Cells of the part that is shown. */
  litCells() { return (this.isOpen && this.reason?.parts[this.step]?.cells) || []; }

  hasRule(text) { return Boolean(this.reason?.parts.some((part) => part.rule?.text === text)); }

  label(part) {
    const { app } = this;
    if (part.rule) return app.ruleList.label(part.rule.text);
    const { board, cells } = app.state.now;
    return `${nameOf(app.picture.placeOf(part.hint))} = ${board.symbols[cells[part.hint] - 1] ?? ""}`;
  }

  giveUp(part) {
    const { app } = this;
    if (part.rule) { app.ruleList.toggle(app.ruleList.rules.indexOf(part.rule)); return; }
    app.state.write([part.hint], 0);
    app.changed(null);
  }

  go(step) {
    const { parts } = this.reason;
    this.step = (step + parts.length) % parts.length;
    this.app.update();
  }

  update() {
    const { app: { t, picture, state }, reason, step } = this;
    this.node.hidden = !this.isOpen;
    if (!this.isOpen) {
      this.node.dataset.key = "";
      this.node.replaceChildren();
      return;
    }
    const key = JSON.stringify([this.app.lang, reason?.parts.map((part) => this.label(part)), step]);
    if (this.node.dataset.key === key) return;
    this.node.dataset.key = key;
    const close = button(t.close, () => this.close());
    if (!reason) {
      this.node.replaceChildren(make("h2", { text: t.why }), make("p", { class: "bx-soft", text: t.doing.reason }), close);
      return;
    }
    const what = reason.dead ? t.clashing
      : t.because(nameOf(picture.placeOf(reason.cell)), state.now.board.symbols[reason.digit - 1]);
    const known = reason.smallest ? t.smallest(reason.smaller) : t.smallestFound;
    this.node.replaceChildren(
      make("h2", { text: `${what}: ${this.summary()}` }),
      make("p", { class: "bx-soft", text: reason.dead ? `${known} ${t.giveUp}` : known }),
      make("div", { class: "bx-set" },
        button("‹", () => this.go(step - 1), { "aria-label": t.beforePart, "data-stay": true }),
        make("span", { text: reason.parts.length ? `${step + 1} / ${reason.parts.length}` : "0" }),
        button("›", () => this.go(step + 1), { "aria-label": t.nextPart, "data-stay": true }), close),
      make("ol", { class: "bx-parts" }, ...reason.parts.map((part, i) => make("li", {},
        button(this.label(part), () => this.go(i), { class: "bx-rule", "aria-pressed": String(i === step), "data-stay": true }),
        ...(reason.dead ? [button(t.drop, () => this.giveUp(part), { "aria-label": `${t.drop}: ${this.label(part)}` })] : []),
        ...(i === step && part.rule ? [make("p", { class: "bx-soft", text: this.app.ruleList.brief(part.rule).about })] : [])))));
    const list = this.node.lastElementChild;
    list.scrollTop = (list.children[step]?.offsetTop ?? 0) - list.offsetTop - list.clientHeight / 2;
  }
}
