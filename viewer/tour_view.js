// Draws a tour: routes in colours, those over capacity in red, the last exchange on top.
import { Drawing } from "./canvas.js";
import { exchangedEdges, isOverloaded, placement, routesOf } from "./geometry.js";

/** A hue for a route: kept from step to step by its first customer, and never red, which means too much load. */
const routeHue = (route) => 85 + ((Math.min(...route) * 160.69) % 260);  // steps by the golden section of the range

export class TourView extends Drawing {
  /** before and anchor are given where the last exchange is to be seen. */
  show(instance, tour, before = null, anchor = -1) {
    Object.assign(this, { instance, tour, before, anchor });
    this.redraw();
  }

  paint(context, width, height) {
    const { instance, tour } = this;
    if (!instance || !instance.x.length) return;
    const place = placement(instance, width, height, 14);
    context.lineJoin = context.lineCap = "round";
    const dot = Math.max(1.4, Math.min(5, 40 / Math.sqrt(instance.x.length)));
    this.paintRoutes(place, tour ?? [], dot);
    if (this.before?.length) this.paintExchange(context, place, dot);
    this.paintNodes(context, place, dot);
    if (this.anchor >= 0) this.ring(context, place(this.anchor), dot + 5);
  }

  paintRoutes(place, tour, dot) {
    const { instance } = this;
    const lightness = this.colour("route-lightness");
    for (const route of routesOf(tour, instance.depot)) {
      const over = isOverloaded(instance, route);
      const colour = over ? this.colour("bad")
        : instance.depot < 0 ? this.colour("plain")
        : `oklch(${lightness} 0.13 ${routeHue(route)})`;
      const nodes = instance.depot < 0 ? route : [instance.depot, ...route];
      this.line(nodes.map(place), colour, over ? 3.2 : Math.max(1.1, dot * 0.45), true);
    }
  }

  paintExchange(context, place, dot) {
    const { removed, added } = exchangedEdges(this.before, this.tour);
    context.setLineDash([5, 6]);
    for (const edge of removed) this.line(edge.map(place), this.colour("removed"), 2);
    context.setLineDash([]);
    for (const edge of added) this.line(edge.map(place), this.colour("added"), Math.max(3.2, dot));
  }

  paintNodes(context, place, dot) {
    const { instance } = this;
    context.fillStyle = this.colour("ink");
    instance.x.forEach((_, node) => {
      if (node === instance.depot) return;
      context.beginPath();
      context.arc(...place(node), dot, 0, 2 * Math.PI);
      context.fill();
    });
    if (instance.depot < 0) return;
    const [x, y] = place(instance.depot);
    context.fillRect(x - 7, y - 7, 14, 14);
    context.fillStyle = this.colour("card");
    context.fillRect(x - 3, y - 3, 6, 6);
  }

  ring(context, [x, y], radius) {
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.strokeStyle = this.colour("ink");
    context.lineWidth = 2;
    context.stroke();
  }
}
