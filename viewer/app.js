// The page: connects the controls, the live search or the replay, and the pictures.
import { showFrame, showInstance, showResult } from "./facts.js";
import { listen, recordedLog, request, sendInstance } from "./live.js";
import { Replay } from "./replay.js";
import { TourView } from "./tour_view.js";
import { TrajectoryView } from "./trajectory_view.js";

const MAX_FILE = 16 * 1024 * 1024, MAX_LOG = 256 * 1024 * 1024;
const element = (id) => document.getElementById(id);
const current = new TourView(element("current"));
const best = new TourView(element("best"));
const trajectory = new TrajectoryView(element("trajectory"));

// instance: what is shown. live: the search of the program. replay: a recorded search, which then hides the live one.
const state = { phase: "connecting", instance: null, live: { visits: [], best: [], run: null }, replay: null, index: 0 };

function message(text) {
  element("message").textContent = text ?? "";
  element("message").hidden = !text;
}

function showPhase(phase) {
  state.phase = phase;
  element("phase").textContent = phase;
  element("phase").dataset.phase = phase;
  const active = phase === "running" || phase === "paused";
  element("start").textContent = state.replay ? "Play" : active ? "Restart" : "Start";
  element("pause").textContent = phase === "paused" ? "Go on" : "Pause";
  element("start").disabled = !state.instance || (state.replay && phase === "running");
  element("pause").disabled = !active;
  element("step").disabled = !state.instance || phase === "done";
  element("stop").disabled = !active;
  for (const id of ["download-solution", "download-picture", "download-instance"])
    element(id).setAttribute("aria-disabled", String(!state.instance || Boolean(state.replay) ||
      (id === "download-solution" && !state.live.best.length)));
}

function openInstance(instance) {
  state.instance = instance;
  if (innerWidth < 600) element("instance-panel").open = false;  // on a phone the tours come first
  showInstance(instance);
  current.show(instance, []);
  best.show(instance, []);
  trajectory.show([], 1);
}

function draw(frame, bestTour, visits, totalSteps, marked = null) {
  showFrame(state.instance, frame, bestTour, totalSteps);
  current.show(state.instance, frame.tour, frame.step > 0 ? frame.before : null, frame.step > 0 ? frame.anchor : -1);
  best.show(state.instance, bestTour);
  const shownSteps = marked === null ? Math.min(totalSteps, Math.max(frame.step * 1.25, 50)) : totalSteps;
  trajectory.show(visits, shownSteps, marked);
  if (state.phase !== "running") trajectory.describe(visits);
}

// The live search. ---------------------------------------------------------------------------------------------------

const live = {
  instance(instance) {
    closeReplay();
    Object.assign(state.live, { visits: [], best: [], run: null });
    openInstance(instance);
  },
  run(run) {
    Object.assign(state.live, { visits: [], best: [], run });
    element("fact-model").textContent = run.model || "solved exactly";
    element("fact-model").title = run.device;
    message(null);
  },
  frame(frame) {
    if (frame.whole) state.live.visits = [];
    state.live.visits.push(...frame.visits);
    if (frame.best) state.live.best = frame.best;
    state.live.frame = frame;
    if (!state.replay) draw(frame, state.live.best, state.live.visits, state.live.run.steps);
  },
  state({ phase, details }) {
    if (state.replay) return;
    showPhase(phase);
    if (phase === "failed") message(details.message);
    if (phase !== "done") return;
    showResult(details);
    if (state.live.frame) draw(state.live.frame, state.live.best, state.live.visits, details.steps || 1);
    showResult(details);
  },
  lost() {
    if (!state.replay) showPhase("disconnected");
  },
};

const attempt = (action) => action().then(() => true, (error) => (message(error.message), false));
const control = (object) => attempt(() => request("control", object));

const startSearch = (paused) => attempt(() => request("start", {
  steps: element("steps").valueAsNumber,
  copies: element("copies").valueAsNumber,
  seed: element("seed").valueAsNumber,
  speed: Number(element("speed").value),
  paused,
}));

