// The colours of routes: the palette of the program's pictures, and which route has which.

let palette = null;
const dark = matchMedia("(prefers-color-scheme: dark)");

export async function loadPalette() {
  palette = await (await fetch("palette")).json();
}

/** Colour `index` for the paper that is shown. */
export function paletteColour(index) {
  const colours = dark.matches ? palette.dark : palette.light;
  return colours[index % colours.length];
}

/** Indices by the angle at which routes lie around the depot, as the pictures number them: neighbours differ most. */
function aroundDepot(instance, routes) {
  const { x, y, depot } = instance;
  const angles = routes.map((route) => Math.atan2(
    route.reduce((sum, node) => sum - (y[node] - y[depot]), 0), route.reduce((sum, node) => sum + x[node] - x[depot], 0)));
  const colours = new Array(routes.length);
  routes.map((_, i) => i).sort((a, b) => angles[a] - angles[b]).forEach((route, colour) => (colours[route] = colour));
  return colours;
}

/** Keeps the colours of routes while a search changes them. */
export class RouteColours {
  constructor() {
    this.clear();
  }

  clear() {
    this.ofNode = new Map();
  }

  /** An index for each route: the colour of most of its nodes, where no other route has a better claim. */
  match(instance, routes) {
    if (instance.depot < 0) return routes.map(() => 0);
    if (!this.ofNode.size) return aroundDepot(instance, routes);
    const claims = routes.flatMap((route, i) => {
      const counts = new Map();
      for (const node of route) {
        const colour = this.ofNode.get(node);
        if (colour !== undefined) counts.set(colour, (counts.get(colour) ?? 0) + 1);
      }
      return Array.from(counts, ([colour, count]) => ({ route: i, colour, count }));
    }).sort((a, b) => b.count - a.count);
    const colours = new Array(routes.length), taken = new Set();
    for (const { route, colour } of claims) {
      if (colours[route] !== undefined || taken.has(colour)) continue;
      colours[route] = colour;
      taken.add(colour);
    }
    let free = 0;
    return Array.from(colours, (colour) => {
      if (colour !== undefined) return colour;
      while (taken.has(free)) ++free;
      taken.add(free);
      return free;
    });
  }

  remember(routes, colours) {
    routes.forEach((route, i) => route.forEach((node) => this.ofNode.set(node, colours[i])));
  }
}
