// Tools that draw rules on the board. The server says which there are and what each needs.

import { button, columnOf, make, nameOf, place, placesIn, rowOf, showChoices } from "./elements.js";

/** How near a press must be to a border or corner to mean it, in cells. */
export const NEAR = 0.32;
/** The groups of tools, and where their rules are drawn. */
const GROUPS = {
  usual: [], line: ["line"], cells: ["cells"], border: ["neighbours", "corner"], margin: ["margin"], board: ["board"], listed: [],
};
/** Tools that are offered before any was used. */
const USUAL = ["thermo", "arrow", "cage", "whispers", "renban", "regionsum", "difference", "ratio",
  "sandwich", "littlekiller", "diagonal", "antiknight"];
/** Places at which a rule is drawn with one press. */
const POINTS = ["neighbours", "corner", "margin"];
/** What the words of directions look like, and where they lead. */
export const DIRECTIONS = { ur: ["↗", -1, 1], ul: ["↖", -1, -1], dr: ["↘", 1, 1], dl: ["↙", 1, -1] };
const PILLS = { 1: "1", 2: "2", 3: "3" };

/**
 * A tool has `name`, `titles`, `aliases`, `about`, `icon`, `drawn_on`, `fields` (their kinds),
 * `words`, `range`, `cells` and `parts`. What is chosen on the board is its last list of places;
 * `lists` are those before.
 *
 * A tool of the palette (`isNew`) draws one rule after the other; the last one made stays open, so
 * that keys change its number. A rule that was picked on the board (`isPicked`) is changed.
 */
export class Drawing {
  constructor(app) {
    this.app = app;
    this.tools = [];
    this.group = "usual";
    this.used = [];
    this.sought = "";
    this.put(null);
  }

  get wantsMargin() { return this.isNew && this.tool?.drawn_on === "margin"; }
  get isLine() { return this.tool?.drawn_on === "line"; }
  get isPoint() { return POINTS.includes(this.tool?.drawn_on); }
  get isArrow() { return this.isLine && this.partCount === 2; }
  get isPicked() { return Boolean(this.tool) && !this.isNew; }
  get wantsNumber() { return this.has("NUMBER") || this.has("MAYBE") || this.has("DIGITS"); }
  get partCount() { return this.tool.fields.filter((kind) => kind === "PLACES").length; }
  /** Fewest lists of places. */
  get leastParts() { return this.tool.parts?.[0] ?? (this.isArrow ? 2 : Math.min(this.partCount, 1)); }

  has(kind) { return Boolean(this.tool?.fields.includes(kind)); }
  title(tool) { return tool.titles?.[this.app.lang] ?? tool.name; }
  about(tool) { return (this.app.lang === "ja" && tool.about_ja) || tool.about; }
  named(name) { return this.tools.find((tool) => tool.name === name); }

  put(tool) {
    this.tool = tool;
    this.isNew = Boolean(tool);
    this.editing = null;
    this.held = "";
    this.pill = 1;
    this.clear();
  }

  clear() {
    this.lists = [];
    this.number = "";
    this.word = this.tool?.words[0] ?? "";
    this.trial = { line: "", text: "", ok: false };
    this.tried = "";
  }

  frame() {
    const { t } = this.app;
    this.search = make("input", {
      type: "search", placeholder: t.search, "aria-label": t.search, value: this.sought,
      on: {
        input: () => { this.sought = this.search.value; this.show(); },
        keydown: (event) => { if (event.key === "Enter") this.enter(); },
      },
    });
    this.kinds = make("div", { class: "bx-set bx-groups", role: "group", "aria-label": t.kinds, "data-stay": true });
    this.list = make("div", { class: "bx-tools", role: "group", "aria-label": t.tools });
    this.name = make("b");
    this.aboutText = make("p", { class: "bx-soft" });
    this.field = make("input", {
      class: "bx-number", "aria-label": t.number, inputmode: "numeric", autocomplete: "off",
      on: {
        input: () => this.setNumber(this.field.value),
        keydown: (event) => { if (event.key === "Enter") this.push(); },
      },
    });
    this.range = make("span", { class: "bx-soft" });
    this.wordBox = make("span", { class: "bx-set", role: "group", "aria-label": t.word });
    this.pillBox = make("span", { class: "bx-set", role: "group", "aria-label": t.pill });
    this.note = make("p", { class: "bx-soft bx-note", role: "status" });
    this.makeButton = button(t.makeRule, () => this.push(), { class: "bx-main" });
    this.nextButton = button(t.nextList, () => this.nextList());
    this.removeButton = button(t.remove, () => this.app.ruleList.remove(this.editing));
    this.numberBox = make("label", { class: "bx-set" }, make("span", { class: "bx-soft", text: t.number }), this.field, this.range);
    this.details = make("div", { class: "bx-drawing" },
      make("div", { class: "bx-set" }, this.name, make("span", { class: "bx-gap" }),
        this.makeButton, this.nextButton, this.removeButton, button(t.done, () => this.leave())),
      this.aboutText,
      make("div", { class: "bx-set" }, this.numberBox, this.wordBox, this.pillBox), this.note);
    this.palette = make("div", { class: "bx-palette" }, this.search, this.kinds, this.list);
    this.show();
    return [this.palette, this.details];
  }

