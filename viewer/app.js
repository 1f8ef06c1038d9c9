// The page: connects the controls, the live search or the replay, and the pictures.
import { loadPalette, RouteColours } from "./colours.js";
import { DayView, timeText } from "./day_view.js";
import { routesTooMany, showFrame, showInstance, showSummary } from "./facts.js";
import { routesOf } from "./geometry.js";
import { listen, recordedLog, request } from "./live.js";
import { Player } from "./player.js";
import { Replay } from "./replay.js";
import { setUpStartPage } from "./start_page.js";
import { TourView } from "./tour_view.js";
import { TrajectoryView } from "./trajectory_view.js";

const element = (id) => document.getElementById(id);
const current = new TourView(element("current"));
const best = new TourView(element("best"));
const trajectory = new TrajectoryView(element("trajectory"));
const day = new DayView(element("day-canvas"));
const colours = new RouteColours();

// live: the search of the program. player: a recorded search, which then hides the live one. choosing: the start page is
// shown though there is an instance. shown: the instance in the pictures. watched: {view, node} of the route whose day is
// shown, or null.
const state = { live: { phase: "connecting" }, player: null, choosing: false, shown: null, bestTour: null, watched: null };

const MANY_NODES = 250;  // a random start of more is never disentangled while somebody watches

function message(text, kind = "error") {
  element("message").textContent = text ?? "";
  element("message").dataset.kind = kind;
  element("message").hidden = !text;
}

const chosenSpeed = () => Number(element("speed").value);

function phaseNow() {
  if (state.player) return state.player.playing ? "running" : "paused";
  return state.live.phase;
}

const PLAY = { running: "Pause", paused: "Go on", done: "Start again", failed: "Start again" };

/** The program hands out feasible solutions only. */
function offerSolution() {
  const { instance, best, result } = state.live;
  const feasible = best?.length && !routesTooMany(instance, best) && result?.verified !== false;
  element("download-solution").setAttribute("aria-disabled", String(!feasible));
}

/** What can be seen and pressed now. */
function refresh() {
  const { player, live } = state, phase = phaseNow();
  const active = phase === "running" || phase === "paused";
  const welcome = state.choosing || (!player && phase === "empty");
  element("welcome").hidden = !welcome;
  element("workspace").hidden = welcome || !state.shown;
  element("back").hidden = !state.shown;
  element("choose").hidden = welcome || !state.shown;
  element("instance-name").hidden = welcome;
  element("phase").textContent = player ? "replay" : phase;
  element("phase").dataset.phase = phase;
  element("phase").hidden = welcome && phase !== "disconnected";

  element("play").textContent = player
    ? (player.playing ? "Pause" : player.ended && player.index ? "Play again" : "Play") : PLAY[phase] ?? "Start";
  element("play").disabled = element("step").disabled = !state.shown || phase === "disconnected";
  element("step").disabled ||= phase === "done" || Boolean(player?.ended);
  element("stop").disabled = !active;
  element("settings-hint").hidden = !active;
  element("leave-replay").hidden = !player || !live.instance;
  for (const id of ["stop", "settings", "downloads", "progress"]) element(id).hidden = Boolean(player);
  element("slider").hidden = !player;
  offerSolution();
  if (!active) trajectory.describe();
}

/** Where there is room for one tour only, the one to look at. */
function showOnPhone(view) {
  const figure = view.canvas.closest("figure");
  figure.parentElement.scrollLeft = figure.offsetLeft;
}

function openInstance(instance) {
  state.shown = instance;
  state.choosing = false;
  state.bestTour = null;
  colours.clear();
  showInstance(instance);
  current.show(instance, [], []);
  best.show(instance, [], []);
  trajectory.show([], 1);
  element("regions-switch").hidden = true;
  state.watched = null;
  element("day").hidden = true;
}

/** The day of the route that goes through the watched node, as the tour is now. */
function showDay() {
  const { view, node } = state.watched ?? {};
  const index = view ? view.routes.findIndex((route) => route.includes(node)) : -1, route = view?.days?.[index];
  if (!route) return;
  const waits = route.stops.reduce((sum, stop) => sum + stop.start - stop.arrival, 0);
  const late = route.stops.filter((stop) => stop.late > 0).length;
  element("day-facts").textContent = `${route.stops.length} stops, from ${timeText(route.departure)} to ` +
    `${timeText(route.back)}, waits ${timeText(waits)}` + (late ? `, ${late} late` : "") + (route.late > 0 ? ", back late" : "");
  element("day").hidden = false;
  day.show(state.shown, route, view.colours[index]);
}