// The replay. --------------------------------------------------------------------------------------------------------

function openReplay(text) {
  const replay = new Replay(text);
  state.replay = replay;
  openInstance(replay.instance);
  element("replay").hidden = false;
  element("slider").max = String(replay.length);
  element("fact-model").textContent = replay.header.model || "–";
  message(replay.hasTours ? null : "Recorded without tours: only costs can be shown. Record with --trace-tours to see them.");
  showPhase("paused");
  showReplay(0);
}

function closeReplay() {
  state.replay = null;
  element("replay").hidden = true;
}

function showReplay(index) {
  const { replay } = state;
  state.index = Math.max(0, Math.min(index, replay.length));
  element("slider").value = String(state.index);
  element("slider-step").textContent = `${state.index} of ${replay.length}`;
  const frame = replay.frame(state.index);
  draw(frame, frame.best, replay.visits, replay.length, state.index);
}

async function playReplay() {
  if (state.index >= state.replay.length) showReplay(0);
  showPhase("running");
  let last = performance.now(), owed = 0;
  while (state.replay && state.phase === "running") {
    const now = await new Promise(requestAnimationFrame);
    owed += ((now - last) / 1000) * (Number(element("speed").value) || 1000);
    last = now;
    const whole = Math.floor(owed);
    owed -= whole;
    if (whole > 0 && state.replay && state.phase === "running") showReplay(state.index + whole);
    if (state.replay && state.index >= state.replay.length) showPhase("paused");
  }
}

// The controls. ------------------------------------------------------------------------------------------------------

async function openFile(file) {
  const isLog = file.name.endsWith(".jsonl");
  if (file.size > (isLog ? MAX_LOG : MAX_FILE)) return message(`${file.name}: too large to look at`);
  const text = await file.text();
  if (isLog) return attempt(async () => openReplay(text));
  if (await attempt(() => sendInstance(text))) message(null);
}

function pauseOrGoOn() {
  if (state.replay) return state.phase === "running" ? showPhase("paused") : playReplay();
  if (state.phase === "running") control({ action: "pause" });
  if (state.phase === "paused") control({ action: "resume" });
}

function oneStep() {
  if (state.replay) return showPhase("paused"), showReplay(state.index + 1);
  if (state.phase === "running" || state.phase === "paused") control({ action: "step" });
  else startSearch(true);
}

function stop() {
  if (state.replay) return showPhase("paused"), showReplay(0);
  if (state.phase === "running" || state.phase === "paused") control({ action: "stop" });
}

element("file").addEventListener("change", (event) => {
  if (event.target.files[0]) openFile(event.target.files[0]);
  event.target.value = "";
});
element("instance-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const wish = { problem: element("problem").value, size: element("size").valueAsNumber,
                 seed: element("instance-seed").valueAsNumber };
  if (await attempt(() => request("generate", wish))) message(null);
});
element("search-form").addEventListener("submit", (event) => {
  event.preventDefault();
  if (state.replay) playReplay();
  else startSearch(false);
});
element("pause").addEventListener("click", pauseOrGoOn);
element("step").addEventListener("click", oneStep);
element("stop").addEventListener("click", stop);
element("speed").addEventListener("change", (event) => {
  if (!state.replay) control({ speed: Number(event.target.value) });
});
element("slider").addEventListener("input", (event) => {
  showPhase("paused");
  showReplay(event.target.valueAsNumber);
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") return stop();
  if (/^(INPUT|SELECT|BUTTON|A)$/.test(event.target.tagName)) return;
  if (event.key === " ") pauseOrGoOn();
  else if (event.key === ".") oneStep();
  else return;
  event.preventDefault();
});

for (const name of ["dragover", "dragleave", "drop"])
  document.addEventListener(name, (event) => {
    event.preventDefault();
    element("drop-hint").hidden = name !== "dragover";
    const file = event.dataTransfer?.files[0];
    if (name === "drop" && file) openFile(file);
  });

showPhase("connecting");
const recorded = await recordedLog();
if (recorded) await attempt(async () => openReplay(recorded));
listen(live);