  /** Enter in the search field: a rule that was written there, or the first tool that was found. */
  enter() {
    const tool = this.shown()[0];
    if (this.named(this.sought.trim().split(" ")[0]) && this.sought.includes(" ")) this.app.addRule(this.sought);
    else if (this.sought && tool) this.choose(tool);
  }

  /** Tools that are shown: those sought, or those of the group, the last used first. */
  shown() {
    const sought = this.sought.trim().toLowerCase();
    if (sought) {
      const said = (x) => [x.name, ...Object.values(x.titles ?? {}), ...(x.aliases ?? [])].join(" ").toLowerCase();
      const begins = (x) => said(x).split(" ").some((word) => word.startsWith(sought));
      const found = this.tools.filter((x) => said(x).includes(sought) || this.about(x).toLowerCase().includes(sought));
      return found.sort((a, b) => begins(b) - begins(a));
    }
    const drawnOn = GROUPS[this.group];
    if (drawnOn.length) return this.tools.filter((x) => drawnOn.includes(x.drawn_on));
    return [...new Set([...this.used, ...USUAL])].map((name) => this.named(name)).filter(Boolean).slice(0, 15);
  }

  /** The buttons of the tools. */
  show() {
    const { t } = this.app;
    const rules = this.app.state.now?.rules ?? [];
    const names = { ...t.groups, listed: `${t.rules} (${rules.length})` };
    const chosen = this.palette.dataset.group = this.sought ? "" : this.group;
    showChoices(this.kinds, names, chosen, (group) => {
      this.group = group;
      this.sought = this.search.value = "";
      this.show();
      this.kinds.querySelector(`[data-key=${group}]`).focus();
    });
    this.list.replaceChildren(...this.shown().map((tool) => {
      const on = tool.fields.length ? this.isNew && this.tool === tool : rules.some((r) => r.text === tool.name);
      return make("button", {
        type: "button", title: this.about(tool), "data-tool": tool.name, "aria-pressed": String(on),
        on: { click: () => this.choose(tool) },
      }, iconOf(tool), make("span", { text: this.title(tool) }));
    }));
    this.update();
  }

  choose(tool) {
    const { app } = this;
    const rim = this.wantsMargin;
    this.used = [tool.name, ...this.used.filter((name) => name !== tool.name)];
    this.put(this.isNew && this.tool === tool ? null : tool);
    if (tool.fields.length) { app.hands.selected = []; this.changed(rim); return; }
    this.put(null);  // a rule of the whole board is on or off
    const i = app.state.now.rules.findIndex((rule) => rule.text === tool.name);
    if (i >= 0) app.ruleList.remove(i);
    else app.addRule(tool.name);
    this.changed(rim);
  }

  leave() {
    const rim = this.wantsMargin;
    this.put(null);
    this.app.hands.selected = [];
    this.changed(rim);
  }

  /** Let go of the rule that is picked or open. */
  release() {
    const { hands, picture, ruleList } = this.app;
    if (this.isPicked) this.put(null);
    this.editing = null;
    this.clear();
    hands.selected = this.isNew ? [] : [hands.at];
    picture.preview(null);
    ruleList.update();
  }

  /** Show another tool; the places beside the board appear or go. */
  changed(rim) {
    const { app } = this;
    if (rim !== this.wantsMargin) app.build();
    app.hands.clamp();
    app.hands.setTouch();
    this.show();
    app.hands.shown();
    app.ruleList.update();
    app.picture.focus();
  }

  /** Pick rule `i`, to change it; null: none. */
  pick(i) {
    const { app } = this;
    const rim = this.wantsMargin;
    this.put(null);
    const rule = app.state.now.rules[i];
    if (rule) {
      const [name] = rule.text.split(" ");
      this.tool = this.named(name) ?? { name, about: rule.about, fields: [], words: [], drawn_on: "board" };
      this.editing = i;
      this.adopt(rule.text);
    }
    this.changed(rim);
  }

