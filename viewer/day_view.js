// The day of one route: a line for each stop with its window, the drive to it, the wait and the service.
import { Drawing } from "./canvas.js";
import { paletteColour } from "./colours.js";

const TOP = 6, BOTTOM = 18, LEFT = 40, RIGHT = 10;

/** A time as people read it. */
export const timeText = (time) => String(Number(time.toFixed(2)));

export class DayView extends Drawing {
  /** day: of schedule.js, or null; colour: the route's in the palette. */
  show(instance, day, colour) {
    Object.assign(this, { instance, day, routeColour: colour });
    this.redraw();
  }

  paint(context, width, height) {
    const { instance, day } = this;
    if (!day) return;
    const [opens, closes] = instance.windows[instance.depot], end = Math.max(closes, day.back);
    const across = (time) => LEFT + ((time - opens) / (end - opens || 1)) * (width - LEFT - RIGHT);
    const row = (height - TOP - BOTTOM) / (day.stops.length + 1);
    this.context.textBaseline = "middle";
    this.context.font = `${Math.max(7, Math.min(11, row))}px system-ui, sans-serif`;
    let left = day.departure;
    day.stops.forEach((stop, i) => {
      this.paintStop(stop, across, TOP + (i + 0.5) * row, Math.min(row * 0.7, 12), left);
      left = stop.departure;
    });
    const y = TOP + (day.stops.length + 0.5) * row;
    this.label("back", y, row);
    this.line([[across(left), y], [across(day.back), y]], this.colour(day.late > 0 ? "bad" : "soft"), 1.5);
    this.paintAxis(across, height, opens, closes);
  }

  paintStop({ node, arrival, start, departure, late }, across, y, thick, left) {
    const { instance } = this, [opens, closes] = instance.windows[node];
    const bar = (from, to, colour, height, opacity) => this.faint(opacity, () => {
      this.context.fillStyle = colour;
      this.context.fillRect(across(from), y - height / 2, Math.max(across(to) - across(from), 1.5), height);
    });
    const colour = late > 0 ? this.colour("bad") : paletteColour(this.routeColour);
    this.label(String(node < instance.depot ? node + 1 : node), y, thick / 0.7);
    bar(Math.max(opens, instance.windows[instance.depot][0]), closes, this.colour("soft"), thick, 0.22);
    this.line([[across(left), y], [across(arrival), y]], this.colour("soft"), 1.5);
    this.context.setLineDash([2, 3]);
    this.line([[across(arrival), y], [across(start), y]], this.colour("soft"), 1.5);
    this.context.setLineDash([]);
    bar(start, departure, colour, thick * 0.7, 1);
  }

  label(text, y, row) {
    if (row < 7) return;
    this.context.textAlign = "right";
    this.context.fillStyle = this.colour("soft");
    this.context.fillText(text, LEFT - 6, y);
  }

  paintAxis(across, height, opens, closes) {
    const y = height - BOTTOM + 2;
    this.line([[across(opens), y], [across(closes), y]], this.colour("rule"), 1);
    this.context.fillStyle = this.colour("soft");
    this.context.font = "11px system-ui, sans-serif";
    for (const [time, align] of [[opens, "left"], [(opens + closes) / 2, "center"], [closes, "right"]]) {
      this.context.textAlign = align;
      this.context.fillText(timeText(time), across(time), height - 7);
    }
  }
}
