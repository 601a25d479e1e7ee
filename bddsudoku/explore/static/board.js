// The board: one component for the local page, for notebooks and for static pages.
//
// It talks to a model as anywidget has them: `get`, `set`, `on`, `save_changes`. It sets `ask`
// (a question with an `id`) and hears `change:answer` (events with that `id`). A model may have
// `opening`, the text of a puzzle, and `link`, whether the address holds the state.

const TEXTS = {
  en: {
    title: "All solutions of a Sudoku",
    solutions: (k) => (k === 1n ? "1 solution" : `${decimal(k)} solutions`),
    none: "no solution",
    counting: "counting …",
    unknown: "not counted",
    stopped: "stopped",
    gone: "The server does not answer: start `bddsudoku explore` again.",
    offline: "This page holds no answer to that.",
    long: "That is more than a puzzle.",
    stop: "Stop", undo: "Undo", redo: "Redo", marks: "Strike candidates", erase: "Erase",
    again: "Ask again", board: "Sudoku board", lang: "Language", digits: "Digits", steps: "Steps",
    reset: "Back to the start",
    see: "Solutions", random: "Random solution", before: "Previous solution",
    after: "Next solution", rank: "Number of the solution", back: "Show marginals",
    shown: (i, k) => `solution number ${decimal(i)} of ${decimal(k)}, counted from 0`,
    impact: "What hints and rules contribute", impactOn: "Count without each",
    rules: "Rules", without: (k) => `without it ${decimal(k)}`, same: "without it the same",
    open: "without it: not counted",
    boardSet: "Board", size: "Empty board", paste: "A puzzle in any form", read: "Read it",
    keep: "Keep", link: "Copy the link", copied: "The link was copied.", file: "Download",
    detail: "Cell", hint: "hint", empty: "open",
    why: "Why?", clashing: "These clash: give up one of them",
    because: (name, s) => `${name} is ${s} because of these`,
    parts: (hints, rules) => [hints && `${hints} hint${hints > 1 ? "s" : ""}`,
      rules && `${rules} rule${rules > 1 ? "s" : ""}`].filter(Boolean).join(", "),
    reason: "part of the reason",
    leaves: (s, k, p) => `${s}: leaves ${decimal(k)} (${p})`,
    dead: (s) => `${s}: in no solution`, struck: (s) => `${s}: struck by you`,
    maybe: (s) => `${s}: possible`,
    keys: "Arrows, Home, End move; digits and letters write; Backspace erases; Shift with a "
      + "digit or M strikes candidates; ? asks why; Ctrl+Z, Ctrl+Y; Ctrl+V pastes a puzzle.",
    clash: "Digits clash.",
    limit: (t) => `Limit: ${t}`,
  },
  ja: {
    title: "数独のすべての解",
    solutions: (k) => `解は ${decimal(k)} 個`,
    none: "解なし",
    counting: "数えています…",
    unknown: "数えていません",
    stopped: "中止しました",
    gone: "サーバーが応答しません。`bddsudoku explore` をもう一度起動してください。",
    offline: "このページには答えがありません。",
    long: "問題としては長すぎます。",
    stop: "中止", undo: "元に戻す", redo: "やり直す", marks: "候補を消す", erase: "消去",
    again: "もう一度数える", board: "数独の盤", lang: "言語", digits: "数字", steps: "操作",
    reset: "最初の盤に戻す",
    see: "解", random: "無作為な解", before: "前の解", after: "次の解", rank: "解の番号",
    back: "割合の表示", shown: (i, k) => `${decimal(k)} 個のうち ${decimal(i)} 番の解(0 から数える)`,
    impact: "ヒントと規則の価値", impactOn: "それぞれを除いて数える",
    rules: "規則", without: (k) => `除くと ${decimal(k)} 個`, same: "除いても同じ",
    open: "除いた数は未計算",
    boardSet: "盤", size: "空の盤", paste: "問題(どの形式でも)", read: "読み込む",
    keep: "保存", link: "リンクをコピー", copied: "リンクをコピーしました。", file: "ダウンロード",
    detail: "マス", hint: "ヒント", empty: "空き",
    why: "なぜ?", clashing: "両立しません。どれか一つを外してください",
    because: (name, s) => `${name} が ${s} である理由`,
    parts: (hints, rules) => [hints && `ヒント ${hints} 個`, rules && `規則 ${rules} 個`].filter(Boolean).join("、"),
    reason: "理由の一部",
    leaves: (s, k, p) => `${s}: 残り ${decimal(k)} 個 (${p})`,
    dead: (s) => `${s}: どの解にもない`, struck: (s) => `${s}: 自分で消した`,
    maybe: (s) => `${s}: 可能`,
    keys: "矢印、Home、End で移動。数字と英字で入力、Backspace で消去。Shift と数字、または M で"
      + "候補を消す。? で理由。Ctrl+Z、Ctrl+Y。Ctrl+V で問題を貼り付け。",
    clash: "数字が衝突しています。",
    limit: (t) => `制限: ${t}`,
  },
};