  /** Take number, word and places from the line of the picked rule. */
  adopt(text) {
    const [, ...rest] = text.split(" ");
    this.clear();
    this.word = rest.find((word) => this.tool.words.includes(word)) ?? "";
    this.number = rest.filter((word) => /^\d+$/.test(word)).join(" ");
    const lists = text.split(">").map(placesIn).filter((list) => list.length);
    this.pill = this.isArrow ? lists[0].length : 1;
    if (this.isArrow) lists.splice(0, 2, lists.flat());
    this.app.hands.selected = lists.pop() ?? [];
    this.lists = lists;
    this.isWhole = this.line() === text;
  }

  /** The next press begins another rule. */
  begin() {
    if (!this.isNew || this.editing === null) return;
    this.editing = null;
    this.clear();
    this.app.hands.selected = [];
    this.app.ruleList.update();
  }

  /** Whether a press takes the picked rule by its end, to change its cells. */
  holds(at) {
    const { selected } = this.app.hands;
    this.held = "";
    if (!this.isPicked || !this.isWhole || this.isPoint || this.tool.drawn_on === "board") return "";
    if (at === selected.at(-1)) this.held = "end";
    else if (at === selected[0] && this.isLine && !this.isArrow) {
      this.held = "start";
      selected.reverse();
    }
    return this.held;
  }

  /** Turn a clue beside the board to where there are cells. */
  aim(at) {
    const ways = this.ways(at);
    if (ways.length && !ways.includes(this.word)) [this.word] = ways;
  }

  /** The words that may be chosen: of directions only those that lead over the board. */
  ways(at = this.app.hands.selected[0]) {
    const { tool } = this;
    if (tool.drawn_on !== "margin" || at === undefined) return tool.words;
    return tool.words.filter((word) => {
      const [, down, right] = DIRECTIONS[word];
      return this.app.picture.cellAt(place(rowOf(at) + down, columnOf(at) + right)) >= 0;
    });
  }

  /** The places that a press means for tools with one press; null for those that draw. */
  near(x, y, at) {
    const { n } = this.app.state.now.board;
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
    return pair.every((p) => this.app.picture.cellAt(p) >= 0) ? pair : null;
  }

  /** After a press or a drag: a rule that needs no more is made, a changed one is taken. */
  lifted(dragged) {
    const { hands } = this.app;
    if (this.held) {
      if (this.held === "start") hands.selected.reverse();
      this.held = "";
      this.push();
    } else if (this.isPoint ? hands.selected.length > 1 || this.wantsMargin : dragged) {
      if (this.lists.length + 1 < this.leastParts && !this.isLine) this.nextList();
      else this.push();
    }
  }

  /** A key for the tool; false when the tool has no use for it. */
  takes(key, sign) {
    const { app } = this;
    if (key === "Enter") this.push();
    else if (key === ">") this.nextList();
    else if (this.isArrow && key.toLowerCase() === "p") this.set({ pill: 1 + (this.pill % 3) });
    else if (key === "Backspace" && this.number) this.setNumber(this.number.trimEnd().slice(0, -1).trimEnd());
    else if ((key === "Delete" || key === "Backspace") && this.editing !== null) app.ruleList.remove(this.editing);
    else if (this.wantsNumber && /^[0-9]$/.test(sign)) this.type(sign);
    else {
      const word = this.ways().find((w) => w.startsWith(key.toLowerCase()) && w !== this.word);
      if (!word) return false;
      this.set({ word });
    }
    return true;
  }

  /** One more digit; a number that gets too large begins again. */
  type(sign) {
    if (this.has("DIGITS")) this.setNumber(this.number ? `${this.number} ${sign}` : sign);
    else this.setNumber(Number(this.number + sign) > (this.tool.range?.[1] ?? Infinity) ? sign : this.number + sign);
  }

  setNumber(text) { this.set({ number: text }); }

  /** Change what is not on the board; a rule that is there, or needs only this, follows. */
  set(values) {
    Object.assign(this, values);
    if (this.editing !== null || (this.isPoint && this.app.hands.selected.length)) this.push();
    this.update();
  }

  nextList() {
    if (!this.app.hands.selected.length || this.lists.length + 1 >= this.partCount) return;
    this.lists.push(this.app.hands.selected);
    this.app.hands.selected = [];
    this.app.hands.shown();
  }

