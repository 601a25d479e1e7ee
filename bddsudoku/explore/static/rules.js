// The list of rules: each says what it demands, lights its cells, and is moved, left out, deleted.

import { button, make, nameOf, place } from "./elements.js";

export class RuleList {
  constructor(app) {
    this.app = app;
    this.chosen = null;
    this.over = null;
    this.isMoving = false;
  }

  /** Whether presses on the board move the chosen rule, while there is one. */
  get moving() { return this.isMoving && this.chosen in this.rules; }

  get rules() { return this.app.state.now?.rules ?? []; }

  frame() {
    const { t } = this.app;
    this.list = make("ul", { class: "bx-rules", on: { scroll: () => this.showMore() } });
    this.more = make("p", { class: "bx-more", "aria-hidden": "true" });
    this.legend = make("legend", { text: t.rules });
    this.node = make("fieldset", {}, this.legend, this.list, this.more);
    return this.node;
  }

  /** The cells that are lit: those of the rule that is chosen or pointed at, else of a reason. */
  lit() {
    const { why } = this.app;
    const shown = this.rules[this.over ?? this.chosen];
    const rules = shown ? [shown] : this.rules.filter((r) => why?.rules.has(r.text));
    return new Set(rules.flatMap((rule) => rule.lit));
  }

  choose(i) {
    this.chosen = this.chosen === i ? null : i;
    this.isMoving = false;
    this.app.tell("");
    this.update();
    this.app.picture.select();
  }

  point(i) {
    this.over = i;
    this.app.picture.select();
  }

  startMove(i) {
    this.chosen = i;
    this.isMoving = !this.moving;
    this.app.tell(this.moving ? this.app.t.moveHelp : "", true);
    this.update();
    this.app.picture.select();
  }

  /** Move the chosen rule by rows and columns; false when none is chosen. */
  shift(down, right) {
    const rule = this.rules[this.chosen];
    if (!rule || (!down && !right)) return Boolean(rule);
    const line = rule.text.replaceAll(/\br(\d+)c(\d+)\b/g, (_, r, c) =>
      nameOf(place(Number(r) - 1 + down, Number(c) - 1 + right)));
    if (line.includes("r-") || line === rule.text) return true;
    this.app.addRule(line, this.chosen);
    return true;
  }

  remove(i) {
    const { app } = this;
    app.state.setRule(i, null);
    this.chosen = this.over = null;
    app.changed(null, true);
  }

  toggle(i) {
    const { app } = this;
    app.state.setRule(i, { ...this.rules[i], off: !this.rules[i].off });
    app.changed(null, true);
  }

  update() {
    const { app } = this;
    const { t } = app;
    app.hands.setTouch();
    this.node.hidden = !this.rules.length;
    this.legend.textContent = `${t.rules} (${this.rules.length})`;
    const said = this.rules.map((rule, i) => [rule.text, rule.off, rule.about, this.chosen === i,
      this.moving, app.impactText(app.rulesWithout?.get(rule.text)), app.why?.rules.has(rule.text)]);
    const key = JSON.stringify([app.lang, said]);
    if (this.list.dataset.key !== key) {
      const focused = [...this.list.querySelectorAll("input")].indexOf(document.activeElement);
      this.list.dataset.key = key;
      this.list.replaceChildren(...said.map((parts, i) => this.item(parts, i)));
      if (focused >= 0) this.list.querySelectorAll("input")[focused]?.focus();
    }
    this.mark();
    this.showMore();
  }

  item([text, off, about, chosen, moving, impact, why], i) {
    const { t } = this.app;
    const [name, ...rest] = text.split(" ");
    return make("li", {
      class: [why && "why", chosen && "chosen", off && "off"].filter(Boolean).join(" "),
      on: { pointerenter: () => this.point(i), pointerleave: () => this.point(null) },
    },
    make("input", {
      type: "checkbox", checked: !off, "aria-label": text, on: { change: () => this.toggle(i) },
    }),
    make("button", {
      type: "button", class: "bx-rule", "aria-pressed": String(chosen), on: { click: () => this.choose(i) },
    },
    make("b", { text: name }), make("span", { text: `${about}${rest.length ? ": " : ""}${rest.join(" ")}` }),
    ...[impact, why && t.reason, off && t.ruleOff].filter(Boolean)
      .map((words) => make("em", { text: words }))),
    ...(chosen && !this.app.still ? [make("div", { class: "bx-set" },
      ...(rest.length ? [button(t.move, () => this.startMove(i), { "aria-pressed": String(moving) })] : []),
      button(t.remove, () => this.remove(i)))] : []));
  }

  /** Mark the rules whose cells have the cursor, unless they are about the whole board. */
  mark() {
    const { app: { picture, hands } } = this;
    const cell = picture.cellAt(hands.at);
    [...this.list.children].forEach((item, i) => {
      const { lit } = this.rules[i];
      const here = lit.includes(cell) && lit.length < picture.board.cells.length;
      item.classList.toggle("here", here);
    });
  }

  /** Say that the list goes on below what is seen. */
  showMore() {
    const { list } = this;
    const rest = list.scrollHeight - list.clientHeight - list.scrollTop > 4;
    this.more.textContent = rest ? `↓ ${this.app.t.more}` : "";
  }
}
