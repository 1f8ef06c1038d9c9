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

const bounds = new WeakMap();  // of instances: they are drawn again and again

function boundsOf(instance) {
  if (!bounds.has(instance)) {
    const range = (values) => values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)],
      [Infinity, -Infinity]);
    bounds.set(instance, [...range(instance.x), ...range(instance.y)]);
  }
  return bounds.get(instance);
}

/** A function from nodes to places on a canvas of that size: north up, the aspect ratio kept. */
export function placement(instance, width, height, margin) {
  const [lowX, highX, lowY, highY] = boundsOf(instance);
  const unit = Math.min((width - 2 * margin) / (highX - lowX || 1), (height - 2 * margin) / (highY - lowY || 1));
  return (node) => [
    width / 2 + (instance.x[node] - (lowX + highX) / 2) * unit,
    height / 2 - (instance.y[node] - (lowY + highY) / 2) * unit,
  ];
}

/** From a point to the nearest one of a line through some points, in the units of these. */
export function distanceToLine([x, y], line) {
  const toSegment = ([ax, ay], [bx, by]) => {
    const dx = bx - ax, dy = by - ay, square = dx * dx + dy * dy;
    const share = square > 0 ? Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / square)) : 0;
    return Math.hypot(x - ax - share * dx, y - ay - share * dy);
  };
  return Math.min(...line.map((point, i) => toSegment(point, line[i + 1] ?? point)));
}

/** The corners of the convex hull of some points, in order (Andrew's monotone chain). */
export function convexHull(points) {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const turn = ([ax, ay], [bx, by], [cx, cy]) => (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
  const half = (order) => {
    const chain = [];
    for (const point of order) {
      while (chain.length > 1 && turn(chain.at(-2), chain.at(-1), point) <= 0) chain.pop();
      chain.push(point);
    }
    return chain.slice(0, -1);
  };
  return sorted.length < 3 ? sorted : [...half(sorted), ...half(sorted.reverse())];
}

/** A hull around points with a border of that width, its corners rounded. */
export function roundedHull(points, border) {
  const directions = Array.from({ length: 12 }, (_, i) => [Math.cos((i * Math.PI) / 6), Math.sin((i * Math.PI) / 6)]);
  return convexHull(convexHull(points).flatMap(([x, y]) => directions.map(([dx, dy]) => [x + border * dx, y + border * dy])));
}

/** A cost as people read it: whole numbers as they are, tenths with one decimal, others with four. */
export function costText(cost) {
  if (cost === null || cost === undefined) return "";
  const isTenths = Math.abs(10 * cost - Math.round(10 * cost)) < 1e-7;
  const digits = Number.isInteger(cost) ? 0 : isTenths ? 1 : 4;
  return cost.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping: false });
}
