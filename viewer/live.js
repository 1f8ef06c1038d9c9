// The way to the running program: requests, and the stream of events. Its events, each with JSON as its data:
//
//   instance  {name, problem, size, depot, capacity, vehicles, demand, x, y, reference, notes}, with time windows also
//             {windows, service, rounding}
//             depot: -1 for a TSP; vehicles: the most routes of a solution, 0 for no bound; windows: [opens, closes] of each node; rounding: that of the distances, "" when they do
//             not follow from the map; reference: best known cost or null; notes: what reading found unusual
//   run       {copies, seed, steps, start, model, device}: a new search begins
//   frame     the search at one moment (Frame of src/viewer/board.h), the visits that are new, and "best" when it is
//   regions   [[node, node, ...], ...]: the parts of the instance that are searched by themselves now, each a list of
//             nodes of the instance from 0, in any order; they may overlap. Replaces the list before; [] for none.
//             Drawn as shaded convex hulls. A new instance or run begins without any.
//   state     {phase, speed, details}: phase is empty, ready, running, paused, done or failed; speed the chosen one in
//             steps a second (0: as fast as it goes); details are those of the result or {message}, or null.
//             A result that is not verified is not feasible: its findings say why, in words

async function answer(response) {
  if (response.ok) return;
  const body = await response.json().catch(() => ({}));
  throw new Error(body.error ?? `the program answered ${response.status}`);
}

export const sendInstance = async (text, name) =>
  answer(await fetch("instance?name=" + encodeURIComponent(name), { method: "POST", body: text }));

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
  for (const name of ["instance", "run", "frame", "regions", "state"])
    source.addEventListener(name, (event) => handlers[name](JSON.parse(event.data)));
  source.addEventListener("error", () => handlers.lost());
}
