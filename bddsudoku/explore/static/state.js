// What is on the board, as one immutable value, and its history.

import { bit, has } from "./elements.js";

const PAST = 1000;

/** What a puzzle is called, who set it, and its rules in words. */
export const NO_INFO = { title: "", author: "", rules: "" };

/**
 * `now` has the `board` (its shape, as the server sent it), `cells`, `masks` (candidates that are
 * not struck; null: all), `given` (the digits that are hints), `corners` and `centres` (masks),
 * `colours` (numbers), `rules` (`text`, `about`, `lit`: cells, `off`) and `info` (`NO_INFO`).
 * Nothing in it is ever changed.
 */
export class State {
  constructor() {
    this.now = null;
    this.start = null;
    this.past = [];
    this.future = [];
  }

  get full() { return 2 ** this.now.board.n - 1; }

  /** Begin with a board that was read; `more` comes from a link. */
  take(board, more = {}) {
    const blank = board.cells.map(() => 0);
    const fits = (list) => (list?.length === blank.length ? list : null);
    const next = {
      board, cells: board.cells, masks: board.masks,
      given: fits(more.given) ?? board.cells,
      corners: fits(more.corners) ?? blank, centres: fits(more.centres) ?? blank,
      colours: fits(more.colours) ?? blank, info: { ...NO_INFO, ...(board.info ?? more.info) },
      rules: board.rules.map((text, i) => ({
        text, about: board.about[i], lit: board.lit[i], off: Boolean(more.off?.includes(i)),
      })),
    };
    if (this.now) this.change(next);
    else this.now = this.start = next;
  }

  change(patch) {
    this.past.push(this.now);
    if (this.past.length > PAST) this.past.shift();
    this.future = [];
    this.now = { ...this.now, ...patch };
  }

  undo() { return this.#restore(this.past, this.future); }
  redo() { return this.#restore(this.future, this.past); }

  #restore(from, to) {
    if (!from.length) return false;
    to.push(this.now);
    this.now = from.pop();
    return true;
  }

  /** The board of a question: without the rules that are off. */
  question(cells = this.now.cells) {
    const { board: { box, lines }, masks, rules, info } = this.now;
    return { box, lines, cells, masks, rules: rules.filter((r) => !r.off).map((r) => r.text), info };
  }

  link() {
    const { board: { box, lines }, cells, masks, rules, given, corners, centres, colours, info } = this.now;
    const off = rules.flatMap((rule, i) => (rule.off ? [i] : []));
    const some = (list) => (list.some(Boolean) ? list : undefined);
    return `#${encodeURIComponent(JSON.stringify({
      box, lines, cells, masks, rules: rules.map((r) => r.text), off, given,
      corners: some(corners), centres: some(centres), colours: some(colours),
      info: some(Object.values(info)) && info,
    }))}`;
  }

  /** Write a digit (0: none) into cells. */
  write(chosen, digit) {
    const { cells, masks } = this.now;
    this.change({
      cells: cells.map((d, i) => (chosen.includes(i) ? digit : d)),
      masks: masks?.map((m, i) => (chosen.includes(i) ? (digit ? bit(digit) : this.full) : m)) ?? null,
    });
  }

  /** Strike a candidate of open cells, or let it stand again where all have it struck. */
  strike(chosen, digit) {
    const { cells } = this.now;
    const masks = this.now.masks ?? cells.map((d) => (d ? bit(d) : this.full));
    const open = chosen.filter((i) => !cells[i]);
    const away = open.some((i) => has(masks[i], digit));
    this.change({
      masks: masks.map((m, i) =>
        (open.includes(i) && has(m, digit) === away ? m + (away ? -1 : 1) * bit(digit) : m)),
    });
    return open.length > 0;
  }

  /** Set or take away a mark; `kind` is "corners" or "centres". */
  mark(kind, chosen, digit) {
    const marks = this.now[kind];
    const set = chosen.some((i) => !has(marks[i], digit));
    this.change({
      [kind]: marks.map((m, i) =>
        (chosen.includes(i) && has(m, digit) !== set ? m + (set ? 1 : -1) * bit(digit) : m)),
    });
  }

  colour(chosen, number) {
    const { colours } = this.now;
    const same = chosen.every((i) => colours[i] === number);
    this.change({ colours: colours.map((c, i) => (chosen.includes(i) ? (same ? 0 : number) : c)) });
  }

  /** Take away what is in cells: first digits and struck candidates, then marks and colours. */
  erase(chosen) {
    const { cells, masks, corners, centres, colours } = this.now;
    if (chosen.some((i) => cells[i] || (masks?.[i] ?? this.full) !== this.full)) {
      this.write(chosen, 0);
      return "digits";
    }
    if (!chosen.some((i) => corners[i] || centres[i] || colours[i])) return "";
    const drop = (list) => list.map((x, i) => (chosen.includes(i) ? 0 : x));
    this.change({ corners: drop(corners), centres: drop(centres), colours: drop(colours) });
    return "marks";
  }

  /** Put `rule` in the place of rule `i`; null takes it away, `i` past the end appends. */
  setRule(i, rule) {
    const rules = [...this.now.rules];
    rules.splice(i, 1, ...(rule ? [rule] : []));
    this.change({ rules });
  }
}
