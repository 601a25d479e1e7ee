// The tab of files: new boards, reading puzzles, title and words, links, pictures and files.

import { button, make, showChoices } from "./elements.js";

/** Sides of the boards that can be begun. */
const SIDES = [4, 6, 8, 9, 10, 12, 14, 15, 16, 18, 20, 24, 25];
/** Links to programs that take a puzzle in a link, and files. */
const LINKS = ["sudokupad-link", "f-puzzles-link", "iss-link"];
const FILES = ["text", "f-puzzles", "iss", "set"];
const PARTS = ["publish", "words", "open"];

export class Publish {
  constructor(app) {
    this.app = app;
    this.part = "publish";
    this.content = "puzzle";
  }

  frame() {
    const { app } = this;
    const { t } = app;
    const section = (part, ...nodes) => make("section", { class: `bx-part bx-${part}`, "aria-label": t.fileParts[part] },
      make("h2", { text: t.fileParts[part] }), ...nodes);
    const set = (...nodes) => make("div", { class: "bx-set" }, ...nodes);
    this.parts = make("div", { class: "bx-set bx-parts-of-file", role: "group", "aria-label": t.tabs.file });
    this.size = make("select", { "aria-label": t.size, class: "bx-size" },
      ...SIDES.map((n) => make("option", { value: n, text: `${n}×${n}`, selected: n === 9 })));
    this.text = make("textarea", { spellcheck: "false", rows: 3 });
    const label = (text, node) => make("label", { class: "bx-field" }, make("span", { text }), node);
    this.fields = {};
    const field = (name) => label(t.info[name], this.fields[name] = make(name === "rules" ? "textarea" : "input",
      { autocomplete: "off", rows: 5, on: { change: () => this.write(name) } }));
    this.contents = make("select", { "aria-label": t.content, on: { change: () => { this.content = this.contents.value; } } },
      ...Object.entries(t.contents).map(([value, text]) => make("option", { value, text, selected: value === this.content })));
    const save = (form) => button(t.files[form], () => this.export(form), { "aria-label": `${t.file}: ${t.files[form]}` });
    return [this.parts,
      section("publish",
        make("p", { class: "bx-soft", text: t.linkHelp }),
        set(...LINKS.map((form) => button(t.links[form], () => this.export(form), { "data-form": form, class: form === LINKS[0] ? "bx-main" : "" }))),
        make("h2", { text: t.file }), set(this.contents, ...["svg", "png"].map(save)),
        make("div", { class: "bx-set bx-files" }, ...FILES.map(save))),
      section("words", make("div", { class: "bx-pair" }, field("title"), field("author")), field("rules"),
        set(button(t.wordsAgain, () => this.writeWords()))),
      section("open", set(this.size, button(t.newBoard, () => this.newBoard(Number(this.size.value)), { "data-do": "sized" })),
        label(t.paste, this.text), set(button(t.read, () => app.read(this.text.value))))];
  }

  newBoard(side = this.app.state.now?.board.n ?? 9) { this.app.ask({ kind: "read", side: Math.min(side, 25) }); }

  /** Title, author and rules in words, as the setter wrote them; rules else from the catalogue. */
  get info() {
    const { info } = this.app.state.now;
    return { ...info, rules: info.rules || this.words() };
  }

  /** The rules in words: each kind once, in the order of the list. */
  words() {
    const { t, ruleList, state: { now } } = this.app;
    const said = now.rules.filter((rule) => !rule.off).map((rule) => ruleList.brief(rule))
      .map(({ name, about }) => t.sentence(`${name}: ${about}`).trim());
    return [t.normalRules, ...new Set(said)].join("\n");
  }

  write(name) {
    const { app } = this;
    const value = this.fields[name].value.trim();
    if (value === this.info[name]) return;
    app.state.change({ info: { ...app.state.now.info, [name]: value } });
    app.marked();
  }

  writeWords() {
    this.app.state.change({ info: { ...this.app.state.now.info, rules: "" } });
    this.app.marked();
  }

  export(form) {
    const { app } = this;
    this.wanted = form;
    const board = { ...app.state.question(), info: this.info };
    app.ask({ kind: "export", form: form === "png" ? "svg" : form, content: this.content, board });
  }

  /** A file that was asked for; pictures of points are made here. */
  async save({ name, type, data, notes = [] }) {
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
    this.app.tell([this.app.t.saved(name), ...notes].join(" "), true);
  }

  async copyLink({ url, notes = [] }) {
    const { app } = this;
    try {
      await navigator.clipboard.writeText(url);
      app.tell([app.t.copied, ...notes].join(" "), true);
    } catch {
      app.tell(url, true);  // to be copied by hand
    }
  }

  update() {
    const { app, part } = this;
    if (!this.parts) return;
    const { t } = app;
    showChoices(this.parts, Object.fromEntries(PARTS.map((p) => [p, t.fileParts[p]])), part, (next) => {
      this.part = next;
      this.update();
    });
    app.root.dataset.part = part;
    for (const [name, node] of Object.entries(this.fields)) {
      if (node !== document.activeElement) node.value = this.info[name];
    }
  }
}