/** Units of the board's picture to a cell. */
const UNIT = 100;
const decimal = (k) => BigInt(k).toLocaleString("en");
const bit = (d) => 2 ** (d - 1);
const has = (mask, d) => Math.floor(mask / bit(d)) % 2 === 1;

/** A model without anything behind it; `answer` is called with every question. */
function shim(values, answer) {
  const heard = {};
  const model = {
    get: (key) => values[key],
    set: (key, value) => {
      values[key] = value;
      for (const f of heard[`change:${key}`] ?? []) f();
    },
    on: (name, f) => (heard[name] ??= []).push(f),
    off: (name, f) => { heard[name] = (heard[name] ?? []).filter((g) => g !== f); },
    save_changes: () => answer(model, values.ask),
  };
  return model;
}

/** A model for pages without a server: it knows the events of some questions about one board. */
export function staticModel(known) {
  const key = ({ cells, masks, rules }) => JSON.stringify([cells, masks, rules]);
  const only = key(known.read[0].board);
  return shim({ opening: "", link: false, still: true }, async (model, ask) => {
    await null;
    const same = ask.kind === "read" || key(ask.board) === only;
    const events = (same && known[ask.kind]) || [{ kind: "offline" }];
    for (const event of [...events, { kind: "end" }]) model.set("answer", { ...event, id: ask.id });
  });
}

/** A model that asks the server of `bddsudoku explore`. */
export async function serverModel(base) {
  const session = Array.from(crypto.getRandomValues(new Uint8Array(12)), (b) =>
    b.toString(16).padStart(2, "0")).join("");
  let running = null;
  const post = (body, signal) => fetch(`${base}/ask`, {
    method: "POST", signal, headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...body, session }),
  });
  const opening = await fetch(`${base}/start`).then((r) => r.json()).catch(() => ({ text: "" }));
  return shim({ opening: opening.text, link: true }, async (model, ask) => {
    if (ask.kind === "stop") {
      post(ask).catch(() => {});
      return;
    }
    running?.abort();
    const mine = (running = new AbortController());
    const tell = (event) => model.set("answer", { ...event, id: ask.id });
    try {
      const reply = await post(ask, mine.signal);
      if (!reply.ok) throw new Error(String(reply.status));
      const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let rest = "", last = ""; last !== "end";) {
        const { value, done } = await reader.read();
        if (done) throw new Error("cut off");
        const lines = (rest + value).split("\n");
        rest = lines.pop();
        for (const line of lines.filter(Boolean)) {
          const event = JSON.parse(line);
          last = event.kind;
          tell(event);
        }
      }
    } catch (error) {
      if (!mine.signal.aborted) {
        tell({ kind: "gone" });
        tell({ kind: "end" });
      }
    }
  });
}

function make(tag, options = {}, ...children) {
  const { on, ...rest } = options;
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(rest)) {
    if (value === undefined || value === false) continue;
    if (key === "text") node.textContent = value;
    else node.setAttribute(key, value === true ? "" : value);
  }
  for (const [name, f] of Object.entries(on ?? {})) node.addEventListener(name, f);
  node.append(...children);
  return node;
}

class Board {
  constructor(model, el) {
    this.model = model;
    this.root = make("div", { class: "bx" });
    el.append(this.root);
    this.lang = (navigator.language ?? "en").startsWith("ja") ? "ja" : "en";
    this.id = 0;
    this.at = 0;
    this.past = [];
    this.future = [];
    this.board = null;
    this.off = new Set();
    this.marking = false;
    this.busy = false;
    this.impactOn = this.still = Boolean(model.get("still"));
    this.fraction = null;
    this.begun = 0;
    this.forget();
    this.onAnswer = () => this.hear(model.get("answer"));
    model.on("change:answer", this.onAnswer);
    this.onHash = () => this.fromLink();
    if (model.get("link")) addEventListener("hashchange", this.onHash);
    this.frame();
    if (!this.fromLink()) this.ask({ kind: "read", text: model.get("opening") ?? "" });
  }

