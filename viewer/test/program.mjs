// Starts the program and a browser for the tests.
import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import { chromium } from "playwright-core";

const run = promisify(execFile);

/** Runs the program to its end; returns what it prints. Exit codes other than 0 are errors. */
export const neuopt = async (program, ...args) => (await run(program, args)).stdout;

const running = new Set();

/** Ends the viewers that failed tests left behind: Node.js would wait for them. */
export const stopViewers = () => Promise.all([...running].map((stop) => stop()));

/** Starts `neuopt view ARGS` and returns its URL and a function that ends it. */
export async function startViewer(program, ...args) {
  const child = spawn(program, ["view", ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((resolve) => child.on("exit", resolve));
  let printed = "";
  const url = await new Promise((resolve, reject) => {
    child.stdout.on("data", (bytes) => {
      printed += bytes;
      if (printed.endsWith("\n")) resolve(printed.trim());
    });
    ended.then((code) => reject(new Error(`the viewer ended with ${code}`)));
  });
  const stop = async () => {
    running.delete(stop);
    child.kill("SIGINT");
    return { code: await ended, printed };
  };
  running.add(stop);
  return { url, stop };
}

export function launchBrowser() {
  const candidates = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
  const executablePath = candidates.find((path) => path && existsSync(path));
  return chromium.launch({
    executablePath,
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
           "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
}

/** A page that remembers what went wrong on it. */
export async function openPage(browser, url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, acceptDownloads: true, ...options });
  const page = await context.newPage();
  page.problems = [];
  page.on("console", (entry) => entry.type() === "error" && page.problems.push(entry.text()));
  page.on("pageerror", (error) => page.problems.push(String(error)));
  await page.goto(url);
  return page;
}

/**
 * The colours that a canvas shows, as "#rrggbb" of its opaque pixels: none when it is blank. The texts of the page change
 * at once, its canvases with the next frame, or the one after it when their size changed.
 */
export const coloursOf = async (page, selector) => new Set(await page.$eval(selector, async (canvas) => {
  await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const colours = new Set();
  for (let i = 0; i < data.length; i += 4)
    if (data[i + 3] === 255) colours.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
  return [...colours].map((colour) => "#" + colour.toString(16).padStart(6, "0"));
}));

/** The texts of what is visible of some elements. */
export const visibleTexts = (page, selector) => page.$$eval(selector, (elements) =>
  elements.filter((element) => element.offsetParent).map((element) => element.innerText.trim()));

/** True when the element is inside the window without scrolling. */
export const isInWindow = (page, selector) => page.$eval(selector, (element) => {
  const box = element.getBoundingClientRect();
  return box.height > 0 && box.top >= 0 && box.left >= 0 && box.bottom <= innerHeight && box.right <= innerWidth;
});

export const text = (page, selector) => page.textContent(selector);

/** Waits until the text of an element is as wanted. (The page's content policy forbids playwright's own waiting.) */
export async function waitForText(page, selector, wanted, timeout = 30000) {
  const end = Date.now() + timeout;
  for (;;) {
    const found = await text(page, selector);
    if (wanted(found)) return found;
    if (Date.now() > end) throw new Error(`${selector} shows "${found}" after ${timeout} ms`);
    await page.waitForTimeout(20);
  }
}

async function waitForAttribute(page, selector, name, wanted, timeout = 30000) {
  for (const end = Date.now() + timeout; ; await page.waitForTimeout(20)) {
    const found = await page.getAttribute(selector, name);
    if (found === wanted) return;
    if (Date.now() > end) throw new Error(`${selector} has ${name} "${found}" instead of "${wanted}" after ${timeout} ms`);
  }
}

export const waitForPhase = (page, phase) => waitForAttribute(page, "#phase", "data-phase", phase);

/** Drops a file onto the page, as a hand would. */
export const dropFile = (page, name, content) => page.evaluate(([fileName, fileText]) => {
  const transfer = new DataTransfer();
  transfer.items.add(new File([fileText], fileName));
  document.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
}, [name, content]);
