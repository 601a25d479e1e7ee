// What is around the board: the head, the tabs beside it, and the key pad.

import { button, make, nameOf, showChoices } from "./elements.js";
import { EXAMPLES } from "./examples.js";
import { MODES } from "./hands.js";

/** Width of the page, or of a notebook's cell, in pixels, from which tabs stand beside the board. */
const BESIDE = { page: 704, cell: 600 };

export class Panels {
  constructor(app) {
    this.app = app;
    this.isBeside = true;
    this.watch = new ResizeObserver(() => this.resize());
    this.watch.observe(app.root);
  }

  close() { this.watch.disconnect(); }

  /** Whether there is room around the board for clues. */
  get hasMargin() {
    return this.isBeside || this.app.tab === "rules";
  }

  resize() {
    const { root, model } = this.app;
    const isBeside = root.clientWidth >= BESIDE[model.get("link") ? "page" : "cell"];
    root.classList.toggle("bx-beside", isBeside);
    if (isBeside === this.isBeside) return;
    this.isBeside = isBeside;
    if (this.app.picture.grid) this.app.picture.lay();
  }

  /** Everything around the board, in the language that is chosen. */
  frame() {
    const { app } = this;
    const { t } = app;
    const linked = app.model.get("link");
    app.root.lang = app.lang;
    app.root.classList.toggle("bx-whole", Boolean(linked));
    if (linked) document.documentElement.lang = app.lang;
    app.message = make("p", { class: "bx-message", role: "status", "aria-live": "polite" });
    this.pad = this.group(t.digits, "bx-pad");
    const panels = {
      solve: this.solve(), rules: [...app.drawing.frame(), app.ruleList.frame()], analyse: this.analyse(), file: app.publish.frame(),
    };
    this.tabs = Object.keys(panels).map((tab) => make("button", {
      type: "button", role: "tab", text: t.tabs[tab], "data-key": tab,
      on: { click: () => this.choose(tab), keydown: (event) => this.turn(event) },
    }));
    this.panels = Object.entries(panels).map(([tab, nodes]) => make("div", {
      class: `bx-panel bx-tab-${tab}`, role: "tabpanel", "aria-label": t.tabs[tab], "data-key": tab,
    }, ...nodes));
    this.detail = make("ul", { class: "bx-detail", "aria-label": t.detail });
    this.side = make("div", { class: "bx-side" },
      make("div", { class: "bx-tab-row" },
        make("div", { class: "bx-tabs", role: "tablist", "aria-label": t.tasks, "data-stay": true }, ...this.tabs),
        button(t.copyLink, () => app.publish.export("link"), { "data-form": "link", class: "bx-quiet", title: t.copyHelp })),
      make("div", { class: "bx-sheet" }, app.why.node, this.startBox(), this.pad, ...this.panels, this.detail,
        app.picture.legend, this.helpBox()));
    app.root.replaceChildren(this.head(), make("div", { class: "bx-body" },
      make("div", { class: "bx-left" }, app.picture.node), this.side));
    app.root.onpaste = (event) => {
      if (event.target.closest?.("textarea, input")) return;
      event.preventDefault();
      app.read(event.clipboardData.getData("text"));
    };
    this.resize();
    if (app.state.now) app.build();
    else app.showBusy();
    this.showTab();
  }

  group(label, name, ...inner) {
    return make("div", { class: `bx-set ${name}`, role: "group", "aria-label": label }, ...inner);
  }

