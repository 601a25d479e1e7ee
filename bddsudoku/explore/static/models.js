// The model that the board of a page talks to.

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

/** A model that asks the server of `bddsudoku explore`. */
export async function serverModel(base) {
  const session = Array.from(crypto.getRandomValues(new Uint8Array(12)), (b) =>
    b.toString(16).padStart(2, "0")).join("");
  const running = {};  // by lane: what is counted, and what is answered at once
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
    running[ask.lane]?.abort();
    const { signal } = running[ask.lane] = new AbortController();
    for await (const event of events(ask, signal)) model.set("answer", { ...event, id: ask.id });
  });

  /** The events of an answer; none once a newer question has ended it. */
  async function* events(ask, signal) {
    try {
      const reply = await post(ask, signal);
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
          yield event;
        }
      }
    } catch {
      if (signal.aborted) return;
      yield { kind: "gone" };
      yield { kind: "end" };
    }
  }
}
