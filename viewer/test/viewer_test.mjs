// The viewer in a real browser. Usage: node viewer_test.mjs PROGRAM MODEL FOLDER (of the model's problem: CVRP)
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { coloursOf, dropFile, launchBrowser, neuopt, openPage, startViewer, text, waitForPhase,
         waitForText } from "./program.mjs";

const [program, model, folder] = process.argv.slice(2);
let browser, viewer;

const file = (name) => join(folder, name);
const field = (page, id, value) => page.fill("#" + id, String(value));

async function download(page, selector) {
  const [item] = await Promise.all([page.waitForEvent("download"), page.click(selector)]);
  const path = file(item.suggestedFilename());
  await item.saveAs(path);
  return path;
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
  assert.equal(code, 0);
  assert.equal(printed.trim(), viewer.url, "the URL is the only line on standard output");
});

test("solves a small instance to the end, and the page says what the verifier says", async () => {
  const page = await openPage(browser, viewer.url);
  await waitForPhase(page, "ready");
  assert.match(await text(page, "#instance-name"), /CVRP, 20 customers/);
  await field(page, "steps", 60);
  await field(page, "copies", 2);
  await page.click("#start");
  await waitForPhase(page, "done");
  assert.equal(await text(page, "#fact-step"), "60 of 60");
  const solution = await download(page, "#download-solution");
  const verdict = JSON.parse(await neuopt(program, "verify", file("small.vrp"), solution, "--json"));
  assert.equal(verdict.feasible, true);
  const shown = parseFloat(await text(page, "#best-cost"));
  assert.ok(Math.abs(shown - verdict.cost) < 1e-4, `${shown} on the page, ${verdict.cost} by the verifier`);
  assert.equal(Number(await text(page, "#fact-routes")), verdict.routes.length ?? verdict.routes);
  const picture = await download(page, "#download-picture");
  assert.match(readFileSync(picture, "utf8"), /^<svg /);
  for (const canvas of ["#current", "#best", "#trajectory"])
    assert.ok((await coloursOf(page, canvas)) > 3, `${canvas} is blank`);
  const shot = await page.screenshot({ path: file("page.png"), fullPage: true });
  assert.ok(shot.length > 20000, "the screenshot is blank");
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test("a bad file gives a message and leaves the page alive", async () => {
  const page = await openPage(browser, viewer.url);
  await waitForText(page, "#instance-name", (found) => found.includes("CVRP"));
  await dropFile(page, "bad.vrp", "NAME : bad\nTYPE : CVRP\nDIMENSION : many\n");
  await page.waitForSelector("#message:not([hidden])");
  assert.match(await text(page, "#message"), /file:3: /);
  assert.match(await text(page, "#instance-name"), /20 customers/, "the instance before stays");
  await dropFile(page, "evil.tsp", "NAME : <img src=x onerror=alert(1)>\nTYPE : TSP\nDIMENSION : 3\n" +
    "EDGE_WEIGHT_TYPE : EUC_2D\nNODE_COORD_SECTION\n1 0 0\n2 3 0\n3 0 4\nEOF\n");
  await waitForText(page, "#instance-name", (found) => found.includes("TSP, 3 nodes"));
  assert.match(await text(page, "#instance-name"), /<img src=x/, "a name is text");
  assert.equal(await page.locator("#instance-name img").count(), 0);
  await page.click("#start");
  await waitForPhase(page, "done");
  assert.equal(parseFloat(await text(page, "#best-cost")), 12);
  await page.context().close();
});

test("pauses, steps and goes on by keyboard", async () => {
  const page = await openPage(browser, viewer.url);
  await waitForPhase(page, "done");
  await page.selectOption("#problem", "cvrp");
  await field(page, "size", 30);
  await page.click("#generate");
  await waitForText(page, "#instance-name", (found) => found.includes("30 customers"));
  await field(page, "steps", 100000);
  await page.selectOption("#speed", "20");
  await page.click("#step");
  await waitForPhase(page, "paused");
  const steps = async () => parseInt(await text(page, "#fact-step"), 10);
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
  const paused = await steps();
  await page.waitForTimeout(300);
  assert.ok((await steps()) <= paused + 1, "a paused search stands");
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

test("replays a recorded search with a slider, on a phone, in the dark", async () => {
  await neuopt(program, "solve", file("small.vrp"), "--model", model, "--steps", "40", "--augment", "2",
    "--trace", file("trace.jsonl"), "--trace-tours", "--output", file("trace.sol"), "--quiet");
  const replay = await startViewer(program, file("trace.jsonl"));
  const page = await openPage(browser, replay.url, { viewport: { width: 390, height: 844 }, colorScheme: "dark" });
  await page.waitForSelector("#replay:not([hidden])");
  await page.fill("#slider", "40");
  assert.match(await text(page, "#slider-step"), /40 of 40/);
  const recorded = readFileSync(file("trace.jsonl"), "utf8").trim().split("\n").map((line) => JSON.parse(line));
  assert.ok(Math.abs(parseFloat(await text(page, "#best-cost")) - recorded.at(-1).cost) < 1e-4);
  await page.fill("#slider", "7");
  assert.equal(parseFloat(await text(page, "#current-cost")),
    Number(recorded.find((line) => line.type === "step" && line.copy === 0 && line.step === 7).cost.toFixed(4)));
  assert.ok((await coloursOf(page, "#current")) > 3, "the tour is blank");
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(overflow <= 0, `the page is ${overflow} pixels too wide for a phone`);
  await page.screenshot({ path: file("phone.png"), fullPage: true });
  assert.ok(statSync(file("phone.png")).size > 20000);
  assert.deepEqual(page.problems, []);
  await page.context().close();
  await replay.stop();
});