  /** What is known of the board, and what is needed at any time. */
  head() {
    const { app } = this;
    const { t } = app;
    this.countText = make("p", { class: "bx-count", role: "status", "aria-live": "polite", "aria-atomic": "true" });
    this.aside = make("p", { class: "bx-soft bx-aside" });
    this.bar = make("progress", { max: "1", "aria-label": t.looking });
    this.stopButton = button(t.stop, () => app.stop(), { class: "bx-quiet" });
    this.againButton = button(t.again, () => app.askBoard(), { class: "bx-quiet" });
    this.whyButton = button(t.why, () => app.why.ask(), { "data-do": "why" });
    this.exampleButton = button(t.showExample, () => app.showExample(), { "data-do": "example" });
    const sign = (name, text) => button("", () => app.step(name), {
      "aria-label": t[name], title: t[name], class: "bx-sign", "data-sign": text,
    });
    this.undoButton = sign("undo", "↶");
    this.redoButton = sign("redo", "↷");
    const languages = make("select", {
      "aria-label": t.lang, on: { change: () => app.speak(languages.value) },
    }, make("option", { value: "en", text: "English", selected: app.lang === "en" }),
    make("option", { value: "ja", text: "日本語", selected: app.lang === "ja" }));
    return make("div", { class: "bx-head" },
      make("h1", { class: "bx-hidden", text: t.title }),
      make("div", { class: "bx-say" }, this.countText, this.whyButton, this.exampleButton,
        make("div", { class: "bx-busy" }, this.bar, this.stopButton, this.againButton)),
      make("div", { class: "bx-act" }, this.undoButton, this.redoButton,
        button(t.newBoard, () => app.publish.newBoard(), { "data-do": "new" }), languages),
      make("div", { class: "bx-below" }, this.aside, app.message));
  }

  startBox() {
    const { app } = this;
    const { t, lang } = app;
    this.start = make("section", { class: "bx-start", "aria-label": t.begin }, make("p", { class: "bx-soft", text: t.begin }),
      ...EXAMPLES.map((example) => button(example[lang], () => app.read(example.text))));
    return this.start;
  }

  solve() {
    const { app } = this;
    const { t } = app;
    this.modes = this.group(t.input, "bx-modes");
    this.severalButton = button(t.several, () => {
      app.hands.several = !app.hands.several;
      app.hands.setTouch();
      app.update();
    }, { class: "bx-for-fingers" });
    this.checkButton = button(t.check, () => app.toggleCheck(), { title: t.checkHelp });
    return [this.modes,
      this.group(t.steps, "bx-steps", this.severalButton, this.checkButton,
        button(t.fix, () => app.fix(), { title: t.fixHelp }), button(t.reset, () => app.reset()))];
  }

  /** What keys and fingers do. */
  helpBox() {
    const { t } = this.app;
    const line = (name, kind) => make("p", { class: `bx-soft ${kind}`, text: t[name] });
    this.help = make("details", { class: "bx-help" }, make("summary", { text: t.help }),
      line("keys", "bx-for-keys"), line("drawKeys", "bx-for-keys"), line("touch", "bx-for-fingers"));
    return this.help;
  }

  analyse() {
    const { app } = this;
    const { t } = app;
    this.views = this.group(t.view, "bx-views");
    this.impactButton = button(t.impactOn, () => app.toggleImpact(), { title: t.impactHelp });
    this.rankField = make("input", {
      class: "bx-rank", inputmode: "numeric", "aria-label": t.rank, value: "0", on: { change: () => app.unrank(0n) },
    });
    const part = (title, ...nodes) => make("section", { "aria-label": title }, make("h2", { text: title }), make("div", { class: "bx-set" }, ...nodes));
    return [
      part(t.view, this.views), part(t.impact, this.impactButton),
      part(t.see, button(t.random, () => app.askBoard("sample")),
        button("‹", () => app.unrank(-1n), { "aria-label": t.before }), this.rankField,
        button("›", () => app.unrank(1n), { "aria-label": t.after }))];
  }

  choose(tab) {
    const { app } = this;
    app.tab = tab;
    if (app.why.isOpen) app.why.close();
    if (tab !== "rules" && app.drawing.tool) app.drawing.leave();
    if (app.picture.grid) app.picture.lay();
    this.showTab();
    app.update();
    this.tabs.find((node) => node.dataset.key === tab).focus();
  }

  /** The arrows go from tab to tab. */
  turn(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const i = this.tabs.findIndex((node) => node.dataset.key === this.app.tab);
    this.choose(this.tabs[(i + step + this.tabs.length) % this.tabs.length].dataset.key);
  }

