// The numbers beside the pictures. Names come from files: they are set as text, never as markup.
import { costText, routesOf } from "./geometry.js";

const element = (id) => document.getElementById(id);
const write = (id, text) => (element(id).textContent = text);

export function showInstance(instance) {
  const kind = `${instance.problem.toUpperCase()}, ${instance.size} ${instance.depot < 0 ? "nodes" : "customers"}`;
  write("instance-name", `${instance.name || "unnamed"} · ${kind}`);
  document.body.dataset.problem = instance.problem;
  element("known-key").hidden = !instance.reference;
  for (const id of ["current-cost", "best-cost", "best-gap"]) write(id, "");
  for (const id of ["speed", "k", "augmentations", "feasible", "routes", "model"]) write("fact-" + id, "–");
  write("fact-step", "0");
  element("progress").value = 0;
  element("k-bars").replaceChildren();
  element("summary").hidden = true;
}

function showExchangeSizes(counts) {
  const bars = element("k-bars");
  const total = counts.reduce((sum, count) => sum + count, 0) || 1;
  const sizes = counts.map((count, k) => [k, count]).filter(([k, count]) => k > 0 && count > 0);
  while (bars.children.length > sizes.length) bars.lastChild.remove();
  sizes.forEach(([k, count], i) => {
    let label = bars.children[i];
    if (!label) {
      label = document.createElement("label");
      label.append(document.createElement("span"), document.createElement("meter"), document.createElement("span"));
      bars.append(label);
    }
    label.firstChild.textContent = k === 1 ? "none" : String(k);
    label.children[1].value = count / total;
    label.lastChild.textContent = `${Math.round((100 * count) / total)} %`;
  });
}

const percent = (share) => `${(100 * share).toFixed(2).replace(/^-(0\.00)$/, "$1").replace("-", "−")} %`;
const gapOf = (instance, cost) => (instance.reference > 0 && cost !== null ? cost / instance.reference - 1 : null);

/** Steps a second: the speed chosen, or what the machine reaches where that is less. possible: null when unknown. */
function speedText(chosen, possible) {
  const speed = chosen > 0 ? Math.min(chosen, possible ?? chosen) : possible;
  if (!speed) return "–";
  return `${speed < 10 ? Number(speed.toFixed(1)) : Math.round(speed)} ${speed === 1 ? "step/s" : "steps/s"}`;
}

/** Routes of a tour beyond the vehicles that there are, where their number is bounded. */
export const routesTooMany = (instance, tour) =>
  instance.vehicles > 0 ? Math.max(routesOf(tour, instance.depot).length - instance.vehicles, 0) : 0;

function routesText(instance, tour) {
  const tooMany = routesTooMany(instance, tour);
  return `${routesOf(tour, instance.depot).length}` + (tooMany ? ` (${tooMany} too many)` : "");
}

/** copies: searches side by side; speed: the chosen one. */
export function showFrame(instance, frame, best, { totalSteps, copies, speed }) {
  write("current-cost", costText(frame.cost) + (frame.violation > 0 ? (instance.windows ? " (not feasible)" : " (over capacity)") : ""));
  const tooMany = routesTooMany(instance, best);
  write("best-cost", costText(frame.best_cost) + (tooMany ? " (too many routes)" : ""));
  const gap = tooMany ? null : gapOf(instance, frame.best_cost);
  write("best-gap", gap === null ? "" : `${gap >= 0 ? "+" : ""}${percent(gap)}`);
  write("fact-step", `${frame.step} of ${totalSteps}`);
  element("progress").value = totalSteps ? frame.step / totalSteps : 0;
  write("fact-speed", speedText(speed, frame.steps_per_second ? frame.steps_per_second / copies : null));
  write("fact-k", frame.k > 1 ? String(frame.k) : frame.k === 1 ? "none" : "–");
  write("fact-augmentations", String(frame.augmentations));
  write("fact-feasible", `${(100 * frame.feasible_share).toFixed(1)} %`);
  write("fact-routes", best.length ? routesText(instance, best) : "–");
  showExchangeSizes(frame.k_counts);
}

const TITLES = { exact: "Solved to optimality", interrupt: "Stopped" };
const FINDINGS_SHOWN = 3;

function findingsText(findings) {
  const more = findings.length - FINDINGS_SHOWN;
  return findings.slice(0, FINDINGS_SHOWN).join("; ") + (more > 0 ? `; and ${more} more` : "");
}

/**
 * What the search achieved. startCost and seconds are null where they are unknown; verified: whether the program found
 * the answer to be feasible; findings: what is wrong with it otherwise, in words, [] where that is unknown.
 */
export function showSummary(instance, { cost, steps, copies, seconds, startCost, stoppedBy, verified, findings = [] }) {
  const gap = verified ? gapOf(instance, cost) : null;  // what breaks the rules is no better or worse than the best known
  element("summary").dataset.verdict = verified ? "good" : "bad";
  write("summary-title", verified ? TITLES[stoppedBy] ?? "Done" : "No feasible solution found");
  write("summary-cost", costText(cost));
  element("summary-verified").hidden = !verified;
  element("summary-infeasible").hidden = verified;
  element("summary-findings").hidden = verified || !findings.length;
  write("summary-findings", findingsText(findings));
  element("summary-gap-row").hidden = gap === null;
  write("summary-gap", gap === null ? "" : percent(gap));
  element("summary-gain-row").hidden = !(startCost > 0);
  write("summary-gain", startCost > 0 ? percent(1 - cost / startCost) : "");
  write("summary-steps", stoppedBy === "exact" ? "none needed" : copies > 1 ? `${steps} in each of ${copies} searches` : String(steps));
  element("summary-time-row").hidden = seconds === null;
  write("summary-time", seconds === null ? "" : `${seconds.toFixed(seconds < 10 ? 2 : 1)} s`);
  element("summary").hidden = false;
}
