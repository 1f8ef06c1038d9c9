// Takes the pictures of the viewer for the documentation.
// Usage: node screenshots.mjs PROGRAM MODEL INSTANCE LOG FOLDER (MODEL may be empty: the bundled one)
import { join } from "node:path";
import { launchBrowser, openPage, startViewer, waitForPhase, waitForText } from "./program.mjs";

const [program, model, instance, log, folder] = process.argv.slice(2);
const browser = await launchBrowser();

const empty = await startViewer(program);
const start = await openPage(browser, empty.url, { viewport: { width: 1280, height: 800 }, colorScheme: "light" });
await start.waitForSelector("#welcome:not([hidden])");
await start.waitForTimeout(500);
await start.screenshot({ path: join(folder, "viewer-start.png") });
await empty.stop();

const live = await startViewer(program, instance, ...(model ? ["--model", model] : []));
const page = await openPage(browser, live.url, { viewport: { width: 1280, height: 900 }, colorScheme: "light" });
await waitForPhase(page, "ready");
await page.click("#play");
// In the middle of the search, at a moment with an exchange to see; of a CVRP, with a route over capacity as well.
await waitForText(page, "#fact-step", (found) => parseInt(found, 10) > 250, 120000);
await page.click("#play");
await waitForPhase(page, "paused");
for (let i = 0; i < 80; ++i) {
  const good = await page.evaluate(() => Number(document.getElementById("fact-k").textContent) > 2 &&
    document.getElementById("current-cost").textContent.includes("over"));
  if (good) break;
  await page.click("#step");
  await page.waitForTimeout(120);
}
await page.screenshot({ path: join(folder, "viewer.png") });
await live.stop();

const replay = await startViewer(program, log);
const phone = await openPage(browser, replay.url, { viewport: { width: 390, height: 844 }, colorScheme: "dark" });
await phone.waitForSelector("#slider:not([hidden])");
await phone.fill("#slider", "120");
await phone.waitForTimeout(300);
await phone.screenshot({ path: join(folder, "viewer-phone.png") });
await replay.stop();
await browser.close();