  /** The panel of the tab that is chosen; a reason that is shown stands in its place. */
  showTab() {
    const { app } = this;
    const { tab, why } = app;
    app.root.dataset.tab = tab;
    for (const node of this.tabs) {
      node.setAttribute("aria-selected", String(node.dataset.key === tab));
      node.tabIndex = node.dataset.key === tab ? 0 : -1;
    }
    for (const node of this.panels) node.hidden = why.isOpen || node.dataset.key !== tab;
    this.start.hidden = why.isOpen || !app.isBlank || tab !== "rules" || Boolean(app.drawing.tool);
    this.detail.hidden = app.picture.legend.hidden = why.isOpen || !["solve", "analyse"].includes(tab);
    this.help.hidden = why.isOpen || !["solve", "rules"].includes(tab);
    this.showPad();
  }

  /** The key pad writes digits, or the number of a rule. */
  showPad() {
    const { app } = this;
    const forNumber = app.tab === "rules" && app.drawing.wantsNumber;
    this.pad.hidden = app.why.isOpen || !(app.tab === "solve" || forNumber);
    this.pad.classList.toggle("bx-numbers", forNumber);
    if (this.zero) this.zero.hidden = !forNumber;
  }

  buildPad() {
    const { app } = this;
    const { symbols } = app.state.now.board;
    this.pad.dataset.n = symbols.length;
    this.pad.replaceChildren(
      ...[...symbols].map((sign, i) => button(sign, () => app.press(i + 1, sign))),
      this.zero = button("0", () => app.drawing.type("0"), { class: "bx-zero" }),
      button(app.t.erase, () => app.erase(), { class: "bx-erase" }));
    this.showPad();
  }

  update() {
    const { app } = this;
    const { t, hands, state, why } = app;
    this.undoButton.disabled = !state.past.length;
    this.redoButton.disabled = !state.future.length;
    const pressed = (node, on) => node.setAttribute("aria-pressed", String(Boolean(on)));
    pressed(this.severalButton, hands.several);
    pressed(this.checkButton, app.checking);
    pressed(this.impactButton, app.impactOn);
    pressed(this.whyButton, why.isOpen);
    pressed(this.exampleButton, app.solution);
    this.exampleButton.hidden = !app.example;
    showChoices(this.modes, Object.fromEntries(MODES.map((m) => [m, t.modes[m]])), hands.mode, (m) => app.setMode(m));
    showChoices(this.views, t.views, app.solution ? "" : app.view, (view) => app.show(view));
    app.publish.update();
    this.showTab();
    this.showDetail();
  }

  /** What stands beside the statement: an estimate, and why there is no exact number yet. */
  showAside(isLong) {
    const { app } = this;
    const { t, count, least, estimate, givenUp } = app;
    const goesOn = isLong && least !== null && !estimate && t.goesOn;
    const parts = [estimate && t.estimate(estimate), app.isBusy("count") ? goesOn : least !== null && t.givenUp[givenUp]];
    const text = count === null ? parts.filter(Boolean).join(" ") : "";
    if (this.aside.textContent !== text) this.aside.textContent = text;
    const { picture, hands } = app;
    const cell = picture.grid ? picture.cellAt(hands.at) : -1;
    const sole = cell >= 0 && app.possible && !app.stale && Math.log2(app.possible[cell]) % 1 === 0 && !app.state.now.cells[cell];
    this.whyButton.disabled = !app.why.isOpen && count !== 0n && !sole;
    this.whyButton.title = t.whyHelp;
  }

  showDetail() {
    const { app: { hands, picture, t }, app } = this;
    const cell = picture.cellAt(hands.at);
    const [first, ...lines] = cell < 0 ? [t.beside] : picture.lines(cell);
    this.detail.replaceChildren(make("li", {}, make("b", { text: nameOf(hands.at) }), ` ${first}`),
      ...lines.map((text) => make("li", { text })));
    if (app.state.now) this.showAside(app.isBusy("count"));
  }
}
