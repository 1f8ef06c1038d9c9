// The viewer in a real browser. Usage: node viewer_test.mjs PROGRAM MODEL FOLDER (of the model's problem: CVRP)
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { coloursOf, dropFile, isInWindow, launchBrowser, neuopt, openPage, startViewer, stopViewers, text, visibleTexts,
         waitForPhase, waitForText } from "./program.mjs";

const [program, model, folder] = process.argv.slice(2);
let browser, viewer;

const file = (name) => join(folder, name);
const field = (page, id, value) => page.fill("#" + id, String(value));
const stepOf = async (page) => parseInt(await text(page, "#fact-step"), 10);

async function download(page, selector) {
  const [item] = await Promise.all([page.waitForEvent("download"), page.click(selector)]);
  const path = file(item.suggestedFilename());
  await item.saveAs(path);
  return path;
}

async function generate(page, problem, size) {
  if (await page.isVisible("#choose")) await page.click("#choose");
  await page.selectOption("#problem", problem);
  await field(page, "size", size);
  await page.click("#generate");
  await waitForText(page, "#instance-name", (found) => found.includes(`, ${size} `));
}

before(async () => {
  mkdirSync(folder, { recursive: true });
  await neuopt(program, "generate", "cvrp", "--size", "20", "--seed", "5", "--output", file("small.vrp"));
  viewer = await startViewer(program, file("small.vrp"), "--model", model);
  browser = await launchBrowser();
});

after(async () => {
  await browser?.close();
  const { code, printed } = await viewer.stop();
  await stopViewers();
  assert.equal(code, 0);
  assert.equal(printed.trim(), viewer.url, "the URL is the only line on standard output");
});

