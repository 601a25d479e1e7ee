// Tools that draw rules on the board. The server says which there are and what each needs.

import { button, choices, columnOf, fieldset, make, nameOf, place, rowOf } from "./elements.js";

/** How near a press must be to a border or corner to mean it, in cells. */
const NEAR = 0.32;
const GROUPS = ["line", "cells", "neighbours", "corner", "margin", "board"];
/** Places at which a rule is drawn with one press. */
const POINTS = ["neighbours", "corner", "margin"];

/**
 * A tool has `name`, `about`, `drawn_on` (one of GROUPS), `fields` (their kinds), `words` and
 * `range`. What is chosen on the board is its last list of places; `lists` are those before.
 */
export class Drawing {
  constructor(app) {
    this.app = app;
    this.tools = [];
    this.group = "line";
    this.put(null);
  }

  get wantsMargin() { return this.tool?.drawn_on === "margin"; }
  get isLine() { return this.tool?.drawn_on === "line"; }
  get isPoint() { return POINTS.includes(this.tool?.drawn_on); }
  get wantsNumber() { return this.has("NUMBER") || this.has("MAYBE") || this.has("DIGITS"); }

  has(kind) { return Boolean(this.tool?.fields.includes(kind)); }

  put(tool) {
    this.tool = tool;
    this.lists = [];
    this.number = "";
    this.word = tool?.words[0] ?? "";
  }

  frame() {
    const { t } = this.app;
    this.kinds = make("div", { class: "bx-set bx-tabs", role: "group", "aria-label": t.kinds, "data-stay": true });
    this.list = make("div", { class: "bx-set bx-tools", role: "group", "aria-label": t.tools });
    this.about = make("p", { class: "bx-soft" });
    this.field = make("input", {
      class: "bx-number", "aria-label": t.number, inputmode: "numeric", autocomplete: "off",
      on: {
        input: () => { this.number = this.field.value; this.update(); },
        keydown: (event) => { if (event.key === "Enter") this.make(); },
      },
    });
    this.range = make("span", { class: "bx-soft" });
    this.wordBox = make("span", { class: "bx-set", role: "group", "aria-label": t.word });
    this.preview = make("code", { class: "bx-line" });
    this.makeButton = button(t.makeRule, () => this.make(), { class: "bx-main" });
    this.nextButton = button(t.nextList, () => this.nextList());
    this.details = make("div", { class: "bx-drawing" }, this.about,
      make("div", { class: "bx-set" }, this.field, this.range, this.wordBox), this.preview,
      make("div", { class: "bx-set" }, this.makeButton, this.nextButton,
        button(t.dropTool, () => this.leave())),
      make("p", { class: "bx-soft bx-for-keys", text: t.drawKeys }));
    const line = make("input", {
      class: "bx-wide", placeholder: t.asLine, "aria-label": t.asLine, spellcheck: "false",
      on: { keydown: (event) => { if (event.key === "Enter") this.app.addRule(line.value); } },
    });
    const node = fieldset(t.draw, this.kinds, this.list, this.details, line,
      button(t.add, () => this.app.addRule(line.value)));
    this.show();
    return node;
  }

  /** The buttons of the tools. */
  show() {
    const { t } = this.app;
    const names = Object.fromEntries(GROUPS.filter((g) => this.tools.some((x) => x.drawn_on === g))
      .map((g) => [g, t.groups[g]]));
    this.kinds.replaceChildren(...choices(names, this.group, (group) => {
      this.group = group;
      this.show();
      this.kinds.querySelector(`[data-key=${group}]`).focus();
    }));
    this.list.replaceChildren(...this.tools.filter((x) => x.drawn_on === this.group).map((tool) =>
      button(tool.name, () => this.choose(tool), {
        title: tool.about, "data-tool": tool.name, "aria-pressed": String(this.tool?.name === tool.name),
      })));
    this.update();
  }

  choose(tool) {
    const { app } = this;
    const rim = this.wantsMargin;
    app.ruleList.choose(null);
    this.put(this.tool?.name === tool.name ? null : tool);
    app.hands.selected = this.tool ? [] : [app.hands.at];
    if (this.tool && !tool.fields.length) { this.make(); return; }
    this.changed(rim);
  }

  leave() {
    const rim = this.wantsMargin;
    this.put(null);
    this.app.hands.selected = [];
    this.changed(rim);
  }

  /** Show another tool; the board gets its margin or loses it. */
  changed(rim) {
    const { app } = this;
    if (rim !== this.wantsMargin) app.build();
    app.hands.clamp();
    app.hands.setTouch();
    this.show();
    app.hands.shown();
    app.picture.focus();
  }