  get t() { return TEXTS[this.lang]; }

  close() {
    this.model.off?.("change:answer", this.onAnswer);
    removeEventListener("hashchange", this.onHash);
    this.root.remove();
  }

  // -- questions and answers ---------------------------------------------------------------------

  ask(question) {
    this.id += 1;
    this.asked = question;
    this.busy = true;
    this.begun = performance.now();
    this.fraction = null;
    clearTimeout(this.slow);
    this.slow = setTimeout(() => this.showBusy(), 300);
    this.model.set("ask", { ...question, id: this.id });
    this.model.save_changes();
  }

  stop() {
    this.model.set("ask", { kind: "stop", id: this.id });
    this.model.save_changes();
  }

  currentBoard() {
    const { box, lines, cells, masks, rules } = this.board;
    return { box, lines, cells, masks, rules: rules.filter((_, i) => !this.off.has(i)) };
  }

  forget() {
    this.count = null;
    this.possible = null;
    this.marginals = null;
    this.stale = false;
    this.clashes = new Set();
    this.without = null;
    this.rulesWithout = null;
    this.solution = null;
    this.why = null;
  }

  hear(event) {
    if (!event || event.id !== this.id) return;
    const { t } = this;
    switch (event.kind) {
      case "read": this.take(event); return;
      case "ground": this.board.ground = event.ground; this.build(); break;
      case "progress": this.fraction = event.fraction; this.showBusy(); return;
      case "clashes": this.clashes = new Set(event.pairs.flat()); this.tell(t.clash); break;
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
      case "hints":
        this.without = new Map(event.cells.map((cell, i) =>
          [cell, event.without[i] === null ? null : BigInt(event.without[i])]));
        break;
      case "rules":
        this.rulesWithout = new Map(event.rules.map((rule, i) =>
          [rule, event.without[i] === null ? null : BigInt(event.without[i])]));
        break;
      case "reason": this.showReason(event); break;
      case "solution":
        this.solution = event.cells;
        this.count = BigInt(event.count);
        this.rank = BigInt(event.index);
        this.rankField.value = event.index;
        this.tell(t.shown(event.index, event.count), true);
        break;
      case "file": this.keep(event); break;
      case "limit": this.tell(event.limit === "stop" ? t.stopped : t.limit(event.text)); break;
      case "error": this.tell(event.text); break;
      case "gone": this.tell(t.gone); break;
      case "offline": if (this.count === null) this.tell(t.offline); break;
      case "end": this.finish(); return;
    }
    this.update();
  }

  finish() {
    this.busy = false;
    clearTimeout(this.slow);
    this.showBusy();
    const { kind } = this.asked;
    if (kind === "ground" || kind === "draw") this.askBoard();
    else if (this.impactOn && this.count !== null && !this.stale) {
      if (kind === "board") this.ask({ kind: "hints", board: this.currentBoard() });
      else if (kind === "hints" && this.currentBoard().rules.length) {
        this.ask({ kind: "rules", board: this.currentBoard() });
      }
    }
    this.update();
  }

  askBoard() { this.ask({ kind: "board", board: this.currentBoard() }); }

  /** A board that was read. */
  take(event) {
    if (this.board && !this.loading) this.remember();
    const { off, given } = this.loading ?? {};
    this.loading = null;
    this.board = event.board;
    this.off = new Set(off ?? []);
    this.given = given ?? [...event.board.cells];
    this.start ??= this.snapshot();
    if (this.at >= this.board.cells.length) this.at = 0;
    this.forget();
    this.tell(event.notes.join(" · "), true);
    this.build();
    if (this.off.size) this.ask({ kind: "draw", board: this.currentBoard() });
    else this.askBoard();
    this.toLink();
  }

  // -- changes -----------------------------------------------------------------------------------

  snapshot() {
    const { board, given } = this;
    return {
      board, given, cells: [...board.cells], masks: board.masks && [...board.masks],
      off: new Set(this.off),
    };
  }

  remember() {
    this.past.push(this.snapshot());
    if (this.past.length > 1000) this.past.shift();
    this.future = [];
  }

  restore(from, to) {
    if (!from.length) return;
    to.push(this.snapshot());
    this.become(from.pop());
  }