/** Watches the route under the pointer; what was watched stays where there is none. */
function watchAt(view, event) {
  const index = state.shown ? view.routeAt(event.offsetX, event.offsetY) : -1;
  if (index < 0 || !view.days.length) return;
  state.watched = { view, node: view.routes[index][0] };
  showDay();
}

/** run: {totalSteps, copies}; regions: lists of nodes to shade; marked: the step that a replay stands at, or null. */
function draw(frame, bestTour, visits, run, { regions = [], marked = null } = {}) {
  const instance = state.shown;
  showFrame(instance, frame, bestTour, { ...run, speed: chosenSpeed() });
  const bestRoutes = routesOf(bestTour, instance.depot);
  if (bestTour !== state.bestTour) {
    state.bestTour = bestTour;
    state.bestColours = colours.match(instance, bestRoutes);
    colours.remember(bestRoutes, state.bestColours);
  }
  best.show(instance, bestTour, state.bestColours);
  current.show(instance, frame.tour, colours.match(instance, routesOf(frame.tour, instance.depot)), {
    before: frame.step > 0 ? frame.before : [],
    k: frame.k,
    anchor: frame.anchor,
    regions: element("show-regions").checked ? regions : [],
  });
  if (regions.length) element("regions-switch").hidden = false;
  if (state.watched) requestAnimationFrame(showDay);  // once the tours are drawn
  const shownSteps = marked === null ? Math.min(run.totalSteps, Math.max(frame.step * 1.25, 50)) : run.totalSteps;
  trajectory.show(visits, shownSteps, instance.reference ?? null, marked);
}

// The live search. ---------------------------------------------------------------------------------------------------

/** Draws the live search as it is, its result when there is one. */
function drawLive() {
  const { live } = state;
  if (state.player || !live.instance) return;
  const { frame, run, result } = live;
  element("fact-model").textContent = run ? run.model || "none needed" : "–";
  element("fact-model").title = run?.device ?? "";
  element("summary").hidden = !result;
  if (frame) draw(frame, live.best, live.visits, { totalSteps: result?.steps || run.steps, copies: run.copies }, { regions: live.regions });
  if (result)
    showSummary(live.instance, { ...result, copies: run.copies, stoppedBy: result.stopped_by,
                                 startCost: live.visits[0]?.[2] ?? null });
}

/** The settings of the search that runs, in every window. */
function adoptSettings({ steps, copies, seed, start }) {
  for (const [id, value] of Object.entries({ steps, copies, seed, start })) element(id).value = value;
}

function adoptSpeed(speed) {
  const select = element("speed");
  if (![...select.options].some((option) => Number(option.value) === speed)) select.add(new Option(`${speed} steps/s`, speed));
  select.value = String(speed);
}

const handlers = {
  instance(instance) {
    state.player?.pause();
    state.player = null;
    state.live = { phase: "ready", instance, visits: [], best: [], regions: [] };
    openInstance(instance);
    element("start").value = instance.size > MANY_NODES ? "auto" : "random";
    message(instance.notes.join(" "), "note");
    refresh();
  },
  run(run) {
    const { instance } = state.live;
    state.live = { phase: "running", instance, run, visits: [], best: [], regions: [] };
    adoptSettings(run);
    if (state.player) return;
    colours.clear();
    showOnPhone(current);
  },
  frame(frame) {
    const { live } = state;
    if (frame.whole) live.visits = [];
    live.visits.push(...frame.visits);
    if (frame.best) live.best = frame.best;
    live.frame = frame;
    drawLive();
    offerSolution();
  },
  regions(regions) {
    state.live.regions = regions;
    drawLive();
  },
  state({ phase, speed, details }) {
    const { live } = state;
    live.phase = phase;
    live.result = phase === "done" ? details : null;
    if (live.run) adoptSpeed(speed);
    if (phase === "failed" && !state.player) message(details.message);
    if (phase === "done") {
      showOnPhone(best);
      colours.clear();  // at rest, the colours are those of the picture to be saved
      state.bestTour = null;
    }
    drawLive();
    refresh();
  },
  lost() {
    state.live.phase = "disconnected";
    refresh();
  },
};

