// Draws the cost of every solution visited, feasible ones as dots and infeasible ones as crosses, and the best so far.
import { Drawing } from "./canvas.js";
import { costText } from "./geometry.js";

const MARGIN = { left: 62, right: 12, top: 8, bottom: 22 };

/** Round numbers between two values, some `wanted` of them. */
function ticks(low, high, wanted) {
  const rough = (high - low) / wanted, power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((factor) => rough <= factor * power * (1 + 1e-9));
  const values = [];
  for (let i = Math.ceil(low / step); i * step <= high * (1 + 1e-12); ++i) values.push(i * step);
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return values.map((value) => [value, value.toFixed(decimals)]);
}

/** The range of costs to show: the first steps lie far above all others and would flatten them. */
function costRange(visits, known) {
  const costs = visits.map((visit) => visit[1]).filter((cost) => cost !== null).sort((a, b) => a - b);
  if (!costs.length) return [0, 1];
  const low = Math.min(costs[0], visits.at(-1)[2] ?? costs[0], known ?? Infinity);
  const usual = costs[Math.floor((costs.length - 1) * 0.95)];
  const high = usual > low ? Math.min(costs.at(-1), low + 2 * (usual - low)) : costs.at(-1);
  const space = (high - low || Math.abs(low) || 1) * 0.05;
  return [low - space, high + space];
}

export class TrajectoryView extends Drawing {
  /** visits: [step, cost, best, feasible] in order of steps. known: the best known cost, marked: a step to point at,
      either may be null. */
  show(visits, lastStep, known = null, marked = null) {
    Object.assign(this, { visits, lastStep, known, marked });
    this.redraw();
  }

  paint(context, width, height) {
    const visits = this.visits ?? [];
    if (!visits.length) return this.paintNothing(context, width, height);
    const [low, high] = costRange(visits, this.known);
    const end = Math.max(this.lastStep, 1);
    const x = (step) => MARGIN.left + (step / end) * (width - MARGIN.left - MARGIN.right);
    const y = (cost) => height - MARGIN.bottom - ((cost - low) / (high - low)) * (height - MARGIN.top - MARGIN.bottom);
    this.paintAxes(context, width, height, x, y, low, high, end);
    context.save();
    context.beginPath();
    context.rect(MARGIN.left, 0, width - MARGIN.left, height - MARGIN.bottom + 2);
    context.clip();
    this.paintVisits(context, visits, x, y);
    const best = [];
    for (const [step, , cost] of visits) {
      if (cost === null) continue;
      if (best.length) best.push([x(step), best.at(-1)[1]]);
      best.push([x(step), y(cost)]);
    }
    this.line(best, this.colour("plain"), 2);
    if (this.known !== null) {
      context.setLineDash([6, 5]);
      this.line([[x(0), y(this.known)], [x(end), y(this.known)]], this.colour("soft"), 1.4);
      context.setLineDash([]);
    }
    if (this.marked !== null) this.line([[x(this.marked), 0], [x(this.marked), height]], this.colour("soft"), 1);
    context.restore();
  }

  paintNothing(context, width, height) {
    context.font = "14px system-ui, sans-serif";
    context.fillStyle = this.colour("soft");
    context.textAlign = "center";
    context.fillText("Nothing visited yet", width / 2, height / 2);
  }

  paintAxes(context, width, height, x, y, low, high, end) {
    context.font = "12px system-ui, sans-serif";
    context.fillStyle = this.colour("soft");
    context.textBaseline = "middle";
    context.textAlign = "right";
    for (const [value, text] of ticks(low, high, Math.max(2, Math.min(7, height / 34)))) {
      this.line([[MARGIN.left, y(value)], [width - MARGIN.right, y(value)]], this.colour("rule"), 1);
      context.fillText(text, MARGIN.left - 7, y(value));
    }
    context.textAlign = "center";
    context.textBaseline = "alphabetic";
    for (const [value, text] of ticks(0, end, Math.max(2, Math.min(8, width / 110))))
      context.fillText(text, Math.min(x(value), width - 16), height - 6);
  }

  paintVisits(context, visits, x, y) {
    const size = visits.length > 600 ? 1.1 : visits.length > 150 ? 1.8 : 2.8;
    context.fillStyle = this.colour("good");
    context.strokeStyle = this.colour("bad");
    context.lineWidth = 1.1;
    context.beginPath();
    for (const [step, cost, , feasible] of visits) {
      const left = x(step), top = y(cost);
      if (feasible) {
        context.fillRect(left - size, top - size, 2 * size, 2 * size);
      } else {
        context.moveTo(left - size, top - size);
        context.lineTo(left + size, top + size);
        context.moveTo(left - size, top + size);
        context.lineTo(left + size, top - size);
      }
    }
    context.stroke();
  }

  describe() {
    const last = this.visits?.at(-1);
    const text = last ? `Step ${last[0]}: cost ${costText(last[1])}, best ${costText(last[2])}` : "No steps yet";
    this.canvas.setAttribute("aria-label", text);
  }
}