  become(was) {
    const other = was.board !== this.board;
    const ruled = [...was.off].join() !== [...this.off].join();
    this.board = was.board;
    this.board.cells = [...was.cells];
    this.board.masks = was.masks && [...was.masks];
    this.given = was.given;
    this.off = new Set(was.off);
    if (other) this.build();
    this.changed(null, ruled || other);
  }

  undo() { this.restore(this.past, this.future); }
  redo() { this.restore(this.future, this.past); }

  /** After a change: show it, then ask. `count` is the number of solutions where it is known. */
  changed(count, ruled = false) {
    this.count = count;
    this.stale = this.marginals !== null || this.possible !== null;
    this.clashes = new Set();
    this.without = this.rulesWithout = this.solution = null;
    this.tell("");
    this.update();
    this.toLink();
    if (ruled) this.ask({ kind: "draw", board: this.currentBoard() });
    else this.askBoard();
  }

  write(digit) {
    const { board, at } = this;
    if (!board || digit > board.n) return;
    if (this.marking) { this.strike(digit); return; }
    const was = board.cells[at];
    const next = was === digit ? 0 : digit;
    if (next === was) return;
    const known = was === 0 && this.marginals && !this.stale ? this.marginals[at][next - 1] : null;
    this.remember();
    board.cells = board.cells.with(at, next);
    if (board.masks) board.masks = board.masks.with(at, next ? bit(next) : 2 ** board.n - 1);
    this.changed(known);
  }

  erase() {
    const { board, at } = this;
    if (!board) return;
    const full = 2 ** board.n - 1;
    if (!board.cells[at] && (board.masks?.[at] ?? full) === full) return;
    this.remember();
    const known = this.stale ? null : this.without?.get(at) ?? null;
    board.cells = board.cells.with(at, 0);
    if (board.masks) board.masks = board.masks.with(at, full);
    this.changed(known);
  }

  /** Strike a candidate of an open cell, or let it stand again. */
  strike(digit) {
    const { board, at } = this;
    if (!board || digit > board.n || board.cells[at]) return;
    const full = 2 ** board.n - 1;
    this.remember();
    const masks = board.masks ?? board.cells.map((d) => (d ? bit(d) : full));
    const mask = masks[at];
    board.masks = masks.with(at, has(mask, digit) ? mask - bit(digit) : mask + bit(digit));
    this.changed(null);
  }

  toggleRule(i) {
    this.remember();
    if (!this.off.delete(i)) this.off.add(i);
    this.changed(null, true);
  }

  toLink() {
    if (!this.model.get("link")) return;
    const { box, lines, cells, masks, rules } = this.board;
    const state = { box, lines, cells, masks, rules, off: [...this.off], given: this.given };
    this.hash = `#${encodeURIComponent(JSON.stringify(state))}`;
    history.replaceState(null, "", this.hash);
  }