/** Runs what may fail and says why it did; true when it did not. */
function attempt(action) {
  if (element("message").dataset.kind === "error") message(null);
  return action().then(() => true, (error) => (message(error.message), false));
}
const control = (object) => attempt(() => request("control", object));

function startSearch(paused) {
  if (!element("settings").reportValidity()) return;
  attempt(() => request("start", {
    steps: element("steps").valueAsNumber,
    copies: element("copies").valueAsNumber,
    seed: element("seed").valueAsNumber,
    start: element("start").value,
    speed: chosenSpeed(),
    paused,
  }));
}

// The replay. --------------------------------------------------------------------------------------------------------

function openReplay(text) {
  const replay = new Replay(text);
  state.player?.pause();
  state.player = new Player(replay, { speed: chosenSpeed, changed: refresh, show: (index) => showReplay(replay, index) });
  openInstance(replay.instance);
  element("slider").max = String(replay.length);
  element("fact-model").textContent = replay.header.model || "–";
  state.player.go(0);
  if (!replay.hasTours) throw new Error("Recorded without tours: only costs can be shown. Record with --trace-tours to see them.");
}

function showReplay(replay, index) {
  element("slider").value = String(index);
  const frame = replay.frame(index), copies = replay.header.copies ?? 1;
  draw(frame, frame.best, replay.visits, { totalSteps: replay.length, copies }, { marked: index });
  element("summary").hidden = true;
  if (index === replay.length && replay.result)
    showSummary(replay.instance, { ...replay.result, copies, stoppedBy: replay.result.stopped_by,
                                   startCost: replay.visits[0][2], verified: replay.result.feasible });
  refresh();
}

function leaveReplay() {
  state.player.pause();
  state.player = null;
  openInstance(state.live.instance);
  drawLive();
  refresh();
}

// The controls. ------------------------------------------------------------------------------------------------------

function play() {
  const { player } = state;
  if (player) return player.playing ? player.pause() : void player.play();
  const phase = phaseNow();
  if (phase === "running") control({ action: "pause" });
  else if (phase === "paused") control({ action: "resume" });
  else startSearch(false);
}

function oneStep() {
  const { player } = state, phase = phaseNow();
  if (player) return player.pause(), player.go(player.index + 1);
  if (phase === "running" || phase === "paused") control({ action: "step" });
  else startSearch(true);
}

function stop() {
  if (state.choosing && state.shown) return choose(false);
  if (state.player) return state.player.pause();
  if (state.live.phase === "running" || state.live.phase === "paused") control({ action: "stop" });
}

function choose(choosing) {
  state.choosing = choosing;
  refresh();
}

for (const [id, action] of Object.entries({ play, step: oneStep, stop, "leave-replay": leaveReplay,
                                            choose: () => choose(true), back: () => choose(false) }))
  element(id).addEventListener("click", action);
element("settings").addEventListener("submit", (event) => {
  event.preventDefault();
  startSearch(false);
});
element("speed").addEventListener("change", () => {
  if (!state.player) control({ speed: chosenSpeed() });
});
element("show-regions").addEventListener("change", drawLive);
for (const view of [current, best])
  for (const name of ["pointermove", "pointerdown"]) view.canvas.addEventListener(name, (event) => watchAt(view, event));
element("slider").addEventListener("input", (event) => {
  state.player.pause();
  state.player.go(event.target.valueAsNumber);
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") return stop();
  if (element("workspace").hidden || /^(INPUT|SELECT|BUTTON|A)$/.test(event.target.tagName)) return;
  if (event.key === " ") play();
  else if (event.key === ".") oneStep();
  else return;
  event.preventDefault();
});

const replayFile = (text, name) => {
  try {
    openReplay(text);
  } catch (error) {
    throw new Error(`${name}: ${error.message}`);
  }
};
setUpStartPage({ attempt, replay: replayFile, start: () => startSearch(false) });
await loadPalette();
const recorded = await recordedLog();
if (recorded) await attempt(async () => openReplay(recorded));
refresh();
listen(handlers);
