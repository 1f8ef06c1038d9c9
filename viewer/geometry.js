// Tours as lists of nodes: their routes, loads and edges, and where they lie on a canvas.

/** The routes of a tour: lists of nodes without the depot. A TSP (depot -1) has one. */
export function routesOf(tour, depot) {
  if (depot < 0) return tour.length ? [tour] : [];
  const routes = [];
  let route = [];
  // Begin at a visit to the depot, so that no route is cut in two.
  const first = Math.max(0, tour.indexOf(depot));
  for (let i = 0; i < tour.length; ++i) {
    const node = tour[(first + i) % tour.length];
    if (node !== depot) {
      route.push(node);
      continue;
    }
    if (route.length) routes.push(route);
    route = [];
  }
  if (route.length) routes.push(route);
  return routes;
}

/** True when the customers of a route demand more than a vehicle holds, with the verifier's tolerance for fractions. */
export function isOverloaded(instance, route) {
  if (instance.depot < 0) return false;
  const load = route.reduce((sum, node) => sum + instance.demand[node], 0);
  return load > instance.capacity * (1 + 1e-5);
}

function countEdges(tour, counts, sign) {
  tour.forEach((node, i) => {
    const next = tour[(i + 1) % tour.length];
    if (node === next) return;  // from the depot to itself: an empty route
    const key = Math.min(node, next) + " " + Math.max(node, next);
    counts.set(key, (counts.get(key) ?? 0) + sign);
  });
}

/** The edges that an exchange removed and added, as pairs of nodes. */
export function exchangedEdges(before, after) {
  const counts = new Map();
  countEdges(before, counts, -1);
  countEdges(after, counts, 1);
  const removed = [], added = [];
  for (const [key, count] of counts) {
    const edge = key.split(" ").map(Number);
    if (count < 0) removed.push(edge);
    if (count > 0) added.push(edge);
  }
  return { removed, added };
}

/** A function from nodes to places on a canvas of that size: north up, the aspect ratio kept. */
export function placement(instance, width, height, margin) {
  const lowX = Math.min(...instance.x), highX = Math.max(...instance.x);
  const lowY = Math.min(...instance.y), highY = Math.max(...instance.y);
  const unit = Math.min((width - 2 * margin) / (highX - lowX || 1), (height - 2 * margin) / (highY - lowY || 1));
  return (node) => [
    width / 2 + (instance.x[node] - (lowX + highX) / 2) * unit,
    height / 2 - (instance.y[node] - (lowY + highY) / 2) * unit,
  ];
}

/** A cost as people read it: whole numbers as they are, others with four decimals. */
export function costText(cost) {
  if (cost === null || cost === undefined) return "";
  const digits = Number.isInteger(cost) ? 0 : 4;
  return cost.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping: false });
}
