// The numbers beside the pictures. Names come from files: they are set as text, never as markup.
import { costText, routesOf } from "./geometry.js";

const element = (id) => document.getElementById(id);

export function showInstance(instance) {
  const kind = instance.problem === "cvrp" ? `CVRP, ${instance.size} customers` : `TSP, ${instance.size} nodes`;
  element("instance-name").textContent = `${instance.name || "unnamed"} · ${kind}`;
  element("over-legend").hidden = instance.depot < 0;
  for (const id of ["current-cost", "best-cost"]) element(id).textContent = "";
  for (const id of ["speed", "k", "augmentations", "feasible", "routes", "model"])
    element("fact-" + id).textContent = "–";
  element("fact-step").textContent = "0";
  element("k-bars").replaceChildren();
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
      const meter = document.createElement("meter");
      label.append(meter, document.createElement("span"));
      bars.append(label);
    }
    label.firstChild.value = count / total;
    label.lastChild.textContent = `${k}: ${Math.round((100 * count) / total)} %`;
  });
}

export function showFrame(instance, frame, best, totalSteps) {
  const over = frame.violation > 0 ? " (over capacity)" : "";
  element("current-cost").textContent = costText(frame.cost) + over;
  element("best-cost").textContent = costText(frame.best_cost);
  element("fact-step").textContent = totalSteps ? `${frame.step} of ${totalSteps}` : String(frame.step);
  if (frame.steps_per_second !== undefined)
    element("fact-speed").textContent = `${Math.round(frame.steps_per_second)} steps/s`;
  element("fact-k").textContent = frame.k ? String(frame.k) : "–";
  element("fact-augmentations").textContent = String(frame.augmentations);
  element("fact-feasible").textContent = `${(100 * frame.feasible_share).toFixed(1)} %`;
  element("fact-routes").textContent = instance.depot < 0 ? "1 tour" : String(routesOf(best, instance.depot).length);
  showExchangeSizes(frame.k_counts);
}

/** The answer as the verifier has accepted it. */
export function showResult(result) {
  element("best-cost").textContent = costText(result.cost) + " ✓";
  element("best-cost").title = "verified";
}
