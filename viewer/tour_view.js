// Draws a tour as the program's pictures do: routes in their colours, pale legs from and to the depot. In addition the
// last exchange, routes over capacity, customers that are served late and the regions in work.
import { Drawing } from "./canvas.js";
import { paletteColour } from "./colours.js";
import { distanceToLine, exchangedEdges, isOverloaded, placement, roundedHull, routesOf } from "./geometry.js";
import { dayOf, hasDays } from "./schedule.js";

const LEG = 0.42, AREA = 0.07;  // opacity of depot legs, and of the area of a TSP's tour
const REACH = 18;  // of the pointer, in pixels

export class TourView extends Drawing {
  /** colours: a palette index for each route of the tour. The rest is optional. before, k, anchor: where the last
      exchange is to be seen, that of k edges. regions: lists of nodes to shade. */
  show(instance, tour, colours, { before = [], k = 0, anchor = -1, regions = [] } = {}) {
    const exchange = before.length ? exchangedEdges(before, tour) : { removed: [], added: [] };
    // More edges have changed when the search returned to its best solution after the exchange.
    this.exchange = exchange.removed.length <= k ? { ...exchange, anchor } : null;
    Object.assign(this, { instance, tour, colours, regions });
    this.redraw();
  }

  paint(context, width, height) {
    const { instance } = this;
    if (!instance || !instance.x.length) return;
    const place = placement(instance, width, height, 14);
    context.lineJoin = context.lineCap = "round";
    this.dot = Math.max(1.4, Math.min(5, (0.085 * Math.min(width, height)) / Math.sqrt(instance.x.length)));
    this.routes = routesOf(this.tour ?? [], instance.depot);
    this.place = place;
    this.days = hasDays(instance) ? this.routes.map((route) => dayOf(instance, route)) : [];
    for (const region of this.regions) this.paintRegion(region.map(place));
    this.paintRoutes(place);
    if (this.exchange) this.paintExchange(context, place);
    this.paintNodes(context, place);
    for (const day of this.days) this.paintLate(context, day, place);
    if (this.exchange?.anchor >= 0) this.ring(context, place(this.exchange.anchor), this.dot + 5);
  }

  paintRegion(points) {
    const hull = roundedHull(points, this.dot + 6);
    this.faint(0.14, () => this.fill(hull, this.colour("region")));
    this.faint(0.55, () => this.line(hull, this.colour("region"), 1.2, true));
  }

  paintRoutes(place) {
    const { instance } = this;
    const depot = instance.depot < 0 ? null : place(instance.depot);
    const width = Math.max(1.1, Math.min(2.4, 0.55 * this.dot));
    const lines = this.routes.map((route) => route.map(place));
    lines.forEach((line, i) => {  // below all routes: a broad band, since any colour may be that of a route
      if (!isOverloaded(instance, this.routes[i])) return;
      this.faint(0.4, () => this.line([depot, ...line], this.colour("bad"), width + 7, true));
    });
    lines.forEach((line, i) => {
      const colour = paletteColour(this.colours[i]);
      if (!depot) {
        this.faint(AREA, () => this.fill(line, colour));
        return this.line(line, colour, width, true);
      }
      this.faint(LEG, () => {
        this.line([depot, line[0]], colour, width);
        if (line.length > 1) this.line([line.at(-1), depot], colour, width);
      });
      this.line(line, colour, width);
    });
  }

  /** Each edge with a border of paper, so that it is seen on any colour. */
  paintExchange(context, place) {
    const { removed, added } = this.exchange;
    const edge = (nodes, colour, width, dash) => {
      const line = nodes.map(place);
      context.setLineDash([]);
      this.line(line, this.colour("card"), width + 3);
      context.setLineDash(dash);
      this.line(line, colour, width);
      context.setLineDash([]);
    };
    for (const nodes of removed) edge(nodes, this.colour("removed"), 2, [4, 6]);
    for (const nodes of added) edge(nodes, this.colour("added"), 3, []);
  }

  paintNodes(context, place) {
    const { instance, routes } = this;
    const groups = routes.length ? routes.map((route, i) => [route, paletteColour(this.colours[i])])
      : [[instance.x.map((_, node) => node), this.colour("soft")]];
    context.strokeStyle = this.colour("card");
    context.lineWidth = Math.min(1.2, this.dot / 4);
    for (const [nodes, colour] of groups) {
      context.fillStyle = colour;
      context.beginPath();
      for (const node of nodes) {
        if (node === instance.depot) continue;
        const [x, y] = place(node), radius = this.radius(node);
        context.moveTo(x + radius, y);
        context.arc(x, y, radius, 0, 2 * Math.PI);
      }
      context.fill();
      context.stroke();
    }
    if (instance.depot >= 0) this.paintDepot(context, place(instance.depot));
  }

  /** Rings around those who are served late, and a dashed way back for a vehicle that is. */
  paintLate(context, day, place) {
    context.setLineDash([4, 3]);
    for (const { node } of day.stops.filter((stop) => stop.late > 0)) {
      context.beginPath();
      context.arc(...place(node), this.dot + 4, 0, 2 * Math.PI);
      context.strokeStyle = this.colour("bad");
      context.lineWidth = 2;
      context.stroke();
    }
    if (day.late > 0) this.line([place(day.stops.at(-1).node), place(this.instance.depot)], this.colour("bad"), 2);
    context.setLineDash([]);
  }

  /** The route at a place of the canvas, by its index; -1 where there is none. */
  routeAt(x, y) {
    const distances = (this.routes ?? []).map((route) => distanceToLine([x, y], route.map(this.place)));
    const nearest = distances.indexOf(Math.min(...distances));
    return nearest >= 0 && distances[nearest] <= REACH ? nearest : -1;
  }

  /** The area of a dot grows with the demand. */
  radius(node) {
    const { demand, depot } = this.instance;
    if (depot < 0) return this.dot;
    if (this.demandOf !== demand) Object.assign(this, { demandOf: demand, largest: demand.reduce((a, b) => Math.max(a, b), 0) });
    return this.dot * Math.sqrt(0.5 + (this.largest > 0 ? demand[node] / this.largest : 0.5));
  }

  paintDepot(context, [x, y]) {
    const square = (half, colour) => {
      context.fillStyle = this.colour(colour);
      context.fillRect(x - half, y - half, 2 * half, 2 * half);
    };
    square(8.5, "card");
    square(7, "ink");
    square(3, "card");
  }

  ring(context, [x, y], radius) {
    for (const [colour, width] of [["card", 5], ["ink", 2]]) {
      context.beginPath();
      context.arc(x, y, radius, 0, 2 * Math.PI);
      context.strokeStyle = this.colour(colour);
      context.lineWidth = width;
      context.stroke();
    }
  }
}