  /** The places that a press means for tools with one press; null for those that draw. */
  near(x, y, at) {
    const { n } = this.app.state.now.board;
    const inside = (p) => [rowOf(p), columnOf(p)].every((i) => i >= 0 && i < n);
    if (this.tool.drawn_on === "margin") return [at];
    if (this.tool.drawn_on === "corner") {
      const [r, c] = [y, x].map((i) => Math.min(Math.max(Math.round(i), 1), n - 1));
      return [place(r - 1, c - 1), place(r - 1, c), place(r, c - 1), place(r, c)];
    }
    if (this.tool.drawn_on !== "neighbours") return null;
    const [r, c] = [Math.round(y), Math.round(x)];
    const [down, right] = [Math.abs(y - r), Math.abs(x - c)];
    if (Math.min(down, right) > NEAR) return null;
    const pair = down < right
      ? [place(r - 1, Math.floor(x)), place(r, Math.floor(x))]
      : [place(Math.floor(y), c - 1), place(Math.floor(y), c)];
    return pair.every(inside) ? pair : null;
  }

  /** After a press or a drag: rules that need no more are made. */
  lifted(dragged) {
    const wants = this.has("NUMBER") || this.has("DIGITS");
    const enough = this.isPoint ? this.app.hands.selected.length > 1 || this.wantsMargin
      : this.isLine && dragged;
    if (enough && !(wants && !this.number) && this.line()) this.make();
  }

  /** A key for the tool; false when the tool has no use for it. */
  takes(key, sign) {
    if (key === "Enter") this.make();
    else if (key === ">") this.nextList();
    else if (key === "Backspace" && this.number) this.setNumber(this.number.trimEnd().slice(0, -1).trimEnd());
    else if (this.wantsNumber && /^[0-9]$/.test(sign)) this.type(sign);
    else {
      const word = this.tool.words.find((w) => w.startsWith(key.toLowerCase()) && w !== this.word);
      if (!word) return false;
      this.word = word;
      this.update();
    }
    return true;
  }

  type(sign) { this.setNumber(this.has("DIGITS") && this.number ? `${this.number} ${sign}` : this.number + sign); }

  setNumber(text) {
    this.number = text;
    this.update();
  }

  nextList() {
    if (!this.app.hands.selected.length) return;
    this.lists.push(this.app.hands.selected);
    this.app.hands.selected = [];
    this.app.hands.shown();
  }

  /** The rule as a line; empty when something is missing. */
  line() {
    const { tool, word, number, app: { hands } } = this;
    if (!tool || (this.has("NUMBER") && !number) || (this.has("WORD") && !word)) return "";
    const parts = tool.fields.filter((kind) => kind === "PLACES").length;
    let lists = [...this.lists, hands.selected].filter((list) => list.length);
    if (tool.drawn_on === "corner" && lists.length === 1 && lists[0].length === 1) {
      const [at] = lists[0];
      lists = [[at, at + 1, at + 64, at + 65]];
    }
    if (this.isLine && parts === 2 && lists.length === 1) {
      lists = [lists[0].slice(0, 1), lists[0].slice(1)].filter((list) => list.length);
    }
    if (lists.length > parts || (!lists.length && parts && tool.drawn_on !== "board")) return "";
    const places = lists.map((list) => list.map(nameOf).join(" ")).join(" > ");
    return [tool.name, number.trim(), word, places].filter(Boolean).join(" ");
  }

  make() {
    const line = this.line();
    if (line) this.app.addRule(line);
  }

  /** The server has taken the rule: begin the next one. */
  made() {
    if (!this.tool) return;
    this.lists = [];
    this.number = "";
    this.app.hands.selected = [];
    if (!this.tool.fields.length) this.put(null);
    this.app.hands.clamp();
    this.show();
  }

  update() {
    const { tool, app: { t } } = this;
    if (!this.details) return;
    this.details.hidden = !tool;
    if (this.app.zero) this.app.zero.hidden = !this.wantsNumber;
    if (!tool) return;
    this.about.textContent = `${tool.name}: ${tool.about}. ${t.ask[tool.drawn_on]}`;
    this.field.hidden = this.range.hidden = !this.wantsNumber;
    if (this.field.value !== this.number) this.field.value = this.number;
    this.range.textContent = tool.range ? t.range(tool.range) : "";
    this.wordBox.replaceChildren(...choices(Object.fromEntries(tool.words.map((w) => [w, w])),
      this.word, (word) => { this.word = word; this.update(); }));
    const line = this.line();
    this.preview.textContent = line || `${tool.name} …`;
    this.makeButton.disabled = !line;
    this.nextButton.hidden = tool.fields.filter((kind) => kind === "PLACES").length < 2;
  }
}