test("solves a small instance to the end, and the page says what the verifier says", async () => {
  const page = await openPage(browser, viewer.url);
  await waitForPhase(page, "ready");
  assert.match(await text(page, "#instance-name"), /CVRP, 20 customers/);
  assert.equal(await page.isVisible("#summary"), false);
  await field(page, "steps", 60);
  await field(page, "copies", 2);
  await page.selectOption("#speed", "0");
  await page.click("#play");
  await waitForPhase(page, "done");
  assert.equal(await text(page, "#fact-step"), "60 of 60");
  const solution = await download(page, "#download-solution");
  const verdict = JSON.parse(await neuopt(program, "verify", file("small.vrp"), solution, "--json"));
  assert.equal(verdict.feasible, true);
  for (const cost of ["#best-cost", "#summary-cost"]) {
    const shown = parseFloat(await text(page, cost));
    assert.ok(Math.abs(shown - verdict.cost) < 1e-4, `${shown} in ${cost}, ${verdict.cost} by the verifier`);
  }
  assert.equal(Number(await text(page, "#fact-routes")), verdict.routes.length ?? verdict.routes);
  assert.equal(await text(page, "#summary-steps"), "60 in each of 2 searches");
  assert.match(await text(page, "#summary-gain"), /^\d+\.\d\d %$/);
  assert.match(await text(page, "#summary-time"), /^\d+\.\d+ s$/);
  assert.equal(await page.isVisible("#summary-gap-row"), false, "no best known cost, no gap");
  for (const canvas of ["#current", "#best", "#trajectory"])
    assert.ok((await coloursOf(page, canvas)).size > 3, `${canvas} is blank`);
  const picture = readFileSync(await download(page, "#download-picture"), "utf8");
  const shown = await coloursOf(page, "#best");
  const palette = [...picture.split("@media")[0].matchAll(/\.r\d+\{color:(#[0-9a-f]{6})\}/g)].map((match) => match[1]);
  assert.equal(palette.length, verdict.routes.length ?? verdict.routes);
  for (const colour of palette) assert.ok(shown.has(colour), `the picture's ${colour} is not on the page`);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test("everything that matters is in a window of 1280 x 900", async () => {
  const page = await openPage(browser, viewer.url);
  await waitForPhase(page, "done");
  for (const id of ["play", "speed", "current", "best", "legend", "trajectory", "summary", "settings", "facts", "downloads", "choose"])
    assert.ok(await isInWindow(page, "#" + id), `${id} is not in the window`);
  const shot = await page.screenshot({ path: file("page.png") });
  assert.ok(shot.length > 20000, "the screenshot is blank");
  await page.context().close();
});

test("the start page offers examples and a place to drop files, on a desk and on a phone", async () => {
  const empty = await startViewer(program, "--model", model);
  for (const [name, viewport] of Object.entries({ desk: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } })) {
    const page = await openPage(browser, empty.url, { viewport });
    await page.waitForSelector("#welcome:not([hidden])");
    assert.equal(await page.isVisible("#workspace"), false);
    const pictures = await page.$$eval("#examples img", (images) => Promise.all(images.map(async (image) => {
      await image.decode().catch(() => {});
      return image.naturalWidth;
    })));
    assert.equal(pictures.length, 3);
    assert.ok(pictures.every((width) => width > 0), "an example has no picture");
    for (const selector of ["[data-example=tsp100]", "[data-example=cvrp100]", ".drop"])
      assert.ok(await isInWindow(page, selector), `${selector} is not in the window of the ${name}`);
    await page.screenshot({ path: file(`start-${name}.png`) });
    assert.deepEqual(page.problems, []);
    await page.context().close();
  }
  await empty.stop();
});

test("an example is one click away; its solution can be saved while it runs, and a second window follows", async () => {
  const page = await openPage(browser, viewer.url);
  await waitForPhase(page, "done");
  await field(page, "steps", 1000);
  await page.selectOption("#speed", "50");
  await page.click("#choose");
  await page.click("[data-example=cvrp60]");
  await waitForPhase(page, "running");
  assert.equal(await text(page, "#instance-name"), "cvrp60-blocks · CVRP, 60 customers");
  await waitForText(page, "#fact-speed", (found) => found === "50 steps/s");
  const solution = await download(page, "#download-solution");
  await page.selectOption("#speed", "20");
  await waitForText(page, "#fact-speed", (found) => found === "20 steps/s");
  await page.click("#play");
  await waitForPhase(page, "paused");
  const instance = await download(page, "#download-instance");
  assert.equal(JSON.parse(await neuopt(program, "verify", instance, solution, "--json")).feasible, true);

  await page.click("#stop");
  await waitForPhase(page, "done");
  assert.equal(await text(page, "#summary-title"), "Stopped");
  assert.match(await text(page, "#summary-gap"), /^−?\d+\.\d\d %$/, "an example has a best known cost");
  await field(page, "steps", 777);
  await field(page, "copies", 3);
  await field(page, "seed", 9);
  await page.selectOption("#speed", "5");
  await page.click("#play");
  await waitForPhase(page, "running");

  const second = await openPage(browser, viewer.url);
  await waitForPhase(second, "running");
  const settings = () => second.evaluate(() => ["steps", "copies", "seed", "start", "speed"].map((id) => document.getElementById(id).value));
  assert.deepEqual(await settings(), ["777", "3", "9", "random", "5"]);
  assert.match(await text(second, "#fact-step"), / of 777$/);
  await page.selectOption("#speed", "1");
  await waitForText(second, "#fact-speed", (found) => found === "1 step/s");
  assert.equal((await settings()).at(-1), "1");
  await second.click("#stop");
  await waitForPhase(page, "done");
  assert.deepEqual([...page.problems, ...second.problems], []);
  await page.context().close();
  await second.context().close();
});

test("a bad file gives a message with its name and leaves the page alive; a TSP hears nothing of capacities", async () => {
  const page = await openPage(browser, viewer.url);
  await waitForText(page, "#instance-name", (found) => found.includes("CVRP"));
  await dropFile(page, "bad town.vrp", "NAME : bad\nTYPE : CVRP\nDIMENSION : many\n");
  await page.waitForSelector("#message:not([hidden])");
  assert.match(await text(page, "#message"), /^bad town\.vrp:3: /);
  assert.match(await text(page, "#instance-name"), /60 customers/, "the instance before stays");
  await dropFile(page, "bad.jsonl", "{}\n");
  await waitForText(page, "#message", (found) => found.startsWith("bad.jsonl: not a search log"));
  await dropFile(page, "evil.tsp", "NAME : <img src=x onerror=alert(1)>\nTYPE : TSP\nCOLOUR : red\nDIMENSION : 3\n" +
    "EDGE_WEIGHT_TYPE : EUC_2D\nNODE_COORD_SECTION\n1 0 0\n2 3 0\n3 0 4\nEOF\n");
  await waitForText(page, "#instance-name", (found) => found.includes("TSP, 3 nodes"));
  assert.match(await text(page, "#message"), /^evil\.tsp:3: .*COLOUR/, "what is unusual is said");
  assert.match(await text(page, "#instance-name"), /<img src=x/, "a name is text");
  assert.equal(await page.locator("#instance-name img").count(), 0);
  await page.click("#play");
  await waitForPhase(page, "done");
  assert.equal(parseFloat(await text(page, "#best-cost")), 12);
  assert.equal(await text(page, "#summary-title"), "Solved to optimality");
  assert.doesNotMatch((await visibleTexts(page, "main")).join(" "), /feasib|capacity|route/i);
  await page.context().close();
});

test("an answer with more routes than vehicles is marked as not feasible, with the reason", async () => {
  const customers = Array.from({ length: 12 }, (_, i) => i + 2);
  const page = await openPage(browser, viewer.url);
  await waitForPhase(page, "done");
  await dropFile(page, "few.vrp", "NAME : few\nTYPE : CVRP\nDIMENSION : 13\nCAPACITY : 10\nVEHICLES : 5\n" +
    "EDGE_WEIGHT_TYPE : EUC_2D\nNODE_COORD_SECTION\n1 50 50\n" +
    customers.map((node) => `${node} ${(37 * node) % 100} ${(61 * node) % 100}\n`).join("") +
    "DEMAND_SECTION\n1 0\n" + customers.map((node) => `${node} 4\n`).join("") + "DEPOT_SECTION\n1\n-1\nEOF\n");
  await waitForText(page, "#instance-name", (found) => found.startsWith("few "));
  await field(page, "steps", 20);
  await field(page, "copies", 1);
  await page.selectOption("#speed", "0");
  await page.click("#play");
  await waitForPhase(page, "done");
  assert.deepEqual(await visibleTexts(page, "#summary h2, #summary .big span, #summary-findings"),
                   ["No feasible solution found", "✕ not feasible", "6 routes, 1 more than there are vehicles"]);
  assert.ok(await isInWindow(page, "#summary-findings"), "the reason is not in the window");
  assert.match(await text(page, "#best-cost"), / \(too many routes\)$/);
  assert.equal(await text(page, "#fact-routes"), "6 (1 too many)");
  assert.equal(await page.getAttribute("#download-solution", "aria-disabled"), "true", "there is no solution to save");
  await page.screenshot({ path: file("infeasible.png") });
  await page.click("#choose");
  await page.click("[data-example=cvrp60]");
  await waitForText(page, "#instance-name", (found) => found.startsWith("cvrp60"));
  await waitForPhase(page, "done");
  assert.deepEqual(await visibleTexts(page, "#summary h2, #summary .big span, #summary-findings"), ["Done", "✓ verified"]);
  assert.equal(await page.getAttribute("#download-solution", "aria-disabled"), "false");
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test("pauses, steps and goes on by keyboard", async () => {
  const page = await openPage(browser, viewer.url);
  await waitForPhase(page, "done");
  await generate(page, "cvrp", 30);
  await field(page, "steps", 100000);
  await page.selectOption("#speed", "20");
  await page.click("#step");
  await waitForPhase(page, "paused");
  await waitForText(page, "#fact-step", (found) => found.startsWith("0 of"));
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press(".");
  await page.keyboard.press(".");
  await waitForText(page, "#fact-step", (found) => found.startsWith("2 of"));
  await page.keyboard.press(" ");
  await waitForPhase(page, "running");
  await waitForText(page, "#fact-step", (found) => parseInt(found, 10) > 5);
  await page.keyboard.press(" ");
  await waitForPhase(page, "paused");
  const paused = await stepOf(page);
  await page.waitForTimeout(300);
  assert.ok((await stepOf(page)) <= paused + 1, "a paused search stands");
  await page.keyboard.press("Escape");
  await waitForPhase(page, "done");
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test("refuses a wrong token, another host and framing", async () => {
  const wrong = viewer.url.replace(/\/([0-9a-f])([0-9a-f]+)\/$/, (_, first, rest) => `/${first === "0" ? "1" : "0"}${rest}/`);
  const page = await openPage(browser, "about:blank");
  const response = await page.goto(wrong);
  assert.equal(response.status(), 403);
  assert.doesNotMatch(await response.text(), /neuopt viewer/);
  const right = await fetch(viewer.url);
  assert.equal(right.status, 200);
  const policy = right.headers.get("content-security-policy");
  assert.match(policy, /script-src 'self'/);
  assert.match(policy, /frame-ancestors 'none'/);
  assert.doesNotMatch(policy, /unsafe/);
  assert.equal(right.headers.get("access-control-allow-origin"), null);
  await page.context().close();
});

test("shades the regions in work, and leaves them out on request", async () => {
  const events = {
    instance: { name: "square", problem: "tsp", size: 4, depot: -1, capacity: 0, demand: [], x: [0, 1, 1, 0], y: [0, 0, 1, 1],
                reference: null, notes: [] },
    run: { copies: 1, seed: 1, steps: 10, start: "random", model: "", device: "" },
    state: { phase: "running", speed: 0, details: null },
    frame: { step: 1, cost: 4, best_cost: 4, violation: 0, k: 2, anchor: 0, tour: [0, 1, 2, 3], before: [0, 1, 2, 3],
             augmentations: 0, feasible_share: 1, steps_per_second: 1, seconds: 1, k_counts: [0, 0, 1],
             visits: [[1, 4, 4, 1]], whole: true, best: [0, 1, 2, 3] },
    regions: [[0, 1, 2], [3]],
  };
  const page = await openPage(browser, "about:blank");
  await page.addInitScript((sent) => {  // a program that sends these events, in this order, and then is silent
    window.EventSource = class {
      addEventListener(name, handler) {
        const place = Object.keys(sent).indexOf(name);
        if (place >= 0) setTimeout(() => handler({ data: JSON.stringify(sent[name]) }), 50 * place);
      }
    };
  }, events);
  await page.goto(viewer.url);
  await page.waitForSelector("#regions-switch:not([hidden])");
  assert.equal(await page.getAttribute("#download-solution", "aria-disabled"), "false", "a frame brings a solution to save");
  const marks = () => page.$eval("#current", (canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return data.filter((value, i) => i % 4 === 3 && value > 0).length;
  });
  await page.waitForTimeout(200);
  const shaded = await marks();
  await page.click("#show-regions");
  await page.waitForTimeout(200);
  const bare = await marks();
  assert.ok(shaded > bare + 500, `${shaded} pixels with regions, ${bare} without`);
  await page.context().close();
});

test("replays a recorded search with one play button and a slider, on a phone, in the dark", async () => {
  await neuopt(program, "solve", file("small.vrp"), "--model", model, "--steps", "40", "--augment", "2",
    "--trace", file("trace.jsonl"), "--trace-tours", "--output", file("trace.sol"), "--quiet");
  const replay = await startViewer(program, file("trace.jsonl"));
  const page = await openPage(browser, replay.url, { viewport: { width: 390, height: 844 }, colorScheme: "dark" });
  await page.waitForSelector("#slider:not([hidden])");
  assert.deepEqual(await visibleTexts(page, "#transport button"), ["Play", "Step"]);
  for (const id of ["current", "play"]) assert.ok(await isInWindow(page, "#" + id), `${id} is not in the window`);
  const top = (id) => page.$eval("#" + id, (element) => element.getBoundingClientRect().top);
  assert.ok((await top("current")) < (await top("transport")), "the picture comes first");
  await page.fill("#slider", "40");
  assert.match(await text(page, "#fact-step"), /40 of 40/);
  const recorded = readFileSync(file("trace.jsonl"), "utf8").trim().split("\n").map((line) => JSON.parse(line));
  assert.ok(Math.abs(parseFloat(await text(page, "#best-cost")) - recorded.at(-1).cost) < 1e-4);
  assert.ok(Math.abs(parseFloat(await text(page, "#summary-cost")) - recorded.at(-1).cost) < 1e-4);
  await page.fill("#slider", "7");
  assert.equal(await page.isVisible("#summary"), false);
  assert.equal(parseFloat(await text(page, "#current-cost")),
    Number(recorded.find((line) => line.type === "step" && line.copy === 0 && line.step === 7).cost.toFixed(4)));
  assert.ok((await coloursOf(page, "#current")).size > 3, "the tour is blank");
  await page.selectOption("#speed", "20");
  await page.click("#play");
  await waitForText(page, "#play", (found) => found === "Pause");
  await waitForText(page, "#fact-step", (found) => parseInt(found, 10) > 9);
  await page.click("#play");
  await waitForText(page, "#play", (found) => found === "Play");
  await page.selectOption("#speed", "0");
  await page.click("#play");
  await waitForText(page, "#play", (found) => found === "Play again");
  assert.equal(await stepOf(page), 40);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(overflow <= 0, `the page is ${overflow} pixels too wide for a phone`);
  await page.screenshot({ path: file("phone.png"), fullPage: true });
  assert.ok(statSync(file("phone.png")).size > 20000);
  assert.deepEqual(page.problems, []);
  await page.context().close();
  await replay.stop();
});

/** Moves the pointer over a picture until the day of a route is shown. */
async function findRoute(page, selector) {
  const box = await page.locator(selector).boundingBox();
  for (let y = 0.05; y < 1; y += 0.04)
    for (let x = 0.05; x < 1; x += 0.04) {
      await page.mouse.move(box.x + x * box.width, box.y + y * box.height);
      if (await page.isVisible("#day")) return;
    }
  throw new Error("no route under the pointer");
}

test("with time windows, the day of the route under the pointer", async () => {
  await neuopt(program, "generate", "vrptw", "--size", "8", "--seed", "3", "--output", file("windows.vrp"));
  const timed = await startViewer(program, file("windows.vrp"));
  const page = await openPage(browser, timed.url);
  await waitForPhase(page, "ready");
  assert.match(await text(page, "#instance-name"), /VRPTW, 8 customers/);
  assert.equal(await page.isVisible("#day"), false);
  await page.click("#play");
  await waitForPhase(page, "done");
  assert.deepEqual(await visibleTexts(page, "#legend .late"), ["served or back too late"]);
  await findRoute(page, "#best");
  const solution = await download(page, "#download-solution");
  const verdict = JSON.parse(await neuopt(program, "verify", file("windows.vrp"), solution, "--json"));
  assert.equal(verdict.feasible, true);
  const [, stops, from, to] = (await text(page, "#day-facts")).match(/^(\d+) stops, from ([\d.]+) to ([\d.]+), waits [\d.]+$/);
  const near = (a, b) => Math.abs(a - b) < 0.006;
  assert.ok(verdict.schedule.some((day) => day.stops.length === Number(stops) && near(day.departure, from) && near(day.back, to)),
            `no route of the solution has ${stops} stops from ${from} to ${to}`);
  await page.screenshot({ path: file("day.png") });
  const routeColours = await coloursOf(page, "#best");
  assert.ok([...await coloursOf(page, "#day-canvas")].some((colour) => routeColours.has(colour)), "the day is blank");
  assert.ok(await isInWindow(page, "#day"), "the day is not in the window");
  assert.deepEqual(page.problems, []);
  await page.context().close();
  await timed.stop();
});

/** Goes to the first step of a replay whose solution is not feasible. */
async function findInfeasibleStep(page) {
  for (let step = 1; step <= Number(await page.getAttribute("#slider", "max")); ++step) {
    await page.fill("#slider", String(step));
    await waitForText(page, "#fact-step", (found) => parseInt(found, 10) === step);
    if ((await text(page, "#current-cost")).includes("not feasible")) return;
  }
  throw new Error("all are feasible");
}

for (const colorScheme of ["light", "dark"])
  test(`on a phone, ${colorScheme}, a touch shows the day of a route, late stops in red`, async () => {
    const late = file("late.vrp"), log = file("late.jsonl");
    await neuopt(program, "generate", "vrptw", "--size", "12", "--seed", "3", "--output", late);
    // What is not feasible is late, then.
    writeFileSync(late, readFileSync(late, "utf8").replace(/^CAPACITY.*$/m, "CAPACITY: 1000"));
    await neuopt(program, "solve", late, "--start", "random", "--polish", "0", "--steps", "40", "--trace", log, "--trace-tours");
    const replay = await startViewer(program, log);
    const page = await openPage(browser, replay.url, { viewport: { width: 390, height: 844 }, hasTouch: true, colorScheme });
    await page.waitForSelector("#slider:not([hidden])");
    await findInfeasibleStep(page);
    const { x, y, width, height } = await page.locator("#current").boundingBox();
    const showsLate = async () => /late/.test(await text(page, "#day-facts"));
    for (let i = 0; i < 400 && !await showsLate(); ++i)
      await page.touchscreen.tap(x + width * (0.5 + i % 20) / 20, y + height * (0.5 + Math.floor(i / 20)) / 20);
    assert.ok(await showsLate(), "no day of a route that is late");
    const bad = await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue("--bad").trim());
    assert.ok((await coloursOf(page, "#day-canvas")).has(bad), `nothing in ${bad}`);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(overflow <= 0, `the page is ${overflow} pixels too wide for a phone`);
    await page.screenshot({ path: file(`day-phone-${colorScheme}.png`), fullPage: true });
    assert.deepEqual(page.problems, []);
    await page.context().close();
    await replay.stop();
  });