  /** The rule as a line; empty when something is missing. */
  line() {
    const { tool, word, number, pill, app: { hands } } = this;
    if (!tool || (this.has("NUMBER") && !number) || (this.isNew && tool.words.length && !word)) return "";
    let lists = [...this.lists, hands.selected].filter((list) => list.length);
    if (tool.drawn_on === "corner" && lists.length === 1 && lists[0].length === 1) {
      const [at] = lists[0];
      lists = [[at, at + 1, at + 64, at + 65]];
    }
    if (this.isArrow && lists.length === 1) {
      lists = [lists[0].slice(0, pill), lists[0].slice(pill)].filter((list) => list.length);
    }
    const [least, most] = tool.cells ?? [1, null];
    const fits = ({ length }) => length >= (this.isArrow ? 1 : least ?? 1) && length <= (most ?? Infinity);
    if (lists.length > this.partCount || lists.length < this.leastParts || !lists.every(fits)) return "";
    const places = lists.map((list) => list.map(nameOf).join(" ")).join(" > ");
    return [tool.name, number.trim(), word, places].filter(Boolean).join(" ");
  }

  /** Make the rule, or put the changed one in its place, as soon as the one before is taken. */
  push() {
    const line = this.line();
    if (!line) { this.update(); return; }
    if (this.app.isMaking) return;
    this.pushed = line;
    this.app.addRule(line, this.editing ?? undefined);
  }

  /** The server has taken the rule. */
  made(i, text) {
    if (!this.tool) { this.sought = this.search.value = ""; return; }
    this.editing = i;
    this.tried = "";
    this.trial = { line: "", text: "", ok: false };
    if (!this.pushAgain() && this.isPicked) this.adopt(text);
  }

  /** Ask whether what is drawn is a rule, and how it looks. */
  tryOut(line) {
    if (line === this.tried || this.app.isBusy("quick")) return;
    if (this.editing !== null && !this.held) { if (!this.tried) this.app.picture.preview(null); return; }
    this.tried = line;
    if (line) this.app.tryRule(line, this.editing);
    else this.app.picture.preview(null);
  }

  /** What came of it: a drawing, or what is missing. */
  judged(ok, ground, text = "") {
    this.trial = { line: this.tried || this.line(), ok, text };
    this.app.picture.preview(ok ? ground : null);
    this.app.lanes.quick.busy = false;
    this.pushAgain();
    this.update();
  }

  /** Send what was changed while the rule was on its way; false when nothing was. */
  pushAgain() {
    const isOld = Boolean(this.pushed) && this.line() !== this.pushed;
    this.pushed = "";
    if (isOld) this.push();
    return isOld;
  }

  update() {
    const { tool, app: { t, panels } } = this;
    if (!this.details) return;
    this.app.root.classList.toggle("bx-draws", Boolean(tool));
    this.details.hidden = !tool;
    panels.showPad();
    if (!tool) { if (this.tried) { this.tried = ""; this.app.picture.preview(null); } return; }
    const line = this.line();
    this.tryOut(line);
    const settled = this.trial.line === line;
    this.name.textContent = this.title(tool);
    this.aboutText.textContent = `${t.sentence(this.about(tool))}${this.isNew ? t.ask[this.isArrow ? "arrow" : tool.drawn_on] : t.editHelp}`;
    this.numberBox.hidden = !this.wantsNumber;
    if (this.field.value !== this.number) this.field.value = this.number;
    this.range.textContent = tool.range ? t.range(tool.range) : "";
    const words = Object.fromEntries(this.ways().map((w) => [w, DIRECTIONS[w]?.[0] ?? w]));
    showChoices(this.wordBox, words, this.word, (word) => this.set({ word }));
    this.pillBox.hidden = !this.isArrow;
    showChoices(this.pillBox, PILLS, String(this.pill), (pill) => this.set({ pill: Number(pill) }), t.pill);
    this.note.textContent = settled ? this.trial.text : "";
    this.makeButton.hidden = this.editing !== null;
    this.makeButton.disabled = !line || (settled && !this.trial.ok);
    this.removeButton.hidden = this.editing === null;
    this.nextButton.hidden = this.isArrow || this.partCount < 2 || !this.isNew;
  }
}

/** A tool's icon, which the server drew. */
export function iconOf(tool) {
  const src = tool?.icon ? `data:image/svg+xml;charset=utf-8,${encodeURIComponent(tool.icon)}` : undefined;
  return make(src ? "img" : "span", { class: "bx-icon", alt: src && "", src, draggable: src && "false" });
}
