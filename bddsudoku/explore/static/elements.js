// Small things that every part of the board uses: elements, numbers, places.

export const decimal = (k) => BigInt(k).toLocaleString("en");
export const bit = (d) => 2 ** (d - 1);
export const has = (mask, d) => Math.floor(mask / bit(d)) % 2 === 1;

/** A place on or beside the board as one number; row and column count from 0, -1 is the margin. */
export const place = (row, column) => (row + 1) * 64 + column + 1;
export const rowOf = (at) => (at >> 6) - 1;
export const columnOf = (at) => (at & 63) - 1;
export const nameOf = (at) => `r${at >> 6}c${at & 63}`;

/** The places that a rule's line names, in order. */
export const placesIn = (text) =>
  [...text.matchAll(/\br(\d+)c(\d+)\b/g)].map(([, r, c]) => place(Number(r) - 1, Number(c) - 1));

/** An element with attributes, listeners (`on`), text, and children. */
export function make(tag, options = {}, ...children) {
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

export const button = (text, act, more = {}) =>
  make("button", { type: "button", text, on: { click: act }, ...more });

/**
 * Buttons of which one is pressed; `names` holds their texts by key. They are other elements only
 * when something has changed: a press is lost whose button is replaced under the finger.
 */
export function showChoices(node, names, chosen, act, label = "") {
  const key = JSON.stringify([names, chosen, label]);
  if (node.dataset.choices === key) return;
  node.dataset.choices = key;
  node.replaceChildren(...(label ? [make("span", { class: "bx-soft", text: label })] : []),
    ...Object.entries(names).map(([name, text]) =>
      button(text, () => act(name), { "aria-pressed": String(name === chosen), "data-key": name })));
}

/** A number in few signs, for the corner of a cell. */
export function short(number) {
  const text = number.toString();
  return text.length <= 5 ? text : `${text[0]}.${text[1]}e${text.length - 1}`;
}
