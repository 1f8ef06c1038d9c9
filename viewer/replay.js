// A recorded search (JSON lines of `neuopt solve --trace`) in the shape of the live one.

/** Numbers the nodes as the file does: the copies of the depot become one. */
function instanceOf(header) {
  const count = Math.max(...header.node_of) + 1;
  const byNode = (values, side = 1) => {
    const list = new Array(count).fill(0);
    header.node_of.forEach((node, i) => (list[node] = side === 1 ? values[i] ?? 0 : side * values[i]));
    return list;
  };
  const instance = { name: header.name, problem: header.problem, size: header.nodes - header.depots, capacity: 1,
                     x: byNode(header.x, header.side), y: byNode(header.y, header.side),
                     demand: byNode(header.demand ?? []), depot: header.depots > 0 ? header.node_of[0] : -1 };
  if (!header.windows) return instance;
  return { ...instance, windows: byNode(header.windows), service: byNode(header.service), rounding: header.rounding };
}

export class Replay {
  /** Throws an Error in words when the text is no search log. */
  constructor(text) {
    const copies = [];
    for (const line of text.split("\n")) {
      if (!line.trim()) continue;
      let object;
      try {
        object = JSON.parse(line);
      } catch {
        if (this.header) break;  // the last line of an interrupted search
      }
      if (!this.header && object?.type !== "header") throw new Error("not a search log: its first line is no header");
      if (object.type === "header") this.header = object;
      if (object.type === "step") (copies[object.copy] ??= []).push(object);
      if (object.type === "result") this.result = object;
    }
    if (!this.header) throw new Error("not a search log: it is empty");
    this.instance = instanceOf(this.header);
    this.steps = copies[0] ?? [];
    this.hasTours = Boolean(this.steps[0]?.tour);
    this.summarize(copies);
  }

  /** Bests, counts and visits up to each step. */
  summarize(copies) {
    const { start } = this.header;
    const first = start.reduce((best, entry) => (entry.cost < best.cost ? entry : best));
    const totals = { best: first.cost, bestTour: first.tour, augmentations: 0, feasible: 0, visited: 0, counts: [] };
    this.visits = [[0, start[0].cost, first.cost, 1]];
    this.totals = [{ ...totals, counts: [] }];
    this.steps.forEach((step, i) => {
      for (const copy of copies) {
        const entry = copy?.[i];
        if (!entry) continue;
        totals.visited += 1;
        totals.feasible += entry.feasible ? 1 : 0;
        totals.augmentations += entry.augmented ? 1 : 0;
        totals.counts[entry.k] = (totals.counts[entry.k] ?? 0) + 1;
        if (entry.feasible && entry.cost < totals.best) Object.assign(totals, { best: entry.cost, bestTour: entry.tour });
        if (entry.polished && entry.best < totals.best) Object.assign(totals, { best: entry.best, bestTour: entry.polished });
      }
      this.totals.push({ ...totals, counts: totals.counts.slice() });
      this.visits.push([step.step, step.cost, totals.best, step.feasible ? 1 : 0]);
    });
  }

  get length() {
    return this.steps.length;
  }

  tourAt(index) {
    return (index > 0 ? this.steps[index - 1].tour : this.header.start[0].tour) ?? null;
  }

  /** The search after `index` steps, as a frame of the live view. */
  frame(index) {
    const step = this.steps[index - 1], totals = this.totals[index];
    const onMap = (tour) => (tour ?? []).map((node) => this.header.node_of[node]);
    return {
      step: index,
      cost: step?.cost ?? this.header.start[0].cost,
      best_cost: totals.best,
      violation: step?.violation ?? 0,
      k: step?.k ?? 0,
      anchor: step?.chosen ? this.header.node_of[step.chosen[0]] : -1,
      tour: onMap(this.tourAt(index)),
      before: index > 0 ? onMap(this.tourAt(index - 1)) : [],
      best: onMap(totals.bestTour),
      augmentations: totals.augmentations,
      feasible_share: totals.visited ? totals.feasible / totals.visited : 1,
      k_counts: Array.from(totals.counts, (count) => count ?? 0),
    };
  }
}