  fromLink() {
    if (!this.model.get("link") || location.hash.length < 2 || location.hash === this.hash) {
      return false;
    }
    try {
      const { off, given, ...board } = JSON.parse(decodeURIComponent(location.hash.slice(1)));
      this.loading = { off, given };
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
    const { t } = this;
    const button = (text, act, more = {}) =>
      make("button", { type: "button", text, on: { click: act }, ...more });
    const set = (legend, ...inner) =>
      make("fieldset", {}, make("legend", { text: legend }), make("div", { class: "bx-set" }, ...inner));
    this.root.lang = this.lang;
    if (this.model.get("link")) document.documentElement.lang = this.lang;
    this.countText = make("p", {
      class: "bx-count", role: "status", "aria-live": "polite", "aria-atomic": "true",
    });
    this.message = make("p", { class: "bx-message", role: "status", "aria-live": "polite" });
    this.bar = make("progress", { max: "1", "aria-label": t.counting });
    this.stopButton = button(t.stop, () => this.stop());
    this.againButton = button(t.again, () => this.askBoard());
    this.busyBox = make("div", { class: "bx-busy" }, this.bar, this.stopButton, this.againButton);
    this.scroll = make("div", { class: "bx-scroll" });
    this.undoButton = button(t.undo, () => this.undo());
    this.redoButton = button(t.redo, () => this.redo());
    this.marksButton = button(t.marks, () => this.toggleMarks());
    this.pad = make("div", { class: "bx-set bx-pad", role: "group", "aria-label": t.digits });
    this.detail = make("ul", { class: "bx-detail" });
    this.detailName = make("legend", { text: t.detail });
    this.whyButton = button(t.why, () => this.askReason());
    this.rankField = make("input", {
      class: "bx-rank", inputmode: "numeric", "aria-label": t.rank, value: "0",
      on: { change: () => this.unrank(0n) },
    });
    this.impactButton = button(t.impactOn, () => this.toggleImpact());
    this.ruleList = make("ul", { class: "bx-rules" });
    this.ruleSet = make("fieldset", {}, make("legend", { text: t.rules }), this.ruleList);
    this.text = make("textarea", { "aria-label": t.paste, placeholder: t.paste, spellcheck: "false" });
    const sizes = make("select", {
      "aria-label": t.size,
      on: { change: () => { if (sizes.value) this.ask({ kind: "read", side: Number(sizes.value) }); } },
    }, make("option", { value: "", text: t.size }),
    ...[4, 6, 8, 9, 10, 12, 14, 15, 16].map((n) => make("option", { value: n, text: `${n}×${n}` })));
    const languages = make("select", {
      "aria-label": t.lang, on: { change: () => this.speak(languages.value) },
    }, make("option", { value: "en", text: "English", selected: this.lang === "en" }),
    make("option", { value: "ja", text: "日本語", selected: this.lang === "ja" }));
    const save = (form, text) => button(text, () => this.save(form), { "aria-label": `${t.file}: ${text}` });
    const keep = [["text", "Text"], ["f-puzzles", "f-puzzles"], ["svg", "SVG"], ["png", "PNG"], ["set", "Set"]];
    this.root.replaceChildren(
      make("div", { class: "bx-head" }, ...(this.still ? [] : [make("h1", { text: t.title })]), languages),
      this.countText,
      make("div", { class: "bx-body" },
        make("div", {}, this.scroll, this.busyBox, this.message),
        make("div", { class: "bx-side" },
          this.pad,
          make("div", { class: "bx-set", role: "group", "aria-label": t.steps },
            this.undoButton, this.redoButton, this.marksButton,
            button(t.reset, () => { this.remember(); this.become(this.start); })),
          make("fieldset", {}, this.detailName, this.detail, ...(this.still ? [] : [this.whyButton])),
          ...(this.still ? [] : [set(t.see, button(t.random, () => this.ask({ kind: "sample", board: this.currentBoard() })),
            button("‹", () => this.unrank(-1n), { "aria-label": t.before }), this.rankField,
            button("›", () => this.unrank(1n), { "aria-label": t.after }),
            button(t.back, () => { this.solution = null; this.update(); }))]),
          set(t.impact, this.impactButton),
          this.ruleSet,
          ...(this.still ? [] : [set(t.boardSet, sizes, this.text, button(t.read, () => this.read(this.text.value))),
          set(t.keep, ...keep.map(([form, text]) => save(form, text)),
            ...(this.model.get("link") ? [button(t.link, () => this.copy())] : []))]),
          make("p", { class: "bx-keys", text: t.keys }))));
    this.root.onpaste = (event) => {
      if (this.still || event.target.closest?.("textarea, input")) return;
      event.preventDefault();
      this.read(event.clipboardData.getData("text"));
    };
    if (this.board) this.build();
    else this.showBusy();
  }

  speak(lang) {
    this.lang = lang;
    this.frame();
    this.update();
    this.root.querySelector(".bx-head select").focus();
  }

  /** The cells of a board of another shape. */
  build() {
    const { board, t } = this;
    const { n } = board;
    const view = /viewBox="([^"]+)"/.exec(board.ground)[1].split(" ");
    const [left, top, wide, high] = view.map((x) => Number(x) / UNIT);
    const holder = make("div", { class: n <= 9 ? "bx-board small" : "bx-board" });
    holder.classList.toggle("bx-worded", board.ground.includes('class="sum'));
    holder.style.setProperty("--n", n);
    holder.style.setProperty("--across", Math.ceil(Math.sqrt(n)));
    holder.style.aspectRatio = `${wide} / ${high}`;
    this.grid = make("div", {
      class: "bx-grid", role: "grid", "aria-label": t.board, "aria-rowcount": n, "aria-colcount": n,
    });
    Object.assign(this.grid.style, {
      left: `${(-left / wide) * 100}%`, top: `${(-top / high) * 100}%`,
      width: `${(n / wide) * 100}%`, height: `${(n / high) * 100}%`,
      gridTemplate: `repeat(${n}, minmax(0, 1fr)) / repeat(${n}, minmax(0, 1fr))`,
    });
    this.cells = [];
    for (let r = 0; r < n; r += 1) {
      const row = make("div", { class: "bx-row", role: "row" });
      for (let c = 0; c < n; c += 1) {
        const cell = r * n + c;
        const node = make("div", {
          class: "bx-cell", role: "gridcell", tabindex: cell === this.at ? 0 : -1,
          on: { mousedown: (e) => { e.preventDefault(); this.go(cell); } },
        });
        this.cells.push(node);
        row.append(node);
      }
      this.grid.append(row);
    }
    this.grid.onkeydown = (event) => this.key(event);
    const focused = this.scroll.contains(document.activeElement);
    const ground = make("img", { class: "bx-ground", alt: "", draggable: "false" });
    ground.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(board.ground)}`;
    holder.append(ground, this.grid);
    this.scroll.replaceChildren(holder);
    this.pad.replaceChildren(...[...board.symbols].map((s, i) => make("button", {
      type: "button", text: s, on: { click: () => this.write(i + 1) },
    })), make("button", { type: "button", text: "⌫", "aria-label": t.erase, on: { click: () => this.erase() } }));
    this.peers = board.cells.map(() => new Set());
    for (const house of board.houses) {
      for (const a of house) for (const b of house) if (a !== b) this.peers[a].add(b);
    }
    this.seen = [];
    this.update();
    if (focused) this.cells[this.at].focus();
  }

  go(cell) {
    this.cells[this.at].tabIndex = -1;
    this.cells[this.at].classList.remove("chosen");
    this.at = cell;
    this.cells[cell].tabIndex = 0;
    this.cells[cell].classList.add("chosen");
    this.cells[cell].focus();
    this.showDetail();
  }

  key(event) {
    const { n, symbols } = this.board;
    const [r, c] = [Math.floor(this.at / n), this.at % n];
    const ctrl = event.ctrlKey || event.metaKey;
    if (event.altKey) return;
    const moves = {
      ArrowLeft: [r, Math.max(c - 1, 0)], ArrowRight: [r, Math.min(c + 1, n - 1)],
      ArrowUp: [Math.max(r - 1, 0), c], ArrowDown: [Math.min(r + 1, n - 1), c],
      Home: ctrl ? [0, 0] : [r, 0], End: ctrl ? [n - 1, n - 1] : [r, n - 1],
      PageUp: [0, c], PageDown: [n - 1, c],
    };
    const code = /^(?:Digit|Numpad)([1-9])$/.exec(event.code);
    const key = event.key.toUpperCase();
    const digit = symbols.indexOf(key.length === 1 && !code ? key : code?.[1] ?? " ") + 1;
    if (event.key in moves) this.go(moves[event.key][0] * n + moves[event.key][1]);
    else if (ctrl && key === "Z") event.shiftKey ? this.redo() : this.undo();
    else if (ctrl && key === "Y") this.redo();
    else if (ctrl) return;
    else if (event.key === "Backspace" || event.key === "Delete" || key === "0") this.erase();
    else if (digit > 0) event.shiftKey ? this.strike(digit) : this.write(digit);
    else if (key === "M" || event.key === " ") this.toggleMarks();
    else if (event.key === "?") this.askReason();
    else if (event.key === "Escape" && (this.solution || this.why)) {
      this.solution = this.why = null;
      this.update();
    }
    else return;
    event.preventDefault();
  }

  askReason() {
    if (this.why) { this.why = null; this.tell(""); this.update(); return; }
    this.ask({ kind: "reason", cell: this.at, board: this.currentBoard() });
  }

  /** Light the hints and rules that are enough, and say how many they are. */
  showReason({ cells, rules }) {
    const { t, board, at } = this;
    this.why = { cells: new Set(cells), rules: new Set(rules) };
    const name = `r${Math.floor(at / board.n) + 1}c${(at % board.n) + 1}`;
    const digit = this.count === 0n ? 0 : Math.log2(this.possible[at]) + 1;
    const what = digit ? t.because(name, board.symbols[digit - 1]) : t.clashing;
    this.tell(`${what}: ${t.parts(cells.length, rules.length)}`, true);
  }

  toggleMarks() { this.marking = !this.marking; this.update(); }

  toggleImpact() {
    this.impactOn = !this.impactOn;
    this.without = this.rulesWithout = null;
    this.update();
    if (this.impactOn) this.ask({ kind: "hints", board: this.currentBoard() });
  }

  read(text) {
    if (text.length > 200000) { this.tell(this.t.long); return; }
    if (text.trim()) this.ask({ kind: "read", text });
  }

  unrank(step) {
    let index = 0n;
    try { index = BigInt(this.rankField.value.replaceAll(/[\s,._]/g, "") || "0"); } catch { /* 0 */ }
    if (this.solution) index += step;
    if (this.count) index = ((index % this.count) + this.count) % this.count;
    this.ask({ kind: "unrank", index: String(index < 0n ? 0n : index), board: this.currentBoard() });
  }

  tell(text, quiet = false) {
    this.message.textContent = text;
    this.message.style.color = quiet ? "var(--soft)" : "";
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
    this.ask({ kind: "save", form: form === "png" ? "svg" : form, marginals: true, board: this.currentBoard() });
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
    const long = this.busy && performance.now() - this.begun > 250;
    this.bar.hidden = this.stopButton.hidden = !long;
    if (this.fraction === null) this.bar.removeAttribute("value");
    else this.bar.value = this.fraction;
    this.againButton.hidden = this.busy || !this.board || this.count !== null;
    this.showCount();
  }

  showCount() {
    const { t, count, busy } = this;
    let text = busy ? t.counting : t.unknown;
    if (count !== null) text = count === 0n ? t.none : t.solutions(count);
    // what stands there stays until something better is known, or it takes long
    const long = performance.now() - this.begun > 250;
    if (count === null && busy && !long && this.countText.textContent) text = this.countText.textContent;
    if (this.countText.textContent !== text) this.countText.textContent = text;
    this.countText.classList.toggle("waiting", count === null);
  }

  /** The candidates of an open cell: [digit, state, solutions], in the order of the digits. */
  candidates(cell) {
    const { board, marginals, possible, stale } = this;
    const seen = new Set([...this.peers[cell]].map((p) => board.cells[p]));
    const out = [];
    for (let d = 1; d <= board.n; d += 1) {
      const number = marginals?.[cell][d - 1] ?? null;
      if (board.masks && !has(board.masks[cell], d)) out.push([d, "struck", null]);
      else if (seen.has(d)) continue;
      else if (!stale && (marginals ? number === 0n : possible && !has(possible[cell], d))) {
        out.push([d, "gone", 0n]);
      } else out.push([d, "open", number === 0n ? null : number]);
    }
    return out;
  }

  /** Share of a number among those of its cell, from 0 to 1. */
  part(cell, number) {
    const all = this.marginals[cell].reduce((a, b) => a + b, 0n);
    return all ? Number((number * 1000000n) / all) / 1e6 : 0;
  }

  percent(p) { return p > 0 && p < 0.001 ? "<0.1%" : `${(100 * p).toFixed(1)}%`; }

  words(cell, [d, state, number]) {
    const { t } = this;
    const sign = this.board.symbols[d - 1];
    if (state === "gone") return t.dead(sign);
    if (state === "struck") return t.struck(sign);
    if (number === null || this.stale) return t.maybe(sign);
    return t.leaves(sign, number, this.percent(this.part(cell, number)));
  }

  impactText(number) {
    const { t } = this;
    if (number === undefined) return "";
    if (number === null) return t.open;
    return number === this.count ? t.same : t.without(number);
  }

  update() {
    if (!this.board || !this.cells) return;
    const { t, board } = this;
    this.undoButton.disabled = !this.past.length;
    this.redoButton.disabled = !this.future.length;
    this.marksButton.setAttribute("aria-pressed", String(this.marking));
    this.impactButton.setAttribute("aria-pressed", String(this.impactOn));
    this.grid.classList.toggle("bx-stale", this.stale);
    this.cells.forEach((node, cell) => this.draw(node, cell));
    this.ruleSet.hidden = !board.rules.length;
    this.showRules();
    this.showBusy();
    this.showDetail();
  }

  showRules() {
    const { board } = this;
    const said = board.rules.map((rule, i) =>
      [rule, board.about[i], this.off.has(i), this.impactText(this.rulesWithout?.get(rule)),
        this.why?.rules.has(rule)]);
    const key = JSON.stringify(said);
    if (this.ruleList.dataset.key === key) return;
    const focused = [...this.ruleList.querySelectorAll("input")].indexOf(document.activeElement);
    this.ruleList.dataset.key = key;
    this.ruleList.replaceChildren(...said.map(([rule, about, off, impact, why], i) =>
      make("li", why ? { class: "why" } : {}, make("label", { title: about },
        make("input", { type: "checkbox", checked: !off, on: { change: () => this.toggleRule(i) } }),
        make("span", { text: [impact ? `${rule} (${impact})` : rule, why && this.t.reason].filter(Boolean).join(", ") })))));
    if (focused >= 0) this.ruleList.querySelectorAll("input")[focused]?.focus();
  }

  /** One cell, if anything about it has changed. */
  draw(node, cell) {
    const { board, t } = this;
    const digit = board.cells[cell];
    const sign = (d) => board.symbols[d - 1];
    const name = `r${Math.floor(cell / board.n) + 1}c${(cell % board.n) + 1}`;
    const parts = [];
    let label = name;
    let unknown = 0;
    if (digit) {
      const impact = this.without?.get(cell);
      parts.push(["bx-big " + (this.given[cell] === digit ? "hint" : "added"), sign(digit)]);
      label += ` ${t.hint} ${sign(digit)}`;
      if (impact !== undefined) {
        const same = impact === this.count;
        parts.push([`bx-impact${same ? " none" : ""}`, impact === null ? "×" : same ? "=" : short(impact)]);
        label += `, ${this.impactText(impact)}`;
      }
    } else if (this.solution) {
      parts.push(["bx-big found", sign(this.solution[cell])]);
      label += ` ${sign(this.solution[cell])}`;
    } else {
      const list = this.candidates(cell);
      const live = list.filter(([, state]) => state === "open");
      const alone = live.length === 1 && !this.stale && (this.marginals || this.possible) && this.count !== 0n;
      if (alone) parts.push(["bx-big found", sign(live[0][0])]);
      else parts.push(...list);
      if (this.marginals && !alone) {
        for (const [, , number] of live) {
          const p = number === null ? 0 : this.part(cell, number);
          if (p > 0) unknown -= (p * Math.log2(p)) / Math.log2(board.n);
        }
      }
      label += ` ${t.empty}. ${list.map((x) => this.words(cell, x)).join(", ")}`;
    }
    const clash = this.clashes.has(cell);
    const why = Boolean(this.why?.cells.has(cell));
    if (why) label += `, ${t.reason}`;
    const key = [label, clash, unknown, this.lang, parts.join(";")].join("|");
    node.classList.toggle("chosen", cell === this.at);
    if (this.seen[cell] === key) return;
    this.seen[cell] = key;
    node.classList.toggle("clash", clash);
    node.classList.toggle("why", why);
    node.style.setProperty("--unknown", (0.62 * unknown).toFixed(3));
    // What is said is text of the cell: a label would have to repeat what is seen.
    const inner = [make("span", { class: "bx-hidden", text: label })];
    let marks = null;
    for (const part of parts) {
      if (part.length === 2) {
        inner.push(make("span", { class: part[0], text: part[1], "aria-hidden": "true" }));
        continue;
      }
      const [d, state, number] = part;
      if (!marks) inner.push(marks = make("span", { class: "bx-marks", "aria-hidden": "true" }));
      const across = Math.ceil(Math.sqrt(board.n));
      const mark = make("span", { class: `bx-mark ${state}`, text: sign(d), title: this.words(cell, part) });
      mark.style.gridArea = `${Math.floor((d - 1) / across) + 1} / ${((d - 1) % across) + 1}`;
      if (state === "open" && number !== null && this.marginals) {
        mark.style.setProperty("--s", (0.5 + 0.65 * Math.sqrt(this.part(cell, number))).toFixed(3));
      }
      marks.append(mark);
    }
    node.replaceChildren(...inner);
  }

  showDetail() {
    if (!this.board) return;
    const { at, board, t } = this;
    const name = `${t.detail} r${Math.floor(at / board.n) + 1}c${(at % board.n) + 1}`;
    const digit = board.cells[at];
    const lines = digit
      ? [`${t.hint} ${board.symbols[digit - 1]}`, this.impactText(this.without?.get(at))]
      : this.candidates(at).map((x) => this.words(at, x));
    this.detailName.textContent = name;
    this.detail.replaceChildren(...lines.filter(Boolean).map((text) => make("li", { text })));
  }
}

/** A number in few signs, for the corner of a cell. */
function short(number) {
  const text = number.toString();
  if (text.length <= 5) return text;
  return `${text[0]}.${text[1]}e${text.length - 1}`;
}

export default {
  render({ model, el }) {
    const board = new Board(model, el);
    return () => board.close();
  },
};
