// The way to the running program: requests, and the stream of events.

async function answer(response) {
  if (response.ok) return;
  const body = await response.json().catch(() => ({}));
  throw new Error(body.error ?? `the program answered ${response.status}`);
}

export const sendInstance = async (text) => answer(await fetch("instance", { method: "POST", body: text }));

export const request = async (name, object) =>
  answer(await fetch(name, { method: "POST", body: JSON.stringify(object) }));

/** The recorded search that the program was given, or null. */
export async function recordedLog() {
  const response = await fetch("log");
  return response.status === 200 ? response.text() : null;
}

/** Calls the handler of each event with its data; handlers.lost when the program is gone. */
export function listen(handlers) {
  const source = new EventSource("events");
  for (const name of ["instance", "run", "frame", "state"])
    source.addEventListener(name, (event) => handlers[name](JSON.parse(event.data)));
  source.addEventListener("error", () => handlers.lost());
}
