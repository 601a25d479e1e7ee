// The rules of the board: listed, lit, picked by a click, moved, left out, deleted.

import { DIRECTIONS, NEAR, iconOf } from "./drawing.js";
import { make, nameOf, place, placesIn } from "./elements.js";

export class RuleList {
  constructor(app) {
    this.app = app;
    this.over = null;
    this.here = [];
  }

  get rules() { return this.app.state.now?.rules ?? []; }
  /** The rule that is picked or was just made. */
  get chosen() { return this.app.drawing.editing; }

  frame() {
    const { t } = this.app;
    this.list = make("ul", { class: "bx-rules" });
    this.title = make("h2", {});
    this.node = make("section", { class: "bx-rule-box", "aria-label": t.rules }, this.title, this.list);
    return this.node;
  }

  /** The cells that are lit: those of the rule pointed at or picked, else of a reason. */
  lit() {
    const { why } = this.app;
    const shown = this.rules[this.over ?? this.chosen];
    return new Set(shown ? shown.lit : why.litCells());
  }

  /** A rule in few words: its name, what it demands, its number, where it begins. */
  brief(rule) {
    const { drawing } = this.app;
    const [name, ...rest] = rule.text.split(" ");
    const tool = drawing.named(name);
    const places = placesIn(rule.text);
    const words = rest.filter((word) => !/^r\d+c\d+$|^>$/.test(word)).map((word) => DIRECTIONS[word]?.[0] ?? word).join(" ");
    const where = places.length > 2 ? `${nameOf(places[0])} … ${nameOf(places.at(-1))}` : places.map(nameOf).join(" ");
    return { tool, name: tool ? drawing.title(tool) : name, about: tool ? drawing.about(tool) : rule.about, words, where };
  }

  /** A rule's name and number, for sentences and buttons. */
  label(text) {
    const { name, words, where } = this.brief({ text });
    return [name, words, where].filter(Boolean).join(" ");
  }

  /** Pick the rule under a press; false where there is none. */
  pick(x, y, at) {
    const near = Math.min(Math.abs(x - Math.round(x)), Math.abs(y - Math.round(y))) < NEAR;
    const drawnOn = (rule) => this.brief(rule).tool?.drawn_on;
    const onBorder = (i) => ["neighbours", "corner"].includes(drawnOn(this.rules[i]));
    this.here = this.rules.flatMap((rule, i) => (placesIn(rule.text).includes(at) && (near || !onBorder(i)) ? [i] : []));
    this.here.sort((i, j) => onBorder(j) - onBorder(i));
    this.again = this.here.includes(this.chosen);
    if (this.here.length && !this.again) this.app.drawing.pick(this.here[0]);
    return this.here.length > 0;
  }

  /** A further press at the same place picks the next rule there. */
  pickNext() {
    const { here, again, chosen } = this;
    if (again && here.length > 1) this.app.drawing.pick(here[(here.indexOf(chosen) + 1) % here.length]);
  }

  point(i) {
    this.over = i;
    this.app.picture.select();
  }

  /** Move the picked rule by rows and columns; false when none is picked. */
  shift(down, right) {
    const rule = this.rules[this.chosen];
    if (!rule || (!down && !right)) return Boolean(rule);
    const line = rule.text.replaceAll(/\br(\d+)c(\d+)\b/g, (_, r, c) =>
      nameOf(place(Number(r) - 1 + down, Number(c) - 1 + right)));
    if (!line.includes("r-") && line !== rule.text) this.app.addRule(line, this.chosen);
    return true;
  }

  remove(i) {
    const { app } = this;
    app.state.setRule(i, null);
    this.over = null;
    app.drawing.editing = null;
    if (app.drawing.isPicked) app.drawing.leave();
    else app.drawing.clear();
    app.hands.selected = app.drawing.isNew ? [] : [app.hands.at];
    app.changed(null, true);
    app.drawing.show();
    app.picture.focus();
  }

  toggle(i) {
    const { app } = this;
    app.state.setRule(i, { ...this.rules[i], off: !this.rules[i].off });
    app.changed(null, true);
  }

  update() {
    const { app } = this;
    if (!this.list) return;
    app.hands.setTouch();
    this.title.textContent = `${app.t.rules} (${this.rules.length})`;
    this.node.classList.toggle("bx-none", !this.rules.length);
    const said = this.rules.map((rule, i) => [rule, this.chosen === i,
      app.impactText(app.rulesWithout?.get(rule.text)), app.why.hasRule(rule.text)]);
    const key = JSON.stringify([app.lang, app.drawing.tools.length, said]);
    if (this.list.dataset.key !== key) {
      const focused = [...this.list.querySelectorAll("input")].indexOf(document.activeElement);
      this.list.dataset.key = key;
      this.list.replaceChildren(...said.map((parts, i) => this.item(parts, i)));
      if (focused >= 0) this.list.querySelectorAll("input")[focused]?.focus();
      const item = this.list.children[this.chosen];
      if (item) this.list.scrollTop = item.offsetTop - this.list.offsetTop - this.list.clientHeight / 2;
    }
    this.mark();
  }

  item([rule, chosen, impact, why], i) {
    const { t } = this.app;
    const { tool, name, about, words, where } = this.brief(rule);
    return make("li", {
      class: [why && "why", chosen && "chosen", rule.off && "off"].filter(Boolean).join(" "),
      on: { pointerenter: () => this.point(i), pointerleave: () => this.point(null) },
    },
    make("input", {
      type: "checkbox", checked: !rule.off, "aria-label": `${name} ${words} ${where}`, title: t.ruleOn,
      on: { change: () => this.toggle(i) },
    }),
    make("button", {
      type: "button", class: "bx-rule", "aria-pressed": String(chosen), title: `${rule.text}: ${about}`,
      on: { click: () => this.app.drawing.pick(chosen && this.app.drawing.isPicked ? null : i) },
    }, iconOf(tool), make("b", { text: name }), ...(words ? [make("span", { text: words })] : []),
    make("span", { class: "bx-soft bx-where", text: where }),
    ...[impact, rule.off && t.ruleOff].filter(Boolean).map((text) => make("em", { text }))),
    make("button", {
      type: "button", class: "bx-quiet", text: "×", "aria-label": `${t.remove}: ${name} ${words} ${where}`,
      on: { click: () => this.remove(i) },
    }));
  }

  /** Mark the rules whose cells have the cursor, unless they are about the whole board. */
  mark() {
    const { app: { picture, hands } } = this;
    const cell = picture.cellAt(hands.at);
    [...this.list.children].forEach((item, i) => {
      const lit = this.rules[i]?.lit ?? [];
      const here = lit.includes(cell) && lit.length < picture.board.cells.length;
      item.classList.toggle("here", here);
    });
  }
}
